import StreakCrypto
import Testing

@Suite struct NoiseVectorTests {
    @Test func `the vectors are there`() throws {
        #expect(try NoiseVector.all().count == 14)
    }

    @Test(arguments: try NoiseVector.all())
    func `each side writes and reads every message of the vector`(vector: NoiseVector) throws {
        var sides = try [vector.handshake(as: .initiator), vector.handshake(as: .responder)]
        let handshakeCount = sides[0].pattern.messageCount
        for (index, message) in vector.messages.prefix(handshakeCount).enumerated() {
            let (writer, reader) = (index % 2, 1 - index % 2)
            #expect(sides[writer].isOwnTurn && !sides[reader].isOwnTurn)
            #expect(!sides[writer].isComplete)
            let overhead = sides[writer].nextMessageOverhead
            #expect(sides[reader].nextMessageOverhead == overhead)
            let written = try sides[writer].writeMessage(bytes(message.payload))
            #expect(written == bytes(message.ciphertext), "message \(index)")
            #expect(written.count == overhead + bytes(message.payload).count)
            #expect(try sides[reader].readMessage(bytes(message.ciphertext)) == bytes(message.payload))
            #expect(sides[0].handshakeHash == sides[1].handshakeHash)
        }
        #expect(sides.allSatisfy { $0.isComplete && !$0.isOwnTurn && $0.nextMessageOverhead == 0 })
        if let hash = vector.handshakeHash { #expect(sides[0].handshakeHash == bytes(hash)) }
        try checkStaticKeys(of: sides, in: vector)

        let keys = try sides.map { try $0.transportKeys() }
        for (index, message) in vector.messages.enumerated().dropFirst(handshakeCount) {
            let (sender, receiver) = (keys[index % 2], keys[1 - index % 2])
            // Directions alternate, so each has used every second message.
            let counter = UInt64((index - handshakeCount) / 2)
            let sealed = try sender.sending.seal(bytes(message.payload), counter: counter)
            #expect(sealed == bytes(message.ciphertext), "message \(index)")
            #expect(try receiver.receiving.open(sealed, counter: counter) == bytes(message.payload))
        }
    }

    private func checkStaticKeys(of sides: [NoiseHandshake], in vector: NoiseVector) throws {
        for (side, other) in [(sides[0], vector.respStatic), (sides[1], vector.initStatic)] {
            let expected = try other.map { try AgreementSecretKey(rawBytes: bytes($0)).publicKey }
            #expect(side.remoteStaticKey == expected)
        }
    }

    @Test(arguments: try NoiseVector.all())
    func `a message with any byte changed never leads to agreement`(vector: NoiseVector) throws {
        var sides = try [vector.handshake(as: .initiator), vector.handshake(as: .responder)]
        for index in 0..<sides[0].pattern.messageCount {
            let (writer, reader) = (index % 2, 1 - index % 2)
            let before = sides[reader]
            let message = try sides[writer].writeMessage(bytes(vector.messages[index].payload))
            _ = try sides[reader].readMessage(message)
            for position in message.indices {
                var changed = message
                changed[position] ^= 1
                var misled = before
                do {
                    _ = try misled.readMessage(changed)
                    // Not noticed yet, as nothing in this message is encrypted: the next message must show it.
                    #expect(misled.handshakeHash != sides[reader].handshakeHash, "byte \(position) of \(index)")
                    var misledWriter = sides[writer]
                    let answer = try misled.writeMessage([])
                    #expect(throws: NoiseError.authenticationFailed, "byte \(position) of \(index)") {
                        try misledWriter.readMessage(answer)
                    }
                } catch {
                    #expect(error == .authenticationFailed, "byte \(position) of \(index)")
                    #expect(throws: NoiseError.handshakeEnded) { try misled.readMessage(message) }
                    #expect(!misled.isComplete && !misled.isOwnTurn)
                }
            }
        }
    }

    @Test(arguments: try NoiseVector.all())
    func `a message cut short fails at every length`(vector: NoiseVector) throws {
        var sides = try [vector.handshake(as: .initiator), vector.handshake(as: .responder)]
        for index in 0..<sides[0].pattern.messageCount {
            let (writer, reader) = (index % 2, 1 - index % 2)
            let before = sides[reader]
            let message = try sides[writer].writeMessage([])
            _ = try sides[reader].readMessage(message)
            for count in message.indices {
                var misled = before
                #expect(throws: NoiseError.messageTooShort(minimum: message.count, actual: count)) {
                    try misled.readMessage(Array(message.prefix(count)))
                }
                #expect(throws: NoiseError.handshakeEnded) { try misled.transportKeys() }
            }
        }
    }
}
