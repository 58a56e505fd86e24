"""The codec: README.md §2, and the refusals of README.md §7."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

T = TypeVar("T")

TAIL_LIMIT = 1024
U64 = 1 << 64


class Refusal(Exception):
    """What MUST be refused, with its reason."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def invalid_value(field: str) -> Refusal:
    return Refusal(f"invalid-value: {field}")


def signed(number: int) -> int:
    """The number a 64-bit word stands for in two's complement."""
    number %= U64
    return number - U64 if number >> 63 else number


def zigzag(number: int) -> int:
    return (number << 1) if number >= 0 else ((-number << 1) - 1)


def unzigzag(number: int) -> int:
    return (number >> 1) ^ -(number & 1)


def varint(number: int) -> bytes:
    """LEB128 in the fewest bytes."""
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def signed_varint(number: int) -> bytes:
    return varint(zigzag(number))


def blob(data: bytes) -> bytes:
    return varint(len(data)) + data


@dataclass(frozen=True, order=True)
class Epoch:
    """A counter, then 64 random bits; ordered in that order (§2)."""

    counter: int
    nonce: int

    def encoded(self) -> bytes:
        return self.counter.to_bytes(4, "big") + self.nonce.to_bytes(8, "big")


class Reader:
    """Reads fields one after the other and refuses whatever is not their only encoding."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.position = 0

    @property
    def left(self) -> int:
        return len(self.data) - self.position

    def take(self, count: int) -> bytes:
        if count > self.left:
            raise Refusal("truncated")
        self.position += count
        return self.data[self.position - count : self.position]

    def unsigned(self, size: int) -> int:
        return int.from_bytes(self.take(size), "big")

    def u8(self) -> int:
        return self.unsigned(1)

    def i64(self) -> int:
        return signed(self.unsigned(8))

    def varint(self, limit: int = U64 - 1) -> int:
        number = 0
        for index in range(10):
            byte = self.u8()
            if index == 9 and byte > 1:
                break
            number |= (byte & 0x7F) << (7 * index)
            if byte < 0x80:
                if byte == 0 and index > 0:
                    break
                if number > limit:
                    raise Refusal("limit-exceeded")
                return number
        raise Refusal("non-minimal-varint")

    def signed_varint(self) -> int:
        return unzigzag(self.varint())

    def blob(self, limit: int) -> bytes:
        return self.take(self.varint(limit))

    def text(self, limit: int) -> str:
        try:
            return self.blob(limit).decode("utf-8", "strict")
        except UnicodeDecodeError:
            raise Refusal("invalid-text") from None

    def flag(self, field: str) -> bool:
        value = self.u8()
        if value > 1:
            raise invalid_value(field)
        return value == 1

    def epoch(self) -> Epoch:
        return Epoch(self.unsigned(4), self.unsigned(8))

    def list(self, limit: int, element: Callable[[], T]) -> list[T]:
        return [element() for _ in range(self.varint(limit))]

    def rising(self, limit: int, element: Callable[[], T], key: Callable[[T], Any], field: str) -> list[T]:
        """A list whose elements rise; each is compared with the one before as soon as it is read."""
        found: list[T] = []
        for _ in range(self.varint(limit)):
            found.append(element())
            if len(found) > 1 and key(found[-1]) <= key(found[-2]):
                raise invalid_value(field)
        return found

    def version(self) -> None:
        if self.u8() != 1:
            raise Refusal("unsupported-version")

    def rest(self) -> bytes:
        return self.take(self.left)

    def tail(self) -> bytes:
        if self.left > TAIL_LIMIT:
            raise Refusal("limit-exceeded")
        return self.rest()

    def end(self) -> None:
        if self.left:
            raise Refusal("trailing-bytes")


def decode(data: bytes, read: Callable[[Reader], T]) -> T:
    """Reads an object that must end where its bytes end."""
    reader = Reader(data)
    value = read(reader)
    reader.end()
    return value
