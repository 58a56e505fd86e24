"""Chains, runs and what a copy of a feed takes in: records.md §5 to §7."""

from __future__ import annotations

from dataclasses import dataclass, field

from .codec import Epoch, Reader, Refusal, blob, invalid_value, varint
from .crypto import hash256, is_signed
from .packing import unpack
from .records import Record

MAXIMUM_NUMBER = 1 << 20
MAXIMUM_COUNT = 4096
MAXIMUM_PACKED = 59_392
MAXIMUM_EPOCHS = 256
MAXIMUM_BRANCHES = 8


@dataclass(frozen=True, order=True)
class FeedName:
    device: bytes
    epoch: Epoch

    def encoded(self) -> bytes:
        return self.device + self.epoch.encoded()


def chain_origin(group: bytes, feed: FeedName) -> bytes:
    return hash256(b"streakmesh/v1/chain\0", group, feed.encoded())


def chain_next(before: bytes, record: bytes) -> bytes:
    return hash256(before, hash256(record))


def is_tip_signed(group: bytes, feed: FeedName, number: int, hash: bytes, signature: bytes) -> bool:
    return is_signed("feed", signature, feed.device, group, feed.encoded(), number.to_bytes(8, "big"), hash)


@dataclass(frozen=True)
class Run:
    feed: FeedName
    first: int
    hash_before: bytes
    signature: bytes
    count: int
    packed: bytes

    @classmethod
    def read(cls, reader: Reader) -> Run:
        device, epoch, first = reader.take(32), reader.epoch(), reader.varint(MAXIMUM_NUMBER)
        if first == 0:
            raise invalid_value("first")
        hash_before, signature, count = reader.take(32), reader.take(64), reader.varint(MAXIMUM_COUNT)
        if count == 0 or first + count - 1 > MAXIMUM_NUMBER:
            raise invalid_value("count")
        return cls(FeedName(device, epoch), first, hash_before, signature, count, reader.blob(MAXIMUM_PACKED))

    def encoded(self) -> bytes:
        head = self.feed.encoded() + varint(self.first) + self.hash_before + self.signature
        return head + varint(self.count) + blob(self.packed)

    @property
    def last(self) -> int:
        return self.first + self.count - 1

    def records(self) -> list[bytes]:
        """The records' bytes; each of them decodes."""
        records = unpack(self.packed, self.count)
        for record in records:
            Record.decode(record)
        return records

    def hashes(self, records: list[bytes]) -> list[bytes]:
        hashes = [self.hash_before]
        for record in records:
            hashes.append(chain_next(hashes[-1], record))
        return hashes


Place = tuple[int, bytes]


@dataclass
class FeedCopy:
    """All branches of one feed: places (number, chain hash), each with its record and the place before."""

    group: bytes
    name: FeedName
    records: dict[Place, tuple[bytes, Place]] = field(default_factory=dict)
    main: Place | None = None
    """The end of the main branch; nothing before the first record."""

    @property
    def origin(self) -> Place:
        return (0, chain_origin(self.group, self.name))

    def holds(self, place: Place) -> bool:
        return place == self.origin or place in self.records

    def tips(self) -> list[Place]:
        continued = {before for _, before in self.records.values()}
        return sorted(place for place in self.records if place not in continued)

    def path(self, place: Place) -> list[Place]:
        """The places of a branch up to one, from number 1."""
        places = []
        while place != self.origin:
            places.append(place)
            place = self.records[place][1]
        return places[::-1]

    def take(self, run: Run) -> int:
        """Takes in a run after the checks of §6 that concern the feed; gives the number of new records."""
        if run.feed != self.name:
            raise Refusal("different-history")
        try:
            records = run.records()
        except Refusal as refusal:
            raise Refusal(f"malformed: {refusal.reason}") from None
        hashes = run.hashes(records)
        if self.holds((run.last, hashes[-1])):
            return 0
        if not self.holds((run.first - 1, run.hash_before)):
            end = self.main[0] if self.main else 0
            raise Refusal(f"gap: {end}" if run.first - 1 > end else "different-history")
        if not is_tip_signed(self.group, self.name, run.last, hashes[-1], run.signature):
            raise Refusal("invalid-signature")
        numbers = range(run.first - 1, run.last + 1)
        places = list(zip(numbers, hashes))
        new = [(place, (record, before)) for before, place, record in zip(places, places[1:], records) if not self.holds(place)]
        ends = [number for number, _ in set(self.tips()) & set(places)] if self.records else [run.first - 1]
        grown = FeedCopy(self.group, self.name, self.records | dict(new))
        if len(grown.tips()) > MAXIMUM_BRANCHES:
            last = max(grown.tips(), key=lambda tip: [hash for _, hash in grown.path(tip)])
            if last == places[-1]:
                raise Refusal("limit-reached")
            kept = {place for tip in grown.tips() if tip != last for place in grown.path(tip)}
            grown.records = {place: held for place, held in grown.records.items() if place in kept}
            if self.main == last:
                self.main = places[-1]
        self.records = grown.records
        if self.main is None or self.main in places:
            self.main = places[-1]
        return run.last - max(ends, default=run.first - 1)
