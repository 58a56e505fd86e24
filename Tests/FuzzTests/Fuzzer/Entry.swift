import Foundation

/// What libFuzzer calls with each input: runs the target that STREAKMESH_FUZZ_TARGET names (`script/fuzz`).
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    do {
        try chosen.run(bytes)
    } catch {
        fatalError("\(chosen.name): \(error)")
    }
    return 0
}

private let chosen: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["STREAKMESH_FUZZ_TARGET"] ?? ""
    if name == "list" {
        print(FuzzTarget.all.map(\.name).joined(separator: "\n"))
        exit(0)
    }
    guard let target = FuzzTarget.named(name) else { fatalError("no target “\(name)”") }
    return target
}()

/// Looks for the target before the first input.
@_cdecl("LLVMFuzzerInitialize")
public func prepareFuzzing(
    _ count: UnsafeMutablePointer<CInt>?,
    _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> CInt {
    _ = chosen.name
    return 0
}
