// Keeps the page up to date: by the node's events and by a check every 30 s. Also switches views without a page load.

const checkInterval = 30_000;
const skeletonDelay = 150;
let stream;
let retry;
let generation = 0;

function fragmentURL(address) {
  const url = new URL(address, location.href);
  url.searchParams.set("fragment", "board");
  return url;
}

/** Whether somebody is typing in a part, or has opened something in it. */
function isInUse(part) {
  const active = document.activeElement;
  if (part.querySelector(".more[open]")) return true;
  if ([...part.querySelectorAll("input, textarea")].some((each) => each.value !== each.defaultValue)) return true;
  return part.contains(active) && (active.matches("input, textarea, select") || part.querySelector("details[open]") !== null);
}

/** The elements of a page's own content: on a whole page, notices and banners stand before it. */
function content(main) {
  return [...main.children].filter((each) => !["notices", "banners"].includes(each.id));
}

/** Puts a part that the page lacks where the fresh page has it. Earlier parts are in place already. */
function insert(fresh, freshMain) {
  const steps = [];
  for (let each = fresh; each !== freshMain; each = each.parentElement) steps.unshift(each);
  let parent = document.getElementById("main");
  let siblings = content(parent);
  let places = content(freshMain);
  for (const step of steps) {
    const index = places.indexOf(step);
    const known = siblings[index];
    if (step === fresh || known?.tagName !== step.tagName || known.className !== step.className) {
      const lacks = [...step.querySelectorAll("[id]")].every((each) => !document.getElementById(each.id));
      if (lacks) parent.insertBefore(document.adoptNode(step.cloneNode(true)), known ?? null);
      return;
    }
    [parent, siblings, places] = [known, [...known.children], [...step.children]];
  }
}

/** Takes a part away, and what held nothing else. */
function remove(part) {
  const parent = part.parentElement;
  part.remove();
  if (parent.id !== "main" && !parent.children.length) remove(parent);
}

/** By what a link, a button or a summary is known again in a fresh part. */
function mark(element) {
  return element.getAttribute("href") || element.value || element.textContent;
}

/** Replaces every live part that has changed, adds new ones, and removes those that are gone. Keeps focus and scroll positions. */
function swap(parsed, isNavigation) {
  const summary = document.querySelector("[data-summary]")?.dataset.summary;
  const news = document.getElementById("bell")?.dataset.said;
  const active = document.activeElement;
  const focusRole = ["page", "game"].map((name) => active?.dataset?.[name] && `[data-${name}="${active.dataset[name]}"]`).find(Boolean);
  const scroll = document.querySelector(".carousel")?.scrollLeft;
  let focusLost = false;
  const freshMain = parsed.querySelector("main");
  const parts = [...parsed.querySelectorAll("[data-live]")];
  const names = new Set(parts.map((each) => each.id));
  for (const old of document.querySelectorAll("main [data-live]")) {
    if (names.has(old.id) || (!isNavigation && isInUse(old))) continue;
    if (old.contains(active)) focusLost = true;
    remove(old);
  }
  for (const fresh of parts) {
    const old = document.getElementById(fresh.id);
    if (!old) {
      if (freshMain?.contains(fresh)) insert(fresh, freshMain);
      continue;
    }
    const open = [...old.querySelectorAll("details")].map((each) => each.open);
    if (!isNavigation) fresh.querySelectorAll("details").forEach((each, index) => { if (open[index]) each.open = true; });
    if (old.isEqualNode(fresh) || (!isNavigation && isInUse(old))) continue;
    if (old.contains(active)) focusLost = true;
    const places = positions(old);
    const next = document.adoptNode(fresh.cloneNode(true));
    old.replaceWith(next);
    slide(next, places);
  }
  document.title = parsed.title || document.title;
  const carousel = document.querySelector(".carousel");
  if (carousel && scroll !== undefined) carousel.scrollLeft = scroll;
  if (focusLost) {
    const places = [document.getElementById(active.closest("[data-live]").id), document.getElementById("main")];
    const again = (active.id && document.getElementById(active.id))
      || (focusRole && document.querySelector(`${focusRole}[href]`))
      || places.flatMap((each) => [...each?.querySelectorAll(active.tagName) ?? []]).find((each) => mark(each) === mark(active))
      || document.querySelector("main [aria-current=true]");
    again?.focus({ preventScroll: true });
  }
  const said = document.querySelector("[data-summary]")?.dataset.summary;
  const told = document.getElementById("bell")?.dataset.said;
  const changed = [said !== summary && said, told !== news && told].filter(Boolean);
  if (changed.length) document.getElementById("announce").textContent = changed.join(". ");
}

function positions(element) {
  return new Map([...element.querySelectorAll("[data-key]")].map((each) => [each.dataset.key, each.getBoundingClientRect()]));
}

/** Animates rows to their new place, unless the user prefers reduced motion. */
function slide(element, before) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const row of element.querySelectorAll("[data-key]")) {
    const old = before.get(row.dataset.key);
    if (!old) continue;
    const now = row.getBoundingClientRect();
    const [x, y] = [old.left - now.left, old.top - now.top];
    if (x || y) row.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }], { duration: 320, easing: "cubic-bezier(.2,.8,.2,1)" });
  }
}

async function load(address) {
  const response = await fetch(fragmentURL(address), { headers: { Accept: "text/html" } });
  if (response.status === 401) location.reload();
  if (!response.ok) throw new Error(String(response.status));
  return new DOMParser().parseFromString(await response.text(), "text/html");
}

/** Fetches this page again and shows what has changed. */
export async function refresh() {
  const mine = generation;
  // The answer to a form cannot be fetched again at its own address.
  const parsed = await load(document.body.dataset.address ?? location.href);
  if (mine === generation) swap(parsed, false);
}

/** Shows another state of the same page without leaving it. */
export async function navigate(address, isPopping = false) {
  const mine = ++generation;
  const timer = setTimeout(showSkeleton, skeletonDelay);
  try {
    const parsed = await load(address);
    if (mine !== generation) return;
    if (!isPopping) history.pushState({ swapped: true }, "", address);
    swap(parsed, true);
    document.dispatchEvent(new Event("swapped"));
  } catch {
    location.assign(address);
  } finally {
    clearTimeout(timer);
  }
}

function showSkeleton() {
  const board = document.getElementById("board");
  if (!board) return;
  const placeholder = document.createElement("div");
  placeholder.className = "skeleton";
  for (let row = 0; row < 6; row += 1) placeholder.append(document.createElement("span"));
  board.replaceChildren(placeholder);
}

function quietly(promise) {
  promise.catch(() => setOffline());
}

/** The node does not answer: show that in the status chip. */
function setOffline() {
  const chip = document.getElementById("chip");
  if (!chip) return;
  chip.className = "chip offline";
  chip.lastChild.textContent = ", StreakMesh on this machine does not answer";
  chip.childNodes[2].textContent = "Stopped";
}

function listen(toast) {
  stream = new EventSource("/events");
  stream.addEventListener("change", () => quietly(refresh()));
  stream.addEventListener("message", (event) => toast(JSON.parse(event.data)));
  stream.addEventListener("ready", () => { if (retry) quietly(refresh()); retry = false; });
  stream.onerror = () => { retry = true; };
}

function stop() {
  stream?.close();
  stream = undefined;
}

export function startLive(toast) {
  if (!document.getElementById("chip")) return;
  // Browsers allow six connections to a host, so a hidden page closes its own.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return stop();
    if (!stream) listen(toast);
    quietly(refresh());
  });
  addEventListener("pagehide", stop);
  addEventListener("pageshow", (event) => {
    if (event.persisted) { listen(toast); quietly(refresh()); }
  });
  if (!document.hidden) listen(toast);
  setInterval(() => { if (!document.hidden) quietly(refresh()); }, checkInterval);
  addEventListener("popstate", () => navigate(location.href, true));
}
