"""Three friends play together, each on the page of a node of their own; see script/pages.

A challenge that is made on one page is accepted on another, and both are told of the outcome when the second result is
pasted. A message that is written on one page is read on the other. The third friend learns neither.

usage: together.py PROGRAM CHROMIUM
"""
import datetime
import os
import re
import sys
import tempfile
import time

from pages import Node
from playwright.sync_api import expect, sync_playwright

# How long a page may take to show something, in milliseconds.
PATIENCE = 20_000
SECRET = "Shall we <b>both</b> play at breakfast?"


class Friend(Node):
    """A friend with a node, and one page of it in a browser window."""

    def __init__(self, program, folder, name):
        super().__init__(program, folder, name)
        self.name = name
        self.ask("notifications", "--quiet", "none", "--desktop", "off", "--command", "true")

    def open(self, browser):
        # A host's pages share their cookies, whatever the port. So each friend has a browser of their own.
        self.page = browser.new_context().new_page()
        self.page.goto(self.sign_in)

    def visit(self, path):
        self.page.goto(self.web + path)

    def paste(self, text):
        """As with Ctrl V, somewhere on the page."""
        self.page.evaluate(
            """text => {
                const clipboardData = new DataTransfer();
                clipboardData.setData("text/plain", text);
                document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
            }""", text)
        expect(self.page.locator("#preview")).to_contain_text("Wordle")
        self.page.locator("#paste-form").get_by_role("button", name="Record").click()
        expect(self.page.locator("#mine")).to_contain_text("Wordle")

    @property
    def bell(self):
        return self.page.locator("#bell")

    def look(self):
        """Looks at the activity, after which the bell counts nothing."""
        self.bell.click()
        expect(self.page.get_by_role("heading", name="Activity")).to_be_visible()

    def hears(self, text):
        """The bell counts it, without a reload, and leads to it."""
        expect(self.bell).to_have_attribute("data-said", re.compile("new thing"))
        self.look()
        expect(self.page.locator(".feed-entry.fresh", has_text=text)).to_be_visible()


def wordle(day, guesses):
    number = (datetime.date.fromisoformat(day) - datetime.date(2021, 6, 19)).days
    return f"Wordle {number:,} {guesses}/6\n\n" + "🟨⬛⬛🟩⬛\n" * (guesses - 1) + "🟩🟩🟩🟩🟩"


def meet(ada, bela, chloe):
    ada.ask("group", "create", "Breakfast club")
    link = ada.ask("invite", "--uses", "2")["link"]
    for friend in (bela, chloe):
        friend.ask("join", link)
    for friend in (ada, bela, chloe):
        friend.until("all know all", lambda friend=friend: len(friend.ask("members")["members"]) == 3)


def challenge(ada, bela, chloe):
    today = ada.ask("board")["today"]
    bela.visit("/challenges")
    chloe.visit("/activity")
    ada.paste(wordle(today, 3))

    # Ada challenges Bela on the page of her result.
    result = ada.page.locator("#mine .result", has_text="Wordle")
    result.locator("summary").click()
    result.get_by_role("link", name="Reactions and comments").click()
    form = ada.page.locator("#challenge form")
    form.locator("select[name=to]").select_option(label="Bela")
    form.get_by_role("button", name="Challenge").click()

    # His page shows what he has to beat, and he accepts.
    waiting = bela.page.locator("#waiting")
    expect(waiting).to_contain_text("Ada challenges you")
    expect(waiting).to_contain_text("to beat 3 guesses")
    waiting.get_by_role("button", name="Accept").click()
    expect(bela.page.locator("#open")).to_contain_text("Ada challenges you")
    ada.visit("/challenges")
    expect(ada.page.locator("#open .duel")).to_contain_text("accepted")
    for friend in (ada, bela):
        friend.look()
        friend.visit("/challenges")
        expect(friend.bell).to_have_attribute("data-said", "Nothing new")

    # Bela's result decides it, and both are told.
    bela.paste(wordle(today, 2))
    expect(ada.page.locator("#toasts")).to_contain_text("Bela won against you in Wordle: 2 guesses against 3 guesses.")
    expect(ada.page.locator("#ended")).to_contain_text("beaten it with 2 guesses")
    ada.hears("won against you in Wordle: 2 guesses against 3 guesses")
    bela.hears("lost against you in Wordle: 3 guesses against 2 guesses")

    # Chloe has not played: she knows who plays against whom, and nothing of how.
    lines = chloe.page.locator("#activity")
    expect(lines).to_contain_text("challenged Bela in Wordle")
    expect(lines.locator(".feed-entry", has_text="Bela").filter(has_text="covered until you have")).not_to_have_count(0)
    for path in ("/activity", "/challenges"):
        chloe.visit(path)
        expect(chloe.page.locator("main")).not_to_contain_text("guesses")


def write(ada, bela, chloe):
    # Both have the page open that shows requests; there are none yet.
    for friend in (ada, bela):
        friend.visit("/friends/codes")
    page = ada.page.locator("main")
    page.get_by_role("textbox").first.fill(bela.ask("friend", "code")["code"])
    page.get_by_role("button", name="Ask").click()
    expect(ada.page.locator("#sent")).to_be_visible()
    # A request shows without a reload, and is gone once it is decided.
    bela.page.locator("#received", has_text="Ada").get_by_role("button", name="Say yes").click()
    expect(ada.page.locator("#sent")).to_have_count(0)
    expect(ada.page.locator("#pairs")).to_contain_text("Bela")
    for friend in (ada, bela):
        friend.until("the two are friends", lambda friend=friend: friend.ask("message", "list")["friends"])
        friend.visit("/activity")
        friend.visit("/today")
        expect(friend.bell).to_have_attribute("data-said", "Nothing new")

    ada.visit("/messages")
    ada.page.locator("#correspondents").get_by_role("link", name="Bela").click()
    ada.page.locator("#write textarea").fill(SECRET)
    ada.page.locator("#write").get_by_role("button", name="Send").click()
    expect(ada.page.locator("#messages .mine .said")).to_have_text(SECRET)
    expect(ada.bell).to_have_attribute("data-said", "Nothing new")

    bela.hears("wrote to you")
    expect(bela.page.locator("main")).not_to_contain_text("breakfast")
    bela.page.locator(".feed-entry", has_text="wrote to you").get_by_role("link").click()
    expect(bela.page.locator("#messages .fresh .said")).to_have_text(SECRET)
    bela.visit("/today")
    expect(bela.bell).to_have_attribute("data-said", "Nothing new")
    for path in ("/activity", "/messages"):
        chloe.visit(path)
        expect(chloe.page.locator("main")).not_to_contain_text("wrote")


def main(program, chromium):
    start = time.monotonic()
    friends = []
    expect.set_options(timeout=PATIENCE)
    with tempfile.TemporaryDirectory(prefix="streakmesh-together.") as folder:
        try:
            for name in ("Ada", "Bela", "Chloe"):
                friends.append(Friend(program, folder, name))
            meet(*friends)
            with sync_playwright() as playwright:
                arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
                browser = playwright.chromium.launch(executable_path=chromium, args=arguments)
                for friend in friends:
                    friend.open(browser)
                challenge(*friends)
                write(*friends)
                browser.close()
        finally:
            for friend in friends:
                friend.stop()
    print(f"Three friends played together on their pages, in {time.monotonic() - start:.0f} s.")


if __name__ == "__main__":
    main(*sys.argv[1:3])
