"""Proves that the verifier notices: it turns bits over in vectors and captures and demands that a check fails."""

from __future__ import annotations

import json
import random
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import messages
from .capture import check_capture
from .checks import CHECKS, check_file
from .sample import make_capture

HEX = re.compile(r"(?:[0-9a-f]{2}){8,}")
Path_ = tuple[str | int, ...]


def leaves(value: Any, path: Path_ = ()) -> Iterator[Path_]:
    """The places of all texts of at least eight bytes in hexadecimal, but for entries that are wrong as they are."""
    if isinstance(value, dict):
        outcome = str(value.get("outcome", "new: 1"))
        if value.get("isValid") is False or not outcome.startswith("new") or outcome == "new: 0":
            return
        for key, item in value.items():
            if not re.match(r"invalid|refused|refusal|forged|offers", key):
                yield from leaves(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from leaves(item, (*path, index))
    elif isinstance(value, str) and HEX.fullmatch(value):
        yield path


def is_ignored(file: str, path: Path_, parents: list[Any]) -> bool:
    """What an entry holds and no implementation can notice: who lost anyway, what was random, what was malformed before."""
    entry = parents[-1]
    if file == "merges.json":
        return "winners" not in path
    if path[-1] in ("linkSecret", "ephemeralSecret", "askerLinkSecret"):
        return True  # X25519 does not look at five of its bits
    if file == "daily-scores.json" and path[-1] == "value":
        return True  # bits of the flags that mean nothing; subjects are turned over instead
    if file == "game-definitions.json":
        # Tails and unknown bits may be anything, and what names no game may name another one that is none.
        names_none = "records" in path and path[0] == "groups" and not parents[1]["games"]
        return path[0] == "accepted" or path[-1] == "value" or names_none
    if file == "challenges.json":
        # Tails, bits that mean nothing, words that others overrule or that decide nothing by a little.
        return path[0] == "accepted" or path[-1] == "value" or path[0] == "sets" and "challenges" not in path
    if file == "talk.json":
        # Tails, flags that mean nothing, words that others overrule.
        overruled = path[0] == "sets" and "results" not in path or path[0] == "conversations" and "messages" not in path
        return path[0] == "accepted" or path[-1] == "value" or overruled
    if file == "events.json":
        # Tails, words that others overrule, and groups: another one may draw the same.
        return path[0] == "accepted" or path[0] == "sets" and path[-1] != "chooser" or path[-1] == "group"
    if file == "daily-scores.json":
        return path[-1] == "time" or path[0] == "accepted"
    if file == "clocks.json":
        return path[-1] == "time" and entry["step"] == "witness"
    if file == "feeds.json" and path[-1] == "group" and path[0] == "receptions":
        return not any(step["outcome"].startswith("new") for step in entry["steps"])
    if file == "beacons.json" and path[-1] == "hourKey" and path[0] == "beacons":
        return entry["content"] is None
    if file == "beacons.json" and path[-1] == "hex":
        return True  # random slots; hour keys and contents are turned over instead
    if file == "messages.json" and path[-1] == "hex":
        # Most messages carry nothing that could be checked, and flags and tails anything.
        return entry.get("kind") not in (messages.OPERATIONS, messages.RUNS, messages.RUMOUR) or len(entry["hex"]) < 64
    return file == "runs.json" and "group" not in entry


def flipped(text: str, chooser: random.Random, start: int = 0) -> str:
    data = bytearray.fromhex(text)
    data[chooser.randrange(start, len(data))] ^= 1 << chooser.randrange(8)
    return data.hex()


def damage(document: Any, path: Path_, chooser: random.Random) -> None:
    for key in path[:-1]:
        document = document[key]
    # Of a message in a capture the kind and the flags may be others as well; what follows them may not.
    start = 11 if path[-1] == "bytes" and len(document["bytes"]) > 22 else 0
    document[path[-1]] = flipped(document[path[-1]], chooser, start)


def parents_of(document: Any, path: Path_) -> list[Any]:
    parents = [document]
    for key in path[:-1]:
        parents.append(parents[-1][key])
    return [parent for parent in parents if isinstance(parent, dict)]


def flip_vectors(folder: Path, flips: int, chooser: random.Random) -> list[str]:
    """Turns over one bit a time; names the places where nothing failed."""
    sound = {file: json.loads(file.read_text("utf-8")) for file in sorted(folder.glob("*.json")) if file.name in CHECKS}
    sound = {file: document for file, document in sound.items() if not check_file(file).problems}
    places = {
        file: [path for path in leaves(document) if not is_ignored(file.name, path, parents_of(document, path))]
        for file, document in sound.items()
    }
    files = [file for file in sound if places[file]]
    print(f"selftest: {flips} bits in {', '.join(file.name for file in files) or 'no file'}")
    unnoticed = [] if files else ["no file of vectors is right as it is"]
    with tempfile.TemporaryDirectory() as scratch:
        for _ in range(flips if files else 0):
            file = chooser.choice(files)
            path = chooser.choice(places[file])
            document = json.loads(json.dumps(sound[file]))
            damage(document, path, chooser)
            copy = Path(scratch) / file.name
            copy.write_text(json.dumps(document), "utf-8")
            if not check_file(copy).problems:
                unnoticed.append(f"{file.name}: {'.'.join(map(str, path))}")
    return unnoticed


def flip_capture(lines: list[str], flips: int, chooser: random.Random) -> list[str]:
    if problems := check_capture(lines).problems:
        return [f"the capture as it is: {problem}" for problem in problems]
    unnoticed = []
    documents = [json.loads(line) for line in lines]
    # The names of stores and the arrivals that go with them are their owner's affair.
    free = {messages.HELLO, messages.DIGEST, messages.TIPS_REQUESTED, messages.TIPS}
    places = [
        (index, path)
        for index, document in enumerate(documents)
        for path in leaves(document)
        if not (path == ("bytes",) and (int(document["bytes"][2:4], 16) in free or len(document["bytes"]) == 22))
    ]
    for _ in range(flips):
        index, path = chooser.choice(places)
        document = json.loads(lines[index])
        damage(document, path, chooser)
        if not check_capture([*lines[:index], json.dumps(document), *lines[index + 1 :]]).problems:
            unnoticed.append(f"capture, line {index + 1}: {'.'.join(map(str, path))}")
    return unnoticed


def run_selftest(folder: Path, captures: list[Path], flips: int, seed: int) -> int:
    chooser = random.Random(seed)
    unnoticed = flip_vectors(folder, flips, chooser)
    told = [make_capture(folder), *(file.read_text("utf-8").splitlines() for file in captures)]
    print(f"selftest: {flips // 2} bits in each of {len(told)} captures")
    for lines in told:
        unnoticed += flip_capture(lines, flips // 2, chooser)
    for place in unnoticed:
        print(f"    NOT NOTICED {place}")
    print(f"selftest: {len(unnoticed)} of them not noticed")
    return 1 if unnoticed else 0
