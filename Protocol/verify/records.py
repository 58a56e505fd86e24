"""Records, daily scores, profiles and the clock: records.md §2 to §4."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass

from . import patterns
from .codec import Reader, Refusal, blob, invalid_value
from .crypto import hash256

MAXIMUM_SIZE = 1536
MAXIMUM_SUBJECT = 96
MAXIMUM_VALUE = 1300
NUMBER_LIMIT = 1 << 40
AHEAD = 600_000
FIRST_DAY = datetime.date(1900, 1, 1)
LAST_DAY = datetime.date(2200, 12, 31)
UNIX_DAY = datetime.date(1970, 1, 1)


@dataclass(frozen=True)
class Record:
    kind: int
    time: int
    subject: bytes
    value: bytes
    tail: bytes = b""

    @classmethod
    def decode(cls, data: bytes) -> Record:
        if len(data) > MAXIMUM_SIZE:
            raise Refusal("limit-exceeded")
        reader = Reader(data)
        kind, time = reader.u8(), reader.unsigned(8)
        subject, value = reader.blob(MAXIMUM_SUBJECT), reader.blob(MAXIMUM_VALUE)
        return cls(kind, time, subject, value, reader.tail())

    def encoded(self) -> bytes:
        return bytes([self.kind]) + self.time.to_bytes(8, "big") + blob(self.subject) + blob(self.value) + self.tail

    @property
    def hash(self) -> bytes:
        return hash256(self.encoded())

    @property
    def milliseconds(self) -> int:
        return self.time >> 16

    @property
    def counter(self) -> int:
        return self.time & 0xFFFF


def day_of(digits: int) -> datetime.date:
    """The day written as the decimal digits yyyyMMdd."""
    try:
        day = datetime.date(digits // 10_000, digits // 100 % 100, digits % 100)
    except (ValueError, OverflowError):
        raise invalid_value("day") from None
    if not FIRST_DAY <= day <= LAST_DAY:
        raise invalid_value("day")
    return day


def digits_of(day: datetime.date) -> int:
    return day.year * 10_000 + day.month * 100 + day.day


@dataclass(frozen=True)
class Subject:
    """Of a daily score: axis, number (day or puzzle), game."""

    is_by_puzzle: bool
    number: int
    game: str

    @classmethod
    def decode(cls, data: bytes) -> Subject:
        reader = Reader(data)
        axis = reader.u8()
        if axis > 1:
            raise invalid_value("axis")
        number = reader.varint(NUMBER_LIMIT)
        if axis == 0:
            day_of(number)
        game = reader.rest()
        if not re.fullmatch(rb"[a-z0-9-]{1,40}", game):
            raise invalid_value("game")
        return cls(axis == 1, number, game.decode())


DAILY_SCORE = 1
FIELDS = ("day", "puzzle", "score", "maximum", "seconds", "hints", "mistakes")


@dataclass(frozen=True)
class ScoreValue:
    """Flags, the optional numbers by name, the game's name, the age, and what follows."""

    flags: int
    fields: int
    numbers: dict[str, int]
    name: bytes | None
    age: int
    tail: bytes

    @classmethod
    def decode(cls, data: bytes) -> ScoreValue:
        reader = Reader(data)
        flags, fields = reader.u8(), reader.u8()
        numbers = {name: reader.varint(NUMBER_LIMIT) for bit, name in enumerate(FIELDS) if fields >> bit & 1}
        name = reader.text(160).encode() if fields & 128 else None
        return cls(flags, fields, numbers, name, reader.signed_varint(), reader.rest())


@dataclass(frozen=True)
class DailyScore:
    game: str
    day: datetime.date
    puzzle: int | None
    is_keyed_by_puzzle: bool
    numbers: dict[str, int]
    flags: int
    game_name: str | None
    first_recorded_at: int

    @classmethod
    def of(cls, record: Record) -> DailyScore:
        subject = Subject.decode(record.subject)
        value = ScoreValue.decode(record.value)
        if subject.is_by_puzzle:
            if "day" not in value.numbers:
                raise invalid_value("day")
            day, puzzle = day_of(value.numbers["day"]), subject.number
        else:
            day, puzzle = day_of(subject.number), value.numbers.get("puzzle")
        first = record.milliseconds // 1000 - value.age
        if not -(1 << 63) <= first < 1 << 63:
            raise invalid_value("firstRecordedAt")
        name = None if value.name is None else value.name.decode()
        return cls(subject.game, day, puzzle, subject.is_by_puzzle, value.numbers, value.flags, name, first)


def profile_name(record: Record) -> str:
    if record.subject:
        raise invalid_value("subject")
    return Reader(record.value).text(640)


@dataclass
class Clock:
    """Hybrid time (§4): 48 bits of milliseconds, 16 of a counter."""

    latest: int = 0

    def next(self, wall: int) -> int:
        self.latest = max(wall << 16, self.latest + 1)
        return self.latest

    def witness(self, time: int, wall: int) -> None:
        if time > self.latest and time >> 16 <= wall + AHEAD:
            self.latest = time


MODELS = ("lowerAttempts", "lowerGuesses", "lowerHints", "lowerTimeSeconds", "higherIsBetter", "highScore", "count")
CADENCES = ("daily", "weekly", "unlimited")
AGGREGATIONS = ("best", "sum", "latest")


MARK = 16
MOST_GAMES = 256


def defines(user: bytes, game: bytes) -> bool:
    """Whether a custom game's ID says that the account defined it (§3.3)."""
    stem, mark = game[:-MARK], game[-MARK:]
    return game.startswith(b"custom-") and hash256(b"streakmesh/v1/game\0" + user + stem)[:8].hex().encode() == mark


@dataclass(frozen=True)
class GameDefinition:
    """Kind 4 (§3.3)."""

    game: str
    model: str
    cadence: str
    aggregation: str
    name: str
    icon: str
    maximum: int | None
    best: int | None
    unit: str | None
    pattern: str | None

    @classmethod
    def of(cls, subject: bytes, value: bytes) -> GameDefinition:
        if not re.fullmatch(rb"[a-z0-9-]{1,40}", subject):
            raise invalid_value("game")
        reader = Reader(value)

        def choice(choices: tuple[str, ...], field: str) -> str:
            index = reader.u8()
            if index >= len(choices):
                raise invalid_value(field)
            return choices[index]

        model, cadence = choice(MODELS, "model"), choice(CADENCES, "cadence")
        aggregation, fields = choice(AGGREGATIONS, "aggregation"), reader.u8()
        name, icon = reader.text(240), reader.text(48)
        maximum = reader.varint(10**9) if fields & 1 else None
        best = reader.varint(10**9) if fields & 2 else None
        unit = reader.text(64) if fields & 4 else None
        pattern = reader.text(800) if fields & 8 else None
        name, icon, unit = patterns.label(name, 40), patterns.label(icon, 1), patterns.label(unit or "", 12) or None
        index = MODELS.index(model)
        is_maximum_wrong = maximum is not None and (maximum < 1 or model in ("lowerTimeSeconds", "count"))
        is_best_wrong = best is not None and (best > (maximum or 10**9) or index > 3)
        if not name or not icon or is_maximum_wrong or is_best_wrong or not re.fullmatch(rb"custom-.+", subject):
            raise invalid_value("definition")
        written = None if pattern is None else patterns.written(pattern, model)
        return cls(subject.decode(), model, cadence, aggregation, name, icon, maximum, best, unit, written)


def games(records: list[tuple[bytes, int, bytes, bytes]], admins: set[bytes]) -> list[GameDefinition]:
    """The games of a group by its winning records of kind 4: user, time, subject, value each (§3.3)."""
    words: dict[bytes, list[tuple[int, bytes, bytes]]] = {}
    for user, time, subject, value in records:
        if user in admins or defines(user, subject):
            words.setdefault(subject, []).append((time, user, value))
    owned: dict[bytes, list[tuple[bytes, GameDefinition]]] = {}
    for subject, said in words.items():
        latest = max(time for time, _, _ in said)
        _, user, value = min((word for word in said if word[0] == latest), key=lambda word: word[1])
        try:
            owned.setdefault(user, []).append((subject, GameDefinition.of(subject, value)))
        except Refusal:
            continue
    turns = [
        (turn, subject, game)
        for mine in owned.values()
        for turn, (subject, game) in enumerate(sorted(mine, key=lambda one: one[0]))
    ]
    return [game for _, _, game in sorted(turns, key=lambda one: one[:2])[:MOST_GAMES]]
