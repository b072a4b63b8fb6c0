// Draws facts and rules: an entity leads to what is around it, a rule, a value or a line to its row; saves what is seen.
"use strict";
(async () => {
  const canvas = document.getElementById("canvas");
  if (!canvas) return;
  const MANY = 400, READABLE = canvas.clientWidth < 560 ? 0.6 : 0.75; // nodes that columns are too long for; zoom below which labels blur
  const FONT = "system-ui, sans-serif", LINE = 17, GAP = 14, PAD = 9;
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  let found = JSON.parse(canvas.dataset.drawing);
  if (canvas.dataset.from) {
    const answer = await fetch(canvas.dataset.from, { headers: { Accept: "application/json" } });
    if (!answer.ok) return;
    const names = new Map(found.nodes.map(([key, shown, , kind]) => [key, [shown, kind]])), { focus } = found;
    const around = focus.map((at) => found.nodes[at][0]);
    found = await answer.json();
    for (const node of found.nodes) if (node[2] === "entity" && names.has(node[0])) [node[1], node[3]] = names.get(node[0]);
    found.focus = found.nodes.flatMap(([key, , sort], at) => (sort === "entity" && around.includes(key) ? [at] : []));
    document.getElementById("cut").hidden = !found.more;
  }
  const focus = new Set(found.focus);
  const nodes = found.nodes.map(([key, shown, sort, kind], at) => ({ id: `n${at}`, key, shown, sort, kind, hub: focus.has(at) ? 1 : 0, degree: 0, near: new Set() }));
  const pairs = new Map();
  const edges = found.edges.map(([row, from, relation, to], at) => {
    for (const [one, other] of [[nodes[from], nodes[to]], [nodes[to], nodes[from]]]) {
      one.degree += 1;
      if (other !== one) one.near.add(other);
    }
    const pair = [from, to].sort().join(" ");
    pairs.set(pair, (pairs.get(pair) || 0) + 1);
    return { data: { id: `e${at}`, row, source: `n${from}`, target: `n${to}`, shown: relation, pair, from: nodes[from], to: nodes[to] } };
  });
  const many = nodes.length > MANY, narrow = canvas.clientWidth < 560;
  const path = !document.getElementById("relation"), oneSided = path || narrow; // a path is read from left to right
  const ordered = [...nodes].sort((one, other) => other.hub - one.hub || other.degree - one.degree);

  // Boxes as large as their words.
  const pen = document.createElement("canvas").getContext("2d");
  const wrapped = (text, size, most) => {
    pen.font = `${size}px ${FONT}`;
    const lines = [""];
    for (const word of text.split(" ")) {
      const longer = `${lines.at(-1)} ${word}`.trim();
      if (pen.measureText(longer).width <= most || !lines.at(-1)) lines[lines.length - 1] = longer;
      else lines.push(word);
    }
    const cut = (line, more) => {
      let kept = line;
      while (kept && pen.measureText(`${kept}…`).width > most) kept = kept.slice(0, -1);
      return more || kept !== line ? `${kept}…` : kept;
    };
    const shown = lines.slice(0, 3).map((line, at) => (pen.measureText(line).width > most || (at === 2 && lines.length > 3) ? cut(line, at === 2 && lines.length > 3) : line));
    return { text: shown.join("\n"), wide: Math.max(...shown.map((line) => pen.measureText(line).width)), high: shown.length * LINE };
  };
  if (!many) {
    for (const { data } of edges) {
      const quiet = data.shown === "about" && data.from.sort === "rule" ? "" : data.shown; // the box of the rule says its kind
      const box = wrapped(quiet, 13, 110), single = data.from !== data.to && pairs.get(data.pair) === 1 && data.from.hub + data.to.hub === 1;
      Object.assign(data, { text: box.text, high: box.high, off: box.wide / 2 + 14, at: !quiet ? "" : single ? (data.to.hub ? "from" : "to") : "middle" });
    }
    for (const one of nodes) {
      const box = wrapped(one.sort === "rule" ? `${one.kind}: ${one.shown}` : one.shown, 14, narrow ? 130 : 170);
      Object.assign(one, { text: box.text, wide: box.wide + 2 * PAD, high: box.high + PAD });
    }
  }

  // In columns by how many steps away: what it is around in the middle, facts and rules beside it, whom rules name beyond.
  const placed = () => {
    const steps = new Map(), places = new Map();
    let ring = path ? ordered.slice(0, 1) : ordered.filter((one) => one.hub);
    if (!ring.length) ring = ordered.slice(0, 1);
    for (let step = 0; ring.length; step += 1) {
      for (const one of ring) steps.set(one, step);
      ring = [...new Set(ring.flatMap((one) => [...one.near]))].filter((one) => !steps.has(one));
      if (!ring.length) ring = ordered.filter((one) => !steps.has(one)).slice(0, 1); // of another part of the graph
    }
    const sides = oneSided ? 1 : 2, tall = [0, 0], lanes = new Map(), side = new Map();
    const room = (one) => Math.max(one.high, ...edges.filter(({ data }) => data.at !== "middle" && (data.from === one || data.to === one)).map(({ data }) => (data.text ? data.high : 0))) + GAP;
    for (const one of [...nodes].sort((a, b) => steps.get(a) - steps.get(b))) { // in the order of the table
      const step = steps.get(one), above = [...one.near].find((other) => steps.get(other) < step);
      const which = !step ? 0 : step > 1 && above ? side.get(above) : sides === 2 && tall[1] < tall[0] ? 1 : 0;
      side.set(one, which);
      if (step === 1) tall[which] += room(one);
      const lane = which ? -step : step;
      if (!lanes.has(lane)) lanes.set(lane, []);
      lanes.get(lane).push(one);
    }
    let most = 0;
    for (const sign of [1, -1]) {
      let x = 0, before = lanes.middle || 0;
      for (let step = sign > 0 ? 0 : 1; lanes.has(sign * step); step += 1) {
        const lane = lanes.get(sign * step), wide = Math.max(...lane.map((one) => one.wide));
        if (step > 1) {
          const height = (one) => { const ys = [...one.near].filter((other) => places.has(other.id)).map((other) => places.get(other.id).y); return ys.reduce((sum, y) => sum + y, 0) / (ys.length || 1); };
          const heights = new Map(lane.map((one) => [one, height(one)]));
          lane.sort((one, other) => heights.get(one) - heights.get(other));
        }
        const between = Math.max(0, ...edges.filter(({ data }) => data.text && [data.from, data.to].some((one) => lane.includes(one)) && [data.from, data.to].some((one) => !lane.includes(one) && steps.get(one) < step)).map(({ data }) => 2 * data.off));
        x = step ? x + before + between + 28 + wide / 2 : 0;
        const high = lane.reduce((sum, one) => sum + room(one), 0);
        let y = -high / 2;
        for (const one of lane) {
          places.set(one.id, { x: sign * x, y: y + room(one) / 2 });
          y += room(one);
        }
        most = Math.max(most, high);
        before = wide / 2;
        if (!step) lanes.middle = wide / 2;
      }
    }
    canvas.style.height = `${Math.min(Math.max(most + 40, 260), Math.max(420, 0.75 * innerHeight))}px`;
    return places;
  };
  const places = many ? new Map() : placed();
  const turned = (at) => ({ x: 34 * Math.sqrt(at) * Math.cos(2.4 * at), y: 34 * Math.sqrt(at) * Math.sin(2.4 * at) });
  const position = (one, at) => (many ? { position: turned(at), grabbable: false, pannable: true } : { position: places.get(one.id) }); // to drag one of many nodes, all would be drawn anew in each frame: it moves the view
  const written = { color: colour("--text"), "font-family": FONT, "text-wrap": "wrap", "min-zoomed-font-size": 7 };
  const over = { ...written, "font-size": 13, "text-background-color": colour("--ground"), "text-background-opacity": 1, "text-background-padding": 2 };
  const few = [
    { selector: "node", style: { ...written, label: "data(text)", "font-size": 14, "text-valign": "center", shape: "round-rectangle", width: "data(wide)", height: "data(high)", "background-color": colour("--raised"), "border-width": 1.5, "border-color": colour("--accent") } },
    { selector: "node[sort = 'value']", style: { shape: "rectangle", "background-color": colour("--ground"), "border-color": colour("--dim") } },
    { selector: "node[sort = 'rule']", style: { shape: "rectangle", "background-color": colour("--ground"), "border-color": colour("--open"), "text-justification": "left" } },
    { selector: "node[hub = 1]", style: { color: colour("--on-accent"), "background-color": colour("--accent") } },
    { selector: "edge", style: { width: 1.5, "line-color": colour("--dim"), "target-arrow-color": colour("--dim"), "target-arrow-shape": "triangle", "curve-style": "bezier", "control-point-step-size": 50 } },
    { selector: "edge[at = 'middle']", style: { ...over, label: "data(text)" } },
    { selector: "edge[at = 'to']", style: { ...over, "target-label": "data(text)", "target-text-offset": "data(off)" } },
    { selector: "edge[at = 'from']", style: { ...over, "source-label": "data(text)", "source-text-offset": "data(off)" } },
  ];
  const thousands = [
    { selector: "node", style: { "background-color": colour("--accent") } },
    { selector: "node[degree > 1]", style: { ...written, label: "data(shown)", "font-size": 14, "text-wrap": "ellipsis", "text-max-width": 160, "text-background-color": colour("--ground"), "text-background-opacity": 0.85, "text-background-padding": 2 } },
    { selector: "node[sort = 'value']", style: { shape: "rectangle", "background-color": colour("--dim") } },
    { selector: "node[sort = 'rule']", style: { shape: "rectangle", "background-color": colour("--open") } },
    { selector: "edge", style: { width: 1.5, "line-color": colour("--line"), "target-arrow-shape": "none", "curve-style": "haystack" } },
  ];
  const drawn = cytoscape({
    container: canvas,
    elements: [...ordered.map(({ near, ...data }, at) => ({ data, ...position(data, at) })), ...edges.map(({ data: { from, to, ...data } }) => ({ data }))],
    layout: { name: "preset", padding: 16 },
    minZoom: 0.03,
    maxZoom: 4,
    textureOnViewport: many,
    hideEdgesOnViewport: many,
    pixelRatio: many ? 1 : "auto",
    style: [
      ...(many ? thousands : few),
      { selector: "core", style: { "outside-texture-bg-opacity": 0 } },
      { selector: ":selected", style: { "border-color": colour("--open"), "border-width": 3, "line-color": colour("--open"), "target-arrow-color": colour("--open") } },
    ],
  });
  const fit = () => {
    drawn.fit(undefined, 16);
    if (!many && drawn.zoom() > 1.1) drawn.zoom(1.1), drawn.center();
  };
  if (!many) fit();
  if (!many && ordered.length && drawn.zoom() < READABLE) {
    drawn.zoom(READABLE);
    const first = drawn.getElementById(ordered[0].id);
    drawn.center(first);
    if (oneSided) drawn.panBy({ x: first.renderedWidth() / 2 + 16 - drawn.width() / 2, y: 0 });
  }
  const zoom = (by) => {
    if (by === "fit") fit();
    else drawn.zoom({ level: drawn.zoom() * Number(by), renderedPosition: { x: drawn.width() / 2, y: drawn.height() / 2 } });
  };
  for (const button of document.querySelectorAll("[data-zoom]")) button.addEventListener("click", () => zoom(button.dataset.zoom));
  if (many) { // too many names to write all of them
    const pointed = canvas.appendChild(document.createElement("span")); // over the canvas, where a name costs no drawing
    pointed.className = "pointed";
    pointed.hidden = true;
    drawn.on("mouseover", "node, edge", ({ target, renderedPosition: at }) => {
      pointed.textContent = target.data("shown");
      pointed.style.translate = `${at.x}px ${at.y}px`;
      pointed.hidden = false;
    });
    drawn.on("mouseout viewport", () => { pointed.hidden = true; });
  }
  const rows = [...document.querySelectorAll("#facts tbody tr")];
  const lead = (id) => {
    const row = document.getElementById(id);
    if (!row) return; // of a fact that is drawn and not in the table
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "center" });
  };
  drawn.on("tap", "node", (event) => {
    const { key, sort, hub } = event.target.data();
    if (sort !== "entity") return lead(event.target.connectedEdges()[0].data("row"));
    const more = new URL(canvas.dataset.more, location.href), around = found.focus.map((at) => nodes[at].key);
    const names = hub && around.length > 1 ? around.filter((name) => name !== key) : [...new Set([...around, key])];
    if (hub && names.length === around.length && !location.search.includes("to=")) return;
    for (const name of location.search.includes("to=") ? [key] : names) more.searchParams.append("name", name);
    location.assign(more);
  });
  drawn.on("tap", "edge", (event) => lead(event.target.data("row")));
  for (const row of rows) { // what the row under the pointer says stands out in the drawing
    row.addEventListener("pointerenter", () => drawn.edges().filter((edge) => edge.data("row") === row.id).select());
    row.addEventListener("pointerleave", () => drawn.elements().unselect());
  }

  // What is seen, as files.
  const save = (name, content) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(content);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };
  const words = (cell) => {
    const copy = cell.cloneNode(true);
    for (const one of copy.querySelectorAll(".hidden, .act")) one.remove();
    return [...copy.querySelectorAll("p, blockquote, .under")].map((one) => one.textContent.trim()).join("; ") || copy.textContent.trim();
  };
  const quoted = (text) => { // no cell is one that a spreadsheet takes for a formula
    const cell = text.replace(/\s+/g, " ").trim();
    return `"${(/^[=+\-@]/.test(cell) ? `'${cell}` : cell).replaceAll('"', '""')}"`;
  };
  const csv = () => {
    const head = [...document.querySelectorAll("#facts thead th")].map((one) => one.textContent), lines = [[...head, "Address"]];
    for (const row of rows) {
      const [what, says, ...rest] = [...row.cells].map(words), link = row.cells[row.cells.length - 1].querySelector("a[href*='#marked']");
      lines.push([what, says, ...(rest.length < 2 ? ["", ...rest] : rest), link ? link.href : ""]);
    }
    return lines.map((line) => line.map(quoted).join(",")).join("\r\n") + "\r\n";
  };
  // Neo4j decodes \u before it reads anything else: a backslash of a page is written as the code of two.
  const literal = (text) => `"${text.replace(/[\u0000-\u001f]+/g, " ").replaceAll("\\", "\\u005c\\u005c").replaceAll('"', '\\u005c\\u0022')}"`;
  const cypher = () => {
    const label = { entity: "Entity", value: "Value", rule: "Rule" };
    const made = nodes.map((one, at) => `CREATE (n${at}:${label[one.sort]} {name: ${literal(one.shown)}, kind: ${literal(one.kind)}})`);
    return [...made, ...edges.map(({ data }) => `CREATE (${data.source})-[:${data.from.sort === "rule" ? "NAMES" : "STATES"} {relation: ${literal(data.shown)}}]->(${data.target})`)].join("\n") + ";\n";
  };
  const saved = { csv: () => new Blob(["\ufeff", csv()], { type: "text/csv" }), cypher: () => new Blob([cypher()], { type: "text/plain" }), png: () => drawn.png({ output: "blob", full: !many, scale: 2, bg: colour("--ground") }) };
  for (const button of document.querySelectorAll("[data-save]")) {
    button.addEventListener("click", () => save(`graph.${button.dataset.save}`, saved[button.dataset.save]()));
  }
  drawn.one("render", () => { canvas.dataset.drawn = `${nodes.length} ${edges.length}`; });
})();
