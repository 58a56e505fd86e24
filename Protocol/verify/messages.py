"""Messages of a link, proofs and digests: sync.md §1 to §3."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from .codec import Epoch, Reader, Refusal, blob, invalid_value, varint
from .crypto import hash128, keyed
from .feeds import FeedName, Run

MAXIMUM_SIZE = 60_000
HELLO, DIGEST, TIPS_REQUESTED, TIPS, OPERATIONS_REQUESTED, OPERATIONS = range(1, 7)
RUNS_REQUESTED, RUNS, RUMOUR, ACKNOWLEDGED, JOIN_REQUESTED, WELCOME, JOIN_REFUSED = range(7, 14)
ACCESS_KEYS_REQUESTED, ACCESS_KEYS = range(14, 16)
DEVICE_REQUESTED, DEVICE_CERTIFIED, DEVICE_REFUSED, FRIEND_REQUESTED = range(16, 20)
FRIEND_ANSWERED = 20
PRESENCE = 21
WHEREABOUTS, SEEN_AT = 25, 26
NAMES = (
    "hello digest tips-requested tips operations-requested operations runs-requested runs rumour rumour-acknowledged "
    "join-requested welcome join-refused access-keys-requested access-keys "
    "device-requested device-certified device-refused friend-requested friend-answered "
    "presence kind-22 kind-23 kind-24 whereabouts seen-at"
).split()


@dataclass(frozen=True, order=True)
class LedgerTip:
    device: bytes
    number: int
    operation: bytes

    @classmethod
    def read(cls, reader: Reader) -> LedgerTip:
        device, number = reader.take(32), reader.varint(1000)
        return cls(device, number, reader.take(32))

    def encoded(self) -> bytes:
        return self.device + varint(self.number) + self.operation


@dataclass(frozen=True, order=True)
class FeedTip:
    device: bytes
    epoch: Epoch
    number: int
    hash: bytes

    @classmethod
    def read(cls, reader: Reader) -> FeedTip:
        device, epoch, number = reader.take(32), reader.epoch(), reader.varint(1 << 20)
        return cls(device, epoch, number, reader.take(32))

    @property
    def feed(self) -> FeedName:
        return FeedName(self.device, self.epoch)

    def encoded(self) -> bytes:
        return self.device + self.epoch.encoded() + varint(self.number) + self.hash


@dataclass(frozen=True)
class Wanted:
    """What is asked for of a feed: places held, and the numbers wanted; 0 and 0 for all that follows."""

    device: bytes
    epoch: Epoch
    held: tuple[tuple[int, bytes], ...] = ()
    first: int = 0
    last: int = 0

    @classmethod
    def read(cls, reader: Reader) -> Wanted:
        device, epoch = reader.take(32), reader.epoch()
        held = reader.list(600, lambda: (reader.varint(1 << 20), reader.take(32)))
        first, last = reader.varint(1 << 20), reader.varint(1 << 20)
        if first > last or (first == 0 and last > 0):
            raise invalid_value("numbers")
        return cls(device, epoch, tuple(held), first, last)

    @property
    def tips(self) -> list[FeedTip]:
        return [FeedTip(self.device, self.epoch, *place) for place in self.held]

    def encoded(self) -> bytes:
        held = b"".join(varint(number) + hash for number, hash in self.held)
        return self.device + self.epoch.encoded() + varint(len(self.held)) + held + varint(self.first) + varint(self.last)


@dataclass(frozen=True)
class Message:
    """A message; fields that its kind does not have stay empty."""

    kind: int
    handle: bytes = b""
    store: bytes = b""
    arrival: int = 0
    count: int = 0
    clock: int = 0
    flags: int = 0
    digest: bytes = b""
    blobs: list[bytes] = field(default_factory=list)
    ledger_tips: list[LedgerTip] = field(default_factory=list)
    feed_tips: list[FeedTip] = field(default_factory=list)
    wanted: list[Wanted] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    name: bytes = b""
    reason: int = 0

    @property
    def title(self) -> str:
        return NAMES[self.kind - 1]

    @property
    def is_final(self) -> bool:
        return bool(self.flags & 1)

    @classmethod
    def decode(cls, data: bytes) -> Message:
        if len(data) > MAXIMUM_SIZE:
            raise Refusal("limit-exceeded")
        reader = Reader(data)
        reader.version()
        kind = reader.u8()
        if not (1 <= kind <= PRESENCE or kind in (WHEREABOUTS, SEEN_AT)):
            raise Refusal("unknown-kind")
        message = cls._fields(kind, reader)
        reader.tail()
        return message

    @classmethod
    def _fields(cls, kind: int, reader: Reader) -> Message:
        has_handle = DIGEST <= kind <= RUMOUR or kind in (ACCESS_KEYS_REQUESTED, ACCESS_KEYS, PRESENCE)
        handle = reader.take(8) if has_handle else b""
        match kind:
            case 1:
                return cls(kind, store=reader.take(16), blobs=reader.list(512, lambda: reader.take(16)))
            case 2:
                digest, arrival, count = reader.take(16), reader.varint(), reader.varint()
                return cls(kind, handle, digest=digest, arrival=arrival, count=count, clock=reader.varint())
            case 3:
                return cls(kind, handle, store=reader.take(16), arrival=reader.varint())
            case 4:
                arrival, final = reader.varint(), reader.flag("final")
                ledger = reader.list(600, lambda: LedgerTip.read(reader))
                feeds = reader.list(600, lambda: FeedTip.read(reader))
                return cls(kind, handle, arrival=arrival, flags=int(final), ledger_tips=ledger, feed_tips=feeds)
            case 5:
                return cls(kind, handle, ledger_tips=reader.list(600, lambda: LedgerTip.read(reader)))
            case 6:
                final = reader.flag("final")
                return cls(kind, handle, flags=int(final), blobs=reader.list(256, lambda: reader.blob(8192)))
            case 7:
                return cls(kind, handle, wanted=reader.list(600, lambda: Wanted.read(reader)))
            case 8:
                flags = reader.u8()
                if flags > 3:
                    raise invalid_value("flags")
                return cls(kind, handle, flags=flags, runs=reader.list(512, lambda: Run.read(reader)))
            case 9:
                return cls(kind, handle, runs=[Run.read(reader)])
            case 10:
                return cls(kind, name=reader.take(8))
            case 11:
                return cls(kind, blobs=[reader.blob(4096), reader.blob(4096)])
            case 12:
                return cls(kind, name=reader.take(32), blobs=reader.list(512, lambda: reader.take(32)))
            case 13:
                reason = reader.u8()
                return cls(kind, reason=reason if 1 <= reason <= 9 else 255)
            case 14 | 15:
                return cls(kind, handle, blobs=reader.list(512, lambda: reader.take(32)))
            case 16:
                return cls(kind, blobs=[reader.blob(512)])
            case 17:
                certificate = reader.blob(4096)
                return cls(kind, blobs=[certificate, *reader.list(512, lambda: reader.take(32))])
            case 18:
                reason = reader.u8()
                return cls(kind, reason=reason if 1 <= reason <= 5 else 255)
            case 19:
                return cls(kind, blobs=[reader.blob(2048)])
            case 20:
                return cls(kind, blobs=[reader.blob(4096)])
            case 21:
                return cls(kind, handle, blobs=reader.list(600, lambda: _presence(reader)))
            case 25:
                return cls(kind, blobs=reader.list(64, lambda: reader.take(4) + blob(reader.blob(227))))
            case _:
                return cls(kind, name=reader.take(18))

    def encoded(self) -> bytes:
        fields: list[bytes]
        final = bytes([self.flags])
        match self.kind:
            case 1:
                fields = [self.store, varint(len(self.blobs)), *self.blobs]
            case 2:
                fields = [self.digest, varint(self.arrival), varint(self.count), varint(self.clock)]
            case 3:
                fields = [self.store, varint(self.arrival)]
            case 4:
                fields = [varint(self.arrival), final, _list(self.ledger_tips), _list(self.feed_tips)]
            case 5:
                fields = [_list(self.ledger_tips)]
            case 6:
                fields = [final, varint(len(self.blobs)), *map(blob, self.blobs)]
            case 7:
                fields = [_list(self.wanted)]
            case 8:
                fields = [final, _list(self.runs)]
            case 9:
                fields = [self.runs[0].encoded()]
            case 10:
                fields = [self.name]
            case 11:
                fields = [blob(part) for part in self.blobs]
            case 12:
                fields = [self.name, varint(len(self.blobs)), *self.blobs]
            case 13 | 18:
                fields = [bytes([self.reason])]
            case 14 | 15 | 21 | 25:
                fields = [varint(len(self.blobs)), *self.blobs]
            case 17:
                fields = [blob(self.blobs[0]), varint(len(self.blobs) - 1), *self.blobs[1:]]
            case _:
                fields = [self.name, *map(blob, self.blobs)]
        return bytes([1, self.kind]) + self.handle + b"".join(fields)


def _presence(reader: Reader) -> bytes:
    device, hops = reader.take(8), reader.u8()
    if hops > 15:
        raise invalid_value("hops")
    return device + bytes([hops])


def _list(items: Iterable[LedgerTip | FeedTip | Wanted | Run]) -> bytes:
    parts = [item.encoded() for item in items]
    return varint(len(parts)) + b"".join(parts)


def hello_proof(group_proof_key: bytes, link_binding: bytes, prover_link_key: bytes) -> bytes:
    return keyed(group_proof_key, link_binding, prover_link_key, size=16)


def digest(group: bytes, ledger: Iterable[tuple[bytes, bytes]], tips: Iterable[FeedTip]) -> bytes:
    """Sixteen bytes over the last counting operations and the tips as far as they count (§3)."""
    chains = sorted(ledger)
    head = b"streakmesh/v1/digest\0" + group + varint(len(chains)) + b"".join(device + name for device, name in chains)
    return hash128(head, _list(sorted(tips)))
