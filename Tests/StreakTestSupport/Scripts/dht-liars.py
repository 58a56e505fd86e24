"""Nodes of a DHT, all of them liars, at 198.18.0.100 and the addresses after it. usage: dht-liars.py KEY < ITEMS

ITEMS are lines of “sequence value signature”, value and signature in hexadecimal, all signed with the secret of KEY; an empty line ends them.
There is a node for each. Each has an ID nearer to the item's place than the one before, names the next three, and gives
another item, a later one each. Some also send garbage, an item that is too long, and one whose signature is wrong. It says “ready”, and ends with its
standard input.
"""

import hashlib
import os
import select
import socket
import sys

key = bytes.fromhex(sys.argv[1])
target = hashlib.sha1(key).digest()
items = []
for line in iter(sys.stdin.readline, "\n"):
    sequence, value, signature = line.split()
    items.append((int(sequence), bytes.fromhex(value), bytes.fromhex(signature)))


def encoded(value):
    if isinstance(value, int):
        return b"i%de" % value
    if isinstance(value, bytes):
        return b"%d:%s" % (len(value), value)
    return b"d" + b"".join(encoded(name) + encoded(value[name]) for name in sorted(value)) + b"e"


def decoded(data, at=0):
    if data[at:at + 1] == b"i":
        end = data.index(b"e", at)
        return int(data[at + 1:end]), end + 1
    if data[at:at + 1] in (b"d", b"l"):
        parts, start, at = [], data[at:at + 1], at + 1
        while data[at:at + 1] != b"e":
            part, at = decoded(data, at)
            parts.append(part)
        return (dict(zip(parts[::2], parts[1::2])) if start == b"d" else parts), at + 1
    end = data.index(b":", at)
    start = end + 1 + int(data[at:end])
    return data[end + 1:start], start


def node_id(index):
    # The nearest is the last.
    return target[:18] + ((int.from_bytes(target[18:], "big")) ^ (len(items) - index)).to_bytes(2, "big")


def compact(index):
    return node_id(index) + socket.inet_aton(f"198.18.0.{100 + index}") + (7000).to_bytes(2, "big")


sockets = []
for index in range(len(items)):
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.bind((f"198.18.0.{100 + index}", 7000))
    sockets.append(sock)
print("ready", flush=True)
poll = [sys.stdin, *sockets]
while True:
    for ready in select.select(poll, [], [])[0]:
        if ready is sys.stdin:
            sys.exit()
        index = sockets.index(ready)
        data, source = ready.recvfrom(65536)
        try:
            query, _ = decoded(data)
            arguments = query[b"a"]
        except (ValueError, KeyError, IndexError, TypeError):
            continue
        sequence, value, signature = items[index]
        # The last two name the first, so that everybody is known to somebody.
        following = [other % len(items) for other in (index + 1, index + 2, index + 3)]
        answer = {b"id": node_id(index), b"token": b"x", b"nodes": b"".join(map(compact, following))}
        lies = []
        if query[b"q"] == b"get" and arguments.get(b"target") == target:
            answer |= {b"k": key, b"seq": sequence, b"sig": signature, b"v": value}
            if index % 3 == 0:
                lies = [answer | {b"v": b"y" * 5000}, answer | {b"seq": 2**62}, answer | {b"nodes": os.urandom(2600)}]
        for lie in lies:
            ready.sendto(encoded({b"t": query[b"t"], b"y": b"r", b"r": lie}), source)
        if lies:
            for garbage in (b"", b"d1:t", b"i" * 60000, b"d" * 60000, os.urandom(1400)):
                ready.sendto(garbage, source)
        ready.sendto(encoded({b"t": query[b"t"], b"y": b"r", b"r": answer}), source)
