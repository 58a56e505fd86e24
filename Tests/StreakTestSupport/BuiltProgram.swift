import Foundation

/// The program under test: the one that was built together with the running test bundle.
public enum BuiltProgram {
    /// The path of `streakmesh`.
    public static let path = folder.appendingPathComponent("streakmesh").path

    /// The path of `streakmesh-example`.
    public static let examplePath = folder.appendingPathComponent("streakmesh-example").path

    /// The path of `streakmesh-internet`; nil where it was not built, for want of its libraries.
    public static let helperPath: String? = {
        let path = folder.appendingPathComponent("streakmesh-internet").path
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }()

    /// Where the test bundle lies. Programs of the package are built beside it.
    static var folder: URL {
        #if os(macOS)
            let bundle = Bundle.allBundles.first { $0.bundleURL.pathExtension == "xctest" } ?? Bundle.main
            return bundle.bundleURL.deletingLastPathComponent()
        #else
            let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
            return bundle.deletingLastPathComponent()
        #endif
    }
}
