"""A set of operations and what a receiver refuses whatever else it holds: membership.md §3."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from .certificates import Certificate
from .codec import Refusal
from .operations import ZERO, Kind, Operation

PUBLISHING = (Kind.FOUND, Kind.ADMIT, Kind.ADD_DEVICE)
ABOUT_MEMBERS = (Kind.REQUEST, Kind.ADMIT, Kind.SET_ROLE, Kind.TRANSFER, Kind.REMOVE, Kind.LEAVE)
MAXIMUM_DEVICES = 8
MAXIMUM_HELD = 8_000
MAXIMUM_BRANCHES = 64
MAXIMUM_BRANCHES_OF_GROUP = 4_096


class Waiting(Exception):
    """Ancestors are missing."""


class Ledger:
    """Operations in an order in which ancestors come first. Sets of operations are the bits of an integer."""

    def __init__(self, group: bytes) -> None:
        self.group = group
        self.operations: list[Operation] = []
        self.index: dict[bytes, int] = {}
        self.ancestors: list[int] = []

    def __contains__(self, name: bytes) -> bool:
        return name in self.index

    def __iter__(self) -> Iterator[Operation]:
        return iter(self.operations)

    def get(self, name: bytes) -> Operation:
        return self.operations[self.index[name]]

    def is_before(self, first: Operation, second: Operation) -> bool:
        """Whether the first is an ancestor of the second (§7)."""
        return bool(self.ancestors[self.index[second.name]] >> self.index[first.name] & 1)

    def are_concurrent(self, first: Operation, second: Operation) -> bool:
        return first.name != second.name and not self.is_before(first, second) and not self.is_before(second, first)

    def before(self, operation: Operation) -> list[Operation]:
        return self._members(self.ancestors[self.index[operation.name]])

    @property
    def is_private(self) -> bool:
        """Whether an account key founded the group (friends.md §7)."""
        certificate = self.operations[0].body.certificate if self.operations else None
        return certificate is not None and certificate.user == certificate.device

    def _members(self, bits: int) -> list[Operation]:
        found = []
        while bits:
            found.append(self.operations[(bits & -bits).bit_length() - 1])
            bits &= bits - 1
        return found

    def precedes_in_chain(self, first: Operation, second: bytes) -> bool:
        """Whether the first is the operation named second, or precedes it in its device's chain."""
        name = second
        while name != ZERO and name in self.index:
            if name == first.name:
                return True
            name = self.get(name).previous
        return False

    def add(self, operation: Operation, is_within_limits: bool = True) -> None:
        """Adds an operation after all checks of §3; a ledger taken whole is held to no limits on forked chains."""
        if operation.name in self.index:
            return
        ancestors = self._check(operation, is_within_limits)
        self.index[operation.name] = len(self.operations)
        self.operations.append(operation)
        self.ancestors.append(ancestors)

    def _check(self, operation: Operation, is_within_limits: bool = True) -> int:
        body = operation.body
        if operation.kind is Kind.FOUND:
            if operation.name != self.group:
                raise Refusal("not-founding")
        elif operation.group != self.group:
            raise Refusal("wrong-group")
        elif self.is_private and operation.kind in ABOUT_MEMBERS:
            raise Refusal("private-group")
        if is_within_limits and not self._is_within_limits(operation):
            raise Refusal("too-many-operations")
        if not operation.is_signed():
            raise Refusal("invalid-signature")
        if any(parent not in self.index for parent in operation.parents):
            raise Waiting
        ancestors = 0
        for parent in operation.parents:
            ancestors |= self.ancestors[self.index[parent]] | 1 << self.index[parent]
        before = self._members(ancestors)
        if operation.previous != ZERO:
            previous = self.get(operation.previous)
            if previous.author != operation.author or previous.number != operation.number - 1:
                raise Refusal("broken-chain")
        user = account_among(operation, before)
        if user is None:
            raise Refusal("unknown-author")
        known = {one.name: one for one in before}
        for cut in body.cuts:
            if cut.last != ZERO and (cut.last not in known or known[cut.last].author != cut.device):
                raise Refusal("invalid-cut")
        if body.invite and (body.invite not in known or known[body.invite].kind is not Kind.INVITE):
            raise Refusal("unknown-invite")
        if body.certificate is not None:
            if not body.certificate.is_valid() or (operation.kind is Kind.ADD_DEVICE and body.certificate.user != user):
                raise Refusal("invalid-certificate")
            if operation.kind is Kind.FOUND and body.certificate.device != operation.author:
                raise Refusal("invalid-certificate")
        if body.proof and body.certificate:
            if not body.proof.is_valid(self.group, known[body.invite].body.invite_key, body.certificate):
                raise Refusal("invalid-proof")
        if body.certificate is not None and operation.kind is not Kind.FOUND:
            self._check_number_of_devices(body.certificate, before)
        if operation.kind is Kind.REVOKE_DEVICE:
            devices = {one.body.certificate.device for one in publications(before) if one.body.certificate.user == body.user}
            is_known = body.is_general or body.cuts[0].device in devices
            if not operation.is_signed_by_account() or not is_known or user != body.user:
                raise Refusal("invalid-revocation")
        return ancestors

    def _is_within_limits(self, operation: Operation) -> bool:
        """The limits on forked chains, but for what is needed: nothing waits here."""
        if sum(held.author == operation.author for held in self) >= MAXIMUM_HELD:
            return False
        if not self._opens_branch(operation):
            return True
        if sum(self._branches(device) for device in {one.author for one in self}) >= MAXIMUM_BRANCHES_OF_GROUP:
            return self._branches(operation.author) == 0 and self._is_current(operation.author)
        return self._branches(operation.author) < MAXIMUM_BRANCHES

    def _is_current(self, device: bytes) -> bool:
        from .resolver import Resolver

        return device in Resolver(self).current_devices()

    def _opens_branch(self, operation: Operation) -> bool:
        """Whether it does not follow the end of a branch that is in."""
        is_known = operation.previous in self.index
        return not is_known or any(one.previous == operation.previous for one in self)

    def _branches(self, device: bytes) -> int:
        """The ends of a device's chain."""
        own = [one for one in self if one.author == device]
        return len({one.name for one in own} - {one.previous for one in own})

    def _check_number_of_devices(self, certificate: Certificate, before: list[Operation]) -> None:
        user = certificate.user
        devices = {one.body.certificate.device for one in publications(before) if one.body.certificate.user == user}
        revoked = {one.body.cuts[0].device for one in before if one.kind is Kind.REVOKE_DEVICE and one.body.user == user}
        if len((devices - revoked - {user}) | {certificate.device}) > MAXIMUM_DEVICES:
            raise Refusal("too-many-devices")

    @cached_property
    def _accounts(self) -> dict[bytes, bytes]:
        return {}

    def account(self, operation: Operation) -> bytes:
        """The account of the author's device (§7)."""
        if operation.name not in self._accounts:
            user = account_among(operation, self.before(operation))
            assert user is not None
            self._accounts[operation.name] = user
        return self._accounts[operation.name]

    def depths(self) -> dict[bytes, int]:
        """The longest way of every operation to the founding."""
        depths: dict[bytes, int] = {}
        for operation in self:
            depths[operation.name] = 1 + max((depths[parent] for parent in operation.parents), default=-1)
        return depths

    @classmethod
    def of(cls, group: bytes, operations: Iterable[Operation]) -> Ledger:
        """Takes operations in any order; those that lack ancestors wait."""
        ledger, waiting = cls(group), list(operations)
        while waiting:
            left: list[Operation] = []
            for operation in waiting:
                try:
                    ledger.add(operation, is_within_limits=False)
                except Waiting:
                    left.append(operation)
            if len(left) == len(waiting):
                raise Refusal(f"missing-ancestors: {len(left)} operations wait for others")
            waiting = left
        return ledger


def publications(operations: Iterable[Operation]) -> Iterator[Operation]:
    return (one for one in operations if one.kind in PUBLISHING and one.body.certificate is not None)


def account_among(operation: Operation, before: Iterable[Operation]) -> bytes | None:
    """The account that a certificate before the operation gives its author; of several the smallest publication's."""
    published = [one for one in publications(before) if one.body.certificate.device == operation.author]
    if published:
        return min(published, key=lambda one: one.name).body.certificate.user
    own = operation.body.certificate
    if own is not None and own.device == operation.author:
        is_own_word = operation.kind is Kind.ADD_DEVICE and len(own.links) == 1
        known = (one.body.certificate for one in publications(before))
        if operation.kind is Kind.FOUND or is_own_word and any(c is not None and c.user == own.user for c in known):
            return own.user
    return None
