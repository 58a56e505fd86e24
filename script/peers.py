#!/usr/bin/env python3
"""Measures how fast other programs bring entries from one node to another one, on this machine.

usage: peers.py iroh-docs|syncthing

Prints a line each of name, value, unit, like streakmesh-bench. Two processes talk over the loopback interface of a
network of their own (`unshare --net`), so that every byte counted there is theirs. iroh-docs signs every entry twice, by
author and namespace; Syncthing signs none and sends files.
"""
import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

ENTRIES = 10_000
MISSED = 100
SINGLE = 50
SIZE = 120
DEADLINE = 180


def show(name, value, unit):
    print(f"{name}\t{value:.2f}\t{unit}\t–" if value < 10 else f"{name}\t{value:.1f}\t{unit}\t–", flush=True)


def loopback_bytes():
    with open("/proc/net/dev") as table:
        line = next(line for line in table if line.strip().startswith("lo:"))
    return int(line.split(":")[1].split()[0])


def value(number):
    return f"entry {number} ".encode().ljust(SIZE, b".")


# --- iroh-docs 0.35.0: each node is this program again, and gets its orders line by line.


class IrohNode:
    def __init__(self, role, folder):
        self.process = subprocess.Popen(
            [sys.executable, __file__, "iroh-node", role, folder],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *words):
        self.process.stdin.write(" ".join(words) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError("the iroh node ended")
        return answer.strip()

    def stop(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)


def measure_iroh(folder):
    first = IrohNode("first", os.path.join(folder, "first"))
    second = IrohNode("second", os.path.join(folder, "second"))
    ticket = first.ask("create")
    first.ask("insert", "0", str(ENTRIES))
    before, start = loopback_bytes(), time.monotonic()
    second.ask("join", ticket, str(ENTRIES), str(ENTRIES))
    show(f"iroh-docs 0.35.0: {ENTRIES} entries to a second node", time.monotonic() - start, "s")
    show("iroh-docs 0.35.0: bytes on the wire for each", (loopback_bytes() - before) / ENTRIES, "B")
    times = []
    for number in range(ENTRIES, ENTRIES + SINGLE):
        second.ask("expect")
        sent = float(first.ask("insert", str(number), "1"))
        times.append((float(second.ask("seen")) - sent) * 1000)
    show(f"iroh-docs 0.35.0: one new entry visible, p50 of {SINGLE}", sorted(times)[SINGLE // 2], "ms")
    second.stop()
    first.ask("insert", str(ENTRIES + SINGLE), str(MISSED))
    before, start = loopback_bytes(), time.monotonic()
    second = IrohNode("second", os.path.join(folder, "second"))
    # Only the keys: after a restart it does not fetch their contents by itself.
    second.ask("join", ticket, str(ENTRIES + SINGLE + MISSED), "0")
    show(f"iroh-docs 0.35.0: keys of {MISSED} missed among {ENTRIES}, start of the node included", time.monotonic() - start, "s")
    show("iroh-docs 0.35.0: bytes on the wire for them", loopback_bytes() - before, "B")
    second.stop()
    first.stop()


async def iroh_node(role, folder):
    import iroh

    iroh.iroh_ffi.uniffi_set_event_loop(asyncio.get_running_loop())
    options = iroh.NodeOptions()
    options.enable_docs = True
    options.node_discovery = iroh.NodeDiscoveryConfig.NONE
    os.makedirs(folder, exist_ok=True)
    node = await iroh.Iroh.persistent_with_options(folder, options)
    author = await node.authors().create()
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    doc = None
    arrived = asyncio.Event()
    moment = [0.0]

    class Listener(iroh.SubscribeCallback):
        async def event(self, event):
            if event.type() == iroh.LiveEventType.INSERT_REMOTE:
                moment[0] = time.monotonic()
                arrived.set()

    async def held():
        return len(await doc.get_many(iroh.Query.all(None)))

    while line := (await lines.readline()).decode().split():
        command, *words = line
        answer = "done"
        if command == "create":
            doc = await node.docs().create()
            answer = str(await doc.share(iroh.ShareMode.WRITE, iroh.AddrInfoOptions.ADDRESSES))
        elif command == "insert":
            begun = time.monotonic()
            for number in range(int(words[0]), int(words[0]) + int(words[1])):
                await doc.set_bytes(author, f"key-{number}".encode(), value(number))
            answer = str(begun)
        elif command == "join":
            doc = await node.docs().join(iroh.DocTicket(words[0]))
            await doc.subscribe(Listener())
            end = time.monotonic() + DEADLINE
            # Keys come first, their contents after them.
            while await held() < int(words[1]) or len(await node.blobs().list()) < int(words[2]):
                if time.monotonic() > end:
                    raise RuntimeError("not everything came")
                arrived.clear()
                try:
                    await asyncio.wait_for(arrived.wait(), 0.05)
                except asyncio.TimeoutError:
                    pass
        elif command == "expect":
            arrived.clear()
        elif command == "seen":
            await asyncio.wait_for(arrived.wait(), DEADLINE)
            answer = str(moment[0])
        print(answer, flush=True)
    await node.node().shutdown()


# --- Syncthing: a folder of files, over its own protocol; the program as its package installs it.


class Syncthing:
    def __init__(self, name, folder, port):
        self.home = os.path.join(folder, name, "home")
        self.files = os.path.join(folder, name, "files")
        self.port = port
        os.makedirs(self.files)
        subprocess.run(["syncthing", "generate", "--home", self.home], check=True, capture_output=True)
        self.id = subprocess.run(
            ["syncthing", "--home", self.home, "--device-id"], check=True, capture_output=True, text=True
        ).stdout.strip()
        self.process = None
        # The number of the first file that has not come.
        self.seen = 0

    def configure(self, other):
        path = os.path.join(self.home, "config.xml")
        with open(path, "w") as file:
            file.write(f"""<configuration version="35">
  <folder id="entries" path="{self.files}" type="sendreceive" rescanIntervalS="3600" fsWatcherEnabled="true"
      fsWatcherDelayS="1"><device id="{self.id}"/><device id="{other.id}"/></folder>
  <device id="{self.id}"><address>dynamic</address></device>
  <device id="{other.id}"><address>tcp://127.0.0.1:{other.port}</address></device>
  <gui enabled="true"><address>127.0.0.1:{self.port + 1}</address><apikey>bench</apikey></gui>
  <options><listenAddress>tcp://127.0.0.1:{self.port}</listenAddress>
    <globalAnnounceEnabled>false</globalAnnounceEnabled><localAnnounceEnabled>false</localAnnounceEnabled>
    <relaysEnabled>false</relaysEnabled><natEnabled>false</natEnabled><urAccepted>-1</urAccepted>
    <crashReportingEnabled>false</crashReportingEnabled><autoUpgradeIntervalH>0</autoUpgradeIntervalH></options>
</configuration>""")

    def start(self):
        self.process = subprocess.Popen(
            ["syncthing", "serve", "--no-browser", "--home", self.home], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env=dict(os.environ, STNODEFAULTFOLDER="1", STNORESTART="1"))

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=60)

    def write(self, start, count):
        for number in range(start, start + count):
            with open(os.path.join(self.files, f"entry-{number}"), "wb") as file:
                file.write(value(number))

    def scan(self):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port + 1}/rest/db/scan?folder=entries", method="POST", headers={"X-API-Key": "bench"})
        urllib.request.urlopen(request).read()

    def wait(self, count):
        # Looks for each file until it is there, and never again: counting ten thousand files over and over would
        # distort the measurement.
        end = time.monotonic() + DEADLINE
        while self.seen < count:
            if os.path.exists(os.path.join(self.files, f"entry-{self.seen}")):
                self.seen += 1
                continue
            if time.monotonic() > end:
                raise RuntimeError(f"not everything came: {self.seen} of {count} in {DEADLINE} s")
            time.sleep(0.01)


def measure_syncthing(folder):
    first, second = Syncthing("first", folder, 22101), Syncthing("second", folder, 22201)
    first.configure(second)
    second.configure(first)
    first.write(0, ENTRIES)
    before, start = loopback_bytes(), time.monotonic()
    first.start()
    second.start()
    second.wait(ENTRIES)
    show(f"Syncthing: {ENTRIES} files to a second node, start of both included", time.monotonic() - start, "s")
    show("Syncthing: bytes on the wire for each", (loopback_bytes() - before) / ENTRIES, "B")
    times = []
    for number in range(ENTRIES, ENTRIES + 5):
        start = time.monotonic()
        first.write(number, 1)
        second.wait(number + 1)
        times.append(time.monotonic() - start)
    show("Syncthing: one new file visible, p50 of 5", sorted(times)[2], "s")
    second.stop()
    first.write(ENTRIES + 5, MISSED)
    first.scan()
    before, start = loopback_bytes(), time.monotonic()
    second.start()
    second.wait(ENTRIES + 5 + MISSED)
    show(f"Syncthing: {MISSED} missed among {ENTRIES}, start of the node included", time.monotonic() - start, "s")
    show("Syncthing: bytes on the wire for them", loopback_bytes() - before, "B")
    second.stop()
    first.stop()


def main():
    subject = sys.argv[1] if len(sys.argv) > 1 else ""
    if subject == "iroh-node":
        return asyncio.run(iroh_node(sys.argv[2], sys.argv[3]))
    measures = {"iroh-docs": measure_iroh, "syncthing": measure_syncthing}
    if subject not in measures:
        sys.exit(__doc__)
    folder = tempfile.mkdtemp(prefix="streakmesh-peers-")
    try:
        measures[subject](folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
