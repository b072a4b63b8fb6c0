// Fills the box with an example or a query that this browser keeps, and keeps queries by name.
"use strict";
(() => {
  const saved = document.getElementById("saved"), box = document.getElementById("query"), title = document.getElementById("title");
  const forget = document.getElementById("forget"), place = `cypher ${saved.dataset.of}`;
  const kept = () => JSON.parse(localStorage.getItem(place) || "{}");
  const show = (chosen) => {
    saved.replaceChildren(new Option(Object.keys(kept()).length ? "choose one" : "none", ""));
    for (const [name, query] of Object.entries(kept())) saved.append(new Option(name, query, false, name === chosen));
    forget.hidden = !saved.value;
  };
  for (const list of document.querySelectorAll("[data-fills]")) {
    list.addEventListener("change", () => {
      if (list.value) box.value = list.value;
      forget.hidden = !saved.value;
    });
  }
  const keep = (change) => {
    const all = kept();
    change(all);
    localStorage.setItem(place, JSON.stringify(all));
  };
  document.getElementById("save").addEventListener("click", () => {
    const name = title.value.trim();
    if (!name) return title.focus();
    keep((all) => { all[name] = box.value; });
    show(name);
  });
  forget.addEventListener("click", () => {
    keep((all) => { delete all[saved.selectedOptions[0].text]; });
    show("");
  });
  show("");
})();
