import StreakNode

/// What is said of links.
extension FailureText {
    /// Why a device link led nowhere: the code and the exit code of the same about an invite.
    static func describeDeviceLink(_ failure: NodeFailure) -> Description {
        var text = describe(failure)
        let another = "Make one with `streakmesh device link` on a machine of yours."
        switch failure {
        case .linkMalformed:
            text.message = "This is not a link for a machine of your own."
            text.hint = "Copy the whole link; it begins with `streakmesh://device/`."
        case .linkTampered: text.hint = "Do not use it. \(another)"
        case .linkExpired: text.hint = another
        case .linkUsedUp:
            text.message = "This link has been used already: it is good for one machine."
            text.hint = another
        case .nobodyReachable:
            text.message = "None of your machines answered in time."
            text.hint = "Check that the one that made the link is running and both are on a network, then try again."
        default: break
        }
        return text
    }

    /// Of what kind a link is, or what is wrong with its text.
    static func describeLinkText(_ failure: NodeFailure) -> Description? {
        switch failure {
        case .linkForDevice:
            (
                "linkForDevice", "This is a link for a machine of your own, not an invite to a group.",
                "Use it on the new machine, in an empty data folder: `streakmesh device join`.", Exit.badData
            )
        case .linkForGroup:
            (
                "linkForGroup", "This is an invite to a group, not a link for a machine of your own.",
                "Enter the group with `streakmesh join`; `streakmesh device link` on a machine of yours makes the other kind.",
                Exit.badData
            )
        case .linkMalformed:
            (
                "linkMalformed", "There is no StreakMesh invite in this.",
                "Copy the whole link, or the message with it; it begins with `streakmesh://join/`.", Exit.badData
            )
        case .severalLinks:
            (
                "severalLinks", "There are two different links in this text.",
                "Paste only the one that you mean.", Exit.badData
            )
        case .linkDamaged:
            (
                "linkDamaged", "This link is incomplete or mistyped.",
                "Copy it again, from its first to its last character.", Exit.badData
            )
        case .linkTampered:
            (
                "linkTampered", "Somebody has changed this link since it was made.",
                "Do not use it. Ask your friend for a new one by another way.", Exit.badData
            )
        case .linkUnsupported(let version):
            (
                "linkUnsupported", "This link is of version \(version), which this program does not know yet.",
                "Update StreakMesh, then try again.", Exit.badData
            )
        default: nil
        }
    }
}
