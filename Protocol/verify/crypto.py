"""Hashes, keys and signatures: README.md §4."""

from __future__ import annotations

import hashlib

from nacl import bindings, pwhash
from nacl.exceptions import BadSignatureError, CryptoError

PREFIX = b"streakmesh/v1/"


def hash256(*parts: bytes) -> bytes:
    """H of the spec: BLAKE2b-256 without key."""
    return hashlib.blake2b(b"".join(parts), digest_size=32).digest()


def hash128(*parts: bytes) -> bytes:
    return hashlib.blake2b(b"".join(parts), digest_size=16).digest()


def hash512(*parts: bytes) -> bytes:
    return hashlib.blake2b(b"".join(parts)).digest()


def keyed(key: bytes, *parts: bytes, size: int = 32) -> bytes:
    """K of the spec: keyed BLAKE2b."""
    return hashlib.blake2b(b"".join(parts), key=key, digest_size=size).digest()


def derived(key: bytes, purpose: str) -> bytes:
    """K(key, `streakmesh/v1/` and the purpose), as membership.md §5 and §6 and discovery.md §1 use it."""
    return keyed(key, PREFIX + purpose.encode())


def signing_bytes(purpose: str, *parts: bytes) -> bytes:
    return PREFIX + purpose.encode() + b"\0" + b"".join(parts)


def is_signed(purpose: str, signature: bytes, key: bytes, *parts: bytes) -> bool:
    """Strict Ed25519 of libsodium over what the purpose signs."""
    try:
        bindings.crypto_sign_open(signature + signing_bytes(purpose, *parts), key)
    except (BadSignatureError, CryptoError, ValueError):
        return False
    return True


def signing_public_key(seed: bytes) -> bytes:
    return bindings.crypto_sign_seed_keypair(seed)[0]


def agreement_public_key(secret: bytes) -> bytes:
    return bindings.crypto_scalarmult_base(secret)


def agreed(secret: bytes, public: bytes) -> bytes:
    return bindings.crypto_scalarmult(secret, public)


def sealed(key: bytes, nonce: bytes, data: bytes, associated: bytes = b"") -> bytes:
    """ChaCha20-Poly1305 of RFC 8439."""
    return bindings.crypto_aead_chacha20poly1305_ietf_encrypt(data, associated, nonce, key)


def opened(key: bytes, nonce: bytes, data: bytes, associated: bytes = b"") -> bytes | None:
    try:
        return bindings.crypto_aead_chacha20poly1305_ietf_decrypt(data, associated, nonce, key)
    except (CryptoError, ValueError):
        return None


def opened_x(key: bytes, nonce: bytes, data: bytes) -> bytes | None:
    """XChaCha20-Poly1305, without associated data."""
    try:
        return bindings.crypto_aead_xchacha20poly1305_ietf_decrypt(data, None, nonce, key)
    except (CryptoError, ValueError):
        return None


def is_signed_plainly(signature: bytes, key: bytes, text: bytes) -> bool:
    """A signature over nothing but the text, as other protocols have it."""
    try:
        bindings.crypto_sign_open(signature + text, key)
    except (BadSignatureError, CryptoError, ValueError):
        return False
    return True


def argon2id(password: bytes, salt: bytes, size: int) -> bytes:
    """Argon2id at libsodium's interactive cost."""
    return pwhash.argon2id.kdf(
        size, password, salt, opslimit=pwhash.argon2id.OPSLIMIT_INTERACTIVE, memlimit=pwhash.argon2id.MEMLIMIT_INTERACTIVE
    )
