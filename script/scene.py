"""What the checks of pages share: two friends who play together, their browsers, and a list of faults.

Uses the nodes of pages.py and the friends of together.py.
"""
import contextlib
import os
import re
import sys
import tempfile
import time

from playwright.sync_api import Error, expect, sync_playwright
from together import Friend

# How long a page may take to show something, in milliseconds.
PATIENCE = 10_000


class Faults:
    """What is wrong, each once, with the views that show it."""

    def __init__(self):
        self.found = {}

    def note(self, view, element, fault):
        self.found.setdefault(f"{element} {fault}", []).append(view)

    def show(self):
        for fault, views in self.found.items():
            views = list(dict.fromkeys(views))
            print(f"✘ {fault}\n    in {len(views)}: {', '.join(views[:3])}")


@contextlib.contextmanager
def two_friends(program):
    """Ada and Bela with nodes that know each other, and the folder they are in."""
    friends = []
    with tempfile.TemporaryDirectory(prefix="streakmesh-page.") as folder:
        try:
            for name in ("Ada", "Bela"):
                friends.append(Friend(program, folder, name))
            yield *friends, folder
        finally:
            for friend in friends:
                friend.stop()


def meet(ada, bela):
    ada.ask("group", "create", "Breakfast club")
    bela.ask("join", ada.ask("invite")["link"])
    for friend in (ada, bela):
        friend.until("both know both", lambda friend=friend: len(friend.ask("members")["members"]) == 2)


def open_page(friend, window):
    friend.open(window)
    friend.page.set_default_timeout(PATIENCE)


def still_page(context):
    """A page that nothing changes while it is looked at."""
    page = context.new_page()
    # Not with a route, which would keep its files from being cached.
    page.add_init_script("EventSource = class { addEventListener() {} close() {} }")
    return page


@contextlib.contextmanager
def browser(chromium):
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=chromium, args=arguments)


@contextlib.contextmanager
def step(faults, view, what):
    """One thing that a page must do. What fails is noted, and the next thing is tried."""
    try:
        yield
    except (AssertionError, Error) as error:
        reason = re.split("Call log:|=====", str(error))[0]
        faults.note(view, what, "failed: " + " ".join(reason.split())[:300])


def run(checks, did):
    """Runs the checks of one script with its arguments, and ends with 1 if they find a fault."""
    start, faults = time.monotonic(), Faults()
    expect.set_options(timeout=PATIENCE)
    with step(faults, "the whole run", "going on"):
        checks(faults, *sys.argv[1:3])
    faults.show()
    print(f"{did}, in {time.monotonic() - start:.0f} s: {len(faults.found) or 'no'} faults.")
    sys.exit(1 if faults.found else 0)
