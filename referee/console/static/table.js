// The table from above. Its own way is baulk at the left: SVG x is the table's y, SVG y the table's x (a turn, no
// mirror). It is turned by quarters to lie as the camera sees it, or as the user turned it; pockets are labelled.
import { svg } from "./lib.js";
import { t } from "./texts.js";

const RAIL = 150;
const LABEL = 104; // mm; less on a table so small that two names on a rail would meet
const EM = 0.56; // a letter's width, with what is between letters, in the size of the type
const DARK = new Set(["white", "yellow", "pink", "cue", "striker", "1"]);
const DASH = { white: "", red: "34 14", yellow: "8 16", green: "60 14", brown: "34 14 8 14", blue: "60 14 8 14", pink: "20 20", black: "60 14 8 14 8 14" };
const LINE = { green: "#7be0a6", black: "#a9a9b4", brown: "#c98d58", blue: "#79a4ff", red: "#ff6a5e" };
const BAULK_AT = ["left", "top", "right", "bottom"];

// The lines on the surface as SVG path data.
export const linesPath = (table) => table.lines.map((line) => `M${line.map(([x, y]) => `${y} ${x}`).join("L")}`).join("");
// A direction in the drawing's own way (right, down) after quarter turns clockwise.
export function turned(x, y, turn) {
  for (let k = 0; k < turn; k++) [x, y] = [-y, x];
  return [x, y];
}
// Where a pocket lies on the screen: "top_left", "middle_right", as the server's words have it.
export function pocketKey(name, turn) {
  const [x, y] = turned({ B: -1, C: 0, T: 1 }[name[0]], { L: -1, R: 1 }[name[1]], turn);
  return `${["top", "middle", "bottom"][y + 1]}_${["left", "middle", "right"][x + 1]}`;
}

export class Table {
  constructor(head, scale = 1.35) {
    this.head = head;
    this.t = head.table;
    this.radius = this.t.ball_radius_mm * scale;
    this.turn = head.turn || 0;
    this.k = this.t.mark_scale; // how large marks and letters are: less than 1 on a carrom board
    this.rail = RAIL * this.k;
    const L = this.t.length_mm, W = this.t.half_width_mm, r = this.rail;
    this.movers = [];
    this.layers = { paths: svg("g"), ghosts: svg("g"), balls: svg("g"), marks: svg("g") };
    const across = L + 2 * r, down = 2 * W + 2 * r, upright = this.turn % 2;
    const box = upright ? `${L / 2 - down / 2} ${-across / 2} ${down} ${across}` : `${-r} ${-W - r} ${across} ${down}`;
    this.node = svg("svg", { class: `table${upright ? " upright" : ""}`, viewBox: box, role: "img", "aria-label": t("console.table_drawn", { where: t(`console.side_${BAULK_AT[this.turn]}`) }) },
      svg("g", this.turn ? { transform: `rotate(${90 * this.turn} ${L / 2} 0)` } : {}, this.bed(), svg("g", { transform: `translate(${this.t.centre_mm} 0)` }, ...Object.values(this.layers))));
  }
  ring(x, y) { this.layers.marks.append(svg("circle", { class: "ring", cx: y, cy: x, r: this.radius + 34 * this.k, fill: "none", stroke: "#ffe14a", "stroke-width": 26 * this.k })); }
  // Letters and numbers stay upright on a table that is turned to lie as the video shows it.
  get upright() { return this.turn ? ` rotate(${-90 * this.turn})` : ""; }
  // Pockets and baulk end by name, on the rails, upright.
  labels() {
    const L = this.t.length_mm, W = this.t.half_width_mm, lift = W + this.rail / 2 + 4 * this.k;
    // two names stand side by side on a rail, or on half of one that has a pocket in its middle
    const half = this.turn % 2 === 0 && this.t.pockets.some((p) => p.name[0] === "C");
    const longest = Math.max(...["top", "bottom"].map((y) => `${t(`pockets.${y}_${half ? "middle" : "left"}`)}${t(`pockets.${y}_right`)}`.length));
    const size = Math.min(LABEL * this.k, ((this.turn % 2 ? 2 * W : half ? L / 2 : L) - 210 * this.k) / (EM * longest));
    const text = (x, y, words, anchor) => svg("text", { class: "label", transform: `translate(${x} ${y})${this.upright}`, "text-anchor": anchor, dx: { start: 75 * this.k, end: -75 * this.k, middle: 0 }[anchor], dy: ".35em", "font-size": size, fill: "#f5e9da" }, words);
    const place = { B: 0, C: L / 2, T: L };
    const pockets = this.t.pockets.filter((p) => /^[BCT][LR]$/.test(p.name)).map((p) => {
      const [x] = turned(p.name[0] === "B" ? -1 : p.name[0] === "T" ? 1 : 0, p.name[1] === "L" ? -1 : 1, this.turn);
      const end = this.turn % 2 ? [place[p.name[0]] + (p.name[0] === "B" ? -this.rail / 2 : p.name[0] === "T" ? this.rail / 2 : 0), (p.name[1] === "L" ? -1 : 1) * (p.name[0] === "C" ? W + 40 * this.k : W)] : [place[p.name[0]], (p.name[1] === "L" ? -1 : 1) * lift];
      const middle = this.turn % 2 && p.name[0] === "C"; // on a narrow rail there is no room beside the hole
      return middle ? null : text(end[0], end[1], t(`pockets.${pocketKey(p.name, this.turn)}`), x > 0 ? "end" : "start");
    });
    const baulk = this.t.baulk_line_mm && this.turn % 2 === 0 ? svg("text", { class: "label", transform: `translate(${-this.rail / 2} 0) rotate(-90)`, "text-anchor": "middle", dy: ".35em", "font-size": LABEL, fill: "#f5e9da" }, t("console.baulk")) : null;
    return svg("g", { class: "labels", "aria-hidden": "true" }, ...pockets.filter(Boolean), ...(baulk ? [baulk] : []));
  }
  bed() {
    const L = this.t.length_mm, W = this.t.half_width_mm, k = this.k, { surface, edge, lines } = this.t.colours;
    return svg("g", {},
      svg("rect", { x: -this.rail, y: -W - this.rail, width: L + 2 * this.rail, height: 2 * W + 2 * this.rail, rx: 60 * k, fill: "#4a2f1c" }),
      svg("rect", { x: -12 * k, y: -W - 12 * k, width: L + 24 * k, height: 2 * W + 24 * k, fill: edge }),
      svg("rect", { x: 0, y: -W, width: L, height: 2 * W, fill: surface }),
      svg("g", { transform: `translate(${this.t.centre_mm} 0)` },
        svg("path", { d: linesPath(this.t), fill: "none", stroke: lines, "stroke-width": 5 * k }),
        Object.values(this.t.spots).map(([x, y]) => svg("circle", { cx: y, cy: x, r: 7 * k, fill: lines })),
        this.t.pockets.map((p) => svg("circle", { cx: p.y, cy: p.x, r: p.r, fill: "#0c0c0c" }))), this.labels());
  }
  ball(colour, x, y, more = {}) {
    const known = this.head.fills[colour] ? colour : "white", r = this.radius;
    return svg("g", { transform: `translate(${y} ${x})${this.upright}`, class: "ball", "data-ball": colour, ...more },
      svg("circle", { r, fill: this.head.fills[known], stroke: "#fff", "stroke-width": 3 * this.k }),
      svg("circle", { r, fill: "none", stroke: "#000", "stroke-width": 1.5 * this.k }),
      svg("text", { "text-anchor": "middle", dy: ".36em", "font-size": r * 1.45, "font-weight": 700, fill: DARK.has(known) ? "#111" : "#fff" }, this.head.letters[known]));
  }
  clear() { for (const layer of Object.values(this.layers)) layer.replaceChildren(); }

  layout(balls, layer = "balls", more = {}) {
    for (const [colour, places] of Object.entries(balls)) for (const p of places) this.layers[layer].append(this.ball(colour, p[0], p[1], more));
  }
  // A whole stroke: where balls came from, paths, contacts in order, pots, and where they came to rest.
  stroke(s) {
    this.clear();
    this.shown = s;
    this.moved = s.paths.map((p) => p.points);
    const { still, gone, come } = changes(s.before, s.after, this.t.ball_radius_mm * 0.7);
    gone.forEach(([c, x, y]) => this.layers.ghosts.append(this.ball(c, x, y, { opacity: 0.38 })));
    still.forEach(([c, x, y]) => this.layers.balls.append(this.ball(c, x, y)));
    this.ends = come.map(([c, x, y]) => this.ball(c, x, y, { class: "ball end" }));
    this.layers.balls.append(...this.ends);
    s.paths.forEach((p) => this.path(p));
    this.contacts(s);
    this.pots(s);
    this.movers = s.paths.map((p) => ({ path: p, node: null }));
  }
  path(p) {
    const points = p.points.map(([, x, y]) => `${y},${x}`).join(" ");
    const common = { points, fill: "none", "stroke-linejoin": "round" };
    this.layers.paths.append(
      svg("polyline", { ...common, stroke: "#03291a", "stroke-width": 15 * this.k, opacity: 0.5 }),
      svg("polyline", { ...common, class: "path", stroke: LINE[p.colour] || this.head.fills[p.colour], "stroke-width": 8 * this.k, "stroke-dasharray": (DASH[p.colour] || "").split(" ").map((n) => n && n * this.k).join(" ") || null }));
  }
  contacts(s) {
    const timed = s.contacts.filter((c) => c.t_s !== null).sort((a, b) => a.t_s - b.t_s);
    timed.forEach((c, i) => {
      const name = [...c.balls].sort((a) => (a === s.cue ? -1 : 1)).find((b) => s.paths.some((p) => p.ball === b));
      const here = name && at(s.paths.find((p) => p.ball === name).points, c.t_s);
      if (!here) return;
      const x = here[1], y = here[0] - this.t.ball_radius_mm * 3;
      this.layers.marks.append(svg("g", { class: "contact", transform: `translate(${x} ${y})${this.upright}` }, svg("circle", { r: 32 * this.k, fill: "#fff", stroke: "#111", "stroke-width": 4 * this.k }),
        svg("text", { dy: ".36em", "text-anchor": "middle", "font-size": 46 * this.k, fill: "#111" }, i + 1)));
    });
  }
  pots(s) {
    const fallen = s.potted.map((p) => [p.ball.split("_")[0], p.pocket]);
    if (s.cue_ball === "pocketed") fallen.push([s.cue, s.cue_ball_pocket]);
    const used = {};
    for (const [colour, name] of fallen) {
      const pocket = this.t.pockets.find((p) => p.name === name);
      if (!pocket) continue;
      const shift = (used[name] = (used[name] || 0) + 1) - 1, y = pocket.y + shift * 80 * this.k;
      this.layers.marks.append(svg("circle", { class: "pot", cx: y, cy: pocket.x, r: this.radius + 18 * this.k, fill: "none", stroke: "#ffe14a", "stroke-width": 11 * this.k }),
        this.ball(colour, pocket.x, y));
    }
  }
  // Balls in motion at a moment of the video; the resting ends are hidden meanwhile.
  moment(t) {
    const s = this.shown;
    if (!s) return;
    const playing = t > s.start_s && t < s.end_s && this.movers.length;
    this.ends.forEach((n) => { n.style.visibility = playing ? "hidden" : ""; });
    for (const m of this.movers) {
      const here = playing ? at(m.path.points, t) : null;
      if (!m.node) { m.node = this.ball(m.path.colour, 0, 0, { class: "ball mover" }); this.layers.marks.append(m.node); }
      m.node.style.visibility = here ? "" : "hidden";
      if (here) m.node.setAttribute("transform", `translate(${here[1]} ${here[0]})${this.upright}`);
    }
  }
  arrow(from, to, colour, width = 10) {
    const [x0, y0] = [from[1], from[0]], [x1, y1] = [to[1], to[0]];
    const len = Math.hypot(x1 - x0, y1 - y0) || 1, ux = (x1 - x0) / len, uy = (y1 - y0) / len, h = width * 3;
    return svg("g", { class: "arrow" }, svg("line", { x1: x0, y1: y0, x2: x1 - ux * h * 0.6, y2: y1 - uy * h * 0.6, stroke: colour, "stroke-width": width }),
      svg("polygon", { points: `${x1},${y1} ${x1 - ux * h - uy * h * 0.5},${y1 - uy * h + ux * h * 0.5} ${x1 - ux * h + uy * h * 0.5},${y1 - uy * h - ux * h * 0.5}`, fill: colour }));
  }
}

// Position [x, y] on a path of [t, x, y] at a time; null outside it.
export function at(points, t) {
  if (!points.length || t < points[0][0]) return null;
  let lo = 0, hi = points.length - 1;
  if (t >= points[hi][0]) return t - points[hi][0] < 0.05 ? points[hi].slice(1) : null;
  while (hi - lo > 1) { const m = (lo + hi) >> 1; if (points[m][0] <= t) lo = m; else hi = m; }
  const a = points[lo], b = points[hi], u = (t - a[0]) / Math.max(b[0] - a[0], 1e-9);
  return [a[1] + u * (b[1] - a[1]), a[2] + u * (b[2] - a[2])];
}

export function changes(before, after, same) {
  const still = [], gone = [], come = [];
  for (const colour of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const left = (after[colour] || []).map((p) => [p[0], p[1]]);
    for (const p of before[colour] || []) {
      const k = left.findIndex((q) => Math.abs(q[0] - p[0]) < same && Math.abs(q[1] - p[1]) < same);
      if (k >= 0) { left.splice(k, 1); still.push([colour, p[0], p[1]]); } else gone.push([colour, p[0], p[1]]);
    }
    left.forEach((q) => come.push([colour, q[0], q[1]]));
  }
  return { still, gone, come };
}
