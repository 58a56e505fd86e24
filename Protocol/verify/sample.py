"""A small capture made from the people and the ledger of the vectors: the exchange of README.md §6 of the protocol."""

from __future__ import annotations

import json
from pathlib import Path

from nacl import bindings

from . import messages
from .codec import Epoch
from .crypto import hash512, signing_bytes
from .feeds import FeedCopy, FeedName, Run, chain_next, chain_origin
from .keys import AccessKey
from .ledger import Ledger
from .links import link_binding
from .messages import FeedTip, LedgerTip, Message, Wanted
from .operations import Operation
from .packing import pack_rows
from .records import Record
from .resolver import Resolver

WALL = 1_795_262_400_000
EPOCH = Epoch(1, 0x123456789ABCDEF)


def signed_run(group: bytes, seed: bytes, records: list[bytes], first: int, last: int) -> Run:
    """Records `first` to `last` of a device's feed."""
    public, secret = bindings.crypto_sign_seed_keypair(seed)
    feed = FeedName(public, EPOCH)
    hashes = [chain_origin(group, feed)]
    for record in records:
        hashes.append(chain_next(hashes[-1], record))
    text = signing_bytes("feed", group, feed.encoded(), last.to_bytes(8, "big"), hashes[last])
    signature = bindings.crypto_sign(text, secret)[:64]
    return Run(feed, first, hashes[first - 1], signature, last - first + 1, pack_rows(records[first - 1 : last]))


def make_capture(vectors: Path) -> list[str]:
    """Ben, who has let Cleo in and played on, meets Ada; then Ada tells a rumour."""
    people = {one["name"]: one for one in json.loads((vectors / "keys.json").read_text("utf-8"))["people"]}
    access = json.loads((vectors / "keys.json").read_text("utf-8"))["accessKeys"][0]["key"]
    sets = json.loads((vectors / "ledgers.json").read_text("utf-8"))["sets"]
    chosen = next(one for one in sets if [o["name"] for o in one["operations"]] == ["found", "invite", "admit ben", "admit cleo"])
    data = [bytes.fromhex(one["hex"]) for one in chosen["operations"]]
    operations = [Operation.decode(one) for one in data]
    group = bytes.fromhex(chosen["group"])
    handle = group[:8]

    def records(name: str) -> list[bytes]:
        return [Record(2, WALL + number << 16, b"", bytes([5]) + f"{name}{number}".encode()).encoded() for number in (1, 2, 3)]

    seeds = {name: bytes.fromhex(people[name]["deviceSeed"]) for name in ("ada", "ben")}
    keys = {name: bytes.fromhex(people[name]["linkKey"]) for name in ("ada", "ben")}
    ada_run = signed_run(group, seeds["ada"], records("ada1"), 1, 2)
    ada_rumour = signed_run(group, seeds["ada"], records("ada1"), 3, 3)
    ben_run = signed_run(group, seeds["ben"], records("ben1"), 1, 3)
    binding = link_binding((keys["ada"], bytes(16)), (keys["ben"], bytes(15) + b"\1"))
    proof_key = AccessKey(bytes.fromhex(access)).group_proof_key

    def tip(run: Run) -> FeedTip:
        return FeedTip(run.feed.device, run.feed.epoch, run.last, run.hashes(run.records())[-1])

    def digest(count: int, runs: list[Run]) -> bytes:
        state = Resolver(Ledger.of(group, operations[:count]))
        copies = {run.feed: FeedCopy(group, run.feed) for run in runs}
        for run in runs:
            copies[run.feed].take(run)
        tips = [FeedTip(feed.device, feed.epoch, *place) for feed, copy in copies.items() for place in copy.tips()]
        return messages.digest(group, state.counting_tips(), tips)

    def ledger_tips(*held: Operation) -> list[LedgerTip]:
        return [LedgerTip(one.author, one.number, one.name) for one in held]

    ada_store, ben_store = hash512(b"ada")[:16], hash512(b"ben")[:16]
    agreed = digest(4, [ada_run, ben_run])
    origin = Wanted(ben_run.feed.device, EPOCH, ((0, chain_origin(group, ben_run.feed)),))
    ada_origin = Wanted(ada_run.feed.device, EPOCH, ((0, chain_origin(group, ada_run.feed)),))
    said: list[tuple[str, Message]] = [
        ("ada", Message(1, store=ada_store, blobs=[messages.hello_proof(proof_key, binding, keys["ada"])])),
        ("ben", Message(1, store=ben_store, blobs=[messages.hello_proof(proof_key, binding, keys["ben"])])),
        ("ada", Message(2, handle, digest=digest(3, [ada_run]), arrival=5, count=2)),
        ("ben", Message(2, handle, digest=digest(4, [ben_run]), arrival=7, count=3)),
        ("ada", Message(3, handle, store=bytes(16))),
        ("ben", Message(4, handle, arrival=7, flags=1, ledger_tips=ledger_tips(operations[2], operations[3]), feed_tips=[tip(ben_run)])),
        ("ada", Message(5, handle, ledger_tips=ledger_tips(operations[2]))),
        ("ben", Message(6, handle, flags=1, blobs=[data[3]])),
        ("ada", Message(7, handle, wanted=[origin])),
        ("ben", Message(8, handle, runs=[ben_run])),
        ("ben", Message(8, handle, flags=3)),
        ("ben", Message(3, handle, store=bytes(16))),
        ("ada", Message(4, handle, arrival=9, flags=1, feed_tips=[tip(ada_run), tip(ben_run)])),
        ("ben", Message(7, handle, wanted=[ada_origin])),
        ("ada", Message(8, handle, runs=[ada_run])),
        ("ada", Message(8, handle, flags=3)),
        ("ada", Message(2, handle, digest=agreed, arrival=9, count=5)),
        ("ben", Message(2, handle, digest=agreed, arrival=9, count=5)),
        ("ada", Message(9, handle, runs=[ada_rumour])),
        ("ben", Message(10, name=tip(ada_rumour).hash[:8])),
        ("ben", Message(2, handle, digest=digest(4, [ada_run, ben_run, ada_rumour]), arrival=10, count=6)),
    ]
    header = {
        "group": group.hex(),
        "wallMilliseconds": str(WALL),
        "linkBinding": binding.hex(),
        "accessKeys": [access],
        "nodes": {
            "ada": {
                "linkKey": keys["ada"].hex(),
                "operations": [one.hex() for one in data[:3]],
                "runs": [ada_run.encoded().hex()],
            },
            "ben": {
                "linkKey": keys["ben"].hex(),
                "operations": [one.hex() for one in data],
                "runs": [ben_run.encoded().hex()],
            },
        },
    }
    other = {"ada": "ben", "ben": "ada"}
    lines = [{"from": name, "to": other[name], "bytes": message.encoded().hex()} for name, message in said]
    winners = [records("ada1")[2].hex(), records("ben1")[2].hex()]
    result = {"digest": digest(4, [ada_run, ben_run, ada_rumour]).hex(), "winners": winners, "waiting": 0}
    return [json.dumps(line) for line in [header, *lines, {"result": result}]]
