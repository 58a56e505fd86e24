"""Choices of weekly events, and what chance gives: records.md §3.11."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass

from .codec import Reader, Refusal, invalid_value
from .crypto import hash256

EVENT = 9
CONTEXT = b"streakmesh/v1/event\0"
POINTS, DOUBLE, HARD_MODE, MOST_GAMES, NEW_GAMES = 1, 2, 3, 4, 5
GAME_LIMIT = 40
DRAWN = [
    (DOUBLE, "wordle"),
    (MOST_GAMES, ""),
    (HARD_MODE, ""),
    (DOUBLE, "connections"),
    (NEW_GAMES, ""),
    (DOUBLE, "strands"),
    (DOUBLE, "nyt-mini"),
    (POINTS, ""),
    (DOUBLE, "spelling-bee"),
    (MOST_GAMES, ""),
    (DOUBLE, "quordle"),
    (NEW_GAMES, ""),
    (DOUBLE, "linkedin-queens"),
    (POINTS, ""),
    (DOUBLE, "nerdle"),
    (HARD_MODE, ""),
]


def subject(year: int, week: int) -> bytes:
    return year.to_bytes(2, "big") + bytes([week])


def _monday(data: bytes) -> tuple[int, int, datetime.date]:
    reader = Reader(data)
    year, week = reader.unsigned(2), reader.u8()
    try:
        monday = datetime.date.fromisocalendar(year, week, 1)
    except ValueError:
        raise invalid_value("week") from None
    if not 1900 <= year <= 2200:
        raise invalid_value("week")
    reader.end()
    return year, week, monday


def start_of(data: bytes) -> int:
    """When the event of the week that a subject names begins, in milliseconds."""
    return (_monday(data)[2] - datetime.date(1970, 1, 1)).days * 86_400_000


@dataclass(frozen=True)
class Choice:
    year: int
    week: int
    rule: int
    game: str

    @classmethod
    def of(cls, data: bytes, value: bytes) -> Choice:
        year, week, _ = _monday(data)
        reader = Reader(value)
        rule = reader.u8()
        if not POINTS <= rule <= NEW_GAMES:
            raise invalid_value("rule")
        game = reader.blob(GAME_LIMIT)
        if game and not re.fullmatch(rb"[a-z0-9-]{1,40}", game):
            raise invalid_value("game")
        if rule == DOUBLE and not game or rule in (MOST_GAMES, NEW_GAMES) and game:
            raise invalid_value("game")
        return cls(year, week, rule, game.decode())


def drawn(group: bytes, data: bytes) -> tuple[int, str]:
    """What chance gives a group for a week."""
    return DRAWN[hash256(CONTEXT + group + data)[0] % len(DRAWN)]


@dataclass(frozen=True)
class Word:
    """A winning record about one week."""

    user: bytes
    time: int
    value: bytes


def planned(
    group: bytes, year: int, week: int, words: list[Word], admins: set[bytes]
) -> tuple[int, str, bytes | None]:
    """Rule, game, and who chose them."""
    said = [word for word in words if word.user in admins]
    if said:
        latest = max(word.time for word in said)
        word = min((word for word in said if word.time == latest), key=lambda word: word.user)
        try:
            choice = Choice.of(subject(year, week), word.value)
        except Refusal:
            pass
        else:
            return choice.rule, choice.game, word.user
    return *drawn(group, subject(year, week)), None
