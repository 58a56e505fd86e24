/// The files of the page, compiled into the program.
struct Asset: Sendable {
    var bytes: [UInt8]
    var type: String
    /// A quoted entity tag over the bytes.
    var tag: String

    init(_ bytes: [UInt8], type: String) {
        self.bytes = bytes
        self.type = type
        // FNV-1a, 64 bits: tells versions apart, nothing more.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        tag = "\"\(String(hash, radix: 36))\""
    }

    static let all: [String: Asset] = [
        "app.css": Asset(PackageResources.app_css, type: "text/css; charset=utf-8"),
        "app.js": Asset(PackageResources.app_js, type: "text/javascript; charset=utf-8"),
        "live.js": Asset(PackageResources.live_js, type: "text/javascript; charset=utf-8"),
        "board.js": Asset(PackageResources.board_js, type: "text/javascript; charset=utf-8"),
        "paste.js": Asset(PackageResources.paste_js, type: "text/javascript; charset=utf-8"),
        "celebration.js": Asset(PackageResources.celebration_js, type: "text/javascript; charset=utf-8"),
        "picture.js": Asset(PackageResources.picture_js, type: "text/javascript; charset=utf-8"),
        "busy.js": Asset(PackageResources.busy_js, type: "text/javascript; charset=utf-8"),
        "icon.svg": Asset(PackageResources.icon_svg, type: "image/svg+xml"),
    ]

    /// What a browser may load before it is signed in: only the looks, no data.
    static let openToAll: Set<String> = ["app.css", "icon.svg"]
}
