#if os(Linux)
    import StreakTestSupport
    import Testing

    /// The program of the article “A leaderboard in your own program”.
    @Suite struct ExampleTests {
        @Test(.timeLimit(.minutes(10)))
        func `two programs that embed a node share one board`() async throws {
            try await Lab.open { lab in
                func start(_ name: String, _ more: String...) throws -> Daemon {
                    // Else what it prints stays in its memory.
                    let program = ["stdbuf", "-oL", BuiltProgram.examplePath]
                    return try Daemon(in: lab, program + ["\(lab.folder)/\(name)", name, "127.0.0.1:0"] + more)
                }
                let ada = try start("Ada")
                try await ada.says("streakmesh://join/")
                let link = try #require(ada.lines.lines.first { $0.hasPrefix("streakmesh://join/") })
                let ben = try start("Ben", link)
                try await ada.says("Ben 4 pts")
                try await ben.says("Ada 4 pts")
                await ada.stop()
                await ben.stop()
            }
        }
    }
#endif
