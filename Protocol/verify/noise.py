"""The Noise Protocol Framework, revision 34, as far as links.md §1 needs it: 25519, ChaChaPoly, BLAKE2b."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field

from .codec import Refusal
from .crypto import agreed, agreement_public_key, hash512, opened, sealed

SUITE = "25519_ChaChaPoly_BLAKE2b"
PATTERNS: dict[str, tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]] = {
    # name: (pre-messages of the responder, messages)
    "NN": ((), (("e",), ("e", "ee"))),
    "XX": ((), (("e",), ("e", "ee", "s", "es"), ("s", "se"))),
    "XK": (("s",), (("e", "es"), ("e", "ee"), ("s", "se"))),
    "IK": (("s",), (("e", "es", "s", "ss"), ("e", "ee", "se"))),
}


def _hkdf(key: bytes, material: bytes, count: int) -> list[bytes]:
    secret = hmac.new(key, material, hashlib.blake2b).digest()
    outputs: list[bytes] = []
    for index in range(1, count + 1):
        outputs.append(hmac.new(secret, (outputs[-1] if outputs else b"") + bytes([index]), hashlib.blake2b).digest())
    return outputs


@dataclass
class Cipher:
    """CipherState: a key and the number of the next message."""

    key: bytes | None = None
    nonce: int = 0

    def _nonce(self) -> bytes:
        return bytes(4) + self.nonce.to_bytes(8, "little")

    def encrypt(self, associated: bytes, plain: bytes) -> bytes:
        if self.key is None:
            return plain
        data = sealed(self.key, self._nonce(), plain, associated)
        self.nonce += 1
        return data

    def decrypt(self, associated: bytes, data: bytes) -> bytes:
        if self.key is None:
            return data
        plain = opened(self.key, self._nonce(), data, associated)
        if plain is None:
            raise Refusal("authentication")
        self.nonce += 1
        return plain


@dataclass
class Symmetric:
    chaining_key: bytes
    hash: bytes
    cipher: Cipher = field(default_factory=Cipher)

    @classmethod
    def named(cls, name: str) -> Symmetric:
        data = name.encode()
        start = data.ljust(64, b"\0") if len(data) <= 64 else hash512(data)
        return cls(start, start)

    def mix_hash(self, data: bytes) -> None:
        self.hash = hash512(self.hash, data)

    def mix_key(self, material: bytes) -> None:
        self.chaining_key, key = _hkdf(self.chaining_key, material, 2)
        self.cipher = Cipher(key[:32])

    def mix_key_and_hash(self, material: bytes) -> None:
        self.chaining_key, mixed, key = _hkdf(self.chaining_key, material, 3)
        self.mix_hash(mixed)
        self.cipher = Cipher(key[:32])

    def encrypt(self, plain: bytes) -> bytes:
        data = self.cipher.encrypt(self.hash, plain)
        self.mix_hash(data)
        return data

    def decrypt(self, data: bytes) -> bytes:
        plain = self.cipher.decrypt(self.hash, data)
        self.mix_hash(data)
        return plain

    def split(self) -> tuple[Cipher, Cipher]:
        first, second = _hkdf(self.chaining_key, b"", 2)
        return Cipher(first[:32]), Cipher(second[:32])


class Handshake:
    """One side of a handshake, with a fixed ephemeral key."""

    def __init__(
        self,
        name: str,
        *,
        is_initiator: bool,
        prologue: bytes = b"",
        static: bytes | None = None,
        ephemeral: bytes | None = None,
        remote_static: bytes | None = None,
        psks: list[bytes] | None = None,
    ) -> None:
        pattern, _, modifiers = name.split("_")[1].partition("psk")
        pre, messages = PATTERNS[pattern]
        self.messages = [list(tokens) for tokens in messages]
        self.has_psk = bool(modifiers)
        for place in [int(part) for part in modifiers.split("+psk")] if modifiers else []:
            self.messages[0].insert(0, "psk") if place == 0 else self.messages[place - 1].append("psk")
        self.is_initiator, self.static, self.ephemeral = is_initiator, static, ephemeral
        self.remote_static, self.remote_ephemeral = remote_static, b""
        self.psks = list(psks or [])
        self.turn = 0
        self.symmetric = Symmetric.named(name)
        self.symmetric.mix_hash(prologue)
        if "s" in pre:
            responder = remote_static if is_initiator else agreement_public_key(static or b"")
            self.symmetric.mix_hash(responder or b"")

    @property
    def is_done(self) -> bool:
        return self.turn == len(self.messages)

    def write(self, payload: bytes) -> bytes:
        out = b""
        for token in self.messages[self.turn]:
            match token:
                case "e":
                    public = agreement_public_key(self.ephemeral or b"")
                    out += public
                    self._mix_ephemeral(public)
                case "s":
                    out += self.symmetric.encrypt(agreement_public_key(self.static or b""))
                case _:
                    self._mix(token)
        self.turn += 1
        return out + self.symmetric.encrypt(payload)

    def read(self, data: bytes) -> bytes:
        for token in self.messages[self.turn]:
            match token:
                case "e":
                    self.remote_ephemeral, data = data[:32], data[32:]
                    self._mix_ephemeral(self.remote_ephemeral)
                case "s":
                    size = 32 if self.symmetric.cipher.key is None else 48
                    self.remote_static, data = self.symmetric.decrypt(data[:size]), data[size:]
                case _:
                    self._mix(token)
        self.turn += 1
        return self.symmetric.decrypt(data)

    def _mix_ephemeral(self, public: bytes) -> None:
        self.symmetric.mix_hash(public)
        if self.has_psk:
            self.symmetric.mix_key(public)

    def _mix(self, token: str) -> None:
        if token == "psk":
            self.symmetric.mix_key_and_hash(self.psks.pop(0))
            return
        # The first letter is the initiator's key, the second the responder's.
        mine, theirs = token if self.is_initiator else token[::-1]
        secret = self.ephemeral if mine == "e" else self.static
        public = self.remote_ephemeral if theirs == "e" else self.remote_static
        self.symmetric.mix_key(agreed(secret or b"", public or b""))
