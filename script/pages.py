"""Checks the pages of a running node in a browser; see script/pages.

usage: pages.py PROGRAM CHROMIUM
"""
import datetime
import json
import os
import queue
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from pathlib import Path

import axe_playwright_python
from playwright.sync_api import sync_playwright

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js")
WIDTHS = (320, 1280)
SCHEMES = ("light", "dark")
RULES = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]},
    "rules": {"target-size": {"enabled": True}},
    "resultTypes": ["violations"],
}
# A scheme changes only colours.
COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast"]}, "resultTypes": ["violations"]}
# Addresses that differ only in values look alike, so one of them is checked; at most this many for one path.
MOST_OF_PATH = 4
# A folder for pictures of each page at two widths, light and dark, for somebody to look at.
PICTURES = os.environ.get("PAGES_PICTURES")
READY = 60


class Account:
    """A friend with a data folder."""

    def __init__(self, program, folder, name):
        self.program, self.folder = program, f"{folder}/{name}"
        self.ask("init", "--name", name)

    def ask(self, *words, text=None):
        done = subprocess.run(
            [self.program, "--data", self.folder, "--json", *words], input=text, capture_output=True, text=True, timeout=READY)
        if done.returncode != 0:
            raise SystemExit(f"streakmesh {' '.join(words)} failed: {done.stdout}{done.stderr}")
        return json.loads(done.stdout)


class Node(Account):
    """A friend whose node runs."""

    def __init__(self, program, folder, name):
        super().__init__(program, folder, name)
        words = ["--data", self.folder, "--json", "up", "--listen", "127.0.0.1:0", "--web", "127.0.0.1:0", "--no-lan"]
        self.process = subprocess.Popen([program, *words], stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            event = json.loads(line)
            if event["event"] == "ready":
                self.web, self.sign_in = event["web"], event["signIn"]
                break
        else:
            raise SystemExit("The node did not start.")
        self.events = queue.SimpleQueue()
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        for line in self.process.stdout:
            self.events.put(line)

    def until(self, what, holds):
        """Waits until a condition holds, looking again whenever the node tells something and now and then."""
        deadline = time.monotonic() + READY
        while not holds():
            if time.monotonic() > deadline:
                raise SystemExit(f"Waited in vain until {what}.")
            try:
                self.events.get(timeout=0.2)
            except queue.Empty:
                pass

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()


def results(seed, games, days):
    """A file of results: many on some days, so that the calendar shows all of its colours."""
    chance = random.Random(seed)
    today = datetime.date.today()
    lines = ["date,game,score,maxAttempts,completed,seconds"]
    for ago in range(days):
        day = today - datetime.timedelta(days=ago)
        for game in games[: chance.choice([0, 1, 2, 3, 5, len(games), len(games)]) if ago else len(games)]:
            if game == "nyt-mini":
                lines.append(f"{day},{game},,,true,{chance.randint(20, 240)}")
            else:
                lost = chance.random() < 0.08
                least, most = {"connections": (4, 7)}.get(game, (1, 6))
                lines.append(f"{day},{game},{'' if lost else chance.randint(least, most)},{most},{str(not lost).lower()},")
    return "\n".join(lines) + "\n"


def furnish(ada, bela, folder):
    """Something on every page: five people, 120 days of results, invites, own games, words, challenges."""
    ada.ask("group", "create", "Breakfast club with a rather long name for a phone")
    link = ada.ask("invite", "--uses", "5")["link"]
    ada.ask("invite", "--uses", "5", "--approval")
    others = [Account(ada.program, folder, name) for name in ("Zoë Österreicher-Weißenböck", "小明", "Dan")]
    for friend in (bela, *others):
        friend.ask("join", link)
    games = ["wordle", "connections", "nyt-mini", "worldle", "framed", "tradle", "bandle", "globle", "nerdle", "heardle"]
    for seed, node in enumerate((ada, bela, *others), 1):
        known = [game["id"] for game in node.ask("games")["games"]]
        path = f"{folder}/{seed}.csv"
        Path(path).write_text(results(seed, [game for game in games if game in known], 120))
        node.ask("import", path)
        node.ask("sharing", "resume", "--history", "all")
        if node in others:
            node.ask("sync")
    ada.ask("games", "add", "Block Blast", "--model", "highScore", "--icon", "🧱")
    ada.ask("games", "add", "Press-ups", "--model", "count", "--icon", "💪")
    ada.ask("record", "Press-ups")
    ada.ask("reminders", "on")

    def are_there():
        rows = ada.ask("board", "--range", "all", "--reveal")["rows"]
        return sum(1 for row in rows if row["played"] > 100) == 5

    ada.until("the results have come", are_there)
    challenge(ada, bela)
    talk(ada, bela, others)


def talk(ada, bela, others):
    """Reactions and comments on Ada's result, and messages between her and Bela."""
    for friend in (bela, *others):
        friend.ask("react", "Ada", "wordle", "👏" if friend is bela else "🔥")
        friend.ask("comment", "add", "Ada", "wordle", "How did you see that?" if friend is bela else "So close! " * 40)
        if friend in others:
            friend.ask("sync")
    ada.ask("comment", "add", "Ada", "wordle", "By luck.")
    ada.until("all have said something", lambda: len(ada.ask("comment", "list", "Ada", "wordle")["comments"]) == 5)
    ada.ask("friend", "add", bela.ask("friend", "code")["code"])
    bela.until("Ada asks", lambda: bela.ask("friend", "list")["received"])
    bela.ask("friend", "approve", "Ada")
    bela.until("they are friends", lambda: bela.ask("message", "list")["friends"])
    bela.ask("message", "send", "Ada", "Shall we play at breakfast? " * 12)
    ada.until("it is there", lambda: any(friend["fresh"] for friend in ada.ask("message", "list")["friends"]))
    ada.ask("message", "send", "Bela", "Yes!")


def challenge(ada, bela):
    """One challenge that waits, one that is open and one that has ended."""

    def await_one(node, state):
        node.until(f"a challenge is {state}", lambda: node.ask("challenge", "list")[state])

    ada.ask("record", "strands", "--score", "1")
    ada.ask("challenge", "make", "strands", "--to", "Bela")
    await_one(bela, "waiting")
    bela.ask("record", "strands", "--score", "0")
    await_one(ada, "ended")
    bela.ask("record", "waffle", "--score", "3")
    bela.ask("challenge", "make", "waffle", "--to", "Ada")
    await_one(ada, "waiting")
    ada.ask("record", "nerdle-mini", "--score", "3")
    ada.ask("challenge", "make", "nerdle-mini")


def likeness(address):
    """What the addresses of pages that look alike have in common: words that choose a view count, others do not."""
    parts = urllib.parse.urlsplit(address)
    fields = urllib.parse.parse_qsl(parts.query)
    views = ("range", "metric", "scope", "period", "category", "favourites")
    return parts.path, tuple(sorted((name, value if name in views else "") for name, value in fields))


class Visitor:
    def __init__(self, page, home):
        self.page, self.home = page, home
        self.faults, self.views = {}, 0

    def visit(self, address):
        """Looks at one page in every way, and returns where its links lead."""
        answer = self.page.goto(self.home + address, wait_until="load")
        if answer.status >= 400:
            self.note(f"answered {answer.status}", address)
        links = self.page.eval_on_selector_all("a[href]", "links => links.map(link => link.href)")
        for width in WIDTHS:
            for scheme in SCHEMES:
                self.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
                self.resize(width)
                self.look(f"{address} ({width} px, {scheme})", RULES if scheme == SCHEMES[0] else COLOURS)
        if PICTURES:
            self.draw(re.sub(r"\W+", "-", re.sub(r"\b[0-9a-f]{16,}\b", "", address)).strip("-"))
        return links

    def draw(self, name):
        for width in (390, 1280):
            self.resize(width)
            for scheme in SCHEMES:
                self.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
                self.page.screenshot(path=f"{PICTURES}/{name}-{width}-{scheme}.png", full_page=True)

    def resize(self, width):
        """High enough that nothing lies under the bar at the lower edge, where a user would scroll."""
        self.page.set_viewport_size({"width": width, "height": 720})
        height = self.page.evaluate("document.documentElement.scrollHeight")
        self.page.set_viewport_size({"width": width, "height": min(height + 160, 15_000)})

    def look(self, view, rules):
        self.views += 1
        wide = self.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        if wide > 0:
            self.note("wider than the screen", f"{view} by {wide} px")
        found = self.page.evaluate("rules => axe.run(document, rules)", rules)
        for violation in found["violations"]:
            for node in violation["nodes"]:
                why = re.sub(r"\s+", " ", node["failureSummary"])[:300]
                self.note(f"{violation['id']}: {' '.join(map(str, node['target']))}: {why}", view)

    def note(self, fault, view):
        self.faults.setdefault(fault, []).append(view)


def pages(visitor, first, most=MOST_OF_PATH):
    """Follows every link, and yields the addresses looked at: at most so many of one path."""
    waiting, seen, kinds = [first], {first}, set()
    while waiting:
        address = waiting.pop(0)
        kind = likeness(address)
        if kind in kinds or sum(1 for other in kinds if other[0] == kind[0]) == most:
            continue
        kinds.add(kind)
        for link in visitor.visit(address):
            parts = urllib.parse.urlsplit(link)
            target = parts.path + (f"?{parts.query}" if parts.query else "")
            own = f"{parts.scheme}://{parts.netloc}" == visitor.home
            # Files are no pages.
            if own and target not in seen and not target.startswith(("/assets/", "/export", "/picture/image")):
                seen.add(target)
                waiting.append(target)
        yield address


def main(program, chromium):
    nodes = []
    with tempfile.TemporaryDirectory(prefix="streakmesh-pages.") as folder:
        try:
            nodes = [Node(program, folder, "Ada"), Node(program, folder, "Bela")]
            ada, bela = nodes
            furnish(ada, bela, folder)
            with sync_playwright() as playwright:
                arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
                browser = playwright.chromium.launch(executable_path=chromium, args=arguments)
                context = browser.new_context(bypass_csp=True)
                context.add_init_script(path=str(AXE))
                page = context.new_page()
                # Streams of events would keep pages from being left at once.
                page.route("**/events", lambda route: route.abort())
                page.goto(ada.sign_in)
                visitor = Visitor(page, ada.web)
                looked_at = list(pages(visitor, "/today"))
                browser.close()
        finally:
            for node in nodes:
                node.stop()
    for fault, views in visitor.faults.items():
        print(f"✘ {fault}\n    in {len(views)}: {', '.join(views[:3])}")
    print(f"{len(looked_at)} pages in {visitor.views} views: {len(visitor.faults) or 'no'} faults.")
    if os.environ.get("PAGES_LIST"):
        print("\n".join(looked_at))
    return 1 if visitor.faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
