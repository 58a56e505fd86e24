"""Handshake messages, bindings, transport packets and what is in them: links.md §1 to §7."""

from __future__ import annotations

from dataclasses import dataclass

from . import noise
from .codec import Reader, Refusal, invalid_value
from .crypto import PREFIX, hash256, keyed
from .noise import Cipher, Handshake

NAMES = {
    "member": "Noise_IKpsk2_25519_ChaChaPoly_BLAKE2b",
    "invite": "Noise_XXpsk0_25519_ChaChaPoly_BLAKE2b",
    "friend": "Noise_XXpsk0_25519_ChaChaPoly_BLAKE2b",
}
INITIATION_SIZES = {"member": 134, "invite": 86, "friend": 1200}
RESPONSE_SIZES = {"member": 73, "invite": 121, "friend": 1200}
FRIEND_PAYLOADS = (1130, 1099)
FINAL_SIZE = 69
HEADER_SIZE = 13


def prologue(kind: str, carrier: str) -> bytes:
    return PREFIX + (b"friend/" if kind == "friend" else b"link/") + carrier.encode()


def link_binding(first: tuple[bytes, bytes], second: tuple[bytes, bytes]) -> bytes:
    """§4: of (static key, nonce) of both devices, the smaller static key's first."""
    (key, nonce), (other_key, other_nonce) = sorted([first, second])
    return hash256(PREFIX + b"link-binding", key, nonce, other_key, other_nonce)


@dataclass
class Side:
    """One side of a handshake of the kind `member`, `invite` or `friend`, over `udp` or `tcp`."""

    kind: str
    carrier: str
    is_initiator: bool
    psk: bytes
    tag_key: bytes
    secret: bytes
    ephemeral: bytes
    nonce: bytes
    index: int
    peer_key: bytes | None = None
    peer_nonce: bytes = b""
    peer_index: int = 0
    certificate: bytes = b""

    def __post_init__(self) -> None:
        self.handshake = Handshake(
            NAMES[self.kind],
            is_initiator=self.is_initiator,
            prologue=prologue(self.kind, self.carrier),
            static=self.secret,
            ephemeral=self.ephemeral,
            remote_static=self.peer_key if self.is_initiator and self.kind == "member" else None,
            psks=[self.psk],
        )

    def _padded(self, payload: bytes, number: int) -> bytes:
        """friends.md §3: messages 1 and 2 are padded with zeros."""
        return payload.ljust(FRIEND_PAYLOADS[number], b"\0") if self.kind == "friend" else payload

    def _unpadded(self, payload: bytes, size: int) -> bytes:
        if self.kind == "friend" and (len(payload) < size or any(payload[size:])):
            raise Refusal("malformed")
        return payload[:size] if self.kind == "friend" else payload

    def _tag(self, data: bytes) -> bytes:
        return keyed(self.tag_key, data, self.carrier.encode(), size=16)

    def write_initiation(self) -> bytes:
        """§2.1."""
        data = b"\1\1" + self.index.to_bytes(4, "big") + self.handshake.write(self._padded(self.nonce, 0))
        return data + self._tag(data)

    def read_initiation(self, data: bytes) -> None:
        """In the order of §2.4: size, type, version, tag, Noise message."""
        if len(data) != INITIATION_SIZES[self.kind] or data[0] != 1:
            raise Refusal("malformed")
        if data[1] != 1:
            raise Refusal("unsupported-version")
        if self._tag(data[:-16]) != data[-16:]:
            raise Refusal("tag")
        self.peer_index = int.from_bytes(data[2:6], "big")
        self.peer_nonce = self._unpadded(self.handshake.read(data[6:-16]), 16)

    def write_response(self) -> bytes:
        """§2.2."""
        shown = len(self.certificate).to_bytes(2, "big") + self.certificate if self.kind == "friend" else b""
        message = self.handshake.write(self._padded(self.nonce + self.index.to_bytes(4, "big") + shown, 1))
        return b"\2" + self.peer_index.to_bytes(4, "big") + message

    def read_response(self, data: bytes) -> None:
        if len(data) != RESPONSE_SIZES[self.kind] or data[0] != 2:
            raise Refusal("malformed")
        payload = self.handshake.read(data[5:])
        if self.kind == "friend":
            end = 22 + int.from_bytes(payload[20:22], "big")
            payload = self._unpadded(payload, end)
            self.certificate = payload[22:]
        self.peer_nonce, self.peer_index = payload[:16], int.from_bytes(payload[16:20], "big")

    def write_final(self) -> bytes:
        """§2.3."""
        return b"\3" + self.peer_index.to_bytes(4, "big") + self.handshake.write(b"")

    def read_final(self, data: bytes) -> None:
        if len(data) != FINAL_SIZE or data[0] != 3:
            raise Refusal("malformed")
        self.handshake.read(data[5:])

    def ciphers(self) -> tuple[Cipher, Cipher]:
        """For what the initiator sends, and for what the responder sends."""
        return self.handshake.symmetric.split()

    def binding(self) -> bytes:
        mine = (noise.agreement_public_key(self.secret), self.nonce)
        return link_binding(mine, (self.handshake.remote_static or b"", self.peer_nonce))


def seal_packet(cipher: Cipher, carrier: str, index: int, counter: int, plain: bytes) -> bytes:
    """A transport packet (§5), or a frame of a stream (§7)."""
    numbered = Cipher(cipher.key, counter)
    if carrier == "tcp":
        data = numbered.encrypt(b"", plain)
        return len(data).to_bytes(2, "big") + data
    header = b"\4" + index.to_bytes(4, "big") + counter.to_bytes(8, "big")
    return header + numbered.encrypt(header, plain)


def open_packet(cipher: Cipher, carrier: str, counter: int, data: bytes) -> bytes:
    """The packet in a transport packet, whose own counter counts, or in the frame of that number."""
    if carrier == "tcp":
        if len(data) < 2 or int.from_bytes(data[:2], "big") != len(data) - 2:
            raise Refusal("malformed")
        return Cipher(cipher.key, counter).decrypt(b"", data[2:])
    if not HEADER_SIZE + 16 <= len(data) <= 1200 or data[0] != 4:
        raise Refusal("malformed")
    header = data[:HEADER_SIZE]
    return Cipher(cipher.key, int.from_bytes(header[5:], "big")).decrypt(header, data[HEADER_SIZE:])


def check_packet(plain: bytes, carrier: str) -> None:
    """Refuses what ends a link (§6); a kind that is unknown is ignored."""
    reader = Reader(plain)
    kind = reader.u8()
    if (kind in (2, 3) and carrier == "tcp") or (kind in (7, 9) and carrier == "udp"):
        raise invalid_value("carrier")
    match kind:
        case 0:
            reader.u8()
            if reader.left > 64:
                raise Refusal("limit-exceeded")
            reader.rest()
        case 1:
            if carrier == "udp" and reader.left > 1170:
                raise Refusal("limit-exceeded")
            reader.rest()
        case 2:
            reader.varint()
            reader.flag("last")
            if reader.left > 1150:
                raise Refusal("limit-exceeded")
            reader.rest()
        case 3:
            reader.varint()
            if reader.left > 32:
                raise Refusal("limit-exceeded")
            if reader.rest().endswith(b"\0"):
                raise invalid_value("bitmap")
        case 4 | 5:
            reader.take(8)
        case 7:
            reader.varint(), reader.varint()
            if reader.left > 60_000:
                raise Refusal("limit-exceeded")
            reader.rest()
        case 8:
            reader.varint()
        case 6 | 9:
            pass
        case _:
            return
    reader.end()
