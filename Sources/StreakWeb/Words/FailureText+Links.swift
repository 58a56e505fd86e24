import StreakNode

/// What is said of links.
extension FailureText {
    /// Why a device link led nowhere: the code and the exit code of the same about an invite.
    static func describeDeviceLink(_ failure: DeviceLinkFailure) -> Description {
        var text = describe(failure.ofInvite)
        let another = "Make one with `streakmesh device link` on a machine of yours."
        switch failure {
        case .malformed:
            text.message = "This is not a link for a machine of your own."
            text.hint = "Copy the whole link; it begins with `streakmesh://device/`."
        case .tampered: text.hint = "Do not use it. \(another)"
        case .expired: text.hint = another
        case .usedUp:
            text.message = "This link has been used already: it is good for one machine."
            text.hint = another
        case .nobodyReachable:
            text.message = "None of your machines answered in time."
            text.hint = "Check that the one that made the link is running and both are on a network, then try again."
        }
        return text
    }
}
