// Shows what was reached, one after the other, for five seconds each. Never takes the focus.

const duration = 5_000;
const waiting = [];
const known = new Set();
let isShowing = false;

/** Waits five seconds, not counting those in which somebody points at it or is in it with the keyboard. */
function seen(element) {
  return new Promise((resolve) => {
    let left = duration;
    let begun;
    let timer;
    const go = () => {
      if (timer || element.matches(":hover, :focus-within")) return;
      begun = performance.now();
      timer = setTimeout(resolve, left);
    };
    const hold = () => {
      if (!timer) return;
      clearTimeout(timer);
      timer = undefined;
      left -= performance.now() - begun;
    };
    for (const kind of ["pointerenter", "focusin"]) element.addEventListener(kind, hold);
    for (const kind of ["pointerleave", "focusout"]) element.addEventListener(kind, () => setTimeout(go));
    go();
  });
}

function card({ icon, title, href, label }) {
  const element = document.createElement("div");
  element.className = "toast reached";
  const mark = document.createElement("span");
  mark.className = "emoji big";
  mark.ariaHidden = "true";
  mark.textContent = icon;
  const words = document.createElement("span");
  words.textContent = title;
  const link = document.createElement("a");
  link.href = href;
  link.textContent = label;
  element.append(mark, words, link);
  return element;
}

async function next() {
  // A hidden page keeps it for when somebody looks.
  if (isShowing || document.hidden || waiting.length === 0) return;
  isShowing = true;
  const element = card(waiting.shift());
  document.getElementById("toasts").append(element);
  await seen(element);
  element.remove();
  isShowing = false;
  if (waiting.length > 0) return next();
  // All were seen. Once for the account: none of its machines shows them again.
  fetch("/api/v1/achievements/celebrate", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: "{}",
  }).catch(() => { /* then they are shown once more, another time */ });
}

function look() {
  const place = document.querySelector(".celebration");
  const items = [...place?.querySelectorAll("[data-icon]") ?? []].filter((each) => !known.has(each.dataset.title));
  if (items.length === 0) return;
  for (const each of items) known.add(each.dataset.title);
  const { icon } = items[0].dataset;
  if (place.dataset.rest) {
    // An import reaches dozens, and they share one summary.
    waiting.push({ icon, title: place.dataset.rest, href: "/achievements", label: "See all" });
  } else {
    for (const each of items) {
      waiting.push({ icon: each.dataset.icon, title: each.dataset.title, href: each.querySelector("a").href, label: "Picture…" });
    }
  }
  next();
}

export function startCelebration() {
  look();
  new MutationObserver(look).observe(document.getElementById("main") ?? document.body, { childList: true, subtree: true });
  document.addEventListener("visibilitychange", next);
}
