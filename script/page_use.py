"""What one friend does shows on the page of the other one within seconds, without a reload; see script/pages.

A reaction, a comment, a challenge and its acceptance. And a fresh achievement is celebrated once, without motion for
those who want none, and “Save as PNG” saves a picture of the right size.

usage: page_use.py PROGRAM CHROMIUM
"""
import struct
from pathlib import Path

from playwright.sync_api import expect
from scene import browser, meet, open_page, run, step, two_friends

SIZES = {"Wide": (1200, 630), "Square": (1080, 1080)}
# Remembers the title of every celebration that a page shows.
WATCH = """
    window.reached = [];
    new MutationObserver(changes => {
        for (const change of changes) for (const each of change.addedNodes) {
            if (each.matches?.(".toast.reached")) window.reached.push(each.children[1].textContent);
        }
    }).observe(document, { childList: true, subtree: true });
"""


def talk_of(friend, game):
    """The address of what is said about one's own result, and of the same for a friend."""
    friend.visit("/today")
    result = friend.page.locator("#mine .result", has_text=game)
    own = result.locator(".menu a", has_text="Reactions and comments").get_attribute("href")
    return own, f"{own}&user={friend.ask('whoami')['user']}"


class Unmoved:
    """A page that must not be loaded again while the other friend does something."""

    def __init__(self, page):
        self.page = page

    def __enter__(self):
        self.page.evaluate("window.unmoved = true")

    def __exit__(self, kind, *rest):
        if kind is None:
            assert self.page.evaluate("window.unmoved === true"), "The page was loaded again."


def talk(faults, ada, bela):
    own, same = talk_of(ada, "Wordle")
    ada.visit(own)
    bela.visit(same)
    with step(faults, "a result’s page, 1280 px", "a reaction of a friend shows"), Unmoved(ada.page):
        bela.page.locator("#reactions .reaction", has_text="👏").first.click()
        mark = ada.page.locator("#reactions .reaction", has_text="👏")
        expect(mark.locator(".count")).to_have_text("1")
        expect(mark).to_have_attribute("title", "Bela")
    with step(faults, "a result’s page, 1280 px", "a comment of a friend shows"), Unmoved(bela.page):
        ada.page.locator("#say textarea").fill("Was <i>lucky</i> today")
        ada.page.get_by_role("button", name="Say it").click()
        expect(bela.page.locator("#comments .said")).to_have_text("Was <i>lucky</i> today")


def challenge(faults, ada, bela):
    # Only who has not played yet can be challenged.
    ada.ask("record", "nerdle", "--score", "3")
    own, _ = talk_of(ada, "Nerdle")
    ada.visit(own)
    bela.visit("/challenges")
    with step(faults, "Challenges, 1280 px", "a challenge of a friend shows"), Unmoved(bela.page):
        form = ada.page.locator("#challenge form")
        form.locator("select[name=to]").select_option(label="Bela")
        form.get_by_role("button", name="Challenge").click()
        expect(bela.page.locator("#waiting")).to_contain_text("Ada challenges you")
    ada.visit("/challenges")
    with step(faults, "Challenges, 1280 px", "a friend’s acceptance shows"):
        open_ = ada.page.locator("#open")
        expect(open_).to_contain_text("Bela")
        expect(open_).not_to_contain_text("accepted")
        with Unmoved(ada.page):
            bela.page.locator("#waiting").get_by_role("button", name="Accept").click()
            expect(open_.locator(".duel")).to_contain_text("accepted")


def celebrate(faults, friend, motion):
    """Records the first results of an account, which reach something, and looks at how that is celebrated."""
    page, view = friend.page, f"Today, 1280 px, motion: {motion}"
    page.emulate_media(reduced_motion=motion)
    friend.visit("/today")
    friend.ask("record", "wordle", "--score", "3")
    card = page.locator(".toast.reached")
    with step(faults, view, "the celebration"):
        expect(card).to_be_visible()
        moving = page.evaluate("""() => [...document.querySelectorAll(".toast.reached, .toast.reached *")]
            .map(each => getComputedStyle(each).animationName).filter(name => name !== "none")""")
        assert bool(moving) == (motion == "no-preference"), f"Its animations are {moving or 'none'}."
        # What was shown is not shown again when something else changes in the meantime.
        friend.ask("record", "connections", "--score", "4")
        expect(page.locator("#mine")).to_contain_text("Connections")
        fresh = page.locator(".celebration .unlock").evaluate_all("all => all.map(each => each.dataset.title)")
        # Each is in sight for five seconds, which the page’s clock need not wait for.
        with page.expect_response("**/api/v1/achievements/celebrate"):
            for title in fresh:
                expect(card).to_contain_text(title)
                page.clock.fast_forward(5_100)
        expect(card).to_have_count(0)
        shown = page.evaluate("window.reached")
        assert sorted(shown) == sorted(fresh), f"It showed {shown} instead of each of {fresh} once."
        friend.visit("/today")
        expect(page.locator("#mine")).to_be_visible()
        expect(page.locator(".celebration, .toast.reached")).to_have_count(0)


def pictures(faults, friend):
    friend.visit("/today")
    page = friend.page
    page.goto(friend.web + page.locator("#mine .menu a", has_text="Picture").first.get_attribute("href"))
    for shape, size in SIZES.items():
        view = f"Picture, {shape}, 1280 px"
        with step(faults, view, "“Save as PNG”"):
            page.get_by_role("navigation", name="Shape").get_by_role("link", name=shape).click()
            expect(page.get_by_role("link", name=shape)).to_have_attribute("aria-current", "true")
            with page.expect_download() as download:
                page.get_by_role("button", name="Save as PNG").click()
            data = Path(download.value.path()).read_bytes()
            assert data[:8] == b"\x89PNG\r\n\x1a\n", "The file is no PNG."
            saved = struct.unpack(">II", data[16:24])
            assert saved == size, f"The picture has {saved[0]}×{saved[1]} px instead of {size[0]}×{size[1]}."
            assert download.value.suggested_filename.endswith(".png"), "The file’s name does not end with .png."


def checks(faults, program, chromium):
    with two_friends(program) as (ada, bela, _), browser(chromium) as window:
        meet(ada, bela)
        for friend, motion in ((ada, "reduce"), (bela, "no-preference")):
            open_page(friend, window)
            friend.page.clock.install()
            friend.page.add_init_script(WATCH)
            celebrate(faults, friend, motion)
        talk(faults, ada, bela)
        challenge(faults, ada, bela)
        pictures(faults, ada)


if __name__ == "__main__":
    run(checks, "Two friends used their pages")
