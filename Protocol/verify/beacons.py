"""Beacons: discovery.md §1."""

from __future__ import annotations

from dataclasses import dataclass

from .crypto import derived, keyed, opened

SIZE, SLOTS, SLOT = 488, 8, 59


def hour_key(beacon_key: bytes, hour: int) -> bytes:
    return keyed(beacon_key, b"streakmesh/v1/beacon-hour", hour.to_bytes(8, "big", signed=True))


def invite_beacon_key(psk: bytes) -> bytes:
    return derived(psk, "beacon-key")


@dataclass(frozen=True)
class Content:
    kind: int
    port: int
    link_key: bytes


def open_beacon(data: bytes, key: bytes) -> Content | None:
    """What a beacon holds for an hour key; nothing for other sizes, tags, contents and kinds."""
    if len(data) != SIZE:
        return None
    nonce = data[:16]
    tag, sealing_key = keyed(key, nonce, b"\0")[:8], keyed(key, nonce, b"\1")
    for start in range(16, SIZE, SLOT):
        if data[start : start + 8] != tag:
            continue
        plain = opened(sealing_key, bytes(12), data[start + 8 : start + SLOT])
        if plain is not None and plain[0] <= 1:
            return Content(plain[0], int.from_bytes(plain[1:3], "big"), plain[3:])
    return None
