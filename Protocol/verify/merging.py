"""Last writer wins, contending high scores, and quarantine: records.md §8."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .codec import Reader, Refusal, invalid_value
from .events import EVENT, start_of
from .feeds import FeedName
from .records import AHEAD, DAILY_SCORE, DailyScore, Record

CONTENDS = 8
CONTENDERS = 64
RETRACTION = 11
MAXIMUM_NUMBER = 1 << 20

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

    @property
    def score(self) -> DailyScore | None:
        if self.record.kind != DAILY_SCORE or not self.record.value:
            return None
        try:
            return DailyScore.of(self.record)
        except Refusal:
            return None

    @property
    def contends(self) -> bool:
        score = self.score
        return score is not None and bool(score.flags & CONTENDS)

    @property
    def is_too_late(self) -> bool:
        """A choice of an event that had begun: §3.11."""
        if self.record.kind != EVENT:
            return False
        try:
            return self.record.milliseconds >= start_of(self.record.subject)
        except Refusal:
            return False

    @property
    def worth(self) -> int:
        score = self.score
        if score is None:
            return -2
        if not score.flags & 1:
            return -1
        return score.numbers["score"] + 1 if "score" in score.numbers else 0


def standing(entries: list[Entry]) -> Entry:
    """What stands of the records of one key."""
    ranked = sorted({entry.rank: entry for entry in entries}.values(), key=lambda entry: entry.rank)
    settled = [entry for entry in ranked if not entry.contends][-1:]
    later = [entry for entry in ranked if entry.contends and (not settled or entry.rank > settled[0].rank)]
    return max(settled + later[-CONTENDERS:], key=lambda entry: (entry.worth, entry.rank))


def retraction(subject: bytes, value: bytes) -> tuple[FeedName, int, int]:
    """The feed whose records are void, and the first and the last of them (§3.5)."""
    reader = Reader(subject)
    feed = FeedName(reader.take(32), reader.epoch())
    reader.end()
    reader = Reader(value)
    first, last = reader.varint(MAXIMUM_NUMBER), reader.varint(MAXIMUM_NUMBER)
    if not 1 <= first <= last:
        raise invalid_value("numbers")
    return feed, first, last


def counting(
    entries: Iterable[tuple[FeedName, int, Entry]], owners: Mapping[bytes, bytes], wall: int
) -> list[Entry]:
    """What retractions leave of records, each with its feed and number."""
    entries = list(entries)
    standing, _ = merge((entry for _, _, entry in entries if entry.record.kind == RETRACTION), wall)
    void: dict[FeedName, tuple[int, int]] = {}
    for (user, _, subject), entry in standing.items():
        try:
            feed, first, last = retraction(subject, entry.record.value)
        except Refusal:
            continue
        if owners.get(feed.device) == user:
            void[feed] = (first, last)
    return [
        entry
        for feed, number, entry in entries
        if entry.record.kind == RETRACTION or feed not in void or not void[feed][0] <= number <= void[feed][1]
    ]


def merge(entries: Iterable[Entry], wall: int) -> tuple[dict[Key, Entry], list[Entry]]:
    """The winner of every key, and what is in quarantine at that wall clock."""
    counting: dict[Key, list[Entry]] = {}
    waiting: list[Entry] = []
    for entry in entries:
        if entry.record.milliseconds > wall + AHEAD:
            waiting.append(entry)
        elif not entry.is_too_late:
            counting.setdefault(entry.key, []).append(entry)
    return {key: standing(entries) for key, entries in counting.items()}, waiting
