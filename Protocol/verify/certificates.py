"""Certificates and chains of them: membership.md §2."""

from __future__ import annotations

from dataclasses import dataclass

from .codec import Reader, invalid_value, varint
from .crypto import is_signed

MAXIMUM_LINKS = 8


@dataclass(frozen=True)
class Link:
    device: bytes
    link_key: bytes
    signature: bytes


@dataclass(frozen=True)
class Certificate:
    user: bytes
    links: tuple[Link, ...]

    @property
    def device(self) -> bytes:
        return self.links[-1].device

    @property
    def link_key(self) -> bytes:
        return self.links[-1].link_key

    @classmethod
    def read(cls, reader: Reader) -> Certificate:
        reader.version()
        user = reader.take(32)
        links = reader.list(MAXIMUM_LINKS, lambda: Link(reader.take(32), reader.take(32), reader.take(64)))
        if not links or len({link.device for link in links}) != len(links):
            raise invalid_value("certificate links")
        return cls(user, tuple(links))

    def encoded(self) -> bytes:
        links = b"".join(link.device + link.link_key + link.signature for link in self.links)
        return b"\1" + self.user + varint(len(self.links)) + links

    def is_valid(self) -> bool:
        """Link 1 by the account key, each later one by the device before it."""
        issuer = self.user
        for link in self.links:
            if not is_signed("certificate", link.signature, issuer, b"\1", self.user, issuer, link.device, link.link_key):
                return False
            issuer = link.device
        return True
