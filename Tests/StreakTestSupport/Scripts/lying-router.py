"""A router that answers by UPnP as no router should, at ADDRESS. usage: lying-router.py ADDRESS

Each line of standard input is the way in which it answers from then on; “1 answers: WAY” and so on says that it does. It ends with its
standard input.
"""

import os
import socket
import sys
import threading
import time

address, port = sys.argv[1], 5000
# Bytes of an answer without an end. Twice as many are no length to miniupnpc, which then reads on to the end.
great = 2_000_000_000
endless = 2 << 30
way = ""

device = "urn:schemas-upnp-org:device:"
service = "urn:schemas-upnp-org:service:"


def description(control="/control", kind=service + "WANIPConnection:1"):
    return f"""<?xml version="1.0"?><root xmlns="urn:schemas-upnp-org:device-1-0"><device>
<deviceType>{device}InternetGatewayDevice:1</deviceType><deviceList><device><deviceType>{device}WANDevice:1</deviceType>
<serviceList><service><serviceType>{service}WANCommonInterfaceConfig:1</serviceType><controlURL>/common</controlURL>
<SCPDURL>/a.xml</SCPDURL><eventSubURL>/a</eventSubURL></service></serviceList>
<deviceList><device><deviceType>{device}WANConnectionDevice:1</deviceType>
<serviceList><service><serviceType>{kind}</serviceType><controlURL>{control}</controlURL>
<SCPDURL>/b.xml</SCPDURL><eventSubURL>/b</eventSubURL></service></serviceList></device></deviceList></device></deviceList>
</device></root>""".encode()


def answer(action, values):
    inner = "".join(f"<{name}>{value}</{name}>" for name, value in values.items())
    return f"""<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>
<u:{action}Response xmlns:u="{service}WANIPConnection:1">{inner}</u:{action}Response></s:Body></s:Envelope>""".encode()


def head(length, more=""):
    return f"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n{more}Content-Length: {length}\r\n\r\n".encode()


def send(connection, body):
    connection.sendall(head(len(body)) + body)


def control(connection, request):
    # What an honest router says, but for the address on the internet.
    if b"GetStatusInfo" in request:
        values = {"NewConnectionStatus": "Connected", "NewLastConnectionError": "ERROR_NONE", "NewUptime": "7"}
        send(connection, answer("GetStatusInfo", values))
    elif b"GetExternalIPAddress" in request:
        outside = {"private": "192.168.1.1", "loopback": "127.0.0.1", "no address": "5.9.9.9.9' or <b>1"}.get(way, "8.8.4.4")
        send(connection, answer("GetExternalIPAddress", {"NewExternalIPAddress": outside}))
    elif way == "endless control":
        pour(connection)
    else:
        send(connection, answer("AddPortMapping", {}))


def pour(connection):
    connection.sendall(head(endless))
    for _ in range(endless >> 16):
        connection.sendall(b"<a>" + b"b" * 65533)


def drip(connection):
    connection.sendall(head(1 << 20))
    while True:
        connection.sendall(b"<")
        time.sleep(0.2)


def serve(connection):
    request = b""
    while b"\r\n\r\n" not in request and len(request) < 65536:
        data = connection.recv(65536)
        if not data:
            return
        request += data
    if b"POST" in request[:4]:
        # The body may come by itself.
        connection.settimeout(0.3)
        try:
            request += connection.recv(65536)
        except TimeoutError:
            pass
        connection.settimeout(None)
        return control(connection, request)
    if way == "silent":
        return time.sleep(60)
    if way == "endless":
        return pour(connection)
    if way == "drip":
        return drip(connection)
    if way == "great length":
        return connection.sendall(head(great) + b"b" * 4096)
    if way == "false length":
        return connection.sendall(head(4294967295) + description())
    if way == "negative length":
        return connection.sendall(head(-5) + description())
    if way == "false chunks":
        chunks = b"fffffffffffffff0\r\n" + description() + b"\r\n0\r\n\r\n"
        return connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
    if way == "nested":
        return send(connection, b"<a>" * 400_000)
    if way == "unclosed":
        return send(connection, description()[:-300] + b"<![CDATA[" + b"x" * 100_000)
    if way == "noise":
        return send(connection, os.urandom(100_000))
    if way == "long names":
        return send(connection, description(control="/" + "c" * 50_000, kind=service + "WANIPConnection:" + "1" * 50_000))
    send(connection, description())


def guarded(connection):
    try:
        serve(connection)
    except OSError:
        pass
    connection.close()


def listen():
    server = socket.create_server((address, port), backlog=16)
    while True:
        threading.Thread(target=guarded, args=(server.accept()[0],), daemon=True).start()


def find():
    # UPnP Device Architecture 2.0, section 1.3.
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind(("", 1900))
    group = socket.inet_aton("239.255.255.250") + socket.inet_aton(address)
    sock.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, group)
    while True:
        _, seeker = sock.recvfrom(65536)
        kind = device + "InternetGatewayDevice:1"
        place = f"http://{address}:{port}/" + ("l" * 1_000 if way == "long location" else "root.xml")
        sock.sendto(f"HTTP/1.1 200 OK\r\nST: {kind}\r\nUSN: uuid:1::{kind}\r\nLOCATION: {place}\r\n\r\n".encode(), seeker)


for work in (listen, find):
    threading.Thread(target=work, daemon=True).start()
for number, line in enumerate(sys.stdin, start=1):
    way = line.strip()
    print(number, "answers:", way, flush=True)
