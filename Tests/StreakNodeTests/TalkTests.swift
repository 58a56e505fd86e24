import StreakEngine
import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire
import Testing

@testable import StreakNode

extension MeshNode {
    fileprivate func talk(_ request: TalkRequest) async throws -> TalkReport { try await call(request) }

    fileprivate func show(_ user: String?, _ group: String? = nil) async throws -> TalkReport {
        try await talk(.show(ResultReference(user: user, game: "wordle", group: group)))
    }

    /// Waits until the talk about a result is so.
    fileprivate func until(_ user: String?, _ holds: @Sendable (TalkReport) -> Bool) async throws {
        try await until { node in holds(try await node.show(user)) }
    }

    fileprivate func comment(_ user: String?, _ text: String) async throws -> TalkReport {
        try await talk(.comment(ResultReference(user: user, game: "wordle"), text: text))
    }

    fileprivate func react(_ user: String?, _ emoji: String?) async throws -> TalkReport {
        try await talk(.react(ResultReference(user: user, game: "wordle"), emoji: emoji))
    }
}

/// Reactions and comments on results.
@Suite(.timeLimit(.minutes(5))) struct TalkTests {
    /// A puzzle of long ago, which is never covered.
    private static let old = "Wordle 1,200 4/6"

    private static func friends<Answer: Sendable>(
        _ names: [String] = ["Ada", "Bob"], party: NodeParty? = nil,
        _ body: @Sendable ([MeshNode]) async throws -> Answer
    ) async throws -> Answer {
        let party = try party ?? NodeParty()
        return try await party.running(names) { nodes in
            _ = try await nodes[0].group(.create(title: "Red"))
            let link = try await nodes[0].invite().link
            for node in nodes.dropFirst() { try await node.join(link) }
            for node in nodes { try await node.add(old) }
            for node in nodes {
                try await node.until { node in
                    try await node.board().rows.count { $0.played > 0 } == names.count
                }
            }
            return try await body(nodes)
        }
    }

    @Test func `what is said about a result reaches its friends, and changes as its author does`() async throws {
        try await Self.friends { nodes in
            let (ada, bob) = (nodes[0], nodes[1])
            #expect(try await bob.react("Ada", " 🔥 ").mine == "🔥")
            let said = try await bob.comment("Ada", "  How did\nyou see <b>that</b>? ")
            #expect(said.comments.map(\.text) == ["How did you see <b>that</b>?"])
            try await ada.until(nil) { $0.comments.count == 1 && $0.reactions.count == 1 }
            let seen = try await ada.show(nil)
            #expect(seen.reactions == [ReactionReport(emoji: "🔥", count: 1, names: ["Bob"], mine: false)])
            #expect(seen.me && !seen.covered && seen.label == "4 guesses" && seen.mayHide && seen.mine == nil)
            #expect(seen.comments[0].name == "Bob" && !seen.comments[0].me && !seen.comments[0].edited)
            let id = seen.comments[0].id
            _ = try await bob.talk(.edit(comment: String(id.prefix(6)), text: "How?", group: nil))
            _ = try await bob.react("Ada", "👏")
            try await ada.until(nil) { $0.comments.first?.text == "How?" && $0.reactions.first?.emoji == "👏" }
            #expect(try await ada.show(nil).comments.map(\.edited) == [true])
            await #expect(throws: NodeFailure.commentOfAnother) {
                try await ada.talk(.edit(comment: id, text: "x", group: nil))
            }
            await #expect(throws: NodeFailure.commentOfAnother) {
                try await ada.talk(.delete(comment: id, group: nil))
            }
            _ = try await bob.react("Ada", nil)
            #expect(try await bob.talk(.delete(comment: id, group: nil)).comments.isEmpty)
            try await ada.until(nil) { $0.comments.isEmpty && $0.reactions.isEmpty }
            await #expect(throws: NodeFailure.unknownComment(id)) {
                try await bob.talk(.edit(comment: id, text: "x", group: nil))
            }
        }
    }

    @Test(arguments: ["", "hm", "👍👍", "<b>"])
    func `a reaction is one emoji`(text: String) async throws {
        try await NodeParty.alone { node, _ in
            _ = try await node.group(.create(title: "Red"))
            try await node.add(Self.old)
            await #expect(throws: NodeFailure.invalidEmoji) { try await node.react(nil, text) }
            #expect(try await node.show(nil).reactions.isEmpty)
        }
    }

    @Test func `a comment is neither empty nor too long, and is about a result that is there`() async throws {
        try await NodeParty.alone { node, _ in
            _ = try await node.group(.create(title: "Red"))
            await #expect(throws: NodeFailure.noResultOfMember(name: nil, game: "Wordle")) {
                try await node.show(nil)
            }
            try await node.add(Self.old)
            for text in ["", " \n ", String(repeating: "x", count: 501), "a\u{202E}b"] {
                await #expect(throws: NodeFailure.invalidComment(limit: 500)) { try await node.comment(nil, text) }
            }
            #expect(try await node.comment(nil, String(repeating: "x", count: 500)).comments.count == 1)
            await #expect(throws: NodeFailure.noResultOfMember(name: nil, game: "Wordle")) {
                try await node.talk(.show(ResultReference(game: "wordle", date: "2026-01-01")))
            }
        }
    }

    @Test func `talk survives an edit of the result, ends with its deletion and comes back with undo`() async throws {
        try await Self.friends { nodes in
            let (ada, bob) = (nodes[0], nodes[1])
            _ = try await bob.comment("Ada", "nice")
            _ = try await bob.react("Ada", "👏")
            try await ada.until(nil) { $0.comments.count == 1 && $0.reactions.count == 1 }
            try await ada.add("Wordle 1,200 2/6", replace: true)
            try await bob.until("Ada") { $0.label == "2 guesses" }
            #expect(try await bob.show("Ada").comments.count == 1)
            let day = try await ada.show(nil).day
            _ = try await ada.call(ScoreRequest.delete(game: "wordle", date: day, puzzle: nil))
            try await bob.until { node in
                do {
                    _ = try await node.show("Ada")
                    return false
                } catch NodeFailure.noResultOfMember {
                    return true
                }
            }
            _ = try await ada.call(UndoRequest.last)
            try await bob.until { node in
                let report = try? await node.show("Ada")  // not there yet
                return report?.comments.map(\.text) == ["nice"] && report?.mine == "👏"
            }
        }
    }

    @Test func `the owner and admins hide a comment, which its author still sees`() async throws {
        try await Self.friends(["Ada", "Bob", "Cleo"]) { nodes in
            let (ada, bob, cleo) = (nodes[0], nodes[1], nodes[2])
            let id = try await bob.comment("Cleo", "rude").comments[0].id
            for node in nodes { try await node.until("Cleo") { $0.comments.count == 1 } }
            await #expect(throws: NodeFailure.notAllowed(action: "hide a comment")) {
                try await cleo.talk(.hide(comment: id, isHidden: true, group: nil))
            }
            let hidden = try await ada.talk(.hide(comment: id, isHidden: true, group: nil))
            #expect(hidden.comments.map(\.hidden) == [true] && hidden.mayHide)
            try await cleo.until("Cleo") { $0.comments.isEmpty }
            try await bob.until("Cleo") { $0.comments.map(\.hidden) == [true] }
            _ = try await ada.talk(.hide(comment: id, isHidden: false, group: nil))
            try await cleo.until("Cleo") { $0.comments.map(\.hidden) == [false] }
        }
    }

    @Test func `who is muted is not heard here, and nobody else learns of it`() async throws {
        try await Self.friends(["Ada", "Bob", "Cleo"]) { nodes in
            let (ada, bob, cleo) = (nodes[0], nodes[1], nodes[2])
            _ = try await bob.comment("Cleo", "hello")
            _ = try await bob.react("Cleo", "🔥")
            for node in [ada, cleo] {
                try await node.until("Cleo") { $0.comments.count == 1 && $0.reactions.count == 1 && $0.mutedCount == 0 }
            }
            let group: GroupID = try await cleo.group("Red")
            let digest = await cleo.engine.digest(of: group)
            #expect(try await cleo.call(MuteRequest.mute(user: "Bob", group: nil)).muted.map(\.name) == ["Bob"])
            let quiet = try await cleo.show(nil)
            #expect(quiet.comments.isEmpty && quiet.reactions.isEmpty && quiet.mutedCount == 1)
            #expect(await cleo.engine.digest(of: group) == digest)
            #expect(try await ada.show("Cleo").comments.count == 1)
            await cleo.rebuildViews()
            #expect(try await cleo.call(MuteRequest.list(group: nil)).muted.count == 1)
            // Going by an alias ends it not, and neither does coming out again.
            _ = try await bob.privacy(.change(group: nil, PrivacyChange(anonymous: true)))
            try await cleo.until { try await $0.members().contains { $0.name.hasPrefix("Player#") } }
            let muted = try await cleo.call(MuteRequest.list(group: nil)).muted
            #expect(muted.count == 1 && muted[0].name.hasPrefix("Player#"))
            #expect(try await cleo.show(nil).comments.isEmpty)
            #expect(try await cleo.call(MuteRequest.unmute(user: muted[0].name, group: nil)).muted.isEmpty)
            #expect(try await cleo.call(MuteRequest.mute(user: muted[0].name, group: nil)).muted.count == 1)
            _ = try await bob.privacy(.change(group: nil, PrivacyChange(anonymous: false)))
            try await cleo.until { try await $0.members().contains { $0.name == "Bob" } }
            #expect(try await cleo.call(MuteRequest.unmute(user: "Bob", group: nil)).muted.isEmpty)
            #expect(try await cleo.show(nil).comments.count == 1)
        }
    }

    @Test func `a covered result says nothing, and nothing is said about it`() async throws {
        try await Self.friends { nodes in
            let (ada, bob) = (nodes[0], nodes[1])
            // Today's, which Bob has not played.
            let today = try await ada.board().today
            let add = ScoreRequest.record(
                game: "wordle", score: 3, isCompleted: true, seconds: nil, date: today, groups: nil, replace: false)
            _ = try await ada.call(add)
            _ = try await ada.comment(nil, "CRANE was it")
            _ = try await ada.react(nil, "🔥")
            try await bob.until("Ada") { $0.day == today }
            let group: GroupID = try await bob.group("Red")
            try await bob.until { await $0.views[group]?.talk.names.count == 1 }
            let covered = try await bob.show("Ada")
            #expect(covered.covered && covered.label == nil && covered.comments.isEmpty && covered.reactions.isEmpty)
            #expect(covered.earlier == 0 && covered.mutedCount == 0 && !covered.late && !covered.edited)
            await #expect(throws: NodeFailure.resultCovered(game: "Wordle")) { try await bob.comment("Ada", "x") }
            await #expect(throws: NodeFailure.resultCovered(game: "Wordle")) { try await bob.react("Ada", "👏") }
            _ = try await bob.call(add)
            #expect(try await bob.show("Ada").comments.map(\.text) == ["CRANE was it"])
        }
    }

    @Test func `leaving with erasure takes what one has said`() async throws {
        try await Self.friends(["Ada", "Bob", "Cleo"]) { nodes in
            let (ada, bob, cleo) = (nodes[0], nodes[1], nodes[2])
            _ = try await bob.comment("Ada", "gone soon")
            _ = try await cleo.comment("Ada", "stays")
            for node in [ada, cleo] { try await node.until("Ada") { $0.comments.count == 2 } }
            _ = try await bob.group(.leave(group: "Red", erasing: true))
            for node in [ada, cleo] {
                try await node.until("Ada") { $0.comments.map(\.text) == ["stays"] }
                let group: GroupID = try await node.group("Red")
                try await node.until { await $0.views[group]?.talk.names.count == 1 }
            }
        }
    }
}
