/// Whether 03/04/2026 is 3 April or 4 March.
public enum DateOrder: Sendable, Hashable {
    case dayFirst, monthFirst
}
