"""Device proofs, friend requests and answers: friends.md §2 and §4."""

from __future__ import annotations

from dataclasses import dataclass

from . import messages
from .certificates import Certificate, is_consent
from .codec import Reader, Refusal, blob, decode, invalid_value
from .crypto import is_signed
from .keys import read_friend_code
from .messages import Message
from .report import Report

MAXIMUM_REQUEST = 2048
MAXIMUM_NAME = 160
MAXIMUM_CODE = 14
MAXIMUM_LINK = 2048
MAXIMUM_TIME = (1 << 63) - 1
PENDING, DECLINED, ACCEPTED = 1, 2, 3


@dataclass(frozen=True)
class DeviceProof:
    device: bytes
    link_key: bytes
    handshake_hash: bytes
    invite_signature: bytes
    device_signature: bytes
    consent: bytes

    @classmethod
    def read(cls, reader: Reader) -> DeviceProof:
        return cls(*(reader.take(size) for size in (32, 32, 64, 64, 64, 64)))

    def encoded(self) -> bytes:
        keys = self.device + self.link_key
        return keys + self.handshake_hash + self.invite_signature + self.device_signature + self.consent

    def is_valid(self, private_group: bytes, user: bytes, invite_key: bytes) -> bool:
        text = (private_group, self.device, self.link_key, self.handshake_hash)
        return (
            is_signed("deviceProof", self.invite_signature, invite_key, *text)
            and is_signed("deviceProof", self.device_signature, self.device, *text)
            and is_consent(self.consent, user, self.device, self.link_key)
        )


@dataclass(frozen=True)
class Request:
    certificate: Certificate
    name: str
    code: str
    asked_at: int

    @classmethod
    def decode(cls, data: bytes) -> Request:
        """In the order of the text: size, fields, end, then certificate and signature."""
        if len(data) > MAXIMUM_REQUEST:
            raise Refusal("limit-exceeded")
        reader = Reader(data)
        reader.version()
        certificate, name = Certificate.read(reader), reader.text(MAXIMUM_NAME)
        code = reader.text(MAXIMUM_CODE) if name else ""
        try:
            if read_friend_code(code) != code:
                raise invalid_value("friend request")
        except Refusal:
            raise invalid_value("friend request") from None
        asked_at, signature = reader.varint(MAXIMUM_TIME), reader.take(64)
        reader.end()
        if not certificate.is_valid() or not is_signed("friendRequest", signature, certificate.device, data[:-64]):
            raise invalid_value("signature")
        return cls(certificate, name, code, asked_at)


@dataclass(frozen=True)
class Answer:
    kind: int
    link: str | None = None

    @classmethod
    def read(cls, reader: Reader) -> Answer:
        kind = reader.u8()
        if kind not in (PENDING, DECLINED, ACCEPTED):
            raise Refusal("unknown-kind")
        return cls(kind, reader.text(MAXIMUM_LINK) if kind == ACCEPTED else None)

    def encoded(self) -> bytes:
        return bytes([self.kind]) + (b"" if self.link is None else blob(self.link.encode()))


def check_message(where: str, message: Message, report: Report) -> None:
    """What the blobs of kinds 16 to 21 hold."""
    match message.kind:
        case messages.DEVICE_REQUESTED:
            report.checked += 1
            report.taken(where, lambda: decode(message.blobs[0], DeviceProof.read))
        case messages.DEVICE_CERTIFIED:
            certificate = report.taken(where, lambda: decode(message.blobs[0], Certificate.read))
            report.holds(where, certificate is not None and certificate.is_valid(), "the certificate is wrong")
        case messages.FRIEND_REQUESTED:
            report.checked += 1
            report.taken(where, lambda: Request.decode(message.blobs[0]))
        case messages.FRIEND_ANSWERED:
            report.checked += 1
            report.taken(where, lambda: decode(message.blobs[0], Answer.read))
