"""Whereabouts, the messages that tell them, and notices: reachability.md §2, §3 and §5."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_network

from . import messages
from .codec import Reader, Refusal, decode, invalid_value, varint
from .crypto import derived, is_signed, is_signed_plainly, keyed, opened_x, signing_public_key
from .messages import Message
from .report import Report

MAXIMUM_SIZE = 221
MAXIMUM_ENTRIES = 6
VALUE_SIZE = 996
MAXIMUM_LETTER = 731
SOURCES = range(1, 5)
LEAST_PORT = 1024
NOT_TOLD = [
    ip_network(name)
    for name in (
        "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.168.0.0/16 224.0.0.0/3"
    ).split()
]
GLOBAL = ip_network("2000::/3")
# 6to4 leads to the IPv4 address within.
NOT_TOLD_6 = ip_network("2002::/16")


def may_be_told(address: bytes, port: int) -> bool:
    if port < LEAST_PORT:
        return False
    if address[:12] == bytes(10) + b"\xff\xff":
        return not any(IPv4Address(address[12:]) in network for network in NOT_TOLD)
    return IPv6Address(address) in GLOBAL and IPv6Address(address) not in NOT_TOLD_6


@dataclass(frozen=True)
class Whereabouts:
    device: bytes
    number: int
    flags: int
    entries: tuple[tuple[int, bytes, int], ...]
    signature: bytes

    @property
    def is_steady(self) -> bool:
        return bool(self.flags & 1)

    @property
    def is_always_on(self) -> bool:
        return bool(self.flags & 2)

    @classmethod
    def decode(cls, data: bytes) -> Whereabouts:
        """All but the signature: size, then the fields in their order, then the end."""
        if len(data) > MAXIMUM_SIZE:
            raise Refusal("limit-exceeded")
        return decode(data, cls._read)

    @classmethod
    def _read(cls, reader: Reader) -> Whereabouts:
        reader.version()
        device, number, flags = reader.take(32), reader.unsigned(8), reader.u8()
        if flags > 3:
            raise invalid_value("flags")
        endpoints: set[tuple[bytes, int]] = set()

        def entry() -> tuple[int, bytes, int]:
            source = reader.u8()
            if source not in SOURCES:
                raise invalid_value("source")
            address, port = reader.take(16), reader.unsigned(2)
            if not may_be_told(address, port) or (address, port) in endpoints:
                raise invalid_value("endpoint")
            endpoints.add((address, port))
            return source, address, port

        entries = tuple(reader.list(MAXIMUM_ENTRIES, entry))
        return cls(device, number, flags, entries, reader.take(64))

    def _unsigned(self) -> bytes:
        entries = b"".join(bytes([source]) + address + port.to_bytes(2) for source, address, port in self.entries)
        head = b"\x01" + self.device + self.number.to_bytes(8) + bytes([self.flags])
        return head + varint(len(self.entries)) + entries

    def encoded(self) -> bytes:
        return self._unsigned() + self.signature

    def is_signed(self) -> bool:
        return is_signed("whereabouts", self.signature, self.device, self._unsigned())


@dataclass(frozen=True)
class Place:
    """Where a device's notice of a day lies, and under what it is sealed."""

    seed: bytes
    sealing_key: bytes

    @classmethod
    def of(cls, secret: bytes, device: bytes, day: int) -> Place:
        rendezvous = derived(secret, "rendezvous-key")
        place = device + day.to_bytes(8, signed=True)
        return cls(
            keyed(rendezvous, b"streakmesh/v1/notice", place), keyed(rendezvous, b"streakmesh/v1/notice-seal", place)
        )

    @property
    def key(self) -> bytes:
        return signing_public_key(self.seed)

    def open(self, value: bytes) -> tuple[bytes, bytes] | None:
        """The whereabouts and the letter, either perhaps empty; None for what is refused."""
        if len(value) != VALUE_SIZE:
            return None
        plain = opened_x(self.sealing_key, value[:24], value[24:])
        if plain is None:
            return None
        reader = Reader(plain)
        try:
            whereabouts = reader.take(reader.unsigned(2))
            letter = reader.take(reader.unsigned(2))
            if whereabouts:
                Whereabouts.decode(whereabouts)
            rest = reader.take(reader.left)
        except Refusal:
            return None
        return None if len(letter) > MAXIMUM_LETTER or any(rest) else (whereabouts, letter)


def is_item_signed(signature: bytes, key: bytes, sequence: int, value: bytes) -> bool:
    text = b"3:seqi%de1:v%d:" % (sequence, len(value)) + value
    return is_signed_plainly(signature, key, text)


def told(data: bytes) -> tuple[int, bytes]:
    """The age in seconds and the bytes of an entry of message 25."""
    reader = Reader(data)
    age, bytes_ = reader.unsigned(4), reader.blob(227)
    reader.end()
    return age, bytes_


def check_message(where: str, message: Message, report: Report) -> None:
    if message.kind != messages.WHEREABOUTS:
        return
    for entry in message.blobs:
        found = report.taken(where, lambda: Whereabouts.decode(told(entry)[1]))
        report.holds(where, found is not None and found.is_signed(), "a signature of whereabouts is wrong")
