// Pasting: a live preview of what would be recorded, from anywhere on the page or from a dropped file.

const largestFile = 65_536;
const kept = "streakmesh-pasted";

function remember(text) {
  try { sessionStorage.setItem(kept, text); } catch { /* storage may be switched off: the paste is then lost */ }
}

function recall() {
  try {
    const text = sessionStorage.getItem(kept);
    sessionStorage.removeItem(kept);
    return text;
  } catch { return null; }
}

function startPreview(form, box) {
  const place = document.getElementById("preview");
  let timer;
  let latest = 0;
  const show = async () => {
    const mine = ++latest;
    if (!box.value.trim()) { place.replaceChildren(); return; }
    const fields = new URLSearchParams(new FormData(form));
    fields.set("fragment", "outcome");
    try {
      const response = await fetch("/preview", { method: "POST", body: fields });
      if (!response.ok || mine !== latest) return;
      const parsed = new DOMParser().parseFromString(await response.text(), "text/html");
      place.replaceChildren(...parsed.body.childNodes);
    } catch { /* a preview that fails is no preview; Record says what is wrong */ }
  };
  form.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(show, 120); });
  return show;
}

export function startPaste() {
  const form = document.getElementById("paste-form");
  const box = document.getElementById("text");
  const show = form ? startPreview(form, box) : undefined;
  const put = (text) => {
    if (!box) { remember(text); location.assign("/today"); return; }
    box.value = text;
    box.focus();
    show();
  };
  const waiting = form && recall();
  if (waiting) put(waiting);
  document.addEventListener("paste", (event) => {
    if (event.target.closest?.("input, textarea, select")) return;
    const text = event.clipboardData?.getData("text/plain");
    if (text?.trim()) { event.preventDefault(); put(text); }
  });
  const card = form?.closest(".paste");
  document.addEventListener("dragover", (event) => { event.preventDefault(); card?.classList.add("over"); });
  document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) card?.classList.remove("over"); });
  document.addEventListener("drop", async (event) => {
    event.preventDefault();
    card?.classList.remove("over");
    const file = event.dataTransfer.files[0];
    const text = file ? await file.slice(0, largestFile).text() : event.dataTransfer.getData("text/plain");
    if (text?.trim()) put(text);
  });
  box?.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
}
