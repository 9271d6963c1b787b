// It adds the choice of one view, the filters and the arrows; without it a page of few apps is complete.
"use strict";
(function () {
  const SVG = "http://www.w3.org/2000/svg";
  const CROWDED = 12; // arrows; with more of them only those are drawn that are wrong, or of the object in focus
  const sections = Array.from(document.querySelectorAll("main > .view, main > .app"));

  // -- one view at a time, laid out when it is looked at

  function address() {
    return decodeURIComponent(location.hash.slice(1)) || "overview";
  }

  // What stands before the first hyphen of an address is the section that it is in.
  function shownSection() {
    const name = address();
    const holder = name.startsWith("cause-") ? "findings" : name.split("-")[0];
    const target = document.getElementById(name) || document.getElementById(holder);
    return (target && target.closest("main > .view, main > .app")) || sections[0];
  }

  function unfold(section) {
    const later = section.querySelector(":scope > script");
    if (!later) return;
    const read = new DOMParser().parseFromString(later.textContent, "text/html");
    if (section.id === "findings") takeOut(read.querySelector(".findings"));
    later.replaceWith(...Array.from(read.body.childNodes).map((node) => document.adoptNode(node)));
    prepare(section);
  }

  // A fold is laid out when somebody opens it, or prints the page.
  document.addEventListener("toggle", (event) => { if (event.target.open) unfold(event.target); }, true);
  window.addEventListener("beforeprint", () => {
    document.querySelectorAll("main details.fold:has(> script)").forEach((folded) => {
      if (!folded.closest("[hidden]")) folded.open = true;
      if (folded.open) unfold(folded);
    });
  });

  function prepare(section) {
    section.querySelectorAll(".timeline").forEach(follow);
    if (section.id === "findings") addFilter();
  }

  function show(moved) {
    const chosen = shownSection();
    if (!chosen) return;
    unfold(chosen);
    sections.forEach((section) => { section.hidden = section !== chosen; });
    document.querySelectorAll("nav a").forEach((link) => {
      if (link.hash === "#" + chosen.id) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    });
    draw(chosen);
    reach(address());
    const target = document.getElementById(address());
    document.querySelectorAll(".asked").forEach((one) => one.classList.remove("asked"));
    if (moved && target && target.tagName !== "MAIN") {
      target.classList.add("asked"); // :target does not know what was laid out just now
      for (let fold = target; fold; fold = fold.parentElement && fold.parentElement.closest("details")) {
        if (fold.tagName === "DETAILS") fold.open = true;
      }
      if (target.classList.contains("finding")) target.querySelectorAll("details").forEach((fold) => { fold.open = true; });
      target.scrollIntoView({ block: target === chosen ? "start" : "center", inline: "center" });
      const focusable = target.querySelector("summary") || target.querySelector("h2, a");
      if (focusable) {
        if (focusable.tagName === "H2") focusable.tabIndex = -1;
        focusable.focus({ preventScroll: true });
      }
    }
  }

  function named(tag, attributes, text) {
    const made = document.createElement(tag);
    Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
    if (text) made.textContent = text;
    return made;
  }

  function addAppFilter() {
    if (document.querySelectorAll("main > .app").length < 8) return;
    const input = named("input", { type: "search", placeholder: "Filter apps", "aria-label": "Filter apps by name" });
    document.querySelector("nav .views").after(input);
    input.addEventListener("input", () => {
      const wanted = input.value.trim().toLowerCase();
      const folded = document.querySelector("nav details");
      if (folded) { unfold(folded); folded.open = wanted !== ""; }
      document.querySelectorAll("nav .apps > li").forEach((entry) => {
        entry.hidden = !entry.textContent.toLowerCase().includes(wanted);
      });
    });
  }

  // -- which findings

  const BATCH = 100; // findings that are laid out at once; the next come when somebody gets to the end of them
  let findings = [];
  let waiting = []; // those that fit the filter and are not in the page yet
  let shownList = null;
  const choices = [];
  let told = null;
  const more = named("button", { type: "button", class: "more" }, "Show more");

  const QUESTIONS = [
    ["severity", "Severity"], ["rule", "Rule"], ["apps", "Application"], ["moment", "When"], ["new", "New"],
  ];

  function answers(finding, key) {
    return (finding.dataset[key] || "").split("\n").filter(Boolean);
  }

  function takeOut(list) {
    if (!list) return;
    findings = Array.from(list.children);
    list.replaceChildren();
  }

  function bring(number) {
    shownList.append(...waiting.splice(0, number));
    more.hidden = !waiting.length;
  }

  // A finding that a link leads to is brought, whatever the filter says.
  function reach(id) {
    const wanted = shownList && id.startsWith("cause-") && findings.find((finding) => finding.id === id);
    if (!wanted || wanted.isConnected) return;
    if (!waiting.includes(wanted)) clearFilter();
    if (!wanted.isConnected) bring(waiting.indexOf(wanted) + 1);
  }

  function addFilter() {
    const list = document.querySelector("#findings .findings");
    if (!list) return;
    if (!findings.length) takeOut(list);
    shownList = list;
    const bar = named("div", { class: "filter", role: "group", "aria-label": "Which findings" });
    QUESTIONS.forEach(([key, title]) => {
      const number = new Map();
      findings.forEach((finding) => answers(finding, key).forEach((word) => number.set(word, (number.get(word) || 0) + 1)));
      if (number.size < 2) return;
      const label = named("label", {}, title + " ");
      const select = named("select", {});
      select.append(named("option", { value: "" }, "all"));
      const words = Array.from(number.keys());
      if (key !== "severity") words.sort();
      words.forEach((word) => select.append(named("option", { value: word }, `${word} (${number.get(word)})`)));
      select.addEventListener("change", filter);
      choices.push([key, select]);
      label.append(select);
      bar.append(label);
    });
    told = named("span", { role: "status" });
    bar.append(told);
    list.before(bar);
    list.after(more);
    more.addEventListener("click", () => bring(BATCH));
    new IntersectionObserver((seen) => { if (seen.some((one) => one.isIntersecting)) bring(BATCH); }, { rootMargin: "800px" }).observe(more);
    window.addEventListener("beforeprint", () => bring(waiting.length));
    filter();
  }

  function filter() {
    waiting = findings.filter((finding) =>
      choices.every(([key, select]) => !select.value || answers(finding, key).includes(select.value)));
    told.textContent = waiting.length < findings.length ? `${waiting.length} of ${findings.length} shown` : "";
    shownList.replaceChildren();
    bring(BATCH);
  }

  function clearFilter() {
    choices.forEach(([, select]) => { select.value = ""; });
    filter();
  }

  // -- arrows

  function element(name, attributes) {
    const made = document.createElementNS(SVG, name);
    Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
    return made;
  }

  function marker(app, kind) {
    const made = element("marker", {
      id: app.id + "-head-" + kind, class: kind, viewBox: "0 0 8 8", refX: 7, refY: 4,
      markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto",
    });
    made.append(element("path", { d: "M0 0L8 4L0 8z" }));
    return made;
  }

  // What stands for a card: itself, or the fold that hides it.
  function visible(card) {
    let shown = card;
    for (let fold = card.parentElement.closest("details"); fold; fold = fold.parentElement.closest("details")) {
      if (!fold.open) shown = fold;
    }
    return shown.querySelector("summary");
  }

  function box(canvas, node) {
    const outer = canvas.getBoundingClientRect(), inner = node.getBoundingClientRect();
    return {
      left: inner.left - outer.left, right: inner.right - outer.left,
      top: inner.top - outer.top, bottom: inner.bottom - outer.top,
      middle: inner.top - outer.top + inner.height / 2,
    };
  }

  // Between columns from side to side; within one column through the lane on its left.
  function route(from, to) {
    if (to.left > from.right) {
      const bend = Math.max((to.left - from.right) / 2, 24);
      return `M${from.right} ${from.middle}C${from.right + bend} ${from.middle} ${to.left - bend} ${to.middle} ${to.left - 1} ${to.middle}`;
    }
    if (to.right < from.left) {
      const bend = Math.max((from.left - to.right) / 2, 24);
      return `M${from.left} ${from.middle}C${from.left - bend} ${from.middle} ${to.right + bend} ${to.middle} ${to.right + 1} ${to.middle}`;
    }
    const out = Math.min(from.left, to.left) - Math.min(14 + Math.abs(to.middle - from.middle) / 14, 32);
    return `M${from.left} ${from.middle}C${out} ${from.middle} ${out} ${to.middle} ${to.left - 1} ${to.middle}`;
  }

  function draw(app) {
    const canvas = app.querySelector(".canvas");
    if (!canvas || app.hidden) return;
    const old = canvas.querySelector(".arrows");
    if (old) old.remove();
    const svg = element("svg", { class: "arrows", "aria-hidden": "true", focusable: "false" });
    const defs = element("defs", {});
    ["plain", "late", "lit"].forEach((kind) => defs.append(marker(app, kind)));
    svg.append(defs);
    let number = 0;
    canvas.querySelectorAll("[data-needs]").forEach((consumer) => {
      consumer.dataset.needs.split(" ").forEach((word) => {
        const late = word.endsWith("!");
        const provider = document.getElementById(late ? word.slice(0, -1) : word);
        if (!provider) return;
        const ends = late ? [consumer, provider] : [provider, consumer];
        const [from, to] = ends.map((card) => box(canvas, visible(card)));
        if (from.top === to.top && from.left === to.left) return;
        const path = element("path", { d: route(from, to), class: late ? "late" : "plain" });
        path.setAttribute("marker-end", `url(#${app.id}-head-${late ? "late" : "plain"})`);
        path.dataset.ends = `${consumer.id} ${provider.id}`;
        svg.append(path);
        number += 1;
      });
    });
    canvas.append(svg);
    app.querySelector(".timeline").classList.toggle("crowded", number > CROWDED);
    if (current && canvas.contains(current)) light(current);
  }

  // -- what belongs to the object under the pointer, or in focus

  let current = null;

  function light(card) {
    current = card;
    const line = card.closest(".timeline");
    const related = new Set([card.id]);
    line.querySelectorAll(".arrows path[data-ends]").forEach((path) => {
      const ends = path.dataset.ends.split(" ");
      const on = ends.includes(card.id);
      path.classList.toggle("lit", on);
      if (on && !path.classList.contains("late")) {
        path.setAttribute("marker-end", `url(#${card.closest(".app").id}-head-lit)`);
      }
      if (on) ends.forEach((id) => related.add(id));
    });
    line.classList.toggle("focused", related.size > 1);
    line.querySelectorAll(".card").forEach((other) => other.classList.toggle("lit", related.size > 1 && related.has(other.id)));
  }

  function unlight(line) {
    current = null;
    line.classList.remove("focused");
    line.querySelectorAll(".lit").forEach((lit) => {
      lit.classList.remove("lit");
      if (lit.dataset.ends && !lit.classList.contains("late")) {
        lit.setAttribute("marker-end", `url(#${line.closest(".app").id}-head-plain)`);
      }
    });
  }

  function follow(line) {
    const card = (event) => event.target.closest && event.target.closest(".card");
    ["pointerover", "focusin"].forEach((name) => line.addEventListener(name, (event) => {
      unlight(line);
      if (card(event)) light(card(event));
    }));
    line.addEventListener("pointerleave", () => unlight(line));
    line.addEventListener("focusout", () => unlight(line));
    line.addEventListener("toggle", () => draw(line.closest(".app")), true);
  }

  sections.forEach((section) => { if (!section.querySelector(":scope > script")) prepare(section); });
  addAppFilter();
  window.addEventListener("hashchange", () => show(true));
  window.addEventListener("resize", () => { const section = shownSection(); if (section) draw(section); });
  show(location.hash !== "");
})();
