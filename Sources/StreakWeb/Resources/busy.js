// A slow form shows that it is busy, and cannot be sent twice.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.dataset.busy) return;
  const button = form.querySelector("button:not(.quiet)");
  button.textContent = form.dataset.busy;
  setTimeout(() => { button.disabled = true; });
});
