"use strict";
const root = document.documentElement;
document.querySelector(".theme").addEventListener("click", () => {
  const dark = root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
});
// The value under the pointer, in words below each curve.
for (const svg of document.querySelectorAll("svg[data-curve]")) {
  const curve = JSON.parse(svg.dataset.curve);
  const line = svg.querySelector(".cursor");
  const readout = svg.parentElement.querySelector(".readout");
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * curve.width;
    const share = (x - curve.left) / (curve.right - curve.left);
    if (share < 0 || share > 1) return;
    const at = Math.min(curve.series[0].values.length - 1, Math.floor(share * curve.series[0].values.length));
    line.setAttribute("x1", x);
    line.setAttribute("x2", x);
    line.style.visibility = "visible";
    const time = (at * curve.slotMillis).toFixed(2) + " ms";
    readout.textContent = time + ": " + curve.series.map((s) => s.name + " " + s.texts[at]).join(", ");
  });
  svg.addEventListener("pointerleave", () => {
    line.style.visibility = "hidden";
    readout.textContent = "";
  });
}
