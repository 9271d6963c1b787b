// The page is complete without this: it only adds the choice of what to show.
"use strict";
(function () {
  const boxes = document.querySelector(".filters");
  if (!boxes) return;
  boxes.hidden = false;
  boxes.addEventListener("change", () => {
    const wanted = new Set(Array.from(boxes.querySelectorAll("input:checked"), (box) => box.value));
    document.querySelectorAll(".object").forEach((one) => { one.hidden = !wanted.has(one.dataset.action); });
    document.querySelectorAll(".wave").forEach((wave) => { wave.hidden = !wave.querySelector(".object:not([hidden])"); });
  });
})();
