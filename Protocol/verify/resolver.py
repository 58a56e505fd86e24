"""What a set of operations amounts to: the passes and the state of membership.md §7.

Words are those of the text: *before* is an ancestor, *within* a cut is what the cut of an operation leaves standing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum

from .feeds import FeedCopy, FeedName, Place
from .ledger import Ledger, publications
from .operations import ZERO, Cut, FeedCut, Kind, Operation, Role, Settings

MAXIMUM_MEMBERS = 1000
MAXIMUM_KEYS_OF_REVOCATIONS = 32


class Rank(IntEnum):
    """Of who cuts, or of who sets a title; smaller is higher."""

    OWNER = 0
    ADMIN = 1
    SELF = 2
    NONE = 3


@dataclass(frozen=True)
class Time:
    """An account's time as owner, from the operation that began it to the one that ended it."""

    user: bytes
    began: Operation
    ended: Operation | None


@dataclass(frozen=True)
class FeedRight:
    """How far a feed counts: whole, up to a place, or not at all."""

    is_whole: bool
    cut: FeedCut | None = None

    def ends(self, copy: FeedCopy) -> list[Place]:
        """Up to where the branches of what is held of the feed count (sync.md §3)."""
        if self.is_whole:
            return copy.tips()
        if self.cut is None:
            return []
        end = (self.cut.number, self.cut.hash)
        if copy.holds(end):
            return [end]
        before = self.cut.number - 1
        return sorted({copy.path(tip)[:before][-1] for tip in copy.tips()}) if before else []


@dataclass
class State:
    members: dict[bytes, str]
    former: set[bytes]
    erased: set[bytes]
    title: str
    settings: Settings
    heir: bytes | None
    devices: set[bytes]
    access_key_hashes: list[bytes]
    counting: set[bytes]
    uses: dict[bytes, int]
    refused: dict[bytes, str]
    counting_tips: set[tuple[bytes, bytes]]
    requests: set[bytes]


class Resolver:
    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.all = list(ledger)
        self.before = ledger.is_before
        self.founding = ledger.get(ledger.group)
        self.depths = ledger.depths()
        self._pass_0()
        self._pass_1()
        self._pass_2()
        self._pass_3()
        self._pass_4()

    def account(self, operation: Operation) -> bytes:
        return self.ledger.account(operation)

    def of_kind(self, *kinds: Kind) -> list[Operation]:
        """The operations of these kinds that revocations leave."""
        return [one for one in self.all if one.kind in kinds and one.name not in self.void]

    # Cuts

    @staticmethod
    def cut_of(cutting: Operation, device: bytes) -> Cut | None:
        return next((cut for cut in cutting.body.cuts if cut.device == device), None)

    def is_within(self, operation: Operation, cutting: Operation) -> bool:
        if operation.name == cutting.name:
            return True
        cut = self.cut_of(cutting, operation.author)
        return cut is not None and self.ledger.precedes_in_chain(operation, cut.last)

    def cut_rank(self, cutting: Operation) -> Rank:
        if cutting.kind in (Kind.LEAVE, Kind.REVOKE_DEVICE):
            return Rank.SELF
        if cutting.kind is Kind.TRANSFER or self.is_owners(cutting):
            return Rank.OWNER
        return Rank.ADMIN

    def holding(self, cuttings: Iterable[Operation], device: bytes) -> Operation | None:
        """Of several cuts of one device: the higher rank, then the longer chain, then this group's, then the smaller hash."""

        def order(cutting: Operation) -> tuple[int, int, bool, bytes]:
            cut = self.cut_of(cutting, device)
            length = self.ledger.get(cut.last).number if cut is not None and cut.last != ZERO else 0
            return (self.cut_rank(cutting), -length, cutting.body.is_general, cutting.name)

        return min(cuttings, key=order, default=None)

    # Pass 0: revocations

    def _pass_0(self) -> None:
        is_left = self.ledger.is_private  # what an account says for every group is there to be passed on
        self.revocations = [
            one for one in self.all if one.kind is Kind.REVOKE_DEVICE and not (is_left and one.body.is_general)
        ]
        self.void: dict[bytes, Operation] = {}
        """By name: the revocation that voids an operation."""
        for operation in self.all:
            if operation.name == self.founding.name:
                continue
            user = self.account(operation)
            held = self.revocation_of(user, operation.author)
            if held is not None and held.name != operation.name and not self.is_within(operation, held):
                self.void[operation.name] = held
            elif (breaking := self._breaking_at(operation, user)) is not None:
                self.void[operation.name] = breaking

    def revocation_of(self, user: bytes, device: bytes) -> Operation | None:
        """The revocation of a device that holds."""
        return self.holding(self.revocations_of(user, device), device)

    def _certificates(self, user: bytes, device: bytes) -> list[Operation]:
        found = (one.body.certificate for one in publications(self.all))
        return [
            one for one, c in zip(publications(self.all), found) if c is not None and c.user == user and c.device == device
        ]

    def _breaking_at(self, operation: Operation, user: bytes) -> Operation | None:
        """What breaks the author's certificates published at or before an operation; nothing if one is whole."""
        known = self._certificates(user, operation.author)
        broken = [self.breaking(one) for one in known if self._is_at_or_before(one, operation)]
        found = [one for one in broken if one is not None]
        return min(found, key=lambda one: one.name, default=None) if len(found) == len(broken) else None

    def is_certified(self, user: bytes, device: bytes) -> bool:
        return any(self.breaking(one) is None for one in self._certificates(user, device))

    def revocations_of(self, user: bytes, device: bytes) -> list[Operation]:
        return [one for one in self.revocations if one.body.user == user and one.body.cuts[0].device == device]

    def breaking(self, publishing: Operation) -> Operation | None:
        """The revocation of an issuer of the certificate published, where none of them keeps the link that it signed."""
        certificate = publishing.body.certificate
        assert certificate is not None
        for number, link in enumerate(certificate.links[:-1]):
            revoking = self.revocations_of(certificate.user, link.device)
            signed = certificate.link_name(number + 1)
            if revoking and not any(signed in revocation.body.kept for revocation in revoking):
                return min(revoking, key=lambda one: one.name)
        return None

    # Pass 1: owners

    def _pass_1(self) -> None:
        self.times: list[Time] = []
        user, began = self.account(self.founding), self.founding
        while True:
            ended = self._end_of_time(user, began)
            self.times.append(Time(user, began, ended))
            if ended is None:
                return
            user, began = ended.body.user, ended

    def _is_known(self, user: bytes, operation: Operation) -> bool:
        """Whether a certificate of the account is published before an operation."""
        published = (one for one in publications(self.all) if self.before(one, operation))
        return any(one.body.certificate is not None and one.body.certificate.user == user for one in published)

    def _end_of_time(self, user: bytes, began: Operation) -> Operation | None:
        transfers = [
            one for one in self.of_kind(Kind.TRANSFER) if self.before(began, one) and self._is_known(one.body.user, one)
        ]
        taken = [
            one
            for one in transfers
            if self.account(one) != user
            and self.account(one) == one.body.user
            and any(
                self.before(naming, one) and naming.body.user == one.body.user
                for naming in self._standing_namings(user, began, self._hand_backs(user, one, transfers))
            )
        ]
        backs = [
            one
            for one in transfers
            if one.body.user == user
            and any(self.account(take) == self.account(one) and self.before(take, one) for take in taken)
        ]
        own = [
            one for one in transfers if self.account(one) == user and not any(self.before(back, one) for back in backs)
        ]
        return self._earliest(own) or self._earliest(taken)

    def _hand_backs(self, user: bytes, take: Operation, transfers: list[Operation]) -> list[Operation]:
        """What hands the group back to this owner after a takeover."""
        return [
            one
            for one in transfers
            if one.body.user == user and self.account(one) == self.account(take) and self.before(take, one)
        ]

    def _standing_namings(self, user: bytes, began: Operation, backs: Sequence[Operation] = ()) -> list[Operation]:
        """The namings of heirs by this owner that nothing it said of another heir, or none, and no removal ends.

        What comes after one of `backs` is left out."""
        said = [
            one
            for one in self.of_kind(*Kind)
            if self.account(one) == user
            and self.before(began, one)
            and not any(self.before(back, one) for back in backs)
        ]
        words = [one for one in said if one.kind is Kind.SET_ROLE and one.body.role in (Role.HEIR, Role.NO_HEIR)]
        removals = [one for one in said if one.kind is Kind.REMOVE]
        return [
            naming
            for naming in words
            if naming.body.role is Role.HEIR
            and not any(self._overtakes(word, naming) for word in words)
            and not any(one.body.user == naming.body.user and not self.before(one, naming) for one in removals)
        ]

    def _overtakes(self, word: Operation, naming: Operation) -> bool:
        if word.body.role is Role.HEIR and word.body.user == naming.body.user:
            return False
        return self.before(naming, word) or (not self.before(word, naming) and word.name < naming.name)

    def _earliest(self, transfers: list[Operation]) -> Operation | None:
        candidates = [one for one in transfers if not any(self.before(other, one) for other in transfers)]
        return min(candidates, key=lambda one: one.name, default=None)

    def is_owners(self, operation: Operation) -> bool:
        if operation.name == self.founding.name:
            return True
        user = self.account(operation)
        return any(
            time.user == user
            and self._is_at_or_before(time.began, operation)
            and (time.ended is None or self.is_within(operation, time.ended))
            for time in self.times
        )

    # Pass 2: admins

    def _pass_2(self) -> None:
        words = [
            one
            for one in self.of_kind(Kind.SET_ROLE)
            if one.body.user != self.account(one) and self.is_owners(one) and self._is_known(one.body.user, one)
        ]
        self.namings = [one for one in words if one.body.role is Role.ADMIN]
        self.ends: dict[bytes, list[Operation]] = {}
        for one in words:
            if one.body.role is Role.MEMBER:
                self.ends.setdefault(one.body.user, []).append(one)
        for one in self.of_kind(Kind.REMOVE):
            if one.body.user != self.account(one) and self.is_owners(one):
                self.ends.setdefault(one.body.user, []).append(one)
        for time in self.times:
            if time.ended is not None:
                self.ends.setdefault(time.user, []).append(time.ended)
        leaves = [one for one in self.all if one.kind is Kind.LEAVE and self._may_leave(one)]
        for one in leaves:
            if one.name not in self.void:
                self.ends.setdefault(self.account(one), []).append(one)
        # Judged by the ends above, all of them before any is added.
        removed = [one for one in leaves if one.name in self.void and self._was_removed_again(one)]
        for one in removed:
            self.ends.setdefault(self.account(one), []).append(one)

    def _was_removed_again(self, leave: Operation) -> bool:
        """Whether an admin removed the leaver, who had claimed a place again, not knowing what voids the departure."""
        user = self.account(leave)
        admits = [
            one
            for one in self.all
            if one.kind is Kind.ADMIT
            and one.body.certificate is not None
            and one.body.certificate.user == user
            and self.before(leave, one)
            and not self._is_spent(one)
        ]
        return any(
            one.kind is Kind.REMOVE
            and one.body.user == user != self.account(one)
            and not self.before(self.void[leave.name], one)
            and any(self.before(admit, one) for admit in admits)
            and self.is_admins(one)
            for one in self.all
        )

    def _may_leave(self, leave: Operation) -> bool:
        makings = (time.began for time in self.times if time.user == self.account(leave))
        return not self.is_owners(leave) and not any(self.ledger.are_concurrent(leave, making) for making in makings)

    def is_admins(self, operation: Operation) -> bool:
        user = self.account(operation)
        for naming in self.namings:
            if naming.body.user != user or not self.before(naming, operation):
                continue
            ends = [end for end in self.ends.get(user, []) if not self.before(end, naming)]
            if all(end.kind is Kind.LEAVE for end in ends):
                if all(self.is_within(operation, end) for end in ends):
                    return True
            else:
                namings = [one for one in self.namings if one.body.user == user]
                if self._keeping(operation, ends, namings) is not None:
                    return True
        return False

    def _keeping(
        self, operation: Operation, cuttings: list[Operation], returns: list[Operation]
    ) -> Operation | None:
        """The one that holds, if the operation is within it, and within each before it of its rank or before a return."""
        held = self.holding(cuttings, operation.author)
        if held is None:
            return None
        rank = self.cut_rank(held)
        earlier = [
            one
            for one in cuttings
            if one.kind is not Kind.LEAVE
            and (
                self.cut_rank(one) == rank
                and self.before(one, held)
                or any(self.before(one, back) and self.before(back, held) for back in returns)
            )
        ]
        return held if all(self.is_within(operation, one) for one in [held, *earlier]) else None

    def rank(self, operation: Operation) -> Rank:
        if operation.name in self.void:
            return Rank.NONE
        return Rank.OWNER if self.is_owners(operation) else Rank.ADMIN if self.is_admins(operation) else Rank.NONE

    # Pass 3: removals

    def _pass_3(self) -> None:
        self._judge_removals()
        while self._restore():
            self._judge_removals()

    def _restore(self) -> bool:
        """Takes out of the void what removals leave; whether there was any such."""
        restored = [one.name for one in self.all if one.name in self.void and self._is_left_by_removal(one)]
        for name in restored:
            del self.void[name]
        return bool(restored)

    def _is_left_by_removal(self, operation: Operation) -> bool:
        user, revocation = self.account(operation), self.void[operation.name]
        if any(time.user == user for time in self.times):
            return False

        def unknowing(cuttings: list[Operation]) -> list[Operation]:
            return [one for one in cuttings if not self.before(revocation, one)]

        removals = [one for one in unknowing(self.removals.get(user, [])) if one.kind is not Kind.LEAVE]
        cuts = removals + unknowing(self.ends.get(user, []))
        return bool(removals) and any(self.is_within(operation, one) for one in cuts)

    def _judge_removals(self) -> None:
        self.removals: dict[bytes, list[Operation]] = {}
        for one in self.of_kind(Kind.REMOVE):
            if self._removal_refusal(one) is None:
                self.removals.setdefault(one.body.user, []).append(one)
        for one in self.of_kind(Kind.LEAVE):
            if self._may_leave(one):
                self.removals.setdefault(self.account(one), []).append(one)

    def _removal_refusal(self, remove: Operation) -> str | None:
        if remove.body.user == self.account(remove):
            return "target-is-author"
        match self.rank(remove):
            case Rank.OWNER:
                return None
            case Rank.ADMIN:
                return "target-is-protected" if self._is_protected(remove.body.user, remove) else None
        return "needs-admin"

    def _is_protected(self, user: bytes, remove: Operation) -> bool:
        """Whether the account is owner or admin at a removal, or made so concurrently."""
        for time in self.times:
            if time.user == user and not self.before(remove, time.began):
                if time.ended is None or not self.before(time.ended, remove):
                    return True
        ends = [end for end in self.ends.get(user, []) if self.before(end, remove)]
        return any(
            naming.body.user == user
            and not self.before(remove, naming)
            and all(self.before(end, naming) for end in ends)
            for naming in self.namings
        )

    def _is_at_or_before(self, first: Operation, second: Operation) -> bool:
        return first.name == second.name or self.before(first, second)

    # Pass 4: members

    def _pass_4(self) -> None:
        self.places: dict[bytes, list[Operation]] = {self.account(self.founding): [self.founding]}
        for time in self.times[1:]:
            self.places.setdefault(time.user, []).append(time.began)
        for naming in self.namings:
            self.places.setdefault(naming.body.user, []).append(naming)
        self.ending = {time.ended.name for time in self.times if time.ended is not None}
        self.counting: set[bytes] = set()
        self.refused: dict[bytes, str] = {}
        self.uses: dict[bytes, list[Operation]] = {}
        for operation in self.all:
            reason = self._refusal(operation)
            if reason is not None:
                self.refused[operation.name] = reason
                continue
            self.counting.add(operation.name)
            if operation.kind is Kind.ADMIT and operation.body.certificate is not None:
                self.places.setdefault(operation.body.certificate.user, []).append(operation)
                self.uses.setdefault(operation.body.invite, []).append(operation)

    def _is_plain_members(self, operation: Operation) -> bool:
        user = self.account(operation)
        for place in self.places.get(user, []):
            if not self.before(place, operation):
                continue
            removals = [one for one in self.removals.get(user, []) if not self.before(one, place)]
            if all(one.kind is Kind.LEAVE for one in removals):
                # One's own departure is within its own cut.
                if not any(self.before(one, operation) for one in removals):
                    return True
            else:
                held = self._keeping(operation, removals, self._returns(user))
                if held is not None and held.kind is Kind.REMOVE:
                    return True
        return False

    def _returns(self, user: bytes) -> list[Operation]:
        """What may have given an account its place again; an admission, whether or not it counts."""
        admits = [
            one
            for one in self.all
            if one.kind is Kind.ADMIT and one.body.certificate is not None and one.body.certificate.user == user
        ]
        namings = [one for one in self.namings if one.body.user == user]
        return admits + namings + [time.began for time in self.times if time.user == user]

    def _refusal(self, operation: Operation) -> str | None:
        """Why an operation counts for nothing; nothing where it counts (§7, Reasons)."""
        if operation.name in self.void and operation.kind is not Kind.REVOKE_DEVICE:
            return "author-revoked"
        match operation.kind:
            case Kind.FOUND:
                return None
            case Kind.REMOVE:
                return self._removal_refusal(operation)
            case Kind.LEAVE:
                return None if self._may_leave(operation) else "owner-cannot-leave"
        rank = self.rank(operation)
        if rank is Rank.NONE and not self._is_plain_members(operation):
            places = self.places.get(self.account(operation), [])
            return "author-removed" if any(self.before(place, operation) for place in places) else "author-not-member"
        match operation.kind:
            case Kind.INVITE:
                demanded = self.settings_among(self.ledger.before(operation)).may_invite
                is_allowed = demanded == 0 or rank is Rank.OWNER or (demanded == 1 and rank is Rank.ADMIN)
                return None if is_allowed else "inviting-not-allowed"
            case Kind.REVOKE_INVITE:
                if rank is not Rank.NONE:
                    return None
                if operation.body.invite not in self.counting:
                    return "unknown-invite"
                inviter = self.account(self.ledger.get(operation.body.invite))
                return None if self.account(operation) == inviter else "not-own-invite"
            case Kind.ADMIT | Kind.REQUEST:
                return self._admission_refusal(operation, rank)
            case Kind.SET_ROLE:
                if rank is not Rank.OWNER:
                    return "needs-owner"
                if operation.body.user == self.account(operation) and operation.body.role is not Role.NO_HEIR:
                    return "target-is-author"
                return None if self._is_known(operation.body.user, operation) else "target-not-member"
            case Kind.TRANSFER:
                return None if operation.name in self.ending else "transfer-does-not-stand"
            case Kind.RENAME | Kind.SETTINGS:
                return None if rank is not Rank.NONE else "needs-admin"
        return None

    def _admission_refusal(self, operation: Operation, rank: Rank) -> str | None:
        invite = self.ledger.get(operation.body.invite)
        is_admission = operation.kind is Kind.ADMIT
        if invite.name not in self.counting:
            return "unknown-invite"
        if is_admission and invite.body.needs_approval and rank is Rank.NONE:
            return "needs-approval"
        for revoking in self.of_kind(Kind.REVOKE_INVITE):
            if revoking.body.invite != invite.name:
                continue
            if self.rank(revoking) is not Rank.NONE:
                if not self.before(operation, revoking):
                    return "invite-revoked"
            elif revoking.name in self.counting and self.before(revoking, operation):
                return "invite-revoked"
        used = [one for one in self.uses.get(invite.name, []) if self.before(one, operation)]
        if is_admission and invite.body.maximum_uses and len(used) >= invite.body.maximum_uses:
            return "invite-used-up"
        certificate = operation.body.certificate
        assert certificate is not None
        for removal in self.removals.get(certificate.user, []):
            is_known = self.before(removal, invite) or self.before(operation, removal)
            if removal.kind is Kind.REMOVE and not is_known:
                return "newcomer-removed"
        if self._is_spent(operation):
            return "claim-spent"
        removes = [one for one in self.removals.get(certificate.user, []) if one.kind is Kind.REMOVE]
        for number, link in enumerate(certificate.links):
            for revoking in self.revocations_of(certificate.user, link.device):
                if link is not certificate.links[-1] and certificate.link_name(number + 1) in revoking.body.kept:
                    continue
                is_settled = any(self.before(operation, one) and not self.before(revoking, one) for one in removes)
                if not self.before(operation, revoking) and not is_settled:
                    return "certificate-revoked"
        had_place = any(self.before(place, operation) for place in self.places.get(certificate.user, []))
        if is_admission and not had_place and self._members_before(operation) >= MAXIMUM_MEMBERS:
            return "too-many-members"
        return None

    def _is_spent(self, admission: Operation) -> bool:
        """Whether the newcomer has left, before this, after somebody had put down the same claim."""
        assert admission.body.certificate is not None and admission.body.proof is not None
        user = admission.body.certificate.user
        claims = [one for one in self.all if one.kind in (Kind.ADMIT, Kind.REQUEST) and self._is_same_claim(one, admission)]
        leaves = [one for one in self.all if one.kind is Kind.LEAVE and self.account(one) == user]
        return any(self.before(leave, admission) and any(self.before(one, leave) for one in claims) for leave in leaves)

    @staticmethod
    def _is_same_claim(first: Operation, second: Operation) -> bool:
        one, other = first.body, second.body
        assert one.certificate is not None and other.certificate is not None and one.proof is not None
        assert other.proof is not None
        is_same_device = one.certificate.device == other.certificate.device and one.certificate.user == other.certificate.user
        return is_same_device and one.proof.handshake_hash == other.proof.handshake_hash

    def _members_before(self, operation: Operation) -> int:
        def stands(user: bytes) -> bool:
            removals = [one for one in self.removals.get(user, []) if self.before(one, operation)]
            places = [one for one in self.places[user] if self.before(one, operation)]
            return any(all(self.before(removal, place) for removal in removals) for place in places)

        return sum(stands(user) for user in self.places)

    # State

    def settings_among(self, operations: Iterable[Operation]) -> Settings:
        settings = self._last_of(operations, Kind.SETTINGS).body.settings
        assert settings is not None
        return settings

    def _last_of(self, operations: Iterable[Operation], kind: Kind) -> Operation:
        """Of the counted with none of them after it, the highest rank's, then the smallest hash."""
        counted = [
            one for one in operations if one.kind is Kind.FOUND or (one.kind is kind and one.name in self.counting)
        ]
        last = [one for one in counted if not any(self.before(one, other) for other in counted)]
        return min(last, key=lambda one: (self.rank(one), one.name))

    def standing_place(self, user: bytes) -> Operation | None:
        """The place that every counted removal of the account is before."""
        removals = self.removals.get(user, [])
        standing = [p for p in self.places.get(user, []) if all(self.before(one, p) for one in removals)]
        return self._latest(standing)

    def _latest(self, operations: list[Operation]) -> Operation | None:
        return max(operations, key=lambda one: (self.depths[one.name], one.name), default=None)

    def standing_removals(self, user: bytes) -> list[Operation]:
        """The removals that keep an account out; none of who is in."""
        removals = self.removals.get(user, [])
        if self.standing_place(user) is not None:
            return []
        left = [one for one in removals if one.kind is Kind.LEAVE]
        known = [p for p in self.places.get(user, []) if not any(self.ledger.are_concurrent(one, p) for one in left)]
        latest = self._latest(known)
        return [one for one in removals if latest is None or not self.before(one, latest)]

    def role(self, user: bytes) -> str:
        if self.times[-1].user == user:
            return "owner"
        namings = [one for one in self.namings if one.body.user == user]
        ends = self.ends.get(user, [])
        if namings and all(any(self.before(end, naming) for naming in namings) for end in ends):
            return "admin"
        return "member"

    def heir(self) -> bytes | None:
        namings = self._standing_namings(self.times[-1].user, self.times[-1].began)
        naming = min(namings, key=lambda one: one.name, default=None)
        return naming and naming.body.user

    def is_revoked(self, user: bytes, device: bytes) -> bool:
        return bool(self.revocations_of(user, device))

    def current_devices(self) -> set[bytes]:
        """Devices whose account is a member, whose certificate holds and that are not revoked."""
        return {device for device, user in self.devices().items() if self.is_current(device, user)}

    def devices(self) -> dict[bytes, bytes]:
        """Every device certified for an account with a place, with that account; of several the one it is current in."""
        found: dict[bytes, tuple[bool, bytes]] = {}
        for one in publications(self.all):
            certificate = one.body.certificate
            assert certificate is not None
            if certificate.user in self.places and certificate.device != certificate.user:
                entry = (not self.is_current(certificate.device, certificate.user), certificate.user)
                found[certificate.device] = min(found.get(certificate.device, entry), entry)
        return {device: user for device, (_, user) in found.items()}

    def is_current(self, device: bytes, user: bytes) -> bool:
        return self.standing_place(user) is not None and self.is_certified(user, device) and not self.is_revoked(user, device)

    def feed_right(self, feed: FeedName) -> FeedRight:
        """How far the feed counts (§7, State)."""
        user = self.devices().get(feed.device)
        if user is None or any(one.body.erases and self._feed_cut(one, feed) for one in self.removals.get(user, [])):
            return FeedRight(False)
        keeping_out = self.standing_removals(user)
        earlier = [one for one in self.removals.get(user, []) if one not in keeping_out and self._feed_cut(one, feed)]
        if self.is_current(feed.device, user):
            held = self.holding(earlier, feed.device)
            return FeedRight(held is None, held and self._feed_cut(held, feed))
        if any(one.body.erases for one in keeping_out):
            return FeedRight(False)
        ending = [self.holding(keeping_out, feed.device), self.revocation_of(user, feed.device)]
        if ending[1] is None and not self.is_certified(user, feed.device):
            return FeedRight(False)
        cuts = [self._feed_cut(one, feed) for one in ending if one is not None]
        if any(cut is None for cut in cuts):
            return FeedRight(False)
        return FeedRight(False, min((cut for cut in cuts if cut is not None), key=lambda cut: cut.number))

    def _feed_cut(self, cutting: Operation, feed: FeedName) -> FeedCut | None:
        cut = self.cut_of(cutting, feed.device)
        return next((one for one in cut.feeds if one.epoch == feed.epoch), None) if cut is not None else None

    def counting_tips(self) -> set[tuple[bytes, bytes]]:
        """Device and name of the counting operations that no counting one of their chain follows."""
        tips = {one.name for one in self.all if one.name in self.counting}
        for one in self.all:
            if one.name in self.counting:
                name = one.previous
                while name != ZERO:
                    tips.discard(name)
                    name = self.ledger.get(name).previous
        return {(self.ledger.get(name).author, name) for name in tips}

    def access_key_hashes(self) -> list[bytes]:
        """By depth, then by the hash of the operation; of one that stands twice, and of an account's revocations, the first."""
        kinds = (Kind.FOUND, Kind.REMOVE, Kind.REVOKE_DEVICE)
        naming = [one for one in self.all if one.kind in kinds and one.name in self.counting]
        ordered = sorted(naming, key=lambda one: (self.depths[one.name], one.name))
        hashes: dict[bytes, None] = {}
        revoking: dict[bytes, int] = {}
        for one in ordered:
            if one.kind is Kind.REVOKE_DEVICE:
                user = self.account(one)
                revoking[user] = revoking.get(user, 0) + 1
                if revoking[user] > MAXIMUM_KEYS_OF_REVOCATIONS:
                    continue
            hashes[one.body.access_key_hash] = None
        return list(hashes)

    def exclusion(self, link_key: bytes) -> Operation | None:
        """The operation that shows that a device's admission does not count (§8)."""
        named = [(one, one.body.certificate) for one in publications(self.all)]
        known = {c.device for _, c in named if c is not None and c.link_key == link_key}
        if known & self.devices().keys():
            return None
        admissions = [one for one, c in named if one.kind is Kind.ADMIT and c is not None and c.link_key == link_key]
        cause, seen = self._latest(admissions), set()
        while cause is not None and cause.name not in seen:
            seen.add(cause.name)
            reason = self.refused.get(cause.name)
            if reason == "unknown-invite":
                cause = self.ledger.get(cause.body.invite)
            elif reason == "author-not-member":
                user = self.account(cause)
                cause = self._latest([one for one, c in named if c is not None and c.user == user])
            elif reason == "author-removed":
                return self._ending_of(cause)
            elif reason == "author-revoked":
                return self.void[cause.name]
            else:
                return self._ending_of_admission(cause, reason)
        return None

    def _ending_of(self, operation: Operation) -> Operation | None:
        """The removal that ends an author's latest place before an operation for it."""
        user = self.account(operation)
        place = self._latest([one for one in self.places.get(user, []) if self.before(one, operation)])
        removals = [one for one in self.removals.get(user, []) if place is None or not self.before(one, place)]
        strong = [one for one in removals if one.kind is Kind.REMOVE]
        if strong:
            return self.holding(strong, operation.author)
        before = [one for one in removals if self.before(one, operation)]
        return min(before, key=lambda one: (self.depths[one.name], one.name), default=None)

    def _ending_of_admission(self, operation: Operation, reason: str | None) -> Operation | None:
        """What revoked the invite of an admission; other reasons the file has none of."""
        ends = [
            one
            for one in self.all
            if reason == "invite-revoked" and one.kind is Kind.REVOKE_INVITE and one.name in self.counting
            and one.body.invite == operation.body.invite
        ]
        return min(ends, key=lambda one: (self.depths[one.name], one.name), default=None)

    def requests(self) -> set[bytes]:
        """The latest of each account that is no member and has not left since, under an invite that is not revoked and that
        every removal of the account is before."""
        revoked = {one.body.invite for one in self.all if one.kind is Kind.REVOKE_INVITE and one.name in self.counting}
        open_by_user: dict[bytes, list[Operation]] = {}
        for one in self.all:
            if one.kind is not Kind.REQUEST or one.name not in self.counting or one.body.invite in revoked:
                continue
            assert one.body.certificate is not None
            user = one.body.certificate.user
            invite = self.ledger.get(one.body.invite)
            removals = [removal for removal in self.removals.get(user, []) if removal.kind is Kind.REMOVE]
            if not all(self.before(removal, invite) for removal in removals):
                continue
            leaves = [left for left in self.all if left.kind is Kind.LEAVE and self.account(left) == user]
            if self.standing_place(user) is None and not any(self.before(one, left) for left in leaves):
                open_by_user.setdefault(user, []).append(one)
        latest = [self._latest(requests) for requests in open_by_user.values()]
        return {one.name for one in latest if one is not None}

    def state(self) -> State:
        members = {user: self.role(user) for user in self.places if self.standing_place(user) is not None}
        former = {user for user in self.places if user not in members}
        erased = {user for user in self.places if any(one.body.erases for one in self.removals.get(user, []))}
        return State(
            members=members,
            former=former,
            erased=erased,
            title=self._last_of(self.all, Kind.RENAME).body.title,
            settings=self.settings_among(self.all),
            heir=self.heir(),
            devices=self.current_devices(),
            access_key_hashes=self.access_key_hashes(),
            counting=self.counting,
            uses={name: len(uses) for name, uses in self.uses.items()},
            refused=self.refused,
            counting_tips=self.counting_tips(),
            requests=self.requests(),
        )
