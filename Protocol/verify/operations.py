"""Operations, their bodies and cuts: membership.md §3 and §4."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import IntEnum

from .certificates import Certificate
from .codec import Epoch, Reader, Refusal, invalid_value, varint
from .crypto import hash256, is_signed
from .joining import JoinProof

ZERO = bytes(32)
MAXIMUM_SIZE = 8192
MAXIMUM_NUMBER = 1000
EVERY_GROUP = 1


class Kind(IntEnum):
    FOUND = 1
    INVITE = 2
    REVOKE_INVITE = 3
    REQUEST = 4
    ADMIT = 5
    ADD_DEVICE = 6
    REVOKE_DEVICE = 7
    SET_ROLE = 8
    TRANSFER = 9
    REMOVE = 10
    LEAVE = 11
    RENAME = 12
    SETTINGS = 13


class Role(IntEnum):
    MEMBER = 0
    ADMIN = 1
    HEIR = 2
    NO_HEIR = 3


@dataclass(frozen=True)
class FeedCut:
    epoch: Epoch
    number: int
    hash: bytes
    signature: bytes

    @classmethod
    def read(cls, reader: Reader, before: Epoch | None) -> FeedCut:
        epoch, number = reader.epoch(), reader.varint(1 << 20)
        if number == 0:
            raise invalid_value("cut number")
        if before is not None and epoch <= before:
            raise invalid_value("cut epochs")
        return cls(epoch, number, reader.take(32), reader.take(64))

    def is_signed_by(self, device: bytes, group: bytes) -> bool:
        text = (group, device, self.epoch.encoded(), self.number.to_bytes(8, "big"), self.hash)
        return is_signed("feed", self.signature, device, *text)


@dataclass(frozen=True)
class Cut:
    device: bytes
    last: bytes
    feeds: tuple[FeedCut, ...]
    encoded: bytes

    @classmethod
    def read(cls, reader: Reader) -> Cut:
        start = reader.position
        device, last = reader.take(32), reader.take(32)
        feeds: list[FeedCut] = []
        for _ in range(reader.varint(64)):
            feeds.append(FeedCut.read(reader, feeds[-1].epoch if feeds else None))
        return cls(device, last, tuple(feeds), reader.data[start : reader.position])


def read_cuts(reader: Reader) -> tuple[Cut, ...]:
    return tuple(reader.rising(32, lambda: Cut.read(reader), lambda cut: cut.device, "cut devices"))


@dataclass(frozen=True)
class Settings:
    may_invite: int
    choices: tuple[tuple[int, int], ...]

    @classmethod
    def read(cls, reader: Reader) -> Settings:
        may_invite = reader.u8()
        if may_invite > 2:
            raise invalid_value("invite permission")
        choices = reader.rising(64, lambda: (reader.u8(), reader.varint()), lambda choice: choice[0], "choices")
        return cls(may_invite, tuple(choices))


@dataclass(frozen=True)
class Body:
    """The fields of every kind; those a kind does not have stay empty."""

    title: str = ""
    certificate: Certificate | None = None
    settings: Settings | None = None
    is_pair: bool = False
    access_key_hash: bytes = b""
    invite_key: bytes = b""
    psk: bytes = b""
    maximum_uses: int = 0
    expiry: int = 0
    needs_approval: bool = False
    invite: bytes = b""
    proof: JoinProof | None = None
    user: bytes = b""
    cuts: tuple[Cut, ...] = field(default=())
    is_general: bool = False
    """Of a revocation: whether it holds in every group."""
    kept: tuple[bytes, ...] = ()
    account_signature: bytes = b""
    role: Role = Role.MEMBER
    erases: bool = False

    def is_signed_by_account(self, group: bytes) -> bool:
        """Of a revocation: 2 ‖ group, zero for every group ‖ user ‖ cut ‖ kept links, by the account key (§4)."""
        kept = varint(len(self.kept)) + b"".join(self.kept)
        text = (b"\2", ZERO if self.is_general else group, self.user, self.cuts[0].encoded, kept)
        return is_signed("certificate", self.account_signature, self.user, *text)

    @classmethod
    def read(cls, kind: Kind, reader: Reader) -> Body:
        match kind:
            case Kind.FOUND:
                title, certificate, settings = _title(reader), Certificate.read(reader), Settings.read(reader)
                pair, key_hash = reader.flag("pair"), reader.take(32)
                body = cls(
                    title=title, certificate=certificate, settings=settings, is_pair=pair, access_key_hash=key_hash)
                reader.take(16)
                return body
            case Kind.INVITE:
                key, psk, uses = reader.take(32), reader.take(32), reader.unsigned(4)
                expiry, approval = reader.i64(), reader.flag("needs approval")
                return cls(invite_key=key, psk=psk, maximum_uses=uses, expiry=expiry, needs_approval=approval)
            case Kind.REVOKE_INVITE:
                return cls(invite=reader.take(32))
            case Kind.REQUEST | Kind.ADMIT:
                invite, certificate = reader.take(32), Certificate.read(reader)
                return cls(invite=invite, certificate=certificate, proof=JoinProof.read(reader))
            case Kind.ADD_DEVICE:
                return cls(certificate=Certificate.read(reader))
            case Kind.REVOKE_DEVICE:
                user, scope = reader.take(32), reader.u8()
                if scope > 1:
                    raise invalid_value("scope")
                cut = Cut.read(reader)
                if scope == EVERY_GROUP and (cut.last != ZERO or cut.feeds):
                    raise invalid_value("cut")
                kept = tuple(reader.rising(32, lambda: reader.take(32), bytes, "kept links"))
                body = cls(user=user, is_general=scope == EVERY_GROUP, cuts=(cut,), kept=kept, access_key_hash=reader.take(32))
                return replace(body, account_signature=reader.take(64))
            case Kind.SET_ROLE:
                user, role = reader.take(32), reader.u8()
                if role > 3:
                    raise invalid_value("role")
                cuts = read_cuts(reader)
                if cuts and role != Role.MEMBER:
                    raise invalid_value("cuts")
                return cls(user=user, role=Role(role), cuts=cuts)
            case Kind.TRANSFER:
                return cls(user=reader.take(32), cuts=read_cuts(reader))
            case Kind.REMOVE:
                user, cuts = reader.take(32), read_cuts(reader)
                return cls(user=user, cuts=cuts, access_key_hash=reader.take(32))
            case Kind.LEAVE:
                erases = reader.flag("erases")
                return cls(erases=erases, cuts=read_cuts(reader))
            case Kind.RENAME:
                return cls(title=_title(reader))
            case Kind.SETTINGS:
                return cls(settings=Settings.read(reader))


def _title(reader: Reader) -> str:
    title = reader.text(240)
    if not title:
        raise invalid_value("title")
    return title


@dataclass(frozen=True)
class Operation:
    data: bytes
    kind: Kind
    group: bytes
    author: bytes
    number: int
    previous: bytes
    parents: tuple[bytes, ...]
    time: int
    body: Body
    tail: bytes
    signature: bytes
    name: bytes

    @classmethod
    def decode(cls, data: bytes) -> Operation:
        if len(data) > MAXIMUM_SIZE:
            raise Refusal("limit-exceeded")
        if len(data) < 64:
            raise Refusal("truncated")
        reader = Reader(data[:-64])
        reader.version()
        code = reader.u8()
        if not 1 <= code <= 13:
            raise Refusal("unknown-kind")
        kind, group, author = Kind(code), reader.take(32), reader.take(32)
        number, previous = reader.varint(MAXIMUM_NUMBER), reader.take(32)
        parents = reader.rising(32, lambda: reader.take(32), bytes, "parents")
        time = reader.i64()
        body = Body.read(kind, reader)
        tail = reader.tail()
        if number == 0:
            raise invalid_value("number")
        if (number == 1) != (previous == ZERO):
            raise invalid_value("previous")
        if kind is Kind.FOUND:
            if group != ZERO or number != 1 or parents:
                raise invalid_value("founding")
        elif group == ZERO:
            raise invalid_value("group")
        elif not parents or (number > 1 and previous not in parents):
            raise invalid_value("parents")
        name = hash256(data)
        return cls(data, kind, group, author, number, previous, tuple(parents), time, body, tail, data[-64:], name)

    @property
    def of_group(self) -> bytes:
        """The group it belongs to; a founding is the group's name itself."""
        return self.name if self.kind is Kind.FOUND else self.group

    def is_signed(self) -> bool:
        return is_signed("operation", self.signature, self.author, self.data[:-64])

    def is_signed_by_account(self) -> bool:
        return self.body.is_signed_by_account(self.group)

    def encoded(self) -> bytes:
        """The fields before the body, encoded again. They must equal the received bytes."""
        head = bytes([1, self.kind]) + self.group + self.author + varint(self.number) + self.previous
        return head + varint(len(self.parents)) + b"".join(self.parents) + self.time.to_bytes(8, "big", signed=True)
