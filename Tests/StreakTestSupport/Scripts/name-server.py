"""A name server for IPv4 addresses, as in RFC 1035, at ADDRESS. usage: name-server.py ADDRESS

Each line of standard input is a name and its address from then on; “1 names: NAME ADDRESS” and so on says that it is taken. All
other names have no address. It ends with its standard input.
"""

import os
import socket
import struct
import sys
import threading

names = {}


def answer(question):
    labels, place = [], 12
    while question[place]:
        labels.append(question[place + 1 : place + 1 + question[place]].decode())
        place += 1 + question[place]
    (kind,) = struct.unpack_from(">H", question, place + 1)
    asked, address = question[12 : place + 5], names.get(".".join(labels).lower())
    found = address is not None and kind == 1
    # An answer with authority: the name is there, with or without an address of that kind, or it is not.
    flags = 0x8580 if address is not None else 0x8583
    head = question[:2] + struct.pack(">HHHHH", flags, 1, int(found), 0, 0)
    # The name is that of the question, a second long.
    record = struct.pack(">HHHIH", 0xC00C, 1, 1, 1, 4) + socket.inet_aton(address) if found else b""
    return head + asked + record


def serve():
    desk = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    desk.bind((sys.argv[1], 53))
    print("serves names", flush=True)
    while True:
        question, source = desk.recvfrom(512)
        desk.sendto(answer(question), source)


threading.Thread(target=serve, daemon=True).start()
for count, line in enumerate(sys.stdin, 1):
    name, address = line.split()
    names[name] = address
    print(f"{count} names: {name} {address}", flush=True)
os._exit(0)
