// Draws facts: a node leads to what is stated of it, an edge to its row of the table.
"use strict";
(async () => {
  const canvas = document.getElementById("canvas");
  if (!canvas) return;
  const FEW = 40, HUBS = 5, MANY = 400, READABLE = 0.8; // nodes that stand in columns, and those in their middle; nodes that forces take long for; zoom below which labels blur
  const FONT = "system-ui, sans-serif", LINE = 17, GAP = 18, PAD = 9;
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const facts = [];
  if (canvas.dataset.from) {
    const answer = await fetch(canvas.dataset.from, { headers: { Accept: "application/json" } });
    if (!answer.ok) return;
    const found = await answer.json();
    document.getElementById("cut").hidden = !found.more;
    for (const [id, subject, relation, object] of found.facts) facts.push({ id: `f-${id}`, subject, relation, object });
  } else {
    for (const row of document.querySelectorAll("#facts tbody tr")) facts.push({ id: row.id, ...row.dataset });
  }
  const nodes = new Map(), edges = [], pairs = new Map();
  const known = (key, other) => {
    const value = key.startsWith("=");
    if (!nodes.has(key)) nodes.set(key, { id: key, shown: value ? key.slice(1) : key, value: value ? 1 : 0, degree: 0, near: new Set() });
    nodes.get(key).degree += 1;
    if (other !== key) nodes.get(key).near.add(other);
  };
  for (const { id, subject, relation, object } of facts) {
    known(subject, object);
    known(object, subject);
    const pair = [subject, object].sort().join("\n");
    pairs.set(pair, (pairs.get(pair) || 0) + 1);
    edges.push({ data: { id, source: subject, target: object, shown: relation, pair } });
  }
  const many = nodes.size > MANY, narrow = canvas.clientWidth < 700;
  const ordered = [...nodes.values()].sort((one, other) => other.degree - one.degree);

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
  const hubs = new Set(ordered.filter((one) => one.near.size > 1));
  if (!hubs.size && ordered.length) hubs.add(ordered.find((one) => !one.value) || ordered[0]);
  const columns = !many && ordered.length <= FEW && hubs.size <= HUBS;
  if (!many) {
    for (const one of ordered) Object.assign(one, { hub: hubs.has(one) ? 1 : 0, text: one.shown });
    for (const { data } of edges) {
      const box = wrapped(data.shown, 13, 170);
      const [from, to] = [nodes.get(data.source), nodes.get(data.target)];
      const single = columns && from !== to && pairs.get(data.pair) === 1 && from.hub + to.hub === 1;
      Object.assign(data, { text: box.text, high: box.high, off: box.wide / 2 + 14, at: single ? (to.hub ? "from" : "to") : "middle" });
      if (!single || !narrow) continue;
      data.at = ""; // no room beside the box: it is said within
      if (to.hub) from.text = `${from.shown} ${data.shown} …`;
      else to.text = `… ${data.shown} ${to.shown}`;
    }
    for (const one of ordered) {
      const box = wrapped(one.text, 14, narrow && one.hub ? 90 : 190);
      Object.assign(one, { text: box.text, wide: box.wide + 2 * PAD, high: box.high + PAD });
    }
  }

  // What joins several stands in the middle, the rest in a column on either side of it; on a telephone on one side.
  const placed = () => {
    const places = new Map(), sides = narrow ? 1 : 2, tall = [0, 0];
    const beside = (hub) => ordered.filter((one) => !one.hub && one.near.has(hub.id));
    const label = narrow ? 0 : Math.max(90, ...edges.map(({ data }) => 2 * data.off)), of = (list) => Math.max(0, ...list.map((one) => one.wide));
    const middle = of([...hubs]), outer = of(ordered.filter((one) => !one.hub));
    const across = Math.max(middle / 2 + label + 24 + outer / 2, canvas.clientWidth / sides - outer / 2 - (narrow ? middle / 2 : 0) - 24);
    const high = (one) => Math.max(one.high, ...edges.filter(({ data }) => data.source === one.id || data.target === one.id).map(({ data }) => data.high)) + GAP;
    for (const hub of hubs) {
      const top = Math.max(...tall);
      tall.fill(top);
      for (const one of beside(hub)) {
        const side = sides === 2 && tall[1] < tall[0] ? 1 : 0, room = high(one);
        places.set(one.id, { x: side ? -across : across, y: tall[side] + room / 2 });
        tall[side] += room;
      }
      const end = Math.max(...tall, top + hub.high + 3 * GAP);
      for (const side of [0, 1]) { // the shorter column stands in the middle of the longer
        const own = beside(hub).filter((one) => (places.get(one.id).x < 0) === Boolean(side));
        for (const one of own) places.get(one.id).y += (end - tall[side]) / 2;
      }
      places.set(hub.id, { x: 0, y: (top + end) / 2 });
      tall.fill(end);
    }
    for (const one of ordered) if (!places.has(one.id)) places.set(one.id, { x: 0, y: (tall[0] += one.high + GAP) });
    canvas.style.height = `${Math.min(Math.max(tall[0] + 40, 220), Math.max(420, 0.8 * innerHeight))}px`;
    return places;
  };
  const places = columns ? placed() : new Map();
  const turned = (at) => ({ x: 34 * Math.sqrt(at) * Math.cos(2.4 * at), y: 34 * Math.sqrt(at) * Math.sin(2.4 * at) });
  const position = (one, at) => (many ? { position: turned(at), grabbable: false, pannable: true } : columns ? { position: places.get(one.id) } : {}); // to drag one of many nodes, all would be drawn anew in each frame: it moves the view
  const written = { color: colour("--text"), "font-family": FONT, "text-wrap": "wrap", "min-zoomed-font-size": 7 };
  const over = { ...written, "font-size": 13, "text-background-color": colour("--ground"), "text-background-opacity": 1, "text-background-padding": 2 };
  const few = [
    { selector: "node", style: { ...written, label: "data(text)", "font-size": 14, "text-valign": "center", shape: "round-rectangle", width: "data(wide)", height: "data(high)", "background-color": colour("--raised"), "border-width": 1.5, "border-color": colour("--accent") } },
    { selector: "node[value = 1]", style: { shape: "rectangle", "background-color": colour("--ground"), "border-color": colour("--dim") } },
    { selector: "node[hub = 1][value = 0]", style: { color: colour("--on-accent"), "background-color": colour("--accent") } },
    { selector: "edge", style: { width: 1.5, "line-color": colour("--dim"), "target-arrow-color": colour("--dim"), "target-arrow-shape": "triangle", "curve-style": "bezier", "control-point-step-size": 50 } },
    { selector: "edge[at = 'middle']", style: { ...over, label: "data(text)" } },
    { selector: "edge[at = 'to']", style: { ...over, "target-label": "data(text)", "target-text-offset": "data(off)" } },
    { selector: "edge[at = 'from']", style: { ...over, "source-label": "data(text)", "source-text-offset": "data(off)" } },
  ];
  const thousands = [
    { selector: "node", style: { "background-color": colour("--accent") } },
    { selector: "node[degree > 1]", style: { ...written, label: "data(shown)", "font-size": 14, "text-wrap": "ellipsis", "text-max-width": 160, "text-background-color": colour("--ground"), "text-background-opacity": 0.85, "text-background-padding": 2 } },
    { selector: "node[value = 1]", style: { shape: "rectangle", "background-color": colour("--dim") } },
    { selector: "edge", style: { width: 1.5, "line-color": colour("--line"), "target-arrow-shape": "none", "curve-style": "haystack" } },
  ];
  const drawn = cytoscape({
    container: canvas,
    elements: [...ordered.map(({ near, ...data }, at) => ({ data, ...position(data, at) })), ...edges],
    layout: many || columns ? { name: "preset", padding: 16 } : { name: "cose", animate: false, idealEdgeLength: () => 170, nodeRepulsion: () => 40000 },
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
    drawn.center(drawn.getElementById(ordered[0].id));
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
  drawn.on("tap", "node", (event) => {
    const { id, value } = event.target.data();
    if (value) return;
    const more = new URL(canvas.dataset.more, location.href);
    if (!more.searchParams.getAll("name").includes(id)) more.searchParams.append("name", id);
    location.assign(more);
  });
  drawn.on("tap", "edge", (event) => {
    const row = document.getElementById(event.target.id());
    if (!row) return; // of a fact that is drawn and not in the table
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "center" });
  });
  drawn.one("render", () => { canvas.dataset.drawn = `${nodes.size} ${edges.length}`; });
})();
