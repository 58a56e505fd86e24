/// Whether and where the node serves, or why it could not start, and the callers that wait to know.
struct Readiness {
    /// The address served on: empty without a network, nil while the node does not serve.
    private(set) var address: String?
    private var failure: (any Error)?
    private var waiters: [CheckedContinuation<String, any Error>] = []

    /// The sockets are open at this address; nil if they are closed.
    mutating func listens(at address: String?) { self.address = address }

    mutating func begin() {
        let address = address ?? ""
        self.address = address
        tell(.success(address))
    }

    mutating func fail(_ error: any Error) {
        failure = error
        tell(.failure(error))
    }

    /// The node stops; callers that still wait are told.
    mutating func end() { tell(.failure(NodeFailure.stopping)) }

    /// The address, if it is known already. Throws the reason if the node could not serve.
    func known() throws -> String? {
        if address == nil, let failure { throw failure }
        return address
    }

    mutating func wait(_ waiter: CheckedContinuation<String, any Error>) { waiters.append(waiter) }

    private mutating func tell(_ result: Result<String, any Error>) {
        for waiter in waiters { waiter.resume(with: result) }
        waiters = []
    }
}
