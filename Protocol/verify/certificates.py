"""Certificates and chains of them: membership.md §2."""

from __future__ import annotations

from dataclasses import dataclass

from .codec import Reader, invalid_value, varint
from .crypto import hash256, is_signed

MAXIMUM_LINKS = 5


@dataclass(frozen=True)
class Link:
    device: bytes
    link_key: bytes
    signature: bytes
    consent: bytes


def is_consent(signature: bytes, user: bytes, device: bytes, link_key: bytes) -> bool:
    """The device's own word that it is one of the account's."""
    return is_signed("certificate", signature, device, b"\3", user, device, link_key)


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
        links = reader.list(MAXIMUM_LINKS, lambda: Link(*(reader.take(size) for size in (32, 32, 64, 64))))
        if not links or len({link.device for link in links}) != len(links):
            raise invalid_value("certificate links")
        return cls(user, tuple(links))

    def encoded(self) -> bytes:
        links = b"".join(link.device + link.link_key + link.signature + link.consent for link in self.links)
        return b"\1" + self.user + varint(len(self.links)) + links

    def link_name(self, number: int) -> bytes:
        """Of the link of this number, counted from 0: the hash of what its issuer signed."""
        issuer, link = self.links[number - 1].device if number else self.user, self.links[number]
        return hash256(b"\1" + self.user + issuer + link.device + link.link_key)

    def is_valid(self) -> bool:
        """Link 1 by the account key, each later one by the device before it; and each by its own device."""
        issuer = self.user
        for link in self.links:
            if not is_signed("certificate", link.signature, issuer, b"\1", self.user, issuer, link.device, link.link_key):
                return False
            if not is_consent(link.consent, self.user, link.device, link.link_key):
                return False
            issuer = link.device
        return True
