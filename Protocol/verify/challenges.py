"""Challenges and their answers: records.md §3.9 and §3.10."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from .codec import Reader, Refusal, invalid_value
from .records import NUMBER_LIMIT, DailyScore, Record, Subject, day_of

SCORE, CHALLENGE, ANSWER = 1, 7, 8
RESULT_LIMIT = 47
MOST_OF_LAST_DAY, MOST_OF_ONE, LONGEST, SLACK = 8, 1_000, 7, 600
NOON, FURTHEST = 43_200, 50_400
EPOCH = datetime.date(1970, 1, 1)


def end_everywhere(day: datetime.date) -> int:
    return ((day - EPOCH).days + 1) * 86_400 + NOON


def _finish(reader: Reader) -> None:
    if reader.left:
        raise Refusal("trailing-bytes")


def _name(reader: Reader) -> tuple[bytes, int]:
    return reader.take(32), reader.unsigned(8)


def name_bytes(name: tuple[bytes, int]) -> bytes:
    return name[0] + name[1].to_bytes(8, "big")


@dataclass(frozen=True)
class Challenge:
    id: int
    last_day: datetime.date
    result: bytes
    friend: bytes | None
    first: tuple[bytes, int] | None

    @classmethod
    def of(cls, subject: bytes, value: bytes) -> Challenge:
        reader = Reader(subject)
        id = reader.unsigned(8)
        _finish(reader)
        reader = Reader(value)
        fields = reader.u8()
        last_day = day_of(reader.varint(NUMBER_LIMIT))
        result = reader.blob(RESULT_LIMIT)
        Subject.decode(result)
        friend = reader.take(32) if fields & 1 else None
        first = _name(reader) if fields & 2 else None
        return cls(id, last_day, result, friend, first)


@dataclass(frozen=True)
class Answer:
    challenge: tuple[bytes, int]
    accepts: bool

    @classmethod
    def of(cls, subject: bytes, value: bytes) -> Answer:
        reader = Reader(subject)
        challenge = _name(reader)
        _finish(reader)
        answer = Reader(value).u8()
        if answer not in (1, 2):
            raise invalid_value("answer")
        return cls(challenge, answer == 1)


KINDS = {CHALLENGE: Challenge, ANSWER: Answer}


@dataclass(frozen=True)
class Word:
    """A winning record of one of these kinds, or a result."""

    user: bytes
    time: int
    kind: int
    subject: bytes
    value: bytes

    def read(self) -> Challenge | Answer | DailyScore | None:
        try:
            if self.kind == SCORE:
                return DailyScore.of(Record(self.kind, self.time, self.subject, self.value))
            return KINDS[self.kind].of(self.subject, self.value)
        except Refusal:
            return None


def _worth(score: DailyScore) -> tuple[int, int]:
    """The smaller the better, in a game where fewer attempts are better."""
    if not score.flags & 1:
        return 2, 0
    return (0, score.numbers["score"]) if "score" in score.numbers else (1, 0)


def _outcome(
    made: int, challenge: Challenge, target: DailyScore, result: DailyScore | None, answer: tuple[bool, int] | None,
    last_final: datetime.date,
) -> str | None:
    def follows(time: int) -> bool:
        return result is None or result.first_recorded_at >= time - SLACK

    if not follows(made):
        return "playedBefore" if challenge.friend else None
    if answer and not follows(answer[1]):
        answer = None
    if answer and not answer[0]:
        return "declined"
    if not challenge.friend and not answer:
        return None
    if result and result.first_recorded_at < end_everywhere(challenge.last_day):
        mine, theirs = _worth(result), _worth(target)
        return "won" if mine < theirs else "lost" if mine > theirs else "drawn"
    return "expired" if last_final >= challenge.last_day else "open"


def outcomes(
    words: list[Word], members: set[bytes], last_final: datetime.date
) -> list[tuple[bytes, list[tuple[bytes, str]]]]:
    """Each challenge by its name, and what follows for those who take part."""
    results: dict[tuple[bytes, bytes], DailyScore] = {}
    answers: dict[tuple[bytes, int], dict[bytes, tuple[bool, int]]] = {}
    made: dict[tuple[bytes, datetime.date], list[tuple[Challenge, int]]] = {}
    for word in words:
        read = word.read()
        if isinstance(read, DailyScore):
            results[word.user, word.subject] = read
        if isinstance(read, Answer):
            answers.setdefault(read.challenge, {})[word.user] = (read.accepts, (word.time >> 16) // 1000)
        if isinstance(read, Challenge):
            at = min(read.id >> 16, word.time >> 16) // 1000
            furthest = EPOCH + datetime.timedelta(days=(at + FURTHEST) // 86_400)
            if at < end_everywhere(read.last_day) and read.last_day <= furthest + datetime.timedelta(days=LONGEST):
                made.setdefault((word.user, read.last_day), []).append((read, at))
    found = []
    taken: dict[bytes, int] = {}
    for (challenger, _), challenges in sorted(made.items(), key=lambda one: one[0][1], reverse=True):
        left = MOST_OF_ONE - taken.get(challenger, 0)
        newest = sorted(challenges, key=lambda one: one[0].id, reverse=True)[: min(MOST_OF_LAST_DAY, left)]
        taken[challenger] = taken.get(challenger, 0) + len(newest)
        for challenge, at in newest:
            target = results.get((challenger, challenge.result))
            if challenger not in members or target is None:
                continue
            said = answers.get((challenger, challenge.id), {})
            users = [challenge.friend] if challenge.friend else sorted(said)
            duels = []
            for user in users:
                if user == challenger or user not in members:
                    continue
                result = results.get((user, challenge.result))
                outcome = _outcome(at, challenge, target, result, said.get(user), last_final)
                if outcome:
                    duels.append((user, outcome))
            if duels or not challenge.friend:
                found.append((challenge.id, challenger, duels))
    return [(name_bytes((challenger, id)), duels) for id, challenger, duels in sorted(found)]
