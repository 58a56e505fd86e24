"""Reactions, comments, hidings and messages: records.md §3.6 to §3.8, §3.12."""

from __future__ import annotations

from dataclasses import dataclass

from .codec import Reader, Refusal, invalid_value
from .records import Subject

REACTION, COMMENT, HIDING, MESSAGE = 5, 6, 12, 13
EMOJI_LIMIT, TEXT_LIMIT, RESULT_LIMIT = 48, 1200, 47
MOST_OF_ONE, MOST_MESSAGES = 50, 1000

VARIANT, JOINER, KEY = 0xFE0F, 0x200D, 0x20E3
FLAGS, COLOURS = range(0x1F1E6, 0x1F200), range(0x1F3FB, 0x1F400)
TAGS, LAST_TAG = range(0xE0020, 0xE007F), 0xE007F
PICTURES = (
    "1F000-1FAFF 2600-27BF A9 AE 203C 2049 2122 2139 2194-2199 21A9-21AA 231A-231B 2328 23CF 23E9-23F3 23F8-23FA 24C2 "
    "25AA-25AB 25B6 25C0 25FB-25FE 2934-2935 2B05-2B07 2B1B-2B1C 2B50 2B55 3030 303D 3297 3299"
)
RANGES = [
    range(int(first, 16), int(last or first, 16) + 1)
    for first, _, last in (item.partition("-") for item in PICTURES.split())
]


def is_picture(point: int) -> bool:
    return point not in FLAGS and point not in COLOURS and any(point in each for each in RANGES)


def is_emoji(text: str) -> bool:
    points = [ord(character) for character in text]
    if len(points) == 2 and all(point in FLAGS for point in points):
        return True
    if points and text[0] in "0123456789#*":
        return points[1:] in ([KEY], [VARIANT, KEY])
    parts: list[list[int]] = [[]]
    for point in points:
        if point == JOINER:
            parts.append([])
        else:
            parts[-1].append(point)
    return all(_is_one_picture(part) for part in parts)


def _is_one_picture(points: list[int]) -> bool:
    if not points or not is_picture(points[0]):
        return False
    rest = points[1:]
    if rest and (rest[0] == VARIANT or rest[0] in COLOURS):
        rest = rest[1:]
    return not rest or len(rest) > 1 and rest[-1] == LAST_TAG and all(point in TAGS for point in rest[:-1])


def _result(reader: Reader) -> tuple[bytes, bytes]:
    """The owner of a result and its subject."""
    owner = reader.take(32)
    subject = reader.blob(RESULT_LIMIT)
    Subject.decode(subject)
    return owner, subject


def _finish(reader: Reader) -> None:
    if reader.left:
        raise Refusal("trailing-bytes")


@dataclass(frozen=True)
class Reaction:
    owner: bytes
    result: bytes
    emoji: str

    @classmethod
    def of(cls, subject: bytes, value: bytes) -> Reaction:
        reader = Reader(subject)
        owner, result = _result(reader)
        _finish(reader)
        emoji = Reader(value).text(EMOJI_LIMIT)
        if not is_emoji(emoji):
            raise invalid_value("emoji")
        return cls(owner, result, emoji)


@dataclass(frozen=True)
class Comment:
    id: int
    owner: bytes
    result: bytes
    text: str
    is_edited: bool

    @classmethod
    def of(cls, subject: bytes, value: bytes) -> Comment:
        reader = Reader(subject)
        id = reader.unsigned(8)
        _finish(reader)
        reader = Reader(value)
        flags = reader.u8()
        owner, result = _result(reader)
        text = reader.text(TEXT_LIMIT)
        if not text:
            raise invalid_value("text")
        return cls(id, owner, result, text, flags & 1 == 1)


@dataclass(frozen=True)
class Hiding:
    author: bytes
    id: int

    @classmethod
    def of(cls, subject: bytes, value: bytes) -> Hiding:
        reader = Reader(subject)
        author, id = reader.take(32), reader.unsigned(8)
        _finish(reader)
        if Reader(value).u8() != 1:
            raise invalid_value("hidden")
        return cls(author, id)


@dataclass(frozen=True)
class Message:
    id: int
    text: str
    is_edited: bool

    @classmethod
    def of(cls, subject: bytes, value: bytes) -> Message:
        reader = Reader(subject)
        id = reader.unsigned(8)
        _finish(reader)
        reader = Reader(value)
        flags = reader.u8()
        text = reader.text(TEXT_LIMIT)
        if not text:
            raise invalid_value("text")
        return cls(id, text, flags & 1 == 1)


KINDS = {REACTION: Reaction, COMMENT: Comment, HIDING: Hiding, MESSAGE: Message}


@dataclass(frozen=True)
class Word:
    """A winning record of one of these kinds."""

    user: bytes
    time: int
    kind: int
    subject: bytes
    value: bytes

    def read(self) -> Reaction | Comment | Hiding | Message | None:
        try:
            return KINDS[self.kind].of(self.subject, self.value)
        except Refusal:
            return None


def _is_hidden(comment: bytes, words: list[Word], admins: set[bytes]) -> bool:
    said = [word for word in words if word.kind == HIDING and word.subject == comment and word.user in admins]
    if not said:
        return False
    latest = max(word.time for word in said)
    return min((word for word in said if word.time == latest), key=lambda word: word.user).read() is not None


def talk(words: list[Word], admins: set[bytes]) -> dict[tuple[bytes, bytes], tuple[list, list]]:
    """What is said of each result: reactions (user, emoji) and comments (user, ID, text, written, hidden)."""
    reactions: dict[tuple[bytes, bytes], list[tuple[int, bytes, str]]] = {}
    comments: dict[tuple[bytes, bytes], dict[bytes, list[tuple[Comment, Word]]]] = {}
    for word in words:
        read = word.read()
        if isinstance(read, Reaction):
            reactions.setdefault((read.owner, read.result), []).append((word.time, word.user, read.emoji))
        if isinstance(read, Comment):
            comments.setdefault((read.owner, read.result), {}).setdefault(word.user, []).append((read, word))
    found = {}
    for name in {*reactions, *comments}:
        standing = []
        for mine in comments.get(name, {}).values():
            for comment, word in sorted(mine, key=lambda one: one[0].id)[-MOST_OF_ONE:]:
                written = min(comment.id >> 16, word.time >> 16)
                hidden = _is_hidden(word.user + word.subject, words, admins)
                standing.append((written, comment.id, word.user, comment.text, hidden))
        found[name] = (
            [(user, emoji) for _, user, emoji in sorted(reactions.get(name, []), key=lambda one: one[:2])],
            [(user, id, text, written, hidden) for written, id, user, text, hidden in sorted(standing)],
        )
    return found


def messages(words: list[Word]) -> list[tuple[bytes, int, str, int]]:
    """The messages of the two of a pair's group: author, ID, text, written."""
    by_author: dict[bytes, list[tuple[int, int, bytes, str]]] = {}
    for word in words:
        read = word.read()
        if isinstance(read, Message):
            written = min(read.id >> 16, word.time >> 16)
            by_author.setdefault(word.user, []).append((read.id, written, word.user, read.text))
    newest = [one for mine in by_author.values() for one in sorted(mine)[-MOST_MESSAGES:]]
    ordered = sorted(newest, key=lambda one: (one[1], one[0], one[2]))
    return [(user, id, text, written) for id, written, user, text in ordered]
