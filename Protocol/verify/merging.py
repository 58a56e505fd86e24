"""Last writer wins, and quarantine: records.md §8."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .records import AHEAD, Record

Key = tuple[bytes, int, bytes]


@dataclass(frozen=True)
class Entry:
    user: bytes
    device: bytes
    record: Record

    @property
    def key(self) -> Key:
        return (self.user, self.record.kind, self.record.subject)

    @property
    def rank(self) -> tuple[int, bytes, bytes]:
        return (self.record.time, self.device, self.record.hash)


def merge(entries: Iterable[Entry], wall: int) -> tuple[dict[Key, Entry], list[Entry]]:
    """The winner of every key, and what is in quarantine at that wall clock."""
    winners: dict[Key, Entry] = {}
    waiting: list[Entry] = []
    for entry in entries:
        if entry.record.milliseconds > wall + AHEAD:
            waiting.append(entry)
        elif entry.key not in winners or winners[entry.key].rank < entry.rank:
            winners[entry.key] = entry
    return winners, waiting
