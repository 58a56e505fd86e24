"""Uses the pages with nothing but the keyboard; see script/pages.

Tab reaches everything that can be used, each with a focus that can be seen, and leaves it again. The skip link skips.
Menus open with Enter and the space bar, and close with Escape. A result is pasted and recorded, a reaction given, a
comment written and a challenge sent. And what comes from a friend meanwhile leaves the focus and what was typed alone.

usage: page_keys.py PROGRAM CHROMIUM
"""
import urllib.parse

from pages import challenge
from playwright.sync_api import expect
from scene import browser, meet, open_page, run, step, still_page, two_friends
from together import wordle

WIDTHS = (390, 1280)
# A wide screen gives every page the same other frame, so one page shows it.
BROAD = ("/board",)
# Fields of dates have several stops for Tab, so that much longer at one element is no trap.
MOST_STOPS = 8
MOST_IN_MENU = 20
MOST_TABS = 150
# The place of the focus after the last element of the page, where a browser's own controls follow.
OUTSIDE = -1

# Numbers everything that Tab must reach, and says which it is at.
KEYS = r"""() => {
    const usable = "a[href], button, input:not([type=hidden]), select, textarea, summary, "
        + "[tabindex]:not([tabindex='-1'])";
    const seen = each => !each.disabled && each.checkVisibility({ visibilityProperty: true });
    const name = each => {
        const words = (each.innerText || each.placeholder || each.value || each.title || each.name || "").trim();
        const mark = each.id ? `#${each.id}` : [...each.classList].map(one => `.${one}`).join("");
        return `${each.tagName.toLowerCase()}${mark} “${words.replace(/\s+/g, " ").slice(0, 40)}”`;
    };
    const places = new Map(), names = [];
    // Of a group of buttons of which one is chosen, Tab reaches that one.
    const isPassed = each => each.type === "radio" && !each.checked
        && each.form?.querySelector(`[name="${each.name}"]:checked`);
    const number = () => {
        for (const each of document.querySelectorAll(usable)) {
            if (seen(each) && !isPassed(each) && !places.has(each)) {
                places.set(each, names.length);
                names.push(name(each));
            }
        }
    };

    // How much of the line around an element is in sight, between 0 and 1.
    function sight(each) {
        const style = getComputedStyle(each);
        const [width, offset] = [parseFloat(style.outlineWidth), parseFloat(style.outlineOffset)];
        if (style.outlineStyle === "none" || width < 2) return 0;
        const own = each.getBoundingClientRect();
        const at = offset + 2;
        let [left, top, right, bottom] = [0, 0, innerWidth, innerHeight];
        for (let above = each.parentElement; above && above !== document.body; above = above.parentElement) {
            const { overflowX, overflowY } = getComputedStyle(above);
            if (overflowX === "visible" && overflowY === "visible") continue;
            const frame = above.getBoundingClientRect();
            [left, right] = [Math.max(left, frame.left), Math.min(right, frame.right)];
            [top, bottom] = [Math.max(top, frame.top), Math.min(bottom, frame.bottom)];
        }
        const high = Math.max(0, Math.min(bottom, own.bottom) - Math.max(top, own.top));
        const wide = Math.max(0, Math.min(right, own.right) - Math.max(left, own.left));
        let all = 0;
        if (own.left - at >= left) all += high;
        if (own.right + at <= right) all += high;
        if (own.top - at >= top) all += wide;
        if (own.bottom + at <= bottom) all += wide;
        return all / (2 * (own.width + own.height));
    }
    // Whether something else lies over the whole of it.
    function isCovered(each) {
        const own = each.getBoundingClientRect();
        const points = [[.5, .5], [.1, .5], [.9, .5], [.5, .1], [.5, .9]];
        return points.every(([x, y]) => {
            const top = document.elementFromPoint(own.left + x * own.width, own.top + y * own.height);
            return !top || !(each.contains(top) || top.contains(each) || top.closest("label")?.control === each);
        });
    }

    const isClear = each => sight(each) >= .5 && !isCovered(each);
    // What scrolls into sight needs some frames.
    async function settle() {
        for (let frame = 0; frame < 30 && !isClear(document.activeElement); frame += 1) {
            await new Promise(requestAnimationFrame);
        }
        return keys.at;
    }

    window.keys = {
        settle,
        number, names, isOpen: place => [...places.keys()][place].parentElement.open,
        get at() {
            const each = document.activeElement;
            if (!each || each === document.body) return { place: -1, name: "nothing", open: false, inMenu: false };
            const place = places.get(each) ?? -2;
            const folds = each.matches("summary");
            return {
                place, name: names[place] ?? name(each), sight: sight(each), covered: isCovered(each), folds,
                open: folds && each.parentElement.open, inMenu: each.closest(".menu") !== null,
                // The kind of menu that it opens, if it opens one.
                menu: folds && each.parentElement.matches(".switch, .more") ? each.parentElement.className : "",
            };
        },
    };
    number();
}"""


class Keyboard:
    """Somebody who has only keys, on one page."""

    def __init__(self, page, faults, view):
        self.page, self.faults, self.view = page, faults, view
        self.reached = set()

    def press(self, key):
        self.page.keyboard.press(key)
        return self.page.evaluate("keys.at")

    def note(self, at, fault):
        self.faults.note(self.view, at["name"], fault)

    def walk(self):
        """Goes over the whole page with Tab, unfolds what is folded, and looks at each element with the focus."""
        self.page.evaluate(KEYS)
        menus, last, stops = set(), None, 0
        while True:
            at = self.press("Tab")
            stops = stops + 1 if at["place"] == last else 0
            last = at["place"]
            if stops > MOST_STOPS:
                self.note(at, "keeps the focus: Tab does not leave it")
            if last == OUTSIDE or stops > MOST_STOPS or (not stops and last in self.reached):
                break
            if stops:
                continue
            self.reached.add(last)
            self.look(at)
            if at["folds"]:
                self.unfold(at, menus)
        for place, name in enumerate(self.page.evaluate("keys.names")):
            if place not in self.reached:
                self.faults.note(self.view, name, "is not reached with Tab")

    def look(self, at):
        if at["sight"] < 0.5 or at["covered"]:
            at = self.page.evaluate("keys.settle()")
        if at["sight"] < 0.5:
            self.note(at, f"has the focus, but {at['sight']:.0%} of the line that shows it is in sight")
        if at["covered"]:
            self.note(at, "has the focus and lies under something else")

    def unfold(self, at, menus):
        """Opens and shuts it with keys. What folds stays open, so that Tab goes on inside."""
        if at["open"] or at["menu"] in menus:
            return
        self.open(at, "Enter")
        self.shut(at, "Escape" if at["menu"] else "Enter")
        self.open(at, "Space")
        self.page.evaluate("keys.number()")
        if at["menu"]:
            # One of each kind is enough.
            menus.add(at["menu"])
            self.walk_menu(at)

    def open(self, at, key):
        if not self.press(key)["open"]:
            self.note(at, f"does not open with {key}")

    def shut(self, at, key):
        now = self.press(key)
        if self.page.evaluate(f"keys.isOpen({at['place']})"):
            self.note(at, f"does not shut with {key}")
        elif now["place"] != at["place"]:
            self.note(at, f"loses the focus when it is shut with {key}")

    def walk_menu(self, at):
        """Goes through an open menu and out of it, and back into it, and shuts it from there."""
        for _ in range(MOST_IN_MENU):
            inside = self.press("Tab")
            if not inside["inMenu"]:
                break
            self.reached.add(inside["place"])
            self.look(inside)
        else:
            self.note(at, "opens a menu that Tab does not leave")
        if not self.press("Shift+Tab")["inMenu"]:
            self.note(at, "opens a menu that Tab does not lead into")
        self.shut(at, "Escape")


class Player:
    """A friend who plays with keys."""

    def __init__(self, friend, faults):
        self.friend, self.page, self.faults = friend, friend.page, faults

    def reach(self, what, key="Tab"):
        """Presses Tab until this has the focus."""
        expect(what).to_be_visible()
        for _ in range(MOST_TABS):
            self.page.keyboard.press(key)
            if what.evaluate("each => each === document.activeElement"):
                return
        raise AssertionError(f"It is not reached with {MOST_TABS} times {key}.")

    def skip(self):
        self.friend.visit("/today")
        with step(self.faults, "Today, 1280 px", "“Skip to content”"):
            self.page.keyboard.press("Tab")
            link = self.page.locator(".skip")
            expect(link).to_be_focused()
            expect(link).to_be_in_viewport(ratio=1)
            self.page.keyboard.press("Enter")
            expect(self.page.locator("#main")).to_be_focused()
            self.page.keyboard.press("Tab")
            inside = self.page.evaluate("document.getElementById('main').contains(document.activeElement)")
            assert inside, "The next Tab does not lead into the content."

    def paste(self, text):
        with step(self.faults, "Today, 1280 px", "pasting a result with Ctrl V and recording it with keys"):
            self.friend.visit("/today")
            self.page.evaluate("text => navigator.clipboard.writeText(text)", text)
            self.page.keyboard.press("Control+V")
            expect(self.page.locator("#text")).to_be_focused()
            expect(self.page.locator("#preview")).to_contain_text("Wordle")
            self.reach(self.page.locator("#paste-form").get_by_role("button", name="Record"))
            self.page.keyboard.press("Enter")
            expect(self.page.locator("#mine")).to_contain_text("Wordle")

    def go_to_talk(self):
        """Returns the address of the result's page."""
        self.friend.visit("/today")
        result = self.page.locator("#mine .result", has_text="Tradle")
        link = result.locator(".menu a", has_text="Reactions and comments")
        address = link.get_attribute("href")
        with step(self.faults, "Today, 1280 px", "going to a result’s page with keys"):
            self.reach(result.locator("summary"))
            self.page.keyboard.press("Enter")
            self.reach(link)
            self.page.keyboard.press("Enter")
            expect(self.page.locator("#result")).to_be_visible()
        return address

    def talk(self, address):
        view = "a result’s page, 1280 px"
        self.friend.visit(address)
        with step(self.faults, view, "challenging a friend with keys"):
            self.reach(self.page.locator("#challenge select"))
            for key, rival in (("End", "Everybody who accepts"), ("Home", "Bela")):
                self.page.keyboard.press(key)
                expect(self.page.locator("#challenge option:checked")).to_have_text(rival)
            self.reach(self.page.locator("#challenge button"))
            self.page.keyboard.press("Enter")
            expect(self.page.locator("#banners")).to_contain_text("challenged")
        with step(self.faults, view, "reacting with keys"):
            mark = self.page.locator("#reactions .reaction", has_text="🔥")
            self.reach(mark)
            self.page.keyboard.press("Space")
            expect(mark).to_have_attribute("aria-pressed", "true")
        with step(self.faults, view, "commenting with keys"):
            self.reach(self.page.locator("#say textarea"))
            self.page.keyboard.type("By keys")
            self.reach(self.page.locator("#say button"))
            self.page.keyboard.press("Enter")
            expect(self.page.locator("#comments .said")).to_have_text("By keys")

    def keep(self, view, what, act, change, typed=None):
        """While this has the focus, a friend does something that shows. It still has the focus, and what was typed."""
        focused = """() => {
            const each = document.activeElement;
            const name = each.name || each.getAttribute("href") || each.innerText.trim().slice(0, 40);
            return [each.tagName, name, each.value, each.selectionStart];
        }"""
        with step(self.faults, f"{view}, 1280 px", "keeping the focus while a friend does something"):
            what.focus()
            if typed:
                self.page.keyboard.type(typed)
                self.page.keyboard.press("ArrowLeft")
            before = self.page.evaluate(focused)
            act()
            change()
            after = self.page.evaluate(focused)
            assert after == before, f"It was {before}, then {after}."


def walk(faults, page, address):
    path = urllib.parse.urlsplit(address).path
    for width in WIDTHS if path in BROAD else WIDTHS[:1]:
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(address)
        Keyboard(page, faults, f"{path} ({width} px)").walk()


def furnish(ada, bela):
    """Something to use on each page."""
    meet(ada, bela)
    challenge(ada, bela)
    for friend, score in ((ada, "4"), (bela, "5")):
        friend.ask("record", "connections", "--score", score)
    # Only who has not played it yet can be challenged.
    ada.ask("record", "tradle", "--score", "3")
    ada.ask("games", "add", "Press-ups", "--model", "count", "--icon", "💪")


def live(player, ada, bela, talk):
    """What Bela does shows on the page on which Ada has the focus."""
    page = player.page

    def shows(part, text):
        return lambda: expect(page.locator(part)).to_contain_text(text)

    ada.visit("/today")
    player.keep(
        "Today, the field for results", page.locator("#text"), lambda: bela.ask("record", "framed", "--score", "2"),
        shows("#today-board", "2 results are covered"), typed="Wordle 1,6")
    player.keep(
        "Today, a result’s menu", page.locator("#mine .result summary").last,
        lambda: ada.ask("record", "framed", "--score", "3"), shows("#mine", "Framed"))
    player.keep(
        "Today, a button to log", page.locator("#habits button"), lambda: ada.ask("record", "Press-ups"),
        shows("#habits", "1"))

    ada.visit(talk)
    result = ("Ada", "tradle")
    bela.ask("record", "tradle", "--score", "4")
    mark = page.locator("#reactions .reaction")
    player.keep(
        "a result’s page, a reaction", mark.filter(has_text="😂"), lambda: bela.ask("react", *result, "👏"),
        lambda: expect(mark.filter(has_text="👏")).to_contain_text("1"))
    player.keep(
        "a result’s page, a comment’s menu", page.locator("#comments summary").first,
        lambda: bela.ask("comment", "add", *result, "Well done"), shows("#comments", "Well done"))

    def answer():
        # The comment changes the part with the field. The reaction after it shows when both have come.
        bela.ask("comment", "add", *result, "So close")
        bela.ask("react", *result, "😮")

    player.keep(
        "a result’s page, the field for comments", page.locator("#say textarea"), answer,
        lambda: expect(mark.filter(has_text="😮")).to_contain_text("1"), typed="Half a sent")


def checks(faults, program, chromium):
    with two_friends(program) as (ada, bela, _), browser(chromium) as window:
        furnish(ada, bela)
        open_page(ada, window)
        player = Player(ada, faults)
        ada.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        player.skip()
        player.paste(wordle(ada.ask("board")["today"], 3))
        talk = player.go_to_talk()
        player.talk(talk)
        # A celebration lies over the page for a while.
        ada.page.evaluate("""() => fetch("/api/v1/achievements/celebrate", {
            method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" })""")
        page = still_page(ada.page.context)
        for path in ("/today", "/board", "/friends", "/activity", talk, "/challenges", "/profile"):
            walk(faults, page, ada.web + path)
        page.close()
        live(player, ada, bela, talk)


if __name__ == "__main__":
    run(checks, "Used the pages with keys")
