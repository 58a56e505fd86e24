import StreakNode

/// Texts about device links.
extension FailureText {
    /// Why a device link failed. Code and exit code are those of the same failure of an invite.
    static func describeDeviceLink(_ failure: DeviceLinkFailure) -> Description {
        var text = describe(failure.ofInvite)
        let another = "Make a new one with `streakmesh device link` on one of your machines."
        switch failure {
        case .malformed:
            text.message = "This is not a link for a machine of your own."
            text.hint = "Copy the whole link; it begins with `streakmesh://device/`."
        case .tampered: text.hint = "Do not use it. \(another)"
        case .expired: text.hint = another
        case .usedUp:
            text.message = "This link has already been used. It works for one machine only."
            text.hint = another
        case .nobodyReachable:
            text.message = "None of your machines answered in time."
            text.hint =
                "Start StreakMesh on the one that made the link, check that both are on a network, then try again."
        }
        return text
    }
}
