#!/usr/bin/env python3
"""Measures what meeting across the internet costs, with the real program, its helper and a DHT of twenty nodes.

usage: internet.py FOLDER-OF-PROGRAMS SECONDS      (root; python3-libtorrent, miniupnpd, nftables)

Prints a line each of name, value, unit and target, like streakmesh-bench. The nodes, their routers and the DHT have network namespaces of
their own; nothing leaves the machine. SECONDS is how long idle nodes are watched.
"""
import atexit
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.join(sys.argv[1], "streakmesh")
IDLE = int(sys.argv[2])
DHT_NODES = 20
PORT = 7420
SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "Tests/StreakTestSupport/Scripts/dht-node.py"
NAME = f"smb{os.getpid()}"
folder = tempfile.mkdtemp(prefix="smb")
processes, namespaces = [], []


def show(name, value, unit, target="–"):
    print(f"{name}\t{value:.2f}\t{unit}\t{target}" if value < 10 else f"{name}\t{value:.1f}\t{unit}\t{target}", flush=True)


def clear():
    for process in processes:
        process.kill()
    for name in namespaces:
        subprocess.run(["ip", "netns", "delete", name], stderr=subprocess.DEVNULL, check=False)
    shutil.rmtree(folder, ignore_errors=True)


def ip(*words):
    subprocess.run(["ip", *words], check=True)


def host(name, address):
    """A namespace with one address; all are on one bridge."""
    ip("netns", "add", name)
    namespaces.append(name)
    ip("link", "add", f"l{len(namespaces)}", "netns", f"{NAME}-hub", "type", "veth", "peer", "name", "eth0", "netns", name)
    ip("-n", f"{NAME}-hub", "link", "set", f"l{len(namespaces)}", "master", "br0", "up")
    ip("-n", name, "link", "set", "lo", "up")
    ip("-n", name, "address", "add", f"{address}/15", "dev", "eth0")
    ip("-n", name, "link", "set", "eth0", "up")
    ip("-n", name, "route", "add", "default", "dev", "eth0")


def start(name, *words, **options):
    process = subprocess.Popen(["ip", "netns", "exec", name, *words], **options)
    processes.append(process)
    return process


class Router:
    """A home's router, which opens ports by PCP and NAT-PMP, by UPnP, or not at all. One machine is behind it."""

    def __init__(self, name, address, way):
        self.name, self.address, self.way, self.daemon = f"{NAME}-{name}-router", address, way, None
        host(self.name, address)
        inside = f"{NAME}-{name}"
        ip("netns", "add", inside)
        namespaces.append(inside)
        ip("link", "add", "lan0", "netns", self.name, "type", "veth", "peer", "name", "eth0", "netns", inside)
        ip("-n", self.name, "address", "add", "192.168.7.1/24", "dev", "lan0")
        ip("-n", self.name, "link", "set", "lan0", "up")
        ip("-n", inside, "link", "set", "lo", "up")
        ip("-n", inside, "address", "add", "192.168.7.2/24", "dev", "eth0")
        ip("-n", inside, "link", "set", "eth0", "up")
        ip("-n", inside, "route", "add", "default", "via", "192.168.7.1")
        run = ["ip", "netns", "exec", self.name]
        subprocess.run([*run, "sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward"], check=True)
        subprocess.run([*run, "nft", "-f", "-"], input=RULES, text=True, check=True)
        self.open()

    def open(self):
        if self.way is None:
            return
        words = {"PCP": ("no", "yes", "Listening for NAT-PMP/PCP"), "UPnP": ("yes", "no", "HTTP listening on port")}
        upnp, pcp, ready = words[self.way]
        path = f"{folder}/{self.name}.conf"
        pathlib.Path(path).write_text(
            f"ext_ifname=eth0\nlistening_ip=lan0\nenable_upnp={upnp}\nenable_natpmp={pcp}\n"
            "uuid=00000000-0000-0000-0000-000000000001\nallow 1024-65535 0.0.0.0/0 1024-65535\ndeny 0-65535 0.0.0.0/0 0-65535\n")
        self.daemon = start(
            self.name, "miniupnpd", "-d", "-f", path, "-P", f"{path}.pid", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        while ready not in (line := self.daemon.stdout.readline()):
            if not line:
                sys.exit("miniupnpd did not start")

    def move(self, address):
        """Its provider gives it another address, and it forgets which ports it has opened."""
        if self.daemon:
            self.daemon.kill()
            self.daemon.wait()
        subprocess.run(["ip", "netns", "exec", self.name, "nft", "-f", "-"], input=RULES, text=True, check=True)
        ip("-n", self.name, "address", "del", f"{self.address}/15", "dev", "eth0")
        ip("-n", self.name, "address", "add", f"{address}/15", "dev", "eth0")
        ip("-n", self.name, "route", "add", "default", "dev", "eth0")
        self.address = address
        self.open()


RULES = """
flush ruleset
table inet filter {
  chain input { type filter hook input priority 0; policy drop; iifname { "lo", "lan0" } accept; ct state established,related accept; }
  chain forward {
    type filter hook forward priority 0; policy drop;
    iifname "lan0" accept; ct state established,related accept; jump miniupnpd
  }
  chain miniupnpd { }
  chain prerouting { type nat hook prerouting priority -100; jump prerouting_miniupnpd; }
  chain postrouting {
    type nat hook postrouting priority 100;
    jump postrouting_miniupnpd; meta nfproto ipv4 oifname "eth0" masquerade
  }
  chain prerouting_miniupnpd { }
  chain postrouting_miniupnpd { }
}
"""


class Node:
    def __init__(self, person, address=None):
        """At an address of the internet; with none, behind the router of its name."""
        self.person, self.name, self.address = person, f"{NAME}-{person}", address
        self.log = f"{folder}/{person}.log"
        if address:
            host(self.name, address)
        self.ask("init", "--name", person)

    def ask(self, *words):
        done = subprocess.run(
            ["ip", "netns", "exec", self.name, PROGRAM, "--data", f"{folder}/{self.person}", "--json", *words],
            stdout=subprocess.PIPE, text=True, check=True)
        return json.loads(done.stdout)

    def up(self):
        self.process = start(
            self.name, PROGRAM, "--data", f"{folder}/{self.person}", "up", "--listen", f"0.0.0.0:{PORT}", "--no-web", "--no-lan",
            "--dht", BOOTSTRAP, "--log", "debug", stdout=subprocess.PIPE, stderr=open(self.log, "a"), text=True)
        self.process.stdout.readline()

    def down(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=30)

    def move(self, address):
        ip("-n", self.name, "address", "del", f"{self.address}/15", "dev", "eth0")
        ip("-n", self.name, "address", "add", f"{address}/15", "dev", "eth0")
        ip("-n", self.name, "route", "add", "default", "dev", "eth0")
        self.address = address

    def until(self, what, holds, limit=300, pause=0.5):
        end = time.monotonic() + limit
        while not holds():
            if time.monotonic() > end:
                sys.exit(f"waited in vain: {what}")
            time.sleep(pause)

    def reaches(self, person):
        """Whether it is linked with this person's node."""
        return any(member["name"] == person and member.get("path") for member in self.ask("members")["members"])

    def times(self, of):
        """Milliseconds that something in the DHT took, as its log has them."""
        lines = re.findall(of + r" after (\d+) ms", pathlib.Path(self.log).read_text())
        return sorted(int(line) for line in lines)

    def traffic(self):
        """Bytes of IP in both directions: links, notices and the DHT, without the bridge's ARP."""
        table = subprocess.run(
            ["ip", "netns", "exec", self.name, "cat", "/proc/net/netstat"], stdout=subprocess.PIPE, text=True, check=True).stdout
        names, numbers = [line.split() for line in table.splitlines() if line.startswith("IpExt:")]
        counted = dict(zip(names, numbers))
        return int(counted["InOctets"]) + int(counted["OutOctets"])

    def memory(self, program):
        """MB of its processes that run this program; none where there is none."""
        ids = subprocess.run(["ip", "netns", "pids", self.name], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
        for number in ids:
            try:
                if os.path.basename(os.readlink(f"/proc/{number}/exe")) == program:
                    lines = pathlib.Path(f"/proc/{number}/status").read_text().splitlines()
                    return int(next(line for line in lines if line.startswith("VmRSS:")).split()[1]) / 1000
            except (FileNotFoundError, ProcessLookupError):
                continue
        return None


def watch(node):
    """Bytes a second, MB of the node, and most MB of its helper, while nothing is done."""
    before, helper, begin = node.traffic(), 0.0, time.monotonic()
    while time.monotonic() - begin < IDLE:
        time.sleep(1)
        helper = max(helper, node.memory("streakmesh-internet") or 0)
    return (node.traffic() - before) / (time.monotonic() - begin), node.memory("streakmesh"), helper


atexit.register(clear)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
ip("netns", "add", f"{NAME}-hub")
namespaces.append(f"{NAME}-hub")
ip("-n", f"{NAME}-hub", "link", "add", "br0", "type", "bridge")
ip("-n", f"{NAME}-hub", "link", "set", "br0", "up")
# Two halves: witnesses of one provider count as one. A search asks one node of 256 neighbouring addresses, so each has its own.
places = [f"20.{18 + number % 2}.{100 + number}.1" for number in range(DHT_NODES)]
BOOTSTRAP = f"{places[0]}:6881"
dht = []
for number, place in enumerate(places):
    host(f"{NAME}-d{number}", place)
    others = [f"{other}:6881" for other in places[:3] if other != place]
    dht.append(start(
        f"{NAME}-d{number}", "/usr/bin/python3", "-I", str(SCRIPT), place, "6881", *others,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True))
for node in dht:
    while (line := node.stdout.readline()) != "settled\n":
        if not line:
            sys.exit("a node of the DHT did not start: is python3-libtorrent installed?")

ada, ben = Node("ada", "20.18.1.1"), Node("ben", "20.19.1.1")
ada.up()
ben.up()
ada.ask("group", "create", "Bench")
link = ada.ask("invite")["link"]
ben.ask("join", link)
ada.until("the note lies in the DHT", lambda: ada.ask("status")["internet"]["dht"]["published"])
for setting in ("off", "on"):
    for node in (ada, ben):
        node.ask("internet", setting)
    time.sleep(20)
    traffic, memory, helper = watch(ben)
    show(f"idle node, internet {setting}: traffic", traffic, "B/s")
    show(f"idle node, internet {setting}: memory", memory, "MB")
    if setting == "on":
        show("helper: most memory while idle", helper, "MB", "20")

# Somebody joins by a link whose addresses are all old: the DHT is all that is left.
link = ada.ask("invite")["link"]
ada.down()
ben.down()
ada.move("20.18.2.1")
cleo = Node("cleo", "20.19.3.1")
ada.up()
ada.until("the note lies in the DHT again", lambda: ada.ask("status")["internet"]["dht"]["published"])
cleo.up()
begin = time.monotonic()
cleo.ask("join", link, "--timeout", "5m")
show("join by the DHT alone", time.monotonic() - begin, "s", "60")

# Two whose addresses have both changed while they were off.
ada.down()
ada.move("20.18.4.1")
ben.move("20.19.5.1")
begin = time.monotonic()
ada.up()
ben.up()
ben.until("they are linked again", lambda: ben.reaches("ada"), limit=600)
show("all addresses changed while off: linked again by the DHT", time.monotonic() - begin, "s", "360")
for node in (ada, ben, cleo):
    node.down()

# Homes behind routers.
routers = {
    "dan": Router("dan", "20.18.6.1", "PCP"), "eve": Router("eve", "20.19.6.1", "UPnP"), "fay": Router("fay", "20.19.7.1", None), "gus": Router("gus", "20.18.7.1", None)}
dan, eve, fay, gus = (Node(name) for name in routers)
for node, goal in ((dan, "0.3"), (eve, "6")):
    node.up()
    begin = time.monotonic()
    node.until("its port is open", lambda: node.ask("internet")["reach"] == "mapped", pause=0)
    show(f"port opened after the start, by {routers[node.person].way}", time.monotonic() - begin, "s", goal)
eve.down()
fay.up()
dan.ask("group", "create", "Homes")
fay.ask("join", dan.ask("invite")["link"])
dan.until("they are linked", lambda: dan.reaches("fay"))


def digest(node):
    return node.ask("status")["groups"][0]["digest"]


routers["dan"].move("20.18.8.1")
routers["fay"].move("20.19.9.1")
begin = time.monotonic()
dan.ask("record", "wordle", "--score", "3")
dan.until("both have the result", lambda: digest(dan) == digest(fay), limit=1200)
show("all addresses changed while on, one port open", time.monotonic() - begin, "s", "60")

# Two behind routers that open no port, brought together by a third.
gus.up()
gus.ask("join", dan.ask("invite")["link"])
begin = time.monotonic()
gus.until("it is linked with somebody it has just heard of", lambda: gus.reaches("fay"), pause=0)
show("linked with a friend's friend after joining, no port open", time.monotonic() - begin, "s", "3")
dan.down()
routers["fay"].move("20.19.10.1")
routers["gus"].move("20.18.10.1")
begin = time.monotonic()
fay.ask("record", "wordle", "--score", "3")
fay.until("both have the result", lambda: digest(fay) == digest(gus), limit=1200)
show("all addresses changed while on, no port open", time.monotonic() - begin, "s", "360")

nodes = (ada, ben, cleo, dan, fay, gus)
for what, name, goal in (("notice stored by [1-9]\\d* nodes of the DHT", "notice put", "100"), ("notice found in the DHT", "notice found", "50")):
    times = sorted(time for node in nodes for time in node.times(what))
    if not times:
        sys.exit(f"no log has a {name}")
    kind = f"{name}, helper's start and way into the DHT with it"
    show(f"{kind}, quickest of {len(times)}", times[0], "ms", goal)
    show(f"{kind}, median of {len(times)}", times[len(times) // 2], "ms", goal)
