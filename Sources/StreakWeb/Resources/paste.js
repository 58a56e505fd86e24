// Previews whatever is pasted or dropped anywhere on a page. Only a click stores it.

const kept = "streakmesh-pasted";
const deepLink = /^\s*streakmesh:\/\/\S+\s*$/i;

function remember(text) {
  try { sessionStorage.setItem(kept, text); } catch { /* without storage the paste is lost */ }
}

function recall() {
  try {
    const text = sessionStorage.getItem(kept);
    sessionStorage.removeItem(kept);
    return text;
  } catch { return null; }
}

function open(link) {
  location.assign(`/open?link=${encodeURIComponent(link.trim())}`);
}

function startPreview(form, box) {
  const place = document.getElementById("preview");
  let timer;
  let latest = 0;
  const show = async () => {
    const mine = ++latest;
    if (!box.value.trim()) { place.replaceChildren(); return; }
    if (deepLink.test(box.value)) { open(box.value); return; }
    const fields = new URLSearchParams(new FormData(form));
    fields.set("fragment", "outcome");
    try {
      const response = await fetch("/preview", { method: "POST", body: fields });
      if (mine !== latest) return;
      // A message with a link but without a result leads to the link's page.
      if (response.redirected) { location.assign(response.url); return; }
      if (!response.ok) return;
      const parsed = new DOMParser().parseFromString(await response.text(), "text/html");
      place.replaceChildren(...parsed.body.childNodes);
    } catch { /* no preview then; Record reports the problem */ }
  };
  form.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(show, 120); });
  return show;
}

/** Sends a file to the page that previews it. */
function look(files) {
  const form = document.createElement("form");
  Object.assign(form, { method: "post", action: "/import/look", enctype: "multipart/form-data", hidden: true });
  const fields = { kind: "any", back: location.pathname + location.search };
  for (const [name, value] of Object.entries(fields)) {
    form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
  }
  const picker = Object.assign(document.createElement("input"), { type: "file", name: "file" });
  picker.files = files;
  form.append(picker);
  document.body.append(form);
  form.submit();
}

export function startPaste() {
  const form = document.getElementById("paste-form");
  const box = document.getElementById("text");
  const show = form ? startPreview(form, box) : undefined;
  const put = (text) => {
    if (deepLink.test(text)) { open(text); return; }
    if (!box) { remember(text); location.assign("/today"); return; }
    box.value = text;
    box.focus();
    show();
  };
  const waiting = form && recall();
  if (waiting) put(waiting);
  document.addEventListener("paste", (event) => {
    if (event.target.closest?.("input, textarea, select")) return;
    const files = event.clipboardData?.files;
    const text = event.clipboardData?.getData("text/plain");
    if (text?.trim()) { event.preventDefault(); put(text); }
    else if (files?.length) { event.preventDefault(); look(files); }
  });
  document.addEventListener("dragover", (event) => {
    if (event.target.closest?.("input[type=file]")) return;
    event.preventDefault();
    document.documentElement.classList.add("dropping");
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) document.documentElement.classList.remove("dropping");
  });
  document.addEventListener("drop", (event) => {
    document.documentElement.classList.remove("dropping");
    // A field handles its own drops.
    if (event.target.closest?.("input, textarea") && event.target !== box) return;
    event.preventDefault();
    if (event.dataTransfer.files.length) { look(event.dataTransfer.files); return; }
    const text = event.dataTransfer.getData("text/plain");
    if (text?.trim()) put(text);
  });
  box?.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
}
