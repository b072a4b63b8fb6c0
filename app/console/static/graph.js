// Draws facts: a node leads to what is stated of it, an edge to its row of the table.
"use strict";
(async () => {
  const canvas = document.getElementById("canvas");
  if (!canvas) return;
  const FEW = 25, MANY = 400, READABLE = 0.8; // nodes that fit on a ring, that a layout by forces takes long for; zoom below which labels blur
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
  const nodes = new Map(), edges = [];
  const known = (key) => {
    const value = key.startsWith("=");
    if (!nodes.has(key)) nodes.set(key, { id: key, shown: value ? key.slice(1) : key, value: value ? 1 : 0, degree: 0 });
    nodes.get(key).degree += 1;
  };
  for (const { id, subject, relation, object } of facts) {
    known(subject);
    known(object);
    edges.push({ data: { id, source: subject, target: object, shown: relation } });
  }
  const many = nodes.size > MANY;
  const ordered = [...nodes.values()].sort((one, other) => other.degree - one.degree);
  const turned = (at) => ({ x: 34 * Math.sqrt(at) * Math.cos(2.4 * at), y: 34 * Math.sqrt(at) * Math.sin(2.4 * at) });
  const label = { label: "data(shown)", color: colour("--text"), "text-background-color": colour("--ground"), "text-background-opacity": 0.85, "text-background-padding": 2 };
  const wide = Math.min(2.2, Math.max(1, canvas.clientWidth / canvas.clientHeight)); // a ring becomes as wide as its place
  const drawn = cytoscape({
    container: canvas,
    elements: [...ordered.map((data, at) => ({ data, ...(many ? { position: turned(at) } : {}) })), ...edges],
    layout: many ? { name: "preset" } : nodes.size <= FEW ? { name: "concentric", concentric: (node) => (node.degree() > 1 ? 2 : 1), levelWidth: () => 1, minNodeSpacing: 130, padding: 40, avoidOverlap: true, transform: (node, at) => ({ x: at.x * wide, y: at.y }) } : { name: "cose", animate: false, nodeDimensionsIncludeLabels: true, idealEdgeLength: () => 190, nodeRepulsion: () => 9000 },
    minZoom: 0.03,
    maxZoom: 4,
    textureOnViewport: many,
    hideEdgesOnViewport: many,
    pixelRatio: many ? 1 : "auto",
    style: [
      { selector: "node", style: { "background-color": colour("--accent") } },
      { selector: many ? "node[degree > 1], .pointed" : "node", style: { ...label, "font-size": 14, "text-wrap": "ellipsis", "text-max-width": 160, "min-zoomed-font-size": 8 } },
      { selector: "node[value = 1]", style: { shape: "rectangle", "background-color": colour("--dim") } },
      { selector: "edge", style: { width: 1.5, "line-color": colour("--line"), "target-arrow-color": colour("--line"), "target-arrow-shape": many ? "none" : "triangle", "curve-style": many ? "haystack" : "bezier" } },
      { selector: many ? "edge.pointed" : "edge", style: { ...label, "font-size": 13, "text-wrap": "ellipsis", "text-max-width": 170, "text-rotation": "autorotate", "min-zoomed-font-size": 9 } },
      { selector: ":selected", style: { "background-color": colour("--open"), "line-color": colour("--open"), "target-arrow-color": colour("--open") } },
    ],
  });
  if (!many && ordered.length && drawn.zoom() < READABLE) {
    drawn.zoom(READABLE);
    drawn.center(drawn.getElementById(ordered[0].id));
  }
  const zoom = (by) => {
    if (by === "fit") drawn.fit(undefined, 20);
    else drawn.zoom({ level: drawn.zoom() * Number(by), renderedPosition: { x: drawn.width() / 2, y: drawn.height() / 2 } });
  };
  for (const button of document.querySelectorAll("[data-zoom]")) button.addEventListener("click", () => zoom(button.dataset.zoom));
  if (many) { // too many names to write all of them
    drawn.on("mouseover", "node, edge", (event) => event.target.addClass("pointed"));
    drawn.on("mouseout", "node, edge", (event) => event.target.removeClass("pointed"));
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
