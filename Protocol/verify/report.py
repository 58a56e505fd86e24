"""What a file of vectors says, how often it held, and which of its words nobody looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .codec import Refusal

PROSE = {"name", "spec", "why", "decoder", "source"}


class Entry:
    """An object of a JSON file that remembers which of its fields were read."""

    def __init__(self, fields: dict[str, Any], path: str) -> None:
        self.path = path
        self.fields = {key: wrapped(value, f"{path}.{key}") for key, value in fields.items()}
        self.read: set[str] = set()

    def __contains__(self, key: str) -> bool:
        return key in self.fields

    def __getitem__(self, key: str) -> Any:
        if key not in self.fields:
            raise KeyError(f"{self.path} has no “{key}”")
        self.read.add(key)
        return self.fields[key]

    def get(self, key: str, otherwise: Any = None) -> Any:
        return self[key] if key in self.fields else otherwise

    def all(self, key: str) -> list[Any]:
        return self.get(key, [])

    def hex(self, key: str = "hex") -> bytes:
        """Bytes, and as many zero bytes as `zeros` says (README.md §7)."""
        data = bytes.fromhex(self[key])
        return data + bytes(self.get("zeros", 0)) if key == "hex" else data

    def number(self, key: str) -> int:
        return int(self[key])

    @property
    def name(self) -> str:
        return self.get("name", self.path)

    def unread(self) -> Iterator[str]:
        for key, value in self.fields.items():
            if key not in self.read and key not in PROSE:
                yield f"{self.path}.{key}"
            else:
                yield from _unread(value)


def wrapped(value: Any, path: str) -> Any:
    if isinstance(value, dict):
        return Entry(value, path)
    if isinstance(value, list):
        return [wrapped(item, f"{path}[{index}]") for index, item in enumerate(value)]
    return value


def _unread(value: Any) -> Iterator[str]:
    if isinstance(value, Entry):
        yield from value.unread()
    elif isinstance(value, list):
        for item in value:
            yield from _unread(item)


class Report:
    """Counts what was checked and keeps a line for everything that did not hold."""

    def __init__(self) -> None:
        self.checked = 0
        self.problems: list[str] = []

    def equal(self, where: str, found: object, expected: object) -> None:
        self.checked += 1
        if found != expected:
            self.problems.append(f"{where}: {shown(found)} instead of {shown(expected)}")

    def holds(self, where: str, condition: bool, problem: str) -> None:
        self.checked += 1
        if not condition:
            self.problems.append(f"{where}: {problem}")

    def refused(self, where: str, reason: str | None, read: Callable[[], object]) -> None:
        """What is read must be refused, for that reason where one is given."""
        self.checked += 1
        try:
            read()
        except Refusal as refusal:
            if reason is not None and refusal.reason != reason:
                self.problems.append(f"{where}: refused as {refusal.reason} instead of {reason}")
        else:
            self.problems.append(f"{where}: taken instead of refused as {reason}")

    def taken(self, where: str, read: Callable[[], Any]) -> Any:
        """What is read must be taken; nothing where it is refused."""
        try:
            return read()
        except Refusal as refusal:
            self.checked += 1
            self.problems.append(f"{where}: refused as {refusal.reason}")
            return None


def shown(value: object) -> str:
    text = value.hex() if isinstance(value, bytes) else str(value)
    return text if len(text) <= 200 else f"{text[:200]}…"
