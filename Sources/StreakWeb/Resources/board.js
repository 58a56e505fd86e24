// The carousel of games, with arrows and swipes. The current game is in the middle. It wraps around and keeps day and range.
import { navigate } from "./live.js";

function centre(behavior) {
  const carousel = document.querySelector(".carousel");
  const current = carousel?.querySelector("[aria-current]");
  if (!current) return;
  const left = current.offsetLeft - (carousel.clientWidth - current.offsetWidth) / 2;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  carousel.scrollTo({ left, behavior: still ? "auto" : behavior });
}

function step(direction) {
  const link = document.querySelector(`[data-game="${direction}"]`);
  if (link) navigate(link.href);
}

function startSwipes(element) {
  let start;
  element.addEventListener("touchstart", (event) => {
    start = event.touches.length === 1 && !event.target.closest(".carousel, .segments")
      ? { x: event.touches[0].clientX, y: event.touches[0].clientY } : undefined;
  }, { passive: true });
  element.addEventListener("touchend", (event) => {
    if (!start) return;
    const x = event.changedTouches[0].clientX - start.x;
    const y = event.changedTouches[0].clientY - start.y;
    // Only a long horizontal swipe counts; anything else scrolls.
    if (Math.abs(x) > 64 && Math.abs(x) > 2.5 * Math.abs(y)) step(x < 0 ? "next" : "previous");
    // A long pull down at the top refreshes.
    else if (y > 140 && y > 3 * Math.abs(x) && scrollY === 0) document.getElementById("sync")?.requestSubmit();
    start = undefined;
  }, { passive: true });
}

export function startBoard() {
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-swap][href]");
    if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(link.href);
  });
  document.addEventListener("change", (event) => {
    const form = event.target.form;
    if (!form?.hasAttribute("data-swap-form") || !event.target.value) return;
    if (event.target.max && event.target.value > event.target.max) event.target.value = event.target.max;
    const url = new URL(form.action);
    for (const [name, value] of new FormData(form)) if (value) url.searchParams.set(name, value);
    navigate(url.href);
  });
  // For browsers it is enough when a part of what has the focus is in sight.
  document.addEventListener("focusin", ({ target }) => {
    if (!target.matches(":focus-visible") || !target.closest(".carousel, .segments, .rooms")) return;
    target.scrollIntoView({ inline: "nearest", block: "nearest" });
  });
  startSwipes(document.getElementById("main") ?? document.body);
  if (!document.querySelector("[data-board]")) return;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.target.closest("input, textarea, select, details")) return;
    if (event.key === "ArrowLeft") step("previous");
    else if (event.key === "ArrowRight") step("next");
    else return;
    event.preventDefault();
  });
  document.addEventListener("swapped", () => centre("smooth"));
  centre("auto");
}
