"""Looks at a page of every kind with text of twice its size, and on a small screen; see script/pages.

No page scrolls sideways, no text of a control is cut off, broken to pieces or outside of it, and no control lies on
another one. Text is enlarged as a user does it, with the browser's own size of text. Folded parts are looked at
unfolded, too. What is shortened on purpose has an ellipsis, and its whole text in a title.

usage: page_text.py PROGRAM CHROMIUM
"""
from pages import furnish, pages
from scene import browser, run, still_page, two_friends

# The size of text in percent, and the width of the screen.
VIEWS = ((200, 390), (200, 1280), (100, 320))

# Whether the page has this size of text and this width, within some frames.
RESIZED = """async ([size, width]) => {
    const root = getComputedStyle(document.documentElement);
    const isDone = () => innerWidth === width && parseFloat(root.fontSize) === size;
    for (let frame = 0; frame < 200 && !isDone(); frame += 1) await new Promise(requestAnimationFrame);
    return isDone();
}"""
LOOK = r"""() => {
    const found = [];
    const controls = "a[href], button, input:not([type=hidden]), select, textarea, summary, label";
    const boxes = "button, .button, .pill, .round, .chip, summary, input:not([type=hidden]), select, textarea, "
        + ".segments a, .rooms a, .menu a, .menu-list a, .play a";
    const seen = each => each.checkVisibility({ visibilityProperty: true }) && !each.closest(".visually-hidden, .skip")
        && each.getBoundingClientRect().width > 0;
    const name = each => {
        const words = (each.innerText || each.value || each.placeholder || "").trim().replace(/\s+/g, " ").slice(0, 40);
        const mark = each.id ? `#${each.id}` : [...each.classList].map(one => `.${one}`).join("");
        return `${each.tagName.toLowerCase()}${mark} “${words}”`;
    };
    const note = (each, fault) => found.push([name(each), fault]);
    const clips = (style, axis) => ["hidden", "clip"].includes(style[`overflow${axis}`]);

    // What of a rectangle is in sight, and what cuts it off for good: parts that scroll only put it out of sight.
    const visible = (element, box) => {
        let [left, top, right, bottom] = [box.left, box.top, box.right, box.bottom];
        let cut = 0;
        for (let each = element; each && each !== document.body; each = each.parentElement) {
            const style = getComputedStyle(each);
            if (style.overflowX === "visible" && style.overflowY === "visible") continue;
            const frame = each.getBoundingClientRect();
            const [x, y] = [frame.left + each.clientLeft, frame.top + each.clientTop];
            if (clips(style, "X")) cut = Math.max(cut, x - left, right - x - each.clientWidth);
            if (clips(style, "Y")) cut = Math.max(cut, y - top, bottom - y - each.clientHeight);
            [left, right] = [Math.max(left, x), Math.min(right, x + each.clientWidth)];
            [top, bottom] = [Math.max(top, y), Math.min(bottom, y + each.clientHeight)];
            if (left >= right || top >= bottom) return { cut, box: null };
        }
        cut = Math.max(cut, -left, right - innerWidth);
        return { cut, box: { left, top, right, bottom } };
    };
    const range = document.createRange();
    const texts = element => {
        const list = [];
        const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
        for (let node; (node = walker.nextNode());) {
            if (!node.data.trim() || !seen(node.parentElement) || node.parentElement.closest("option, svg")) continue;
            range.selectNodeContents(node);
            const boxes = [...range.getClientRects()].filter(box => box.width > 1);
            for (const box of boxes) list.push([node.parentElement, box, boxes.length]);
        }
        return list;
    };
    const pen = document.createElement("canvas").getContext("2d");
    const shortened = each => {
        const style = getComputedStyle(each);
        return style.textOverflow === "ellipsis" && each.closest("[title]");
    };

    function lookAtText(each) {
        const style = getComputedStyle(each);
        const own = each.getBoundingClientRect();
        if (each.matches("select, input")) {
            const text = each.matches("select") ? each.selectedOptions[0]?.text : each.placeholder;
            // A closed list has an arrow beside its text.
            const arrow = each.matches("select") ? 20 : 0;
            pen.font = style.font;
            const room = each.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - arrow;
            const wide = text ? pen.measureText(text).width - room : 0;
            // What is as wide as its card lets it shows what it can.
            const card = each.closest(".card, main");
            const most = card.clientWidth - 2 * parseFloat(getComputedStyle(card).paddingLeft);
            if (wide > 1 && own.width < .8 * most) note(each, `cuts off ${Math.ceil(wide)} px of “${text}”`);
            const date = each.type === "date" ? each.scrollWidth - each.clientWidth : 0;
            if (date > 1) note(each, `cuts off ${date} px of its date`);
            return;
        }
        for (const [parent, box, lines] of texts(each)) {
            if (shortened(parent)) continue;
            if (lines > 2 && parent.textContent.trim().length < 3 * lines) {
                note(each, "shows a few letters a line");
                return;
            }
            const { cut } = visible(parent, box);
            if (cut > 1) { note(each, `is cut off by ${Math.ceil(cut)} px`); return; }
            const out = Math.max(own.left - box.left, box.right - own.right);
            // A badge hangs out as it shall.
            if (out > 1 && style.display !== "inline" && getComputedStyle(parent).position !== "absolute") {
                note(each, `has text ${Math.ceil(out)} px outside of it`);
                return;
            }
        }
    }

    const layer = element => {
        for (let each = element; each; each = each.parentElement) {
            if (["fixed", "sticky"].includes(getComputedStyle(each).position) || each.matches(".menu")) return each;
        }
        return document.body;
    };
    function lookForOverlaps(all) {
        const place = each => ({ each, layer: layer(each), box: visible(each, each.getBoundingClientRect()).box });
        const places = all.map(place)
            .filter(({ box }) => box).sort((one, other) => one.box.top - other.box.top);
        for (const [index, one] of places.entries()) for (const other of places.slice(index + 1)) {
            if (other.box.top >= one.box.bottom - 1) break;
            if (one.layer !== other.layer || one.each.contains(other.each) || other.each.contains(one.each)) continue;
            const wide = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
            const high = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
            if (wide > 1 && high > 1) note(one.each, `lies on ${name(other.each)}`);
        }
    }
    function look(part) {
        const wide = document.documentElement.scrollWidth - innerWidth;
        if (wide > 0) found.push(["the page", "scrolls sideways"]);
        [...part.querySelectorAll(controls)].filter(seen).forEach(lookAtText);
        lookForOverlaps([...part.querySelectorAll(boxes)].filter(seen));
    }

    look(document);
    const folded = [...document.querySelectorAll("main details:not(.more):not([open])")];
    for (const each of folded) each.open = true;
    if (folded.length) look(document.querySelector("main"));
    for (const each of folded) each.open = false;
    const menus = [".switch", "main .more"].map(kind => document.querySelector(`details${kind}`)).filter(Boolean);
    for (const each of menus) {
        each.open = true;
        look(each.querySelector(".menu"));
        each.open = false;
    }
    return found;
}"""


class Reader:
    """Somebody who reads pages with each size of text and at each width."""

    def __init__(self, page, home, faults):
        self.page, self.home, self.faults, self.views = page, home, faults, 0
        self.browser = page.context.new_cdp_session(page)

    def visit(self, address):
        """Looks at one page, and returns where its links lead."""
        answer = self.page.goto(self.home + address, wait_until="load")
        if answer.status >= 400:
            self.faults.note(address, "the page", f"answered {answer.status}")
        links = self.page.eval_on_selector_all("a[href]", "links => links.map(link => link.href)")
        for percent, width in VIEWS:
            self.resize(percent, width)
            self.views += 1
            for element, fault in self.page.evaluate(LOOK):
                self.faults.note(f"{address} ({width} px, text of {percent} %)", element, fault)
        return links

    def resize(self, percent, width):
        """Text grows as with the browser's setting: measures in em of the layout follow, too."""
        size = 16 * percent // 100
        self.browser.send("Page.setFontSizes", {"fontSizes": {"standard": size, "fixed": size * 13 // 16}})
        self.page.set_viewport_size({"width": width, "height": 800})
        if not self.page.evaluate(RESIZED, [size, width]):
            raise SystemExit(f"The browser does not show text of {size} px on a screen of {width} px.")


def checks(faults, program, chromium):
    with two_friends(program) as (ada, bela, folder), browser(chromium) as window:
        furnish(ada, bela, folder)
        page = still_page(window.new_context())
        page.goto(ada.sign_in)
        reader = Reader(page, ada.web, faults)
        addresses = list(pages(reader, "/today", most=1))
        print(f"{len(addresses)} pages in {reader.views} views.")


if __name__ == "__main__":
    run(checks, "Read the pages in large text")
