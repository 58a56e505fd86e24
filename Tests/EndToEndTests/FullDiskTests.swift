#if os(Linux)
    import Foundation
    import Glibc
    import StreakTestSupport
    import Testing

    /// A data folder on a file system of its own, which is filled up.
    @Suite(.serialized, .enabled(if: geteuid() == 0, "needs root, to mount a file system"))
    struct FullDiskTests {
        private func mount(_ friend: Friend) async throws {
            try FileManager.default.createDirectory(atPath: friend.folder, withIntermediateDirectories: true)
            let lab = friend.lab
            let mounted = try await lab.run([
                "mount", "-t", "tmpfs", "-o", "size=4m,mode=700", "tmpfs", friend.folder,
            ])
            try #require(mounted.exitCode == 0, "\(mounted)")
            // What is still mounted goes with the machine.
            lab.atEnd { _ = try? await lab.run(["umount", "-l", friend.folder]) }
        }

        private func fill(_ friend: Friend) async throws {
            let result = try await friend.lab.run(["dd", "if=/dev/zero", "of=\(friend.folder)/filler", "bs=4096"])
            try #require(result.exitCode != 0, "the disk has no end")
        }

        private func makeRoom(_ friend: Friend) throws {
            try FileManager.default.removeItem(atPath: "\(friend.folder)/filler")
        }

        @Test(.timeLimit(.minutes(5)), arguments: ["stopped", "killed"])
        func `without a node reading goes on, and what is added is refused for the right reason`(
            end: String
        ) async throws {
            try await Lab.open { lab in
                let ada = lab.person("Ada")
                try await mount(ada)
                try await ada.ask("init", "--name", "Ada")
                try await ada.ask("group", "create", "Breakfast club")
                try await ada.ask("add", input: ShareTexts.wordle(1_348, guesses: 3))
                let node = try await ada.start()
                try await ada.ask("add", input: ShareTexts.wordle(1_349, guesses: 4))
                if end == "stopped" { try await node.stop() } else { await node.kill() }
                try await fill(ada)

                for _ in 0..<2 {
                    #expect(try await ada.ask("results")["results"].items.count == 2)
                    #expect(try await ada.board().first?["played"].integer == 2)
                    #expect(try await ada.ask("status")["damage"] == .null)
                    // These note what was looked at, where that is possible.
                    for command in ["achievements", "feed", "notices"] {
                        let shown = try await ada.runForPeople(command)
                        #expect(shown.exitCode == 0, "\(shown)")
                    }
                    // What a killed node has left in the log is moved, and makes room.
                    guard end == "stopped" else { continue }
                    let refused = try await ada.run("add", input: ShareTexts.wordle(1_350, guesses: 5))
                    #expect(refused.exitCode == 73, "\(refused)")
                    #expect(refused.errorCode == "diskFull")
                }
                try makeRoom(ada)
                try await ada.ask("add", input: ShareTexts.wordle(1_350, guesses: 5))
                #expect(try await ada.ask("results")["results"].items.count == 3)
                #expect(try await ada.ask("status")["damage"] == .null)
            }
        }
    }
#endif
