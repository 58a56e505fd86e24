// The page works without scripts. They make it faster and keep it up to date.
import "./busy.js";
import { startLive, refresh } from "./live.js";
import { startBoard } from "./board.js";
import { startPaste } from "./paste.js";
import { startPicture } from "./picture.js";
import { startCelebration } from "./celebration.js";

document.documentElement.classList.add("js");

/** Shows a sentence for five seconds without taking the focus. */
export function toast(text) {
  const element = document.createElement("div");
  element.className = "toast";
  element.textContent = text;
  document.getElementById("toasts").append(element);
  setTimeout(() => element.remove(), 5000);
}

async function copy(text, source) {
  try {
    await navigator.clipboard.writeText(text.trim());
    toast("Copied.");
  } catch {
    source?.select?.();
    toast(source?.select ? "Press Ctrl C to copy." : text);
  }
}

document.addEventListener("click", (event) => {
  const target = event.target.closest("[data-copy], [data-text], [data-dismiss]");
  if (target?.dataset.text) copy(target.dataset.text);
  if (target?.dataset.copy) {
    const source = document.getElementById(target.dataset.copy);
    copy(source.value ?? source.textContent, source);
  }
  if (target?.hasAttribute("data-dismiss")) {
    event.preventDefault();
    target.closest(".banner").remove();
    document.getElementById("main").focus();
  }
  // A click elsewhere closes a menu.
  for (const menu of document.querySelectorAll("details.switch[open], details.more[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-submit]")) event.target.form.requestSubmit();
});

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.id === "sync") {
    event.preventDefault();
    await synchronise(form);
  }
});

async function synchronise(form) {
  const button = form.querySelector("button");
  if (button.disabled) return;
  button.disabled = true;
  try {
    await fetch("/api/v1/sync", { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" });
    await refresh();
    toast("Refreshed.");
  } catch {
    toast("StreakMesh does not answer.");
  } finally {
    button.disabled = false;
  }
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    for (const menu of document.querySelectorAll("details.switch[open], details.more[open]")) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
  if (event.key === "r") {
    event.preventDefault();
    document.getElementById("sync")?.requestSubmit();
  }
});

startBoard();
startPaste();
startPicture(toast);
startCelebration();
startLive(toast);
