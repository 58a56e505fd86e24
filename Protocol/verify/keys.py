"""Derivations from access keys and invite seeds (membership.md §5, §6) and friend codes (README.md §4)."""

from __future__ import annotations

from dataclasses import dataclass

from .codec import Refusal
from .crypto import argon2id, derived, hash256, signing_public_key

SYMBOLS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


@dataclass(frozen=True)
class AccessKey:
    """What follows from the 32 random bytes of an access key (membership.md §6)."""

    key: bytes

    @property
    def hash(self) -> bytes:
        return derived(self.key, "access-key-hash")

    @property
    def link_psk(self) -> bytes:
        return derived(self.key, "link-psk")

    @property
    def tag_key(self) -> bytes:
        return derived(self.key, "tag-key")

    @property
    def beacon_key(self) -> bytes:
        return derived(self.key, "beacon-key")

    @property
    def group_proof_key(self) -> bytes:
        return derived(self.key, "group-proof-key")


class FriendCodeKeys:
    """What follows from a friend code (friends.md §3)."""

    def __init__(self, code: str) -> None:
        symbols = code.replace("-", "").encode()
        root = argon2id(symbols, hash256(b"streakmesh/v1/friend-code-keys")[:16], 32)
        self.psk, self.tag_key, self.beacon_key = (derived(root, use) for use in ("link-psk", "tag-key", "beacon-key"))


def invite_key_seed(seed: bytes) -> bytes:
    return derived(seed, "invite-key")


def invite_key(seed: bytes) -> bytes:
    return signing_public_key(invite_key_seed(seed))


def invite_psk(seed: bytes) -> bytes:
    return derived(seed, "invite-psk")


def invite_tag_key(seed: bytes) -> bytes:
    """Of the pre-shared key, not of the seed: anybody who reads the ledger can compute it."""
    return derived(invite_psk(seed), "tag-key")


def _checksum(symbols: list[int]) -> int:
    return hash256(b"streakmesh/v1/friend-code-checksum", bytes(symbols))[0] & 31


def friend_code(user: bytes) -> str:
    """Eleven symbols of five bits and one of checksum, in groups of four."""
    stretched = argon2id(user, hash256(b"streakmesh/v1/friend-code")[:16], 16)
    bits = int.from_bytes(stretched, "big") >> (128 - 55)
    symbols = [bits >> (5 * (10 - index)) & 31 for index in range(11)]
    text = "".join(SYMBOLS[symbol] for symbol in [*symbols, _checksum(symbols)])
    return "-".join(text[start : start + 4] for start in (0, 4, 8))


def read_friend_code(text: str) -> str:
    """The code as it is written, of any way a reader accepts."""
    plain = "".join(text.split()).replace("-", "").upper().translate(str.maketrans("OIL", "011"))
    if len(plain) != 12 or any(symbol not in SYMBOLS for symbol in plain):
        raise Refusal("no friend code")
    symbols = [SYMBOLS.index(symbol) for symbol in plain]
    if symbols.pop() != _checksum(symbols):
        raise Refusal("the checksum of the friend code is wrong")
    return "-".join(plain[start : start + 4] for start in (0, 4, 8))
