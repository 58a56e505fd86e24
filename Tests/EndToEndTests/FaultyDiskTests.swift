#if os(Linux)
    import StreakTestSupport
    import Testing

    /// The disk fails at every step of what a process writes, one after the other: what was confirmed stays, the store
    /// opens, and friends agree.
    @Suite(.serialized) struct FaultyDiskTests {
        @Test(.timeLimit(.minutes(10)), arguments: FaultyDisk.Fault.allCases)
        func `a command loses nothing that it confirmed, at whatever step its disk fails`(
            fault: FaultyDisk.Fault
        ) async throws {
            try await Lab.open { lab in
                let disk = try await FaultyDisk(in: lab)
                let (ada, bela) = (try await lab.friend("Ada"), try await lab.friend("Béla"))
                var node = try await ada.start()
                let belaNode = try await bela.start()
                try await ada.share(with: bela)
                try await node.stop()

                var (confirmed, step) = (Set<Int>(), 0)
                repeat {
                    step += 1
                    let result = try await disk.user(ada, fault, atStep: step).run(
                        "add", input: ShareTexts.wordle(step, guesses: step % 6 + 1))
                    if result.exitCode == 0 {
                        confirmed.insert(step)
                    } else if result.exitCode > 0 {
                        #expect(!result.errors.isEmpty, "step \(step): no reason was given")
                    }
                    try #require(step < 500, "a command has far fewer steps")
                } while disk.takeFired()
                #expect(step > 10, "there were only \(step) steps")
                #expect(confirmed.contains(step), "the last one met no fault")

                let results = try await ada.ask("results", "--game", "wordle")["results"].items
                let lost = confirmed.subtracting(results.compactMap { $0["puzzle"].integer })
                #expect(lost.isEmpty, "confirmed and lost, at steps \(lost.sorted())")
                #expect(results.allSatisfy { $0["score"].integer == ($0["puzzle"].integer ?? 0) % 6 + 1 })
                node = try await ada.start()
                try await lab.agreement(of: [ada, bela])
                #expect(try await bela.board("--game", "wordle").first?["played"].integer == results.count)
                withExtendedLifetime((node, belaNode)) {}
            }
        }

        @Test(.timeLimit(.minutes(10)), arguments: [FaultyDisk.Fault.killed, .full])
        func `a node takes what a friend sends in the end, at whatever step its disk fails`(
            fault: FaultyDisk.Fault
        ) async throws {
            try await Lab.open { lab in
                let disk = try await FaultyDisk(in: lab)
                let (ada, bela) = (try await lab.friend("Ada"), try await lab.friend("Béla"))
                let adaNode = try await ada.start()
                let unlucky = disk.user(bela, fault)
                var belaNode = try await unlucky.start()
                try await ada.share(with: bela)
                try await lab.agreement(of: [ada, bela])

                var (step, hasFired) = (0, true)
                while hasFired {
                    step += 1
                    try #require(step < 100, "one record has far fewer steps")
                    try disk.arm(atStep: step)
                    try await ada.ask("add", input: ShareTexts.wordle(step, guesses: step % 6 + 1))
                    let digest = try await ada.digest()
                    try await lab.eventually("Béla’s node stores the record or meets its fault") {
                        if belaNode.hasEnded || disk.hasFired { return true }
                        return try await bela.digest() == digest
                    }
                    // What goes on gets its disk back; what was killed is started anew.
                    try disk.disarm()
                    hasFired = disk.takeFired()
                    if hasFired, fault == .killed || fault == .torn {
                        await belaNode.kill()
                        belaNode = try await unlucky.start()
                    }
                    try await lab.agreement(of: [ada, bela])
                }
                #expect(step > 3, "there were only \(step) steps")
                let rows = try await bela.board("--game", "wordle")
                #expect(rows.first?["played"].integer == step)
                #expect(try await ada.board("--game", "wordle") == rows)
                withExtendedLifetime((adaNode, belaNode)) {}
            }
        }
    }
#endif
