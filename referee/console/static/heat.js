// A heat map on the table from above, baulk at the left: squares filled by how often, pockets by how sure.
import { svg } from "./lib.js";
import { t } from "./texts.js";

const LENGTH = 3569, HALF = 889, RAIL = 110;
export const POCKETS = { BL: [0, -1], BR: [0, 1], CL: [0.5, -1], CR: [0.5, 1], TL: [1, -1], TR: [1, 1] };

// `cells`: rows along the table from baulk, cells across from the left cushion; `fill`: one colour, more is fuller.
export function heatMap(what, cells, fill, pockets) {
  const most = Math.max(1, ...cells.flat()), n = cells.flat().reduce((a, b) => a + b, 0), w = LENGTH / cells.length, h = 2 * HALF / cells[0].length;
  const squares = cells.flatMap((row, j) => row.map((count, i) => count && svg("rect", { x: j * w + 4, y: -HALF + i * h + 4, width: w - 8, height: h - 8, rx: 18, fill, "fill-opacity": 0.18 + 0.82 * count / most }, svg("title", {}, String(count)))));
  const numbers = cells.flatMap((row, j) => row.map((count, i) => count >= Math.max(2, most * 0.5) && svg("text", { x: j * w + w / 2, y: -HALF + i * h + h / 2, dy: ".36em", "text-anchor": "middle", "font-size": 92, "font-weight": 700, fill: "#111", stroke: "#fff", "stroke-width": 14, "paint-order": "stroke" }, count)));
  const holes = Object.entries(POCKETS).map(([name, [along, side]]) => {
    const [made, tried] = pockets[name] || [0, 0];
    return svg("g", {}, svg("circle", { cx: along * LENGTH, cy: side * HALF, r: 62, fill: "#0c0c0c" }), tried ? svg("text", { x: along * LENGTH, y: side * (HALF + 62), dy: ".36em", "text-anchor": along === 0 ? "start" : along === 1 ? "end" : "middle", "font-size": 84, fill: "#f5e9da" }, `${Math.round(100 * made / tried)} %`) : null);
  });
  return svg("svg", { class: "table heat", viewBox: `${-RAIL} ${-HALF - RAIL} ${LENGTH + 2 * RAIL} ${2 * (HALF + RAIL)}`, role: "img", "aria-label": t("players.map_is", { what, n }) },
    svg("rect", { x: -RAIL, y: -HALF - RAIL, width: LENGTH + 2 * RAIL, height: 2 * (HALF + RAIL), rx: 60, fill: "#4a2f1c" }), svg("rect", { x: 0, y: -HALF, width: LENGTH, height: 2 * HALF, fill: "#14784f" }),
    svg("path", { d: `M737 ${-HALF}V${HALF}M737 -292A292 292 0 0 0 737 292`, fill: "none", stroke: "#d7e8dc", "stroke-width": 6 }), squares.filter(Boolean), numbers.filter(Boolean), holes);
}
