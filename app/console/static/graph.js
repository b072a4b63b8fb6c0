// Draws the rows of the table: a node leads to what is stated of it, an edge to its row.
"use strict";
(() => {
  const canvas = document.getElementById("canvas");
  if (!canvas) return;
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const nodes = new Map(), edges = [];
  for (const row of document.querySelectorAll("#facts tbody tr")) {
    const { subject, relation, object } = row.dataset;
    const value = "literal" in row.dataset;
    nodes.set(subject, { id: subject, shown: subject });
    nodes.set(object, { id: object, shown: value ? object.slice(1) : object, value: value ? 1 : 0 });
    edges.push({ data: { id: row.id, source: subject, target: object, shown: relation } });
  }
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches || nodes.size > 300;
  const drawn = cytoscape({
    container: canvas,
    elements: [...[...nodes.values()].map((data) => ({ data })), ...edges],
    layout: { name: nodes.size > 1000 ? "concentric" : "cose", animate: false, nodeDimensionsIncludeLabels: true },
    minZoom: 0.1,
    maxZoom: 4,
    textureOnViewport: calm,
    style: [
      { selector: "node", style: { "background-color": colour("--accent"), label: "data(shown)", color: colour("--text"), "font-size": 12, "text-wrap": "ellipsis", "text-max-width": 140, "min-zoomed-font-size": 6 } },
      { selector: "node[value = 1]", style: { shape: "rectangle", "background-color": colour("--dim") } },
      { selector: "edge", style: { width: 1.5, "line-color": colour("--line"), "target-arrow-color": colour("--line"), "target-arrow-shape": "triangle", "curve-style": "bezier", label: "data(shown)", color: colour("--dim"), "font-size": 9, "text-rotation": "autorotate", "min-zoomed-font-size": 7 } },
      { selector: ":selected", style: { "background-color": colour("--open"), "line-color": colour("--open"), "target-arrow-color": colour("--open") } },
    ],
  });
  drawn.on("tap", "node", (event) => {
    const { id, value } = event.target.data();
    if (value) return;
    const more = new URL(canvas.dataset.more, location.href);
    if (!more.searchParams.getAll("name").includes(id)) more.searchParams.append("name", id);
    location.assign(more);
  });
  drawn.on("tap", "edge", (event) => {
    const row = document.getElementById(event.target.id());
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "center" });
  });
  canvas.dataset.drawn = `${nodes.size} ${edges.length}`;
})();
