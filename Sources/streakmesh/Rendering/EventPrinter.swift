import StreakNode

/// Tells what happens in a node, one line an event.
struct EventPrinter: Sendable {
    let node: any NodeCalling
    let context: CommandContext

    func show(_ event: NodeEvent) async {
        if context.usesJSON {
            context.terminal.write(JSON(event).text)
        } else {
            context.terminal.write(await sentence(for: event).printable)
        }
    }

    /// Shows names instead of IDs if the node can still be asked for them; a node that is stopping answers nothing.
    private func sentence(for event: NodeEvent) async -> String {
        switch event {
        case .changed(let group, _):
            // The answer only makes the line easier to read.
            let title = try? await node.call(GroupRequest.find(group: group)).title
            return "\(title ?? String(group.prefix(8))): something new"
        case .peer(let device, let state, let via):
            // As above.
            let peers = try? await node.call(StatusRequest.status).peers
            let name = peers?.first { $0.device == device }?.name ?? String(device.prefix(8))
            return "\(name): \(state)" + (via.map { " (\($0))" } ?? "")
        case .groupsChanged: return "Your groups changed."
        case .notice(let text): return text
        }
    }
}

extension JSON {
    init(_ event: NodeEvent) {
        self =
            switch event {
            case .changed(let group, let digest):
                .members(["event": .string("changed"), "group": .string(group), "digest": .string(digest)])
            case .peer(let device, let state, let via):
                .members([
                    "event": .string("peer"), "device": .string(device), "state": .string(state), "via": .optional(via),
                ])
            case .groupsChanged: .members(["event": .string("groups")])
            case .notice(let text): .members(["event": .string("notice"), "text": .string(text)])
            }
    }
}
