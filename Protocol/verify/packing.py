"""The records of a run as rows or columns: records.md §6.1 and §6.2."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from .codec import U64, Reader, Refusal, blob, invalid_value, signed, signed_varint, unzigzag, varint
from .records import FIRST_DAY, LAST_DAY, MAXIMUM_SIZE, MAXIMUM_SUBJECT, MAXIMUM_VALUE, UNIX_DAY, digits_of

MAXIMUM_NUMBER = 1 << 40
MAXIMUM_UNPACKED = 262_144
DAY, PUZZLE, NAME = 1, 2, 128
VALUE_BITS = (4, 8, 16, 32, 64)  # score, maximum, seconds, hints, mistakes
FIRST, LAST = (FIRST_DAY - UNIX_DAY).days, (LAST_DAY - UNIX_DAY).days


def unpack(data: bytes, count: int) -> list[bytes]:
    """The bytes of exactly `count` records."""
    reader = Reader(data)
    form = reader.u8()
    if form == 0:
        records = [reader.blob(MAXIMUM_SIZE) for _ in range(count)]
    elif form == 1:
        records = _columns(reader, count)
    else:
        raise invalid_value("packing")
    reader.end()
    return records


def pack_rows(records: list[bytes]) -> bytes:
    return b"\0" + b"".join(map(blob, records))


def column(reader: Reader, count: int) -> list[int]:
    """A column of `count` unsigned integers of 64 bits."""
    if count == 0:
        return []
    match reader.u8():
        case 0:
            return [reader.varint()] * count
        case 1:
            return _packed(reader, count)
        case 2:
            values: list[int] = []
            while len(values) < count:
                value, times = reader.varint(), reader.varint()
                if not 1 <= times <= count - len(values):
                    raise invalid_value("column")
                values += [value] * times
            return values
        case _:
            raise invalid_value("column")


def _packed(reader: Reader, count: int) -> list[int]:
    base, width = reader.varint(), reader.u8()
    if width > 64:
        raise invalid_value("column")
    above = [0] * count
    position = 0
    for _ in range(reader.varint(count)):
        position += reader.varint(count)
        if position >= count or width == 64:
            raise invalid_value("column")
        above[position] = reader.varint() << width
        position += 1
    bits = int.from_bytes(reader.take((count * width + 7) // 8), "little")
    mask = (1 << width) - 1
    return [(base + above[index] + (bits >> (index * width) & mask)) % U64 for index in range(count)]


def signed_column(reader: Reader, count: int) -> list[int]:
    return [unzigzag(value) for value in column(reader, count)]


@dataclass(frozen=True)
class Shape:
    """What results have in common: axis, flags, fields, game and name."""

    axis: int
    flags: int
    fields: int
    game: bytes
    name: bytes

    @classmethod
    def read(cls, reader: Reader) -> Shape:
        axis, flags, fields = int(reader.flag("axis")), reader.u8(), reader.u8()
        if bool(fields & DAY) != (axis == 1) or (axis == 1 and fields & PUZZLE):
            raise invalid_value("fields")
        game = reader.blob(MAXIMUM_SUBJECT)
        name = reader.blob(MAXIMUM_VALUE) if fields & NAME else b""
        return cls(axis, flags, fields, game, name)

    @property
    def has_number(self) -> bool:
        return self.axis == 1 or bool(self.fields & PUZZLE)


def _columns(reader: Reader, count: int) -> list[bytes]:
    shapes = reader.list(count, lambda: Shape.read(reader))
    positions = column(reader, count)
    if any(position > len(shapes) for position in positions):
        raise invalid_value("shape")
    results = [shapes[position - 1] for position in positions if position]
    times = iter(signed_column(reader, len(results)))
    counters = iter(column(reader, len(results)))
    days = iter(signed_column(reader, len(results)))
    numbers = iter(signed_column(reader, sum(shape.has_number for shape in results)))
    values = {bit: iter(column(reader, sum(bool(shape.fields & bit) for shape in results))) for bit in VALUE_BITS}
    ages = iter(signed_column(reader, len(results)))

    records: list[bytes] = []
    size = milliseconds = day = 0
    last: dict[bytes, tuple[int, int]] = {}
    for position in positions:
        if position == 0:
            records.append(reader.blob(MAXIMUM_SIZE))
        else:
            shape = shapes[position - 1]
            milliseconds, counter = signed(milliseconds + next(times)), next(counters)
            day = signed(day + next(days))
            if not 0 <= milliseconds < 1 << 48 or counter > 0xFFFF:
                raise invalid_value("time")
            number = 0
            if shape.has_number:
                number_before, day_before = last.get(shape.game, (0, day))
                number = signed(number_before + day - day_before + next(numbers))
                last[shape.game] = (number, day)
            if not FIRST <= day <= LAST or number < 0:
                raise invalid_value("day")
            plain = [next(values[bit]) for bit in VALUE_BITS if shape.fields & bit]
            if max([number, *plain]) > MAXIMUM_NUMBER:
                raise invalid_value("number")
            records.append(_record(shape, milliseconds << 16 | counter, day, number, plain, next(ages)))
        size += len(records[-1])
        if size > MAXIMUM_UNPACKED:
            raise Refusal("limit-exceeded")
    return records


def _record(shape: Shape, time: int, day: int, number: int, plain: list[int], age: int) -> bytes:
    digits = digits_of(UNIX_DAY + datetime.timedelta(days=day))
    subject = bytes([shape.axis]) + varint(number if shape.axis else digits) + shape.game
    value = bytes([shape.flags, shape.fields])
    if shape.axis:
        value += varint(digits)
    elif shape.fields & PUZZLE:
        value += varint(number)
    value += b"".join(map(varint, plain))
    value += (blob(shape.name) if shape.fields & NAME else b"") + signed_varint(age)
    return b"\1" + time.to_bytes(8, "big") + blob(subject) + blob(value)
