"""Invite links and join proofs: membership.md §5."""

from __future__ import annotations

import base64
import binascii
import string
from dataclasses import dataclass
from ipaddress import IPv6Address

from .certificates import Certificate
from .codec import Reader, Refusal, decode, invalid_value
from .crypto import hash256, is_signed

PREFIXES = {"join": "streakmesh://join/", "device": "streakmesh://device/"}
PURPOSES = {"join": "invite", "device": "deviceLink"}
MAXIMUM_TEXT = 4096
MAXIMUM_LINK = 2048
LETTERS_AND_DIGITS = frozenset(string.ascii_letters + string.digits)


@dataclass(frozen=True)
class Endpoint:
    """An address of four or sixteen bytes, and a port."""

    address: bytes
    port: int

    @classmethod
    def read(cls, reader: Reader) -> Endpoint:
        family = reader.u8()
        if family not in (4, 6):
            raise Refusal("unknown-kind")
        address = reader.take(4 if family == 4 else 16)
        if address[:12] == bytes(10) + b"\xff\xff" and family == 6:
            raise invalid_value("endpoint")
        return cls(address, reader.unsigned(2))

    def __str__(self) -> str:
        if len(self.address) == 4:
            return f"{'.'.join(map(str, self.address))}:{self.port}"
        return f"[{IPv6Address(self.address)}]:{self.port}"


@dataclass(frozen=True)
class InviteLink:
    data: bytes
    seed: bytes
    group: bytes
    expiry: int
    title: str
    addresses: list[list[Endpoint]]
    user: bytes | None
    inviter: bytes
    kind: str

    @classmethod
    def parse(cls, text: str, kind: str = "join") -> InviteLink:
        """Checks in the order of the text: the one link, version, layout, signature. The expiry is for `is_expired`."""
        data = cls._located(text, kind)
        try:
            link = decode(data[:-4], lambda reader: cls._read(reader, data, kind))
        except Refusal as refusal:
            if refusal.reason == "unsupported-version":
                raise
            raise Refusal(f"malformed: {refusal.reason}") from None
        if not is_signed(PURPOSES[kind], data[-68:-4], link.inviter, data[:-68]):
            raise Refusal("tampered")
        return link

    @classmethod
    def _located(cls, text: str, kind: str) -> bytes:
        """The bytes of the one link in a text."""
        if len(text.encode()) > MAXIMUM_TEXT:
            raise Refusal("not-a-link")
        words = text_words(text)
        plain = "".join(words)
        breaks = [len("".join(words[:index])) for index in range(1, len(words))]
        found: dict[tuple[str, str], bytes | None] = {}
        lower = "".join(character.lower() if character in LETTERS_AND_DIGITS else character for character in plain)
        for of_kind, prefix in PREFIXES.items():
            place = lower.find(prefix)
            while place >= 0:
                start = place + len(prefix)
                candidate = candidate_of(plain, breaks, start, MAXIMUM_LINK - len(prefix))
                if candidate:
                    found[of_kind, candidate[0]] = candidate[1]
                place = lower.find(prefix, start)
        whole = [
            (of_kind, digits)
            for (of_kind, digits), data in found.items()
            if data or not any(k == of_kind and d != digits and d.startswith(digits) for k, d in found)
        ]
        if not whole:
            raise Refusal("not-a-link")
        if len(whole) > 1:
            raise Refusal("several-links")
        if whole[0][0] != kind:
            raise Refusal("not-a-link")
        data = found[whole[0]]
        if data is None:
            raise Refusal("damaged")
        return data

    @classmethod
    def _read(cls, reader: Reader, data: bytes, kind: str) -> InviteLink:
        reader.version()
        seed, group, expiry = reader.take(16), reader.take(32), reader.unsigned(4)
        title = reader.text(40)
        if not title:
            raise invalid_value("title")
        addresses = reader.list(4, lambda: reader.list(4, lambda: Endpoint.read(reader)))
        user = reader.take(32) if kind == "device" else None
        inviter = reader.take(32)
        reader.take(64)
        return cls(data, seed, group, expiry, title, addresses, user, inviter, kind)

    @property
    def text(self) -> str:
        return PREFIXES[self.kind] + base64.b32encode(self.data).decode().rstrip("=")

    def is_expired(self, now: int) -> bool:
        return now >= self.expiry


@dataclass(frozen=True)
class JoinProof:
    handshake_hash: bytes
    invite_signature: bytes
    device_signature: bytes

    @classmethod
    def read(cls, reader: Reader) -> JoinProof:
        return cls(reader.take(64), reader.take(64), reader.take(64))

    def encoded(self) -> bytes:
        return self.handshake_hash + self.invite_signature + self.device_signature

    def is_valid(self, group: bytes, invite_key: bytes, certificate: Certificate) -> bool:
        text = (
            group,
            invite_key,
            certificate.user,
            certificate.device,
            certificate.link_key,
            self.handshake_hash,
        )
        return is_signed("joinProof", self.invite_signature, invite_key, *text) and is_signed(
            "joinProof", self.device_signature, certificate.device, *text
        )


def text_words(text: str) -> list[str]:
    """What stands between the white space, which is every character up to U+0020."""
    return "".join(character if character > " " else " " for character in text).split(" ")


def candidate_of(plain: str, breaks: list[int], start: int, longest: int) -> tuple[str, bytes | None] | None:
    """The digits of the link that begins at a place, in upper case, and its bytes where a checksum is right."""
    end = start
    while end < len(plain) and plain[end] in LETTERS_AND_DIGITS:
        end += 1
    if end == start:
        return None
    ends = [*sorted({place for place in breaks if start < place < end}), end]
    for place in ends:
        digits = plain[start:place].upper()
        if len(digits) > longest:
            break
        try:
            data = base64.b32decode(digits + "=" * (-len(digits) % 8))
        except (binascii.Error, ValueError):
            continue
        is_canonical = base64.b32encode(data).decode().rstrip("=") == digits
        if is_canonical and len(data) > 4 and hash256(data[:-4])[:4] == data[-4:]:
            return digits, data
    return plain[start : ends[0]].upper(), None
