"""One function for each file of vectors: what the spec says about every entry."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import beacons, challenges, events, friends, keys, links, messages, noise, patterns, reachability, talk
from .certificates import Certificate
from .codec import Epoch, Reader, Refusal, blob, decode, signed_varint, varint
from .crypto import agreement_public_key, derived, hash512, is_signed, opened_x, signing_bytes, signing_public_key
from .feeds import FeedCopy, FeedName, Run, chain_next, chain_origin, is_tip_signed
from .joining import InviteLink, JoinProof
from .ledger import Ledger
from .merging import Entry as MergeEntry
from .merging import counting, merge, retraction
from .messages import FeedTip, Message
from .operations import Kind, Operation
from .packing import unpack
from .records import Clock, DailyScore, GameDefinition, Record, games
from .report import Entry, Report
from .resolver import Resolver, State

Check = Callable[[Entry, Report], None]


def check_codec(file: Entry, report: Report) -> None:
    """README.md §2."""
    for one in file.all("varints"):
        report.equal(one.path, varint(one.number("value")), one.hex())
        report.equal(one.path, report.taken(one.path, lambda: decode(one.hex(), Reader.varint)), one.number("value"))
    for one in file.all("signedVarints"):
        report.equal(one.path, signed_varint(one.number("value")), one.hex())
        value = report.taken(one.path, lambda: decode(one.hex(), Reader.signed_varint))
        report.equal(one.path, value, one.number("value"))
    for one in file.all("refusedVarints"):
        report.refused(one.name, one["reason"], lambda: decode(one.hex(), Reader.varint))
    for one in file.all("texts"):
        report.equal(one.path, blob(one["text"].encode()), one.hex())
        text = report.taken(one.path, lambda: decode(one.hex(), lambda reader: reader.text(len(reader.data))))
        report.equal(one.path, text, one["text"])
    for one in file.all("refusedTexts"):
        report.refused(one.path, one["reason"], lambda: decode(one.hex(), lambda reader: reader.text(one["maximum"])))


def check_keys(file: Entry, report: Report) -> None:
    """README.md §4; membership.md §1, §5, §6."""
    for one in file.all("people"):
        report.equal(f"user of {one.name}", signing_public_key(one.hex("accountSeed")), one.hex("user"))
        report.equal(f"device of {one.name}", signing_public_key(one.hex("deviceSeed")), one.hex("device"))
        report.equal(f"link key of {one.name}", agreement_public_key(one.hex("linkSecret")), one.hex("linkKey"))
        if "friendCode" in one:
            report.equal(f"friend code of {one.name}", keys.friend_code(one.hex("user")), one["friendCode"])
            lazy = one["friendCode"].replace("-", " ").lower().replace("0", "o").replace("1", "l")
            report.equal(one.path, report.taken(one.path, lambda: keys.read_friend_code(lazy)), one["friendCode"])
    for one in file.all("accessKeys"):
        key = keys.AccessKey(one.hex("key"))
        report.equal("access key hash", key.hash, one.hex("hash"))
        report.equal("pre-shared key of links", key.link_psk, one.hex("linkPresharedKey"))
        report.equal("tag key", key.tag_key, one.hex("tagKey"))
        report.equal("beacon key", key.beacon_key, one.hex("beaconKey"))
        report.equal("group proof key", key.group_proof_key, one.hex("groupProofKey"))
    for one in file.all("invites"):
        report.equal("invite key", keys.invite_key(one.hex("seed")), one.hex("inviteKey"))
        report.equal("pre-shared key of the invite", keys.invite_psk(one.hex("seed")), one.hex("presharedKey"))
        report.equal("tag key of the invite", keys.invite_tag_key(one.hex("seed")), one.hex("tagKey"))
    for one in file.all("acceptedFriendCodes"):
        report.equal(one.path, report.taken(one.path, lambda: keys.read_friend_code(one["text"])), one["means"])
    for one in file.all("refusedFriendCodes"):
        report.refused(f"friend code, {one['why']}", None, lambda: keys.read_friend_code(one["text"]))


def check_records(file: Entry, report: Report) -> None:
    """records.md §2."""
    for one in file.all("valid"):
        record = report.taken(one.name, lambda: Record.decode(one.hex()))
        if record is None:
            continue
        fields = (record.kind, record.time, record.subject, record.value, record.tail)
        expected = (one["kind"], one.number("time"), one.hex("subject"), one.hex("value"), one.hex("tail"))
        report.equal(one.name, fields, expected)
        report.equal(one.name, (record.milliseconds, record.counter), (one.number("milliseconds"), one["counter"]))
        report.equal(one.name, record.encoded(), one.hex())
        report.equal(one.name, record.hash, one.hex("hash"))
    _check_invalid(file, report, Record.decode)


def _check_invalid(file: Entry, report: Report, read: Callable[[bytes], object]) -> None:
    for one in file.all("invalid"):
        report.refused(one.name, one["reason"], lambda: read(one.hex()))


def check_daily_scores(file: Entry, report: Report) -> None:
    """records.md §3.1."""

    def score(one: Entry) -> DailyScore:
        return DailyScore.of(Record(1, file.number("time"), one.hex("subject"), one.hex("value")))

    for one in [*file.all("valid"), *file.all("accepted")]:
        read = report.taken(one.name, lambda: score(one))
        if read is None:
            continue
        fields = one["fields"]
        found = {
            "game": read.game,
            "day": read.day.isoformat(),
            "puzzle": read.puzzle,
            "isKeyedByPuzzle": read.is_keyed_by_puzzle,
            **{name: read.numbers.get(name) for name in ("score", "maximum", "seconds", "hints", "mistakes")},
            "isCompleted": bool(read.flags & 1),
            "isHardMode": bool(read.flags & 2),
            "isEdited": bool(read.flags & 4),
            "gameName": read.game_name,
            "firstRecordedAt": str(read.first_recorded_at),
        }
        report.equal(one.name, found, {name: fields[name] for name in fields.fields})
    for one in file.all("invalid"):
        report.refused(one.name, one["reason"], lambda: score(one))


def check_game_definitions(file: Entry, report: Report) -> None:
    """records.md §3.3."""

    def definition(one: Entry) -> GameDefinition:
        return GameDefinition.of(one.hex("subject"), one.hex("value"))

    for one in [*file.all("valid"), *file.all("accepted")]:
        read = report.taken(one.name, lambda: definition(one))
        if read is None:
            continue
        fields = one["fields"]
        found = {"title": read.name, **{name: getattr(read, name) for name in fields.fields if name != "title"}}
        report.equal(one.name, found, {name: fields[name] for name in fields.fields})
    for one in file.all("invalid"):
        report.refused(one.name, one["reason"], lambda: definition(one))
    for one in file.all("groups"):
        words = [
            (word.hex("user"), word.number("time"), word.hex("subject"), word.hex("value")) for word in one["records"]
        ]
        found = games(words, {bytes.fromhex(admin) for admin in one["admins"]})
        expected = [(game["game"], game["title"]) for game in one["games"]]
        report.equal(one.name, [(game.game, game.name) for game in found], expected)
    for one in file.all("foldings"):
        report.equal(one.path, patterns.fold(one["text"]), one["folded"])
    for one in file.all("patterns"):
        if one["written"] is None:
            report.refused(one.path, "invalid-value: definition", lambda: patterns.written(one["text"], one["model"]))
        else:
            report.equal(one.path, patterns.written(one["text"], one["model"]), one["written"])


def check_talk(file: Entry, report: Report) -> None:
    """records.md §3.6 to §3.8, and §3.12."""

    def read(one: Entry) -> talk.Reaction | talk.Comment | talk.Hiding | talk.Message:
        return talk.KINDS[one["kind"]].of(one.hex("subject"), one.hex("value"))

    for one in [*file.all("valid"), *file.all("accepted")]:
        value = report.taken(one.name, lambda: read(one))
        if value is None:
            continue
        fields = one["fields"]
        found = {
            "owner": getattr(value, "owner", b"").hex(),
            "author": getattr(value, "author", b"").hex(),
            "result": getattr(value, "result", b"").hex(),
            "emoji": getattr(value, "emoji", None),
            "text": getattr(value, "text", None),
            "isEdited": getattr(value, "is_edited", None),
            "id": str(getattr(value, "id", "")),
        }
        names = list(fields.fields)
        report.equal(one.name, {name: found[name] for name in names}, {name: fields[name] for name in names})
    for one in file.all("invalid"):
        report.refused(one.name, one["reason"], lambda: read(one))
    for one in file.all("emojis"):
        report.equal(one.path, talk.is_emoji(one["text"]), one["isOne"])

    def words_of(one: Entry) -> list[talk.Word]:
        return [
            talk.Word(word.hex("user"), word.number("time"), word["kind"], word.hex("subject"), word.hex("value"))
            for word in one["records"]
        ]

    for one in file.all("conversations"):
        words = words_of(one)
        expected = [
            (each.hex("user"), each.number("id"), each["text"], each.number("written")) for each in one["messages"]
        ]
        for order in (words, words[::-1]):
            report.equal(one.name, talk.messages(order), expected)
    for one in file.all("sets"):
        words = words_of(one)
        for order in (words, words[::-1]):
            said = talk.talk(order, {bytes.fromhex(admin) for admin in one["admins"]})
            expected = {
                (result.hex("owner"), result.hex("result")): (
                    [(each.hex("user"), each["emoji"]) for each in result["reactions"]],
                    [
                        (each.hex("user"), each.number("id"), each["text"], each.number("written"), each["isHidden"])
                        for each in result["comments"]
                    ],
                )
                for result in one["results"]
            }
            report.equal(one.name, said, expected)


def check_challenges(file: Entry, report: Report) -> None:
    """records.md §3.9 and §3.10."""

    def read(one: Entry) -> challenges.Challenge | challenges.Answer:
        return challenges.KINDS[one["kind"]].of(one.hex("subject"), one.hex("value"))

    for one in [*file.all("valid"), *file.all("accepted")]:
        value = report.taken(one.name, lambda: read(one))
        if value is None:
            continue
        fields = one["fields"]
        if isinstance(value, challenges.Answer):
            found = {"challenge": challenges.name_bytes(value.challenge).hex(), "accepts": value.accepts}
        else:
            found = {
                "id": str(value.id),
                "lastDay": value.last_day.isoformat(),
                "result": value.result.hex(),
                "friend": (value.friend or b"").hex(),
                "first": challenges.name_bytes(value.first).hex() if value.first else "",
            }
        report.equal(one.name, found, {name: fields[name] for name in fields.fields})
    for one in file.all("invalid"):
        report.refused(one.name, one["reason"], lambda: read(one))
    for one in file.all("sets"):
        words = [
            challenges.Word(word.hex("user"), word.number("time"), word["kind"], word.hex("subject"), word.hex("value"))
            for word in one["records"]
        ]
        expected = [
            (each.hex("challenge"), [(duel.hex("user"), duel["outcome"]) for duel in each["duels"]])
            for each in one["challenges"]
        ]
        members = {bytes.fromhex(member) for member in one["members"]}
        last_final = datetime.date.fromisoformat(one["lastFinalDay"])
        for order in (words, words[::-1]):
            report.equal(one.name, challenges.outcomes(order, members, last_final), expected)


def check_events(file: Entry, report: Report) -> None:
    """records.md §3.11."""
    for one in [*file.all("valid"), *file.all("accepted")]:
        choice = report.taken(one.name, lambda: events.Choice.of(one.hex("subject"), one.hex("value")))
        if choice is not None:
            fields = one["fields"]
            found = (choice.year, choice.week, choice.rule, choice.game)
            report.equal(one.name, found, (fields["year"], fields["week"], fields["rule"], fields["game"]))
    for one in file.all("invalid"):
        report.refused(one.name, one["reason"], lambda: events.Choice.of(one.hex("subject"), one.hex("value")))
    for one in file.all("drawn"):
        found = events.drawn(one.hex("group"), events.subject(one["year"], one["week"]))
        report.equal(one.path, found, (one["rule"], one["game"]))
    for one in file.all("sets"):
        words = [events.Word(word.hex("user"), word.number("time"), word.hex("value")) for word in one["records"]]
        admins = {bytes.fromhex(admin) for admin in one["admins"]}
        for order in (words, words[::-1]):
            rule, game, chooser = events.planned(one.hex("group"), one["year"], one["week"], order, admins)
            expected = (one["rule"], one["game"], one["chooser"])
            report.equal(one.name, (rule, game, chooser.hex() if chooser else None), expected)


def check_retractions(file: Entry, report: Report) -> None:
    """records.md §3.5 and §8."""
    for one in [*file.all("valid"), *file.all("accepted")]:
        found = report.taken(one.name, lambda: retraction(one.hex("subject"), one.hex("value")))
        if found is not None:
            feed, first, last = found
            expected = (FeedName(one.hex("device"), _epoch(one["epoch"])), one["first"], one["last"])
            report.equal(one.name, (feed, first, last), expected)
    for one in file.all("invalid"):
        report.refused(one.name, one["reason"], lambda: retraction(one.hex("subject"), one.hex("value")))
    for one in file.all("sets"):
        owners = {owner.hex("device"): owner.hex("user") for owner in one["devices"]}
        entries = []
        for feed in one["feeds"]:
            name = FeedName(feed.hex("device"), _epoch(feed["epoch"]))
            for number, data in enumerate(feed["records"], 1):
                record = Record.decode(bytes.fromhex(data))
                entries.append((name, number, MergeEntry(owners[name.device], name.device, record)))
        for order in (entries, entries[::-1]):
            kept = counting(order, owners, one.number("wallMilliseconds"))
            winners, _ = merge(kept, one.number("wallMilliseconds"))
            found = sorted((entry.user.hex(), entry.record.encoded().hex()) for entry in winners.values())
            report.equal(one.name, found, sorted((winner["user"], winner["record"]) for winner in one["winners"]))
            void = sorted(entry.record.encoded().hex() for _, _, entry in order if entry not in kept)
            report.equal(f"{one.name}, void", void, sorted(one["void"]))


def check_clocks(file: Entry, report: Report) -> None:
    """records.md §4."""
    clock = Clock()
    for one in file.all("steps"):
        if one["step"] == "next":
            report.equal(one.path, clock.next(one.number("wallMilliseconds")), one.number("time"))
        else:
            clock.witness(one.number("time"), one.number("wallMilliseconds"))
        report.equal(one.path, clock.latest, one.number("latest"))


def check_runs(file: Entry, report: Report) -> None:
    """records.md §6: decoding a run looks at no record; unpacking it does."""
    for one in file.all("valid"):
        run = report.taken(one.name, lambda: decode(one.hex(), Run.read))
        records = run and report.taken(one.name, run.records)
        if run is None or records is None:
            continue
        report.equal(one.name, run.encoded(), one.hex())
        report.equal(one.name, [record.hex() for record in records], one["records"])
        hashes = run.hashes(records)
        is_signed_tip = is_tip_signed(one.hex("group"), run.feed, run.last, hashes[-1], run.signature)
        report.holds(one.name, is_signed_tip, "the signature is wrong")
    for one in file.all("unpacked"):
        records = report.taken(one.name, lambda: unpack(one.hex("packed"), one["count"]))
        report.equal(one.name, records and [record.hex() for record in records], one["records"])
    _check_invalid(file, report, lambda data: decode(data, Run.read))
    for one in file.all("invalidPacked"):
        report.refused(one.name, one["reason"], lambda: unpack(one.hex("packed"), one["count"]))


def _epoch(entry: Entry) -> Epoch:
    return Epoch(entry["counter"], int(entry["nonce"], 16))


def check_feeds(file: Entry, report: Report) -> None:
    """records.md §5 to §7."""
    for one in file.all("chains"):
        group, feed = one.hex("group"), FeedName(one.hex("device"), _epoch(one["epoch"]))
        hash = chain_origin(group, feed)
        report.equal(one.path, hash, one.hex("origin"))
        for record, expected in zip(one["records"], one["hashes"], strict=True):
            hash = chain_next(hash, bytes.fromhex(record))
            report.equal(one.path, hash.hex(), expected)
        text = (group, feed.encoded(), len(one["records"]).to_bytes(8, "big"), hash)
        report.equal(one.path, signing_bytes("feed", *text), one.hex("signedBytes"))
        report.holds(one.path, is_signed("feed", one.hex("signature"), feed.device, *text), "the signature is wrong")
    for one in file.all("receptions"):
        copies: dict[FeedName, FeedCopy] = {}
        for number, step in enumerate(one["steps"], 1):
            where = f"{one.name}, step {number}"
            run = report.taken(where, lambda: decode(step.hex("run"), Run.read))
            if run is None:
                continue
            copy = copies.setdefault(run.feed, FeedCopy(one.hex("group"), run.feed))
            try:
                outcome = f"new: {copy.take(run)}"
            except Refusal as refusal:
                outcome = refusal.reason
            report.equal(where, outcome, step["outcome"])
        tips = sorted(tip for copy in copies.values() for tip in copy.tips())
        report.equal(f"{one.name}, tips", tips, sorted((tip["number"], tip.hex("hash")) for tip in one["tips"]))


def check_merges(file: Entry, report: Report) -> None:
    """records.md §8."""
    for one in file.all("sets"):
        entries = [MergeEntry(e.hex("user"), e.hex("device"), Record.decode(e.hex("record"))) for e in one["records"]]
        for order in (entries, entries[::-1], entries + entries[::-1]):
            winners, waiting = merge(order, one.number("wallMilliseconds"))
            found = sorted(entry.record.encoded().hex() for entry in winners.values())
            report.equal(one.name, found, sorted(one["winners"]))
            report.equal(f"{one.name}, waiting", len(set(waiting)), one["waiting"])


def check_digests(file: Entry, report: Report) -> None:
    """sync.md §3."""
    for one in file.all("sets"):
        ledger = [(tip.hex("device"), tip.hex("operation")) for tip in one["ledger"]]
        tips = [FeedTip(t.hex("device"), _epoch(t["epoch"]), t["number"], t.hex("hash")) for t in one["tips"]]
        for order in (1, -1):
            digest = messages.digest(one.hex("group"), ledger[::order], tips[::order])
            report.equal(one.name, digest, one.hex("digest"))


def check_certificates(file: Entry, report: Report) -> None:
    """membership.md §2."""
    for one in file.all("valid"):
        certificate = report.taken(one.name, lambda: decode(one.hex(), Certificate.read))
        if certificate is None:
            continue
        found = (certificate.user, certificate.device, certificate.link_key, len(certificate.links))
        report.equal(one.name, found, (one.hex("user"), one.hex("device"), one.hex("linkKey"), one["links"]))
        report.equal(one.name, certificate.encoded(), one.hex())
        report.equal(f"{one.name}: whether it is valid", certificate.is_valid(), one["isValid"])
    _check_invalid(file, report, lambda data: decode(data, Certificate.read))


def check_join_proofs(file: Entry, report: Report) -> None:
    """membership.md §5, sync.md §6."""
    certificate = decode(file.hex("certificate"), Certificate.read)
    report.holds("the newcomer's certificate", certificate.is_valid(), "a signature is wrong")
    report.equal("handshake hash", hash512(file.hex("linkHash")), file.hex("handshakeHash"))
    for one in file.all("valid"):
        proof = report.taken(one.name, lambda: decode(one.hex(), JoinProof.read))
        if proof is None:
            continue
        report.equal(one.name, proof.encoded(), one.hex())
        is_valid = proof.is_valid(file.hex("group"), file.hex("inviteKey"), certificate)
        report.equal(f"{one.name}: whether it is valid", is_valid, one["isValid"])
    _check_invalid(file, report, lambda data: decode(data, JoinProof.read))


def check_invites(file: Entry, report: Report) -> None:
    """membership.md §5."""
    for one in file.all("valid"):
        link = report.taken(one.name, lambda: InviteLink.parse(one["text"]))
        if link is None:
            continue
        report.equal(one.name, link.data, one.hex())
        report.equal(one.name, link.text, one["text"])
        found = (link.seed, link.group, link.expiry, link.title, link.inviter)
        expected = (one.hex("seed"), one.hex("group"), one.number("expiresAt"), one["title"], one.hex("inviter"))
        report.equal(one.name, found, expected)
        addresses = [[str(endpoint) for endpoint in endpoints] for endpoints in link.addresses]
        report.equal(one.name, addresses, one["addresses"])
        report.equal(one.name, keys.invite_key(link.seed), one.hex("inviteKey"))
        report.equal(one.name, keys.invite_psk(link.seed), one.hex("presharedKey"))
        report.equal(one.name, link.is_expired(link.expiry), one["isExpiredAtExpiry"])
        report.equal(one.name, link.is_expired(link.expiry - 1), one["isExpiredBefore"])
        report.holds(one.name, not link.is_expired(file.number("now")), "it is expired")
    for one in file.all("accepted"):
        link = report.taken(one.name, lambda: InviteLink.parse(one["text"]))
        report.equal(one.name, link and link.text, one["means"])
    for one in file.all("invalid"):
        report.refused(one.name, one["reason"], lambda: InviteLink.parse(one["text"]))


def check_operations(file: Entry, report: Report) -> None:
    """membership.md §3 and §4."""
    for one in file.all("valid"):
        operation = report.taken(one.name, lambda: Operation.decode(one.hex()))
        if operation is None:
            continue
        found = (operation.kind, operation.name.hex(), operation.group.hex(), operation.author.hex(), operation.number)
        report.equal(one.name, found, (one["kind"], one["id"], one["group"], one["author"], one["number"]))
        found = (operation.previous.hex(), [p.hex() for p in operation.parents], operation.time, operation.tail.hex())
        report.equal(one.name, found, (one["previous"], one["parents"], one.number("time"), one["tail"]))
        report.holds(one.name, operation.data.startswith(operation.encoded()), "its fields do not give its bytes")
        report.holds(one.name, operation.is_signed(), "the signature is wrong")
        for cut in operation.body.cuts:
            is_signed_cut = all(feed.is_signed_by(cut.device, operation.group) for feed in cut.feeds)
            report.holds(f"{one.name}, cut", is_signed_cut, "a feed's signature is wrong")
        if operation.body.account_signature:
            report.holds(one.name, operation.is_signed_by_account(), "the account's signature is wrong")
    _check_invalid(file, report, Operation.decode)
    for one in file.all("forged"):
        operation = report.taken(one.name, lambda: Operation.decode(one.hex()))
        report.holds(one.name, operation is not None and not operation.is_signed(), "the signature holds")


def check_ledgers(file: Entry, report: Report) -> None:
    """membership.md §3 and §7."""
    for one in file.all("sets"):
        operations = []
        for entry in one["operations"]:
            operation = report.taken(f"{one.name}: {entry.name}", lambda: Operation.decode(entry.hex()))
            if operation is not None:
                operations.append(operation)
        for order in (operations, operations[::-1]):
            ledger = report.taken(one.name, lambda: Ledger.of(one.hex("group"), order))
            if ledger is not None:
                resolver = Resolver(ledger)
                _check_state(one, resolver.state(), report)
                _check_counting(one, resolver, report)
                for excluded in one.all("excluded"):
                    cause = resolver.exclusion(excluded.hex("linkKey"))
                    report.equal(f"{one.name}: excluded", cause and cause.name, excluded.hex("by"))
    for one in file.all("refusals"):
        operations = [Operation.decode(bytes.fromhex(hex)) for hex in one["ledger"]]
        ledger = Ledger.of(operations[0].of_group, operations)
        for offer in one["offers"]:
            report.refused(offer.name, offer["reason"], lambda: ledger.add(Operation.decode(offer.hex())))


def _check_counting(one: Entry, resolver: Resolver, report: Report) -> None:
    """Up to where the feeds of a set count, of what nodes held before they knew of any cut."""
    for feed in one.all("feeds"):
        copy = FeedCopy(resolver.ledger.group, FeedName(feed.hex("device"), _epoch(feed["epoch"])))
        for entry in feed["runs"]:
            run = report.taken(feed.path, lambda: decode(entry.hex(), Run.read))
            if run is not None:
                report.taken(feed.path, lambda: copy.take(run))
        right = resolver.feed_right(copy.name)
        ends = [(end["number"], end.hex("hash")) for end in feed["ends"]]
        report.equal(f"{one.name}: {feed.path}", sorted(right.ends(copy)), sorted(ends))
        if right.cut is not None:
            report.holds(feed.path, right.cut.is_signed_by(copy.name.device, copy.group), "the cut's signature is wrong")


def _check_state(one: Entry, state: State, report: Report) -> None:
    expected: dict[str, Callable[[], tuple[Any, Any]]] = {
        "title": lambda: (state.title, one["title"]),
        "members": lambda: (
            {user.hex(): role for user, role in state.members.items()},
            {member["user"]: member["role"] for member in one["members"]},
        ),
        "former": lambda: (sorted(user.hex() for user in state.former), sorted(one["former"])),
        "erased": lambda: (sorted(user.hex() for user in state.erased), sorted(one["erased"])),
        "refused": lambda: (
            {name.hex(): reason for name, reason in state.refused.items()},
            {refused["operation"]: refused["reason"] for refused in one["refused"]},
        ),
        "heir": lambda: (state.heir and state.heir.hex(), one["heir"]),
        "devices": lambda: (sorted(device.hex() for device in state.devices), sorted(one["devices"])),
        "accessKeyHashes": lambda: ([hash.hex() for hash in state.access_key_hashes], one["accessKeyHashes"]),
        "settings": lambda: (
            (state.settings.may_invite, state.settings.choices),
            (
                one["settings"]["whoMayInvite"],
                tuple((choice["key"], choice.number("value")) for choice in one["settings"]["choices"]),
            ),
        ),
        "requests": lambda: (sorted(name.hex() for name in state.requests), sorted(one["requests"])),
        "countingTips": lambda: (
            sorted(state.counting_tips),
            sorted((tip.hex("device"), tip.hex("operation")) for tip in one["countingTips"]),
        ),
    }
    for field, values in expected.items():
        if field in one:
            report.equal(f"{one.name}: {field}", *values())


def check_messages(file: Entry, report: Report) -> None:
    """sync.md §1, §2; what messages carry is checked as far as the file itself names its group."""
    if "helloProof" in file:
        one = file["helloProof"]
        proof_key = keys.AccessKey(one.hex("accessKey")).group_proof_key
        proof = messages.hello_proof(proof_key, one.hex("linkHash"), one.hex("proverLinkKey"))
        report.equal("hello proof", proof, one.hex("proof"))
    read = [(one, report.taken(one.name, lambda: Message.decode(one.hex()))) for one in file.all("valid")]
    groups = {message.name[:8]: message.name for _, message in read if message and message.kind == messages.WELCOME}
    for one, message in read:
        report.holds(one.name, message is not None and message.kind == one["kind"], "it is of another kind")
        if message is None:
            continue
        report.equal(one.name, message.encoded(), one.hex())
        if message.handle and groups:
            report.holds(one.name, message.handle in groups, "the handle is of no group of the file")
        for run in message.runs:
            records = report.taken(one.name, run.records)
            if records is not None and message.handle in groups:
                text = (groups[message.handle], run.feed, run.last, run.hashes(records)[-1], run.signature)
                report.holds(one.name, is_tip_signed(*text), "a run's signature is wrong")
        if message.kind == messages.OPERATIONS:
            for data in message.blobs:
                operation = report.taken(one.name, lambda: Operation.decode(data))
                report.holds(one.name, operation is not None and operation.is_signed(), "a signature is wrong")
        if message.kind == messages.JOIN_REQUESTED:
            certificate = report.taken(one.name, lambda: decode(message.blobs[0], Certificate.read))
            report.holds(one.name, certificate is not None and certificate.is_valid(), "the certificate is wrong")
            report.taken(one.name, lambda: decode(message.blobs[1], JoinProof.read))
        friends.check_message(one.name, message, report)
        reachability.check_message(one.name, message, report)
    for one in file.all("accepted"):
        message = report.taken(one.name, lambda: Message.decode(one.hex()))
        report.equal(one.name, message and message.encoded(), one.hex("means"))
    _check_invalid(file, report, Message.decode)


def check_beacons(file: Entry, report: Report) -> None:
    """discovery.md §1."""
    for one in file.all("hourKeys"):
        report.equal(one.path, beacons.hour_key(one.hex("beaconKey"), one.number("hour")), one.hex("hourKey"))
    if "inviteBeaconKey" in file:
        one = file["inviteBeaconKey"]
        report.equal(one.path, beacons.invite_beacon_key(one.hex("presharedKey")), one.hex("beaconKey"))
    for one in file.all("beacons"):
        found = beacons.open_beacon(one.hex(), one.hex("hourKey"))
        expected = one["content"]
        if expected is not None:
            expected = beacons.Content(expected["kind"], expected["port"], expected.hex("linkKey"))
        report.equal(one.name, found, expected)


def check_handshakes(file: Entry, report: Report) -> None:
    """links.md §2, §4 to §7: every packet written and read by both sides."""
    entries = {one.name: one for one in file.all("valid")}
    for name, one in entries.items():
        initiator, responder = _side(one, True), _side(one, False)
        report.equal(name, initiator.write_initiation(), one.hex("initiation"))
        report.taken(name, lambda: responder.read_initiation(one.hex("initiation")))
        report.equal(name, responder.write_response(), one.hex("response"))
        report.taken(name, lambda: initiator.read_response(one.hex("response")))
        if one["final"] is not None:
            report.equal(name, initiator.write_final(), one.hex("final"))
            report.taken(name, lambda: responder.read_final(one.hex("final")))
        shown = bytes.fromhex(one["certificate"] or "")
        report.equal(f"{name}, certificate", initiator.certificate, shown)
        if shown:
            certificate = report.taken(name, lambda: decode(shown, Certificate.read))
            is_right = certificate is not None and certificate.is_valid() and certificate.link_key == initiator.peer_key
            report.holds(name, is_right, "the certificate is not the responder's")
        for side, other in ((initiator, responder), (responder, initiator)):
            report.equal(f"{name}, handshake hash", side.handshake.symmetric.hash, one.hex("handshakeHash"))
            report.equal(f"{name}, binding", side.binding(), one.hex("linkBinding"))
            found = (side.peer_nonce, side.peer_index, side.handshake.remote_static)
            report.equal(f"{name}, peer", found, (other.nonce, other.index, agreement_public_key(other.secret)))
            report.equal(name, [c.key for c in side.ciphers()], [c.key for c in other.ciphers()])
        carrier = one["transport"]
        for packet in one["transports"]:
            where = f"{name}, {packet.name}"
            is_forth = packet["from"] == "initiator"
            cipher = initiator.ciphers()[0 if is_forth else 1]
            index = (responder if is_forth else initiator).index
            plain, counter = packet.hex("plaintext"), packet.number("counter")
            report.equal(where, links.seal_packet(cipher, carrier, index, counter, plain), packet.hex())
            opened = report.taken(where, lambda: links.open_packet(cipher, carrier, counter, packet.hex()))
            report.equal(where, opened, plain)
            report.taken(where, lambda: links.check_packet(plain, carrier))
    for one in file.all("invalid"):
        of = entries[one["handshake"]]
        initiator, responder = _side(of, True), _side(of, False)
        where = f"{one['handshake']}: {one['packet']}, {one.name}"
        steps = {
            "initiation": lambda: responder.read_initiation(one.hex()),
            "response": lambda: initiator.read_response(one.hex()),
            "final": lambda: responder.read_final(one.hex()),
            "transport": lambda: links.open_packet(initiator.ciphers()[0], of["transport"], 0, one.hex()),
        }
        if one["packet"] != "initiation":
            initiator.write_initiation()
            responder.read_initiation(of.hex("initiation"))
        if one["packet"] in ("final", "transport"):
            responder.write_response()
            initiator.read_response(of.hex("response"))
        report.refused(where, one["reason"], steps[one["packet"]])


def _side(one: Entry, is_initiator: bool) -> links.Side:
    own, other = (one["initiator"], one["responder"])[:: 1 if is_initiator else -1]
    if agreement_public_key(own.hex("linkSecret")) != own.hex("linkKey"):
        raise Refusal(f"{one.name}: a link key that is not of its secret")
    return links.Side(
        kind=one["kind"],
        carrier=one["transport"],
        is_initiator=is_initiator,
        psk=one.hex("presharedKey"),
        tag_key=one.hex("tagKey"),
        secret=own.hex("linkSecret"),
        ephemeral=own.hex("ephemeralSecret"),
        nonce=own.hex("nonce"),
        index=own.number("index"),
        peer_key=other.hex("linkKey"),
        certificate=b"" if is_initiator else bytes.fromhex(one["certificate"] or ""),
    )


def check_whereabouts(file: Entry, report: Report) -> None:
    """reachability.md §3."""
    for one in file.all("valid"):
        told = report.taken(one.name, lambda: reachability.Whereabouts.decode(one.hex()))
        if told is None:
            continue
        found = (told.device, told.number, told.is_steady, told.is_always_on)
        report.equal(one.name, found, (one.hex("device"), one.number("number"), one["steady"], one["alwaysOn"]))
        entries = [(entry["source"], entry.hex("address"), entry["port"]) for entry in one["entries"]]
        report.equal(one.name, list(told.entries), entries)
        report.equal(one.name, told.encoded(), one.hex())
        report.holds(one.name, told.is_signed(), "the signature is wrong")
    full = max((one.hex() for one in file.all("valid")), key=len)
    for one in file.all("unsigned"):
        index = one["flipped"]
        report.equal(one.name, full[:index] + bytes([full[index] ^ 1]) + full[index + 1 :], one.hex())
        told = report.taken(one.name, lambda: reachability.Whereabouts.decode(one.hex()))
        report.holds(one.name, told is not None and not told.is_signed(), "the signature is right")
    _check_invalid(file, report, reachability.Whereabouts.decode)


def check_notices(file: Entry, report: Report) -> None:
    """reachability.md §5."""
    for one in file.all("valid"):
        place = reachability.Place.of(one.hex("secret"), one.hex("device"), one["day"])
        report.equal(one.name, place.key, one.hex("key"))
        value, sequence = one.hex(), one.number("sequence")
        is_signed = reachability.is_item_signed(one.hex("signature"), place.key, sequence, value)
        report.holds(one.name, is_signed, "the signature is wrong")
        report.equal(one.name, place.open(value), (one.hex("whereabouts"), one.hex("letter")))
        letter = Reader(one.hex("letter"))
        while letter.left:
            run = report.taken(one.name, lambda: Run.read(letter))
            records = run and report.taken(one.name, run.records)
            if records is None:
                break
            text = (one.hex("group"), run.feed, run.last, run.hashes(records)[-1], run.signature)
            report.holds(one.name, is_tip_signed(*text), "the letter's signature is wrong")
    closed = file["closed"]
    place = reachability.Place.of(closed.hex("secret"), closed.hex("device"), closed["day"])
    whole = closed.hex("open")
    report.holds("open", place.open(whole) is not None, "it does not open")
    report.equal("a byte too few", place.open(whole[:-1]), None)
    for one in closed["values"]:
        value = one.hex()
        report.equal(one.name, place.open(value), None)
        if "plain" in one:
            report.equal(one.name, opened_x(place.sealing_key, value[:24], value[24:]), one.hex("plain"))
        else:
            index = one["flipped"]
            report.equal(one.name, whole[:index] + bytes([whole[index] ^ 1]) + whole[index + 1 :], value)


def check_friends(file: Entry, report: Report) -> None:
    """friends.md §3 and §4."""
    for one in file.all("codeKeys"):
        code = keys.FriendCodeKeys(one["code"])
        found = (code.psk, code.tag_key, code.beacon_key)
        report.equal(one.path, found, (one.hex("presharedKey"), one.hex("tagKey"), one.hex("beaconKey")))
    for one in file.all("valid"):
        request = report.taken(one.name, lambda: friends.Request.decode(one.hex()))
        if request is None:
            continue
        found = (request.certificate.user, request.certificate.device, request.name, request.code, request.asked_at)
        expected = (one.hex("user"), one.hex("device"), one["asker"], one["code"], one.number("askedAt"))
        report.equal(one.name, found, expected)
    _check_invalid(file, report, friends.Request.decode)
    for one in file.all("answers"):
        answer = report.taken(one.name, lambda: decode(one.hex(), friends.Answer.read))
        report.equal(one.name, answer and answer.link, one["link"])
        report.equal(one.name, answer and answer.encoded(), one.hex())
    for one in file.all("invalidAnswers"):
        report.refused(one.name, one["reason"], lambda: decode(one.hex(), friends.Answer.read))


def _check_private_group(one: Entry, report: Report) -> None:
    """friends.md §7: all that the account's key alone makes."""
    seed = one.hex("accountSeed")
    user, access_key = signing_public_key(seed), derived(seed, "private-access-key")
    operation = Operation.decode(one.hex("founding"))
    body, certificate = operation.body, operation.body.certificate
    report.equal("the private group", operation.name, one.hex("group"))
    report.equal("its first access key", access_key, one.hex("accessKey"))
    found = (operation.kind, operation.author, operation.time, body.title, body.is_pair, body.access_key_hash)
    report.equal("its founding", found, (Kind.FOUND, user, 0, "Private", False, derived(access_key, "access-key-hash")))
    link_key = agreement_public_key(derived(seed, "private-link-key"))
    names = certificate and (certificate.user, certificate.device, certificate.link_key, certificate.is_valid())
    report.equal("its founding certificate", names, (user, user, link_key, True))
    report.equal("its founding's signature", operation.is_signed(), True)


def check_device_links(file: Entry, report: Report) -> None:
    """friends.md §2."""
    one = file["link"]
    link = report.taken("the device link", lambda: InviteLink.parse(one["text"], "device"))
    if link is not None:
        found = (link.seed, link.group, link.expiry, link.user, link.inviter)
        expected = (one.hex("seed"), one.hex("group"), one.number("expiresAt"), one.hex("user"), one.hex("inviter"))
        report.equal("the device link", found, expected)
        report.equal("the invite's key", keys.invite_key(link.seed), file.hex("inviteKey"))
    _check_private_group(file["privateGroup"], report)
    for one in file.all("invalidLinks"):
        report.refused(one.name, one["reason"], lambda: InviteLink.parse(one["text"], "device"))
    for one in file.all("invalidInvites"):
        report.refused(one.name, one["reason"], lambda: InviteLink.parse(one["text"]))
    for one in file.all("valid"):
        proof = report.taken(one.name, lambda: decode(one.hex(), friends.DeviceProof.read))
        if proof is None:
            continue
        report.equal(one.name, proof.encoded(), one.hex())
        is_valid = proof.is_valid(file.hex("group"), file.hex("user"), file.hex("inviteKey"))
        report.equal(f"{one.name}: whether it is valid", is_valid, one["isValid"])
        if one["isValid"]:
            found = (proof.device, proof.link_key, proof.handshake_hash)
            report.equal(one.name, found, (file.hex("device"), file.hex("linkKey"), file.hex("handshakeHash")))
    _check_invalid(file, report, lambda data: decode(data, friends.DeviceProof.read))


def check_noise(file: Entry, report: Report) -> None:
    """noiseprotocol.org, with the public vectors: every message written and read by both sides."""
    for one in file.all("vectors"):
        name = one["protocol_name"]
        where = f"{name} ({one['from']})"

        def side(prefix: str, is_initiator: bool) -> noise.Handshake:
            remote = bytes.fromhex(one.get("init_remote_static", "")) if is_initiator else b""
            return noise.Handshake(
                name,
                is_initiator=is_initiator,
                prologue=one.hex(f"{prefix}_prologue"),
                static=bytes.fromhex(one.get(f"{prefix}_static", "")) or None,
                ephemeral=bytes.fromhex(one.get(f"{prefix}_ephemeral", "")) or None,
                remote_static=remote or None,
                psks=[bytes.fromhex(psk) for psk in one.get(f"{prefix}_psks", [])],
            )

        sides = [side("init", True), side("resp", False)]
        ciphers: list[tuple[noise.Cipher, noise.Cipher]] = []
        for index, message in enumerate(one["messages"]):
            payload, ciphertext = message.hex("payload"), message.hex("ciphertext")
            writer, reader = sides[index % 2], sides[1 - index % 2]
            if not writer.is_done:
                report.equal(where, writer.write(payload), ciphertext)
                report.equal(where, report.taken(where, lambda: reader.read(ciphertext)), payload)
                continue
            if not ciphers:
                ciphers = [side.symmetric.split() for side in sides]
            report.equal(where, ciphers[index % 2][index % 2].encrypt(b"", payload), ciphertext)
            opened = report.taken(where, lambda: ciphers[1 - index % 2][index % 2].decrypt(b"", ciphertext))
            report.equal(where, opened, payload)
        for each in sides:
            if "handshake_hash" in one:
                report.equal(where, each.symmetric.hash, one.hex("handshake_hash"))


CHECKS: dict[str, Check] = {
    "beacons.json": check_beacons,
    "certificates.json": check_certificates,
    "clocks.json": check_clocks,
    "codec.json": check_codec,
    "daily-scores.json": check_daily_scores,
    "digests.json": check_digests,
    "device-links.json": check_device_links,
    "feeds.json": check_feeds,
    "friends.json": check_friends,
    "game-definitions.json": check_game_definitions,
    "handshakes.json": check_handshakes,
    "invites.json": check_invites,
    "join-proofs.json": check_join_proofs,
    "keys.json": check_keys,
    "ledgers.json": check_ledgers,
    "merges.json": check_merges,
    "messages.json": check_messages,
    "noise-25519-chachapoly-blake2b.json": check_noise,
    "notices.json": check_notices,
    "operations.json": check_operations,
    "records.json": check_records,
    "retractions.json": check_retractions,
    "challenges.json": check_challenges,
    "talk.json": check_talk,
    "events.json": check_events,
    "runs.json": check_runs,
    "whereabouts.json": check_whereabouts,
}


def check_file(path: Path) -> Report:
    """Checks one file; whatever goes wrong becomes a line of the report."""
    report = Report()
    try:
        file = Entry(json.loads(path.read_text("utf-8")), path.stem)
        CHECKS[path.name](file, report)
        report.problems += [f"{field} is not checked" for field in file.unread()]
    except Refusal as refusal:
        report.problems.append(f"refused as {refusal.reason} where the file takes it for granted")
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        report.problems.append(f"not in the layout that is known: {error}")
    return report
