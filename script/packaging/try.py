"""Uses an installed package as somebody would who just installed it, and says what it saw.

usage: try.py ROOT PROGRAM make|join

ROOT is the root folder of a system with the package, PROGRAM a streakmesh that was built from source, run beside it on the same
network. `make` starts the command of the service and makes an account on the page. `join` starts it again with that account: the friend
with PROGRAM joins by link, both see one board, and links open as previews. Run it as root, in a network of its own.
"""

import atexit
import http.client
import json
import os
import pathlib
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
import urllib.parse

ROOT, PROGRAM, STEP = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
HOME = "/home/player"
LIMIT = 30  # seconds that anything here may take


def check(condition, text):
    if not condition:
        sys.exit(f"FAILED: {text}")
    print(f"  {text}")


def in_root(*words, extra=()):
    variables = [f"HOME={HOME}", "PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", *extra]
    return ["chroot", "--userspec=1000:1000", str(ROOT), "env", "-i", *variables, *words]


def ask(command, *words):
    """What a command of streakmesh answers, as JSON."""
    done = subprocess.run([*command, "--json", *words], capture_output=True, text=True, timeout=LIMIT)
    if done.returncode != 0:
        sys.exit(f"FAILED: {' '.join(words)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def until(what, look):
    deadline = time.monotonic() + LIMIT
    while not (seen := look()):
        if time.monotonic() > deadline:
            sys.exit(f"FAILED: waited in vain: {what}")
        time.sleep(0.05)
    return seen


class Browser:
    """Enough of one to click on the page."""

    def __init__(self, sign_in):
        self.host = urllib.parse.urlsplit(sign_in).netloc
        self.cookie = ""
        self.page = self.get(sign_in.partition(self.host)[2])

    def request(self, method, path, body=None, kind=None):
        connection = http.client.HTTPConnection(self.host, timeout=LIMIT)
        headers = {"Cookie": self.cookie} if self.cookie else {}
        if kind:
            headers |= {"Content-Type": kind, "Origin": f"http://{self.host}"}
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        if answer.getheader("Set-Cookie"):
            self.cookie = answer.getheader("Set-Cookie").split(";")[0]
        if answer.status in (302, 303):
            return self.get(answer.getheader("Location"))
        return answer.status, text

    def get(self, path):
        return self.request("GET", path)

    def send(self, path, **fields):
        return self.request("POST", path, urllib.parse.urlencode(fields), "application/x-www-form-urlencoded")


class Service:
    """The service's command, started as systemd starts it."""

    def __init__(self):
        unit = (ROOT / "usr/lib/systemd/user/streakmesh.service").read_text()
        words = shlex.split(re.search(r"^ExecStart=(.*)$", unit, re.M)[1])
        self.notices = []
        path = ROOT / HOME[1:] / "notify"
        path.unlink(missing_ok=True)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(path))
        os.chown(path, 1000, 1000)
        self.socket.setblocking(False)
        began = time.monotonic()
        self.process = subprocess.Popen(
            in_root(*words, extra=[f"NOTIFY_SOCKET={HOME}/notify", "WATCHDOG_USEC=2000000"]), stdout=subprocess.DEVNULL
        )
        atexit.register(self.process.kill)
        until("the service is ready", lambda: self.heard("READY=1"))
        check(True, f"the service was ready after {time.monotonic() - began:.2f} s")

    def heard(self, notice):
        try:
            while True:
                self.notices.append(self.socket.recv(4096).decode())
        except BlockingIOError:
            return notice in self.notices

    def stop(self):
        until("the service is alive", lambda: self.heard("WATCHDOG=1"))
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=LIMIT)
        took = time.monotonic() - began
        check(code == 0 and took <= 1 and self.heard("STOPPING=1"), f"it stopped by itself within {took:.2f} s")


def make_account():
    node = ["streakmesh"]
    service = Service()
    browser = Browser(ask(in_root(*node), "open", "--print")["signIn"])
    check("Welcome to StreakMesh" in browser.page[1], "the page welcomes somebody without an account")
    check(browser.send("/welcome/new", name="Ada")[0] == 200, "the page made an account")
    check(ask(in_root(*node), "whoami")["name"] == "Ada", "the node has that account")
    check(ask(in_root(*node), "add", "Wordle 1,981 3/6")["added"], "a result is recorded")
    service.stop()


def meet_a_friend():
    ada, friend = in_root("streakmesh"), [PROGRAM, "--data", str(ROOT / "tmp/friend")]
    service = Service()
    check(ask(ada, "whoami")["name"] == "Ada", "the account is there after the upgrade")
    ask(friend, "init", "--name", "Bela")
    ask(ada, "group", "create", "Breakfast club")
    link = ask(ada, "invite")["link"]
    other = subprocess.Popen([*friend, "up", "--no-web"], stdout=subprocess.DEVNULL)
    atexit.register(other.kill)
    ask(friend, "join", link)
    ask(ada, "add", "Connections\nPuzzle #640\n🟨🟨🟨🟨\n🟩🟩🟩🟩\n🟦🟦🟦🟦\n🟪🟪🟪🟪")

    def digests():
        return [ask(who, "status")["groups"][0]["digest"] for who in (ada, friend)]

    until("both have the same", lambda: len(set(digests())) == 1)
    check(len(ask(friend, "members")["members"]) == 2, "a friend with a node built from source joined, and has the same results")
    follow_links(ada, link)
    other.terminate()
    other.wait(timeout=LIMIT)
    service.stop()


def follow_links(ada, invite):
    """What the desktop does with a link, with a browser that notes what it is to show."""
    before = ask(ada, "status")["groups"][0]["digest"]
    noted = ROOT / "tmp/shown"
    browser = ROOT / "usr/local/bin/noting-browser"
    browser.write_text("#!/bin/sh\nprintf '%s\\n' \"$1\" >/tmp/shown.new && mv /tmp/shown.new /tmp/shown\n")
    browser.chmod(0o755)
    for link, shown in [
        ("streakmesh://game/wordle", "Wordle"),
        ("streakmesh://add?text=Wordle%201%2C982%204%2F6", "No. 1,982"),
        (invite, "Breakfast club"),
    ]:
        noted.unlink(missing_ok=True)
        subprocess.run(
            in_root("xdg-open", link, extra=["DISPLAY=:99", "BROWSER=noting-browser"]), check=True, timeout=LIMIT
        )
        address = until("the browser opens", lambda: noted.exists() and noted.read_text().strip())
        status, text = Browser(address).page
        check(status == 200 and shown in text, f"xdg-open shows a preview of {link[:24]}…")
    check(ask(ada, "status")["groups"][0]["digest"] == before, "following links changed nothing")
    browser.unlink()


{"make": make_account, "join": meet_a_friend}[STEP]()
