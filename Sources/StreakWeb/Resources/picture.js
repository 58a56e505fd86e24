// Turns the picture on the page into PNG, and hands it to the system, the clipboard or a file.

/** Draws the picture at its own size. */
async function png(image) {
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Number(image.getAttribute("width"));
  canvas.height = Number(image.getAttribute("height"));
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  if (!blob) throw new Error("no picture");
  return blob;
}

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // Browsers have begun the download by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Whether this system has a share sheet that takes pictures. */
function sharesFiles(name) {
  const file = new File([new Uint8Array(1)], name, { type: "image/png" });
  return navigator.canShare?.({ files: [file] }) ?? false;
}

export function startPicture(toast) {
  const place = document.getElementById("picture");
  if (!place) return;
  const image = document.getElementById("picture-image");
  const name = `${place.dataset.name}.png`;
  const text = document.getElementById("picture-text").value;
  const button = (kind) => place.querySelector(`[data-picture="${kind}"]`);
  const copies = typeof ClipboardItem !== "undefined" && navigator.clipboard?.write;
  if (!sharesFiles(name)) button("share").remove();
  if (!copies) button("copy").remove();
  const acts = {
    async share() {
      const file = new File([await png(image)], name, { type: "image/png" });
      await navigator.share({ files: [file], title: place.dataset.title, text });
    },
    async save() {
      save(await png(image), name);
      toast(`Saved ${name}.`);
    },
    async copy() {
      // As a promise: Safari must be told what comes while the click still counts.
      await navigator.clipboard.write([new ClipboardItem({ "image/png": png(image) })]);
      toast("Copied.");
    },
  };
  place.addEventListener("click", async (event) => {
    const act = acts[event.target.closest("[data-picture]")?.dataset.picture];
    if (!act) return;
    try {
      await act();
    } catch (error) {
      // Somebody who closes the share sheet has seen enough.
      if (error.name !== "AbortError") toast("That did not work here. Save it as SVG instead.");
    }
  });
}
