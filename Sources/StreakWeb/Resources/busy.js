// A form that takes its time says so, and is not sent twice.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.dataset.busy) return;
  const button = form.querySelector("button:not(.quiet)");
  button.textContent = form.dataset.busy;
  setTimeout(() => { button.disabled = true; });
});
