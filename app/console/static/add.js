// Files and folders that are dropped, with their paths; without this file the form sends what its field has.
"use strict";
const begin = () => {
  const form = document.getElementById("send");
  const [drop, field, list] = ["drop", "files", "chosen"].map((id) => document.getElementById(id));
  let chosen = []; // [path, file]
  const show = () => {
    const size = chosen.reduce((sum, [, file]) => sum + file.size, 0);
    const lines = chosen.slice(0, 8).map(([path]) => path);
    if (chosen.length > 8) lines.push(`and ${chosen.length - 8} more`);
    if (chosen.length) lines.push(`${chosen.length} file${chosen.length === 1 ? "" : "s"}, ${size < 1e5 ? `${Math.ceil(size / 1e3)} KB` : `${(size / 1e6).toFixed(1)} MB`}`);
    list.replaceChildren(...lines.map((line) => {
      const item = document.createElement("li");
      item.textContent = line;
      return item;
    }));
    field.required = !chosen.length;
  };
  const inside = async (entry, path) => {
    if (entry.name.startsWith(".")) return [];
    if (entry.isFile) return [[path + entry.name, await new Promise((done, failed) => entry.file(done, failed))]];
    const reader = entry.createReader();
    const found = [];
    for (;;) { // a part at a time, until there is none
      const part = await new Promise((done, failed) => reader.readEntries(done, failed));
      if (!part.length) return found;
      for (const one of part) found.push(...await inside(one, `${path}${entry.name}/`));
    }
  };
  field.addEventListener("change", () => {
    chosen = [...field.files].map((file) => [file.name, file]);
    show();
  });
  for (const kind of ["dragover", "dragleave", "drop"]) {
    drop.addEventListener(kind, (event) => {
      event.preventDefault();
      drop.classList.toggle("over", kind === "dragover");
    });
  }
  drop.addEventListener("drop", async (event) => {
    // both are asked for at once: after the event there is nothing any more
    const dropped = [...event.dataTransfer.items].map((item) => [item.webkitGetAsEntry(), item.getAsFile()]);
    chosen = (await Promise.all(dropped.map(
      ([entry, file]) => entry ? inside(entry, "") : file ? [[file.name, file]] : [],
    ))).flat();
    show();
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const said = document.getElementById("notice");
    const data = new FormData(form);
    data.delete("files");
    data.set("go", event.submitter.value);
    for (const [path, file] of chosen) data.append("files", file, path);
    for (const button of form.querySelectorAll("button")) button.disabled = true;
    try {
      const answer = await fetch(form.action, { method: "POST", body: data });
      if (answer.redirected) { location.assign(answer.url); return; }
      const shown = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("main");
      document.getElementById("main").replaceWith(shown);
      if (document.getElementById("send")) begin();
      return;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      said.textContent = "The server does not answer, or took no more of these files.";
      said.hidden = false;
    }
    for (const button of form.querySelectorAll("button")) button.disabled = false;
  });
};
begin();
