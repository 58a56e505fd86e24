"""Checks a capture of two nodes' exchange; README.md here fixes the format of the file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from . import messages
from .certificates import Certificate
from .codec import Refusal, decode
from .crypto import hash512
from .feeds import FeedCopy, FeedName, Place, Run
from .joining import JoinProof
from .keys import AccessKey
from .ledger import Ledger, Waiting
from .merging import Entry as MergeEntry
from .merging import counting, merge
from .messages import FeedTip, Message
from .operations import FeedCut, Kind, Operation
from .records import Record
from .report import Entry, Report
from .resolver import Resolver

MAXIMUM_EPOCHS = 256


@dataclass
class Node:
    """What one side holds, as far as the capture shows."""

    name: str
    group: bytes
    ledger: Ledger
    link_key: bytes | None = None
    copies: dict[FeedName, FeedCopy] = field(default_factory=dict)
    waiting: list[Operation] = field(default_factory=list)
    digests: list[tuple[bytes, int]] = field(default_factory=list)
    told: list[tuple[str, tuple[bytes, int]]] = field(default_factory=list)
    matched: int = 0
    rumoured: set[bytes] = field(default_factory=set)
    tips: list[tuple[str, FeedTip]] = field(default_factory=list)
    ledger_tips: list[tuple[str, messages.LedgerTip]] = field(default_factory=list)
    has_asked: bool = False
    _resolved: tuple[int, Resolver] | None = None

    @property
    def resolver(self) -> Resolver | None:
        """What the operations amount to; nothing before the founding is known."""
        count = len(self.ledger.operations)
        if count and (self._resolved is None or self._resolved[0] != count):
            self._resolved = (count, Resolver(self.ledger))
        return self._resolved[1] if self._resolved else None

    def add(self, operation: Operation) -> None:
        """Takes an operation in, and those that waited for it."""
        try:
            self.ledger.add(operation)
        except Waiting:
            self.waiting.append(operation)
            return
        waiting, self.waiting = self.waiting, []
        for other in waiting:
            self.add(other)

    def take(self, run: Run) -> int:
        """Takes a run in after every check of records.md §6."""
        resolver = self.resolver
        if resolver is None or run.feed.device not in resolver.devices():
            raise Refusal("unknown-author")
        copy = self.copies.get(run.feed) or FeedCopy(self.group, run.feed)
        right = resolver.feed_right(run.feed)
        if not right.is_whole and (right.cut is None or self._is_past(right.cut, copy, run)):
            raise Refusal("past-cut")
        epochs = {feed.epoch for feed in self.copies if feed.device == run.feed.device}
        if run.feed.epoch not in epochs and len(epochs) >= MAXIMUM_EPOCHS:
            raise Refusal("limit-reached")
        taken = copy.take(run)
        self.copies[run.feed] = copy
        return taken

    @staticmethod
    def _is_past(cut: FeedCut, copy: FeedCopy, run: Run) -> bool:
        """Whether a run begins after the cut, or is another history of a feed held up to it (sync.md §4)."""
        if run.first > cut.number:
            return True
        end = (run.last, run.hashes(run.records())[-1])
        return copy.holds((cut.number, cut.hash)) and not copy.holds(end)

    def hold(self, run: Run) -> None:
        """Takes in what was held before the capture, also past a cut that came later."""
        copy = self.copies.setdefault(run.feed, FeedCopy(self.group, run.feed))
        copy.take(run)

    def counting(self) -> Iterator[tuple[FeedCopy, Place]]:
        """The ends of every feed as far as it counts (sync.md §3)."""
        resolver = self.resolver
        if resolver is None:
            return
        for feed, copy in self.copies.items():
            yield from ((copy, end) for end in resolver.feed_right(feed).ends(copy))

    def count(self) -> int:
        """How many records count, of every feed those of its longest branch (sync.md §3)."""
        longest: dict[FeedName, int] = {}
        for copy, (number, _) in self.counting():
            longest[copy.name] = max(number, longest.get(copy.name, 0))
        return sum(longest.values())

    def digest(self) -> bytes:
        resolver = self.resolver
        ledger = resolver.counting_tips() if resolver else set()
        tips = [FeedTip(copy.name.device, copy.name.epoch, *place) for copy, place in self.counting()]
        return messages.digest(self.group, ledger, tips)

    def note_digest(self) -> None:
        digest = (self.digest(), self.count())
        if not self.digests or self.digests[-1] != digest:
            self.digests.append(digest)

    def entries(self, wall: int) -> Iterator[MergeEntry]:
        resolver = self.resolver
        devices = resolver.devices() if resolver else {}
        places = {(copy.name, place): copy for copy, end in self.counting() for place in copy.path(end)}
        found = [
            (feed, place[0], MergeEntry(devices[feed.device], feed.device, Record.decode(copy.records[place][0])))
            for (feed, place), copy in places.items()
        ]
        yield from counting(found, devices, wall)


class Capture:
    def __init__(self, header: Entry, report: Report) -> None:
        self.report = report
        self.group = header.hex("group")
        self.wall = header.number("wallMilliseconds")
        self.binding = bytes.fromhex(header.get("linkBinding", "")) or None
        self.access_keys = [AccessKey(bytes.fromhex(key)) for key in header.get("accessKeys", [])]
        self.nodes: dict[str, Node] = {}
        for name in header["nodes"].fields:
            self.nodes[name] = self._node(name, header["nodes"][name])
        if len(self.nodes) != 2:
            raise ValueError("a capture has two nodes")

    def _node(self, name: str, entry: Entry) -> Node:
        node = Node(name, self.group, Ledger(self.group), bytes.fromhex(entry.get("linkKey", "")) or None)
        for hex in entry.get("operations", []):
            self._operation(f"{name} at first", node, bytes.fromhex(hex))
        for hex in entry.get("runs", []):
            self._attempt(f"{name} at first", lambda: node.hold(decode(bytes.fromhex(hex), Run.read)))
        node.note_digest()
        return node

    def _attempt(self, where: str, act: Callable[[], object]) -> None:
        self.report.checked += 1
        self.report.taken(where, act)

    def _operation(self, where: str, node: Node, data: bytes) -> None:
        operation = self.report.taken(where, lambda: Operation.decode(data))
        if operation is not None:
            self._attempt(f"{where}: operation {operation.name.hex()[:8]}", lambda: node.add(operation))
            for cut in operation.body.cuts:
                for one in cut.feeds:
                    is_signed = one.is_signed_by(cut.device, self.group)
                    self.report.holds(f"{where}: cut of {cut.device.hex()[:8]}", is_signed, "the feed's signature is wrong")

    def message(self, number: int, entry: Entry) -> None:
        sender, receiver = self.nodes[entry["from"]], self.nodes[entry["to"]]
        where = f"line {number}"
        self.report.checked += 1
        message = self.report.taken(where, lambda: Message.decode(entry.hex("bytes")))
        if message is None:
            return
        where = f"{where}, {message.title} from {sender.name}"
        if message.handle and message.handle != self.group[:8]:
            self.report.holds(where, False, "it is of another group, and not checked")
            return
        self._check(where, sender, receiver, message)
        for node in (sender, receiver):
            node.note_digest()

    def _check(self, where: str, sender: Node, receiver: Node, message: Message) -> None:
        report = self.report
        match message.kind:
            case messages.HELLO:
                if self.access_keys and self.binding and sender.link_key and message.blobs:
                    binding, link_key = self.binding, sender.link_key
                    proofs = {messages.hello_proof(key.group_proof_key, binding, link_key) for key in self.access_keys}
                    report.holds(where, bool(proofs & set(message.blobs)), "no proof is of the group's access keys")
            case messages.DIGEST:
                report.checked += 1
                sender.told.append((where, (message.digest, message.count)))
            case messages.TIPS:
                sender.tips += [(where, tip) for tip in message.feed_tips]
                sender.ledger_tips += [(where, tip) for tip in message.ledger_tips]
            case messages.OPERATIONS_REQUESTED:
                sender.ledger_tips += [(where, tip) for tip in message.ledger_tips]
            case messages.RUNS_REQUESTED:
                sender.tips += [(where, tip) for wanted in message.wanted for tip in wanted.tips]
            case messages.OPERATIONS:
                for data in message.blobs:
                    self._operation(where, sender, data)
                    self._operation(where, receiver, data)
            case messages.RUNS | messages.RUMOUR:
                for run in message.runs:
                    self._run(where, sender, receiver, run, is_rumour=message.kind == messages.RUMOUR)
            case messages.ACKNOWLEDGED:
                report.holds(where, message.name in receiver.rumoured, "it acknowledges no rumour of the other side")
            case messages.JOIN_REQUESTED:
                sender.has_asked = True
                self._join(where, receiver, message)
            case messages.JOIN_REFUSED:
                report.holds(where, receiver.has_asked, "nobody asked to join")
            case messages.ACCESS_KEYS:
                resolver = sender.resolver
                hashes = set(resolver.access_key_hashes()) if resolver else set()
                is_known = all(AccessKey(key).hash in hashes for key in message.blobs)
                report.holds(where, is_known, "an access key's hash does not stand in the ledger")
            case messages.WELCOME:
                report.holds(where, receiver.has_asked, "nobody asked to join")
                report.equal(where, message.name, self.group)
                resolver = sender.resolver
                hashes = set(resolver.access_key_hashes()) if resolver else set()
                known = [AccessKey(key).hash in hashes for key in message.blobs]
                report.holds(where, bool(known) and all(known), "an access key's hash does not stand in the ledger")

    def _run(self, where: str, sender: Node, receiver: Node, run: Run, *, is_rumour: bool) -> None:
        where = f"{where}: run {run.feed.device.hex()[:8]} {run.first}–{run.last}"
        if is_rumour:
            hash = self.report.taken(where, lambda: run.hashes(run.records())[-1])
            sender.rumoured.add((hash or b"")[:8])
        self._attempt(f"{where} as {sender.name} holds it", lambda: sender.take(run))
        try:
            self.report.checked += 1
            receiver.take(run)
        except Refusal as refusal:
            # A rumour may come too early, and a receiver may know of a cut that its sender has not heard of.
            is_early = refusal.reason.partition(":")[0] in ("gap", "different-history", "unknown-author")
            if not (is_rumour and is_early) and refusal.reason != "past-cut":
                self.report.problems.append(f"{where}: refused as {refusal.reason}")

    def _join(self, where: str, member: Node, message: Message) -> None:
        certificate = self.report.taken(where, lambda: decode(message.blobs[0], Certificate.read))
        proof = self.report.taken(where, lambda: decode(message.blobs[1], JoinProof.read))
        if certificate is None or proof is None:
            return
        self.report.holds(where, certificate.is_valid(), "the certificate does not hold")
        invites = [one for one in member.ledger if one.kind is Kind.INVITE]
        is_proven = any(proof.is_valid(self.group, invite.body.invite_key, certificate) for invite in invites)
        self.report.holds(where, is_proven, "the proof is of no invite")
        if self.binding:
            self.report.equal(where, proof.handshake_hash, hash512(self.binding))

    def finish(self, result: Entry | None, is_settled: bool) -> None:
        """The digests told, the claims, and what both sides come to."""
        report = self.report
        for node in self.nodes.values():
            for where, digest in node.told:
                found = [index for index in range(node.matched, len(node.digests)) if node.digests[index] == digest]
                report.holds(where, bool(found), f"{node.name} never held {digest[1]} records with the digest {digest[0].hex()}")
                node.matched = min(found, default=node.matched)
            for where, tip in node.tips:
                copy = node.copies.get(tip.feed) or FeedCopy(self.group, tip.feed)
                report.holds(where, copy.holds((tip.number, tip.hash)), "a tip of a feed that it does not hold")
            for where, tip in node.ledger_tips:
                held = node.ledger.get(tip.operation) if tip.operation in node.ledger else None
                is_held = held is not None and (held.author, held.number) == (tip.device, tip.number)
                report.holds(where, is_held, "a tip of the ledger that it does not hold")
            report.holds(node.name, not node.waiting, f"{len(node.waiting)} operations wait for ancestors to the end")
        if not is_settled:
            return
        first, second = self.nodes.values()
        report.equal("digests at the end", first.digest(), second.digest())
        boards = [merge(node.entries(self.wall), self.wall) for node in (first, second)]
        winners = [sorted(entry.record.encoded().hex() for entry in board[0].values()) for board in boards]
        report.equal("merge results at the end", winners[0], winners[1])
        if result is not None:
            report.equal("digest of the result", first.digest(), result.hex("digest"))
            report.equal("winners of the result", winners[0], sorted(result["winners"]))
            report.equal("waiting records of the result", len(boards[0][1]), result["waiting"])


def check_capture(lines: list[str]) -> Report:
    report = Report()
    try:
        entries = [Entry(json.loads(line), f"line {number}") for number, line in enumerate(lines, 1) if line.strip()]
        header, *rest = entries
        capture = Capture(header, report)
        result = None
        for number, entry in enumerate(rest, 2):
            if "result" in entry:
                result = entry["result"]
            else:
                capture.message(number, entry)
        capture.finish(result, header.get("isSettled", True))
        for entry in entries:
            report.problems += [f"{field} is not checked" for field in entry.unread()]
    except Refusal as refusal:
        report.problems.append(f"refused as {refusal.reason}")
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        report.problems.append(f"not a capture: {error}")
    return report


def check_captures(files: list[Path]) -> int:
    is_wrong = False
    for file in files:
        report = check_capture(file.read_text("utf-8").splitlines())
        is_wrong |= bool(report.problems)
        print(f"{file}: checked {report.checked}{f', {len(report.problems)} WRONG' if report.problems else ''}")
        for problem in report.problems[:50]:
            print(f"    {problem}")
    return 1 if is_wrong else 0
