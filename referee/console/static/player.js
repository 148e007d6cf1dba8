// A stroke's replay: in 3-D and from above, with the speed of each ball, one clock for all and for the video.
// Stands alone, without imports: the file that is shared holds this text as it is.
const VIEWS = { cue: null, baulk: [-90, 24], side: [0, 28], above: [-90, 89], free: [-62, 34] };
const RAIL = "#4a2f1c", HOLE = "#0c0c0c";
const SPEEDS = [1, 2, 4, 8];
const NS = "http://www.w3.org/2000/svg";
const make = (tag, attrs = {}, ...children) => {
  const node = tag.startsWith("svg:") ? document.createElementNS(NS, tag.slice(4)) : document.createElement(tag);
  for (const [k, v] of Object.entries(attrs)) if (k.startsWith("on")) node.addEventListener(k.slice(2), v); else if (v !== null && v !== undefined && v !== false) node.setAttribute(k, v === true ? "" : v);
  node.append(...children.flat().filter((c) => c !== null && c !== undefined));
  return node;
};

// Where a ball is at a moment of the stroke; null once it is gone.
function placeAt(ball, s) {
  const p = ball.points;
  if (!p.length || (ball.gone_s !== null && s >= ball.gone_s)) return null;
  if (s <= p[0][0]) return [p[0][1], p[0][2]];
  let low = 0, high = p.length - 1;
  if (s >= p[high][0]) return [p[high][1], p[high][2]];
  while (high - low > 1) { const mid = (low + high) >> 1; if (p[mid][0] <= s) low = mid; else high = mid; }
  const share = (s - p[low][0]) / (p[high][0] - p[low][0]);
  return [p[low][1] + share * (p[high][1] - p[low][1]), p[low][2] + share * (p[high][2] - p[low][2])];
}

export class Player {
  // `data`: the replay; `table`: shape, fills, letters, turn; `t`: texts; `Plot`: uPlot; `video`: an element or null
  // with the match's time at which its own 0 lies.
  constructor(data, table, t, Plot, video = null, begins_s = 0) {
    Object.assign(this, { data, table, t, Plot, video, begins_s, s: 0, playing: false, slow: 1 });
    this.end = Math.max(0.1, data.end_s);
    this.view = "free";
    [this.azimuth, this.elevation] = VIEWS.free;
    this.canvas = make("canvas", { role: "img", "aria-label": t("replay.three_d"), class: "stage3d", tabindex: 0 });
    this.top = this.drawTop();
    this.slider = make("input", { type: "range", min: 0, max: this.end, step: 0.01, value: 0, "aria-label": t("replay.moment"), oninput: () => this.seek(Number(this.slider.value), true) });
    this.clock = make("span", { class: "time" }, "0.00 s");
    this.button = make("button", { type: "button", class: "main", onclick: () => this.toggle() }, t("replay.play"));
    this.chart = make("div", { class: "speedchart", role: "img", "aria-label": t("replay.speeds") });
    const choice = (words, list, change) => make("label", {}, `${words} `, make("select", { onchange: (e) => change(e.target.value) }, list.map(([v, w, on]) => make("option", { value: v, selected: on }, w))));
    this.views = choice(t("replay.view"), ["free", "cue", "baulk", "side", "above"].map((v) => [v, t(`replay.view_${v}`)]), (v) => this.look(v));
    const tempo = choice(t("replay.slower"), SPEEDS.map((n) => [n, n === 1 ? t("replay.real") : t("replay.part_of", { n })]), (v) => { this.slow = Number(v); if (this.video) this.video.playbackRate = 1 / this.slow; });
    const step = (way, words) => make("button", { type: "button", title: words, onclick: () => this.seek(this.s + way * 0.04, true) }, way < 0 ? `‹ ${t("replay.image")}` : `${t("replay.image")} ›`);
    this.controls = make("div", { class: "controls" }, this.button, step(-1, t("replay.back")), step(1, t("replay.on")), this.slider, this.clock, tempo, this.views);
    const drawn = make("div", { class: "replaydrawn" }, make("figure", {}, this.canvas, make("figcaption", {}, t("replay.three_d"))), make("figure", {}, this.top, make("figcaption", {}, t("replay.top"))), video ? make("figure", {}, video, make("figcaption", {}, t("replay.video"))) : null);
    const rows = (head, list) => make("table", {}, make("thead", {}, make("tr", {}, head.map((h) => make("th", { scope: "col" }, h)))), make("tbody", {}, list.map((r) => make("tr", {}, make("th", { scope: "row" }, r[0]), r.slice(1).map((c) => make("td", {}, c))))));
    this.node = make("div", { class: "replay" }, drawn, this.controls, make("div", { class: "replaynumbers" },
      make("section", {}, rows([t("replay.figure"), t("replay.value")], data.figures)),
      make("section", {}, this.chart, rows([t("replay.at"), t("replay.what"), ...data.balls.map((b) => `${b.name}, ${t("replay.speed_axis")}`)], data.events.map((e) => [`${e.t.toFixed(2)} s`, e.words, ...data.balls.map((b) => this.speedAt(b, e.t))])))),
      make("p", { class: "soft" }, t("replay.explained")));
    this.dragging();
    new ResizeObserver(() => { this.draw(); this.plot(); }).observe(this.node);
    if (video) {
      video.addEventListener("pause", () => this.playing && this.stop());
      video.addEventListener("ended", () => this.stop());
    }
  }
  speedAt(ball, s) {
    const near = ball.speeds.filter(([u]) => u >= s)[0];
    return near && near[0] - s < 0.1 ? near[1].toFixed(2) : "0";
  }
  toggle() { if (this.playing) this.stop(); else this.play(); }
  play() {
    if (this.s >= this.end - 0.02) this.seek(0, true);
    this.playing = true;
    this.button.textContent = this.t("replay.pause");
    if (this.video) { this.video.playbackRate = 1 / this.slow; this.video.play().catch(() => {}); }
    let last = performance.now();
    const tick = (now) => {
      if (!this.playing || !this.node.isConnected) return;
      const v = this.video, led = v && !v.paused && v.readyState >= 2;
      this.seek(led ? v.currentTime + this.begins_s - this.data.start_s : this.s + (now - last) / 1000 / this.slow);
      last = now;
      if (this.s >= this.end) this.stop(); else requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }
  stop() {
    this.playing = false;
    this.button.textContent = this.t("replay.play");
    if (this.video && !this.video.paused) this.video.pause();
  }
  // `hold`: a person moved the clock, so the video follows; else the video leads.
  seek(s, hold = false) {
    this.s = Math.min(this.end, Math.max(0, s));
    this.slider.value = this.s;
    this.clock.textContent = `${this.s.toFixed(2)} s`;
    if (hold && this.video) this.video.currentTime = Math.max(0, this.data.start_s + this.s - this.begins_s);
    this.draw();
    if (this.uplot) this.uplot.redraw(false);
  }
  look(view) {
    this.view = view;
    if (view === "cue") {
      const cue = this.data.balls[0], a = placeAt(cue, 0), b = placeAt(cue, 0.2) || a;
      this.azimuth = Math.atan2(a[1] - b[1], a[0] - b[0]) * 180 / Math.PI;
      this.elevation = 16;
    } else [this.azimuth, this.elevation] = VIEWS[view];
    this.views.querySelector("select").value = view;
    this.draw();
  }
  dragging() {
    let from = null;
    const turn = (dx, dy) => { this.azimuth += dx; this.elevation = Math.min(89, Math.max(6, this.elevation + dy)); this.view = "free"; this.views.querySelector("select").value = "free"; this.draw(); };
    this.canvas.addEventListener("pointerdown", (e) => { from = [e.clientX, e.clientY]; this.canvas.setPointerCapture(e.pointerId); });
    this.canvas.addEventListener("pointermove", (e) => { if (from) { turn((from[0] - e.clientX) / 3, (e.clientY - from[1]) / 4); from = [e.clientX, e.clientY]; } });
    for (const end of ["pointerup", "pointercancel"]) this.canvas.addEventListener(end, () => { from = null; });
    this.canvas.addEventListener("keydown", (e) => {
      const way = { ArrowLeft: [-6, 0], ArrowRight: [6, 0], ArrowUp: [0, 4], ArrowDown: [0, -4] }[e.key];
      if (way) { turn(...way); e.preventDefault(); e.stopPropagation(); }
    });
  }
  balls() {
    const moving = this.data.balls.map((b) => [b.colour, placeAt(b, this.s)]).filter(([, p]) => p);
    return [...moving.map(([c, p]) => [c, ...p]), ...this.data.still];
  }
  // -- in 3-D --------------------------------------------------------------------------------------------------
  draw() {
    this.drawBallsTop();
    const box = this.canvas.getBoundingClientRect(), ratio = Math.min(2, devicePixelRatio || 1);
    const w = Math.max(1, Math.round(box.width * ratio)), h = Math.max(1, Math.round(box.height * ratio));
    if (this.canvas.width !== w || this.canvas.height !== h) { this.canvas.width = w; this.canvas.height = h; }
    const g = this.canvas.getContext("2d");
    g.clearRect(0, 0, w, h);
    const see = this.camera(w, h), T = this.table.table;
    this.drawTable(g, see, T);
    for (const b of this.data.balls) this.trail(g, see, b);
    const r = T.ball_radius_mm, seen = this.balls().map(([c, x, y]) => ({ c, x, y, at: see(x, y, r) })).filter((b) => b.at).sort((a, b) => b.at[2] - a.at[2]);
    for (const b of seen) {
      const ground = see(b.x, b.y, 1), size = r * b.at[3], flat = Math.max(0.25, Math.sin(this.elevation * Math.PI / 180));
      if (ground) { g.fillStyle = "#0006"; g.beginPath(); g.ellipse(ground[0], ground[1], size, size * flat, 0, 0, 7); g.fill(); }
    }
    for (const b of seen) if (T.disc_mm) this.disc(g, see, b, r, T.disc_mm); else this.sphere(g, b.at, r * b.at[3], b.c);
  }
  // A camera that looks at the table's middle: table mm to picture, depth, px a mm. The whole table fits.
  camera(w, h) {
    const T = this.table.table, mid = [0, T.length_mm / 2 - T.centre_mm], a = this.azimuth * Math.PI / 180, e = this.elevation * Math.PI / 180;
    const back = [Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e)], right = [-Math.sin(a), Math.cos(a), 0], up = [-Math.sin(e) * Math.cos(a), -Math.sin(e) * Math.sin(a), Math.cos(e)];
    const W = T.half_width_mm + 160 * T.mark_scale, L = T.length_mm / 2 + 160 * T.mark_scale, corners = [[-W, -L], [W, -L], [W, L], [-W, L]];
    const through = (p, far, focal) => { const depth = far - (p[0] * back[0] + p[1] * back[1] + p[2] * back[2]); return [(p[0] * right[0] + p[1] * right[1]) * focal / depth, -(p[0] * up[0] + p[1] * up[1] + p[2] * up[2]) * focal / depth, depth, focal / depth]; };
    const far = 5200, plain = corners.map(([x, y]) => through([x, y, 0], far, 1000));
    const spanX = [Math.min(...plain.map((p) => p[0])), Math.max(...plain.map((p) => p[0]))], spanY = [Math.min(...plain.map((p) => p[1])) - 16, Math.max(...plain.map((p) => p[1]))];
    const scale = 0.97 * Math.min(w / (spanX[1] - spanX[0]), h / (spanY[1] - spanY[0]));
    const cx = w / 2 - scale * (spanX[0] + spanX[1]) / 2, cy = h / 2 - scale * (spanY[0] + spanY[1]) / 2;
    return (x, y, z) => { const p = through([x - mid[0], y - mid[1], z], far, 1000); return p[2] > 50 ? [cx + scale * p[0], cy + scale * p[1], p[2], scale * p[3]] : null; };
  }
  shape(g, see, points, fill) {
    g.fillStyle = fill;
    g.beginPath();
    points.forEach(([x, y, z], i) => { const p = see(x, y, z); if (p) g[i ? "lineTo" : "moveTo"](p[0], p[1]); });
    g.closePath();
    g.fill();
  }
  line(g, see, points, colour, width) {
    g.strokeStyle = colour;
    g.lineWidth = width;
    g.lineJoin = "round";
    g.beginPath();
    points.forEach(([x, y, z], i) => { const p = see(x, y, z); if (p) g[i ? "lineTo" : "moveTo"](p[0], p[1]); });
    g.stroke();
  }
  drawTable(g, see, T) {
    const W = T.half_width_mm, k = T.mark_scale, low = -T.centre_mm, high = T.length_mm - T.centre_mm, rim = 130 * k, nose = 35 * k, { surface, edge, lines } = T.colours, px = Math.max(1, g.canvas.width / 700);
    const ring = (d, z) => [[-W - d, low - d, z], [W + d, low - d, z], [W + d, high + d, z], [-W - d, high + d, z]];
    this.shape(g, see, ring(rim, nose), RAIL);
    this.shape(g, see, ring(45 * k, nose), edge);
    const inner = ring(0, nose), bed = ring(0, 0);
    this.shape(g, see, inner, surface);
    this.shape(g, see, bed, surface);
    for (let n = 0; n < 4; n += 1) { const j = (n + 1) % 4; for (const fill of n % 2 ? [edge] : [edge, "#00000026"]) this.shape(g, see, [inner[n], inner[j], bed[j], bed[n]], fill); }
    for (const line of T.lines) this.line(g, see, line.map(([x, y]) => [x, y, 0]), lines, px);
    for (const [x, y] of Object.values(T.spots)) this.shape(g, see, Array.from({ length: 10 }, (_, i) => [x + 7 * k * Math.cos(i * 0.63), y + 7 * k * Math.sin(i * 0.63), 0]), lines);
    g.font = `${Math.round(13 * px)}px Arial,"DejaVu Sans",sans-serif`;
    g.textBaseline = "middle";
    for (const p of T.pockets) {
      const at = this.data.pockets[p.name] && see(p.x + 190 * k * Math.sign(p.x), p.y + (/^C/.test(p.name) ? 0 : 190 * k * Math.sign(p.y - (low + high) / 2)), nose);
      if (!at) continue;
      const words = this.data.pockets[p.name], half = g.measureText(words).width / 2 + 4;
      g.textAlign = "center";
      g.fillStyle = "#f5e9da";
      g.fillText(words, Math.min(g.canvas.width - half, Math.max(half, at[0])), Math.min(g.canvas.height - 9 * px, Math.max(9 * px, at[1])));
    }
    for (const p of T.pockets) this.shape(g, see, Array.from({ length: 28 }, (_, i) => [p.x + p.r * Math.cos(i * 0.2244), p.y + p.r * Math.sin(i * 0.2244), nose]), HOLE);
  }
  trail(g, see, ball) {
    const done = ball.points.filter(([s]) => s <= this.s).map(([, x, y]) => [x, y, 2]), here = placeAt(ball, this.s);
    if (here) done.push([...here, 2]);
    if (done.length < 2) return;
    const px = Math.max(1.5, g.canvas.width / 420);
    this.line(g, see, done, "#0007", px * 1.9);
    this.line(g, see, done, this.ink(ball.colour), px);
  }
  ink(colour) { return { green: "#7be0a6", black: "#a9a9b4", brown: "#c98d58", blue: "#79a4ff", red: "#ff6a5e" }[colour] || this.table.fills[colour] || "#fff"; }
  disc(g, see, { x, y, c }, r, height) {
    const ring = (z) => Array.from({ length: 24 }, (_, i) => [x + r * Math.cos(i * Math.PI / 12), y + r * Math.sin(i * Math.PI / 12), z]), fill = this.table.fills[c] || "#f7f4e6";
    for (const z of [0, height / 2]) for (const ink of [fill, "#0005"]) this.shape(g, see, ring(z), ink);
    this.shape(g, see, ring(height), fill);
  }
  sphere(g, [x, y], r, colour) {
    const fill = this.table.fills[colour] || "#f7f4e6", shine = g.createRadialGradient(x - r * 0.35, y - r * 0.45, r * 0.08, x, y, r);
    shine.addColorStop(0, "#ffffff");
    shine.addColorStop(0.22, fill);
    shine.addColorStop(0.72, fill);
    shine.addColorStop(1, "#000000b0");
    g.fillStyle = fill;
    g.beginPath();
    g.arc(x, y, r, 0, 7);
    g.fill();
    g.fillStyle = shine;
    g.fill();
    g.lineWidth = Math.max(0.6, r * 0.06);
    g.strokeStyle = "#ffffff90";
    g.stroke();
  }
  // -- from above, lying as the camera sees the table --------------------------------------------------------------
  drawTop() {
    const T = this.table.table, L = T.length_mm, W = T.half_width_mm, rail = Math.max(150 * L / 3569, 40), turn = this.table.turn || 0, upright = turn % 2, c = T.centre_mm, k = T.mark_scale, { surface, lines } = T.colours;
    const across = L + 2 * rail, down = 2 * W + 2 * rail, s = (tag, attrs, ...more) => make(`svg:${tag}`, attrs, ...more);
    this.layer = s("g");
    const bed = s("g", {}, s("rect", { x: -rail, y: -W - rail, width: across, height: down, rx: 60 * k, fill: RAIL }), s("rect", { x: 0, y: -W, width: L, height: 2 * W, fill: surface }),
      s("path", { d: T.lines.map((line) => `M${line.map(([x, y]) => `${y + c} ${x}`).join("L")}`).join(""), fill: "none", stroke: lines, "stroke-width": 6 * k }),
      T.pockets.map((p) => s("circle", { cx: p.y + c, cy: p.x, r: p.r, fill: HOLE })),
      T.pockets.map((p) => this.label(p, c, rail, turn)));
    return s("svg", { class: "table", viewBox: upright ? `${L / 2 - down / 2} ${-across / 2} ${down} ${across}` : `${-rail} ${-W - rail} ${across} ${down}`, role: "img", "aria-label": this.t("replay.top") },
      s("g", turn ? { transform: `rotate(${90 * turn} ${L / 2} 0)` } : {}, bed, s("g", { transform: `translate(${c} 0)` }, this.layer)));
  }
  // A pocket's name on the rail beside it, upright; none where a narrow rail has no room for it.
  label(p, centre, rail, turn) {
    const words = this.data.pockets[p.name], end = { B: -1, C: 0, T: 1 }[p.name[0]], upright = turn % 2;
    if (!words || (upright && !end)) return null;
    const side = Math.sign(p.x), right = [end, -side, -end, side][turn] > 0, where = upright ? [p.y + centre + end * rail / 2, p.x] : [p.y + centre, p.x + side * rail / 2];
    return make("svg:text", { transform: `translate(${where[0]} ${where[1]})${turn ? ` rotate(${-90 * turn})` : ""}`, "text-anchor": right ? "end" : "start", dx: (right ? -0.5 : 0.5) * rail, dy: ".35em", "font-size": rail * 0.68, "font-family": "Arial,sans-serif", fill: "#f5e9da" }, words);
  }
  drawBallsTop() {
    const r = this.table.table.ball_radius_mm * 1.25, k = this.table.table.mark_scale, turn = this.table.turn || 0, s = (tag, attrs, ...more) => make(`svg:${tag}`, attrs, ...more);
    const trails = this.data.balls.map((b) => {
      const done = b.points.filter(([u]) => u <= this.s), here = placeAt(b, this.s), points = [...done.map(([, x, y]) => `${y},${x}`), ...(here ? [`${here[1]},${here[0]}`] : [])].join(" ");
      return [s("polyline", { points, fill: "none", stroke: "#03291a", "stroke-width": 18 * k, opacity: 0.5 }), s("polyline", { points, fill: "none", stroke: this.ink(b.colour), "stroke-width": 9 * k })];
    });
    const balls = this.balls().map(([colour, x, y]) => s("g", { transform: `translate(${y} ${x})${turn ? ` rotate(${-90 * turn})` : ""}` }, s("circle", { r, fill: this.table.fills[colour] || "#f7f4e6", stroke: "#fff", "stroke-width": 4 * k }),
      s("text", { "text-anchor": "middle", dy: ".36em", "font-size": r * 1.35, "font-weight": 700, "font-family": "Arial,sans-serif", fill: ["white", "yellow", "pink", "cue", "striker", "1"].includes(colour) ? "#111" : "#fff" }, this.table.letters[colour] || "")));
    this.layer.replaceChildren(...trails.flat(), ...balls);
  }
  // -- speeds --------------------------------------------------------------------------------------------------
  plot() {
    const width = Math.floor(this.chart.clientWidth);
    if (width < 80 || !this.data.balls.length) return;
    if (this.uplot) { this.uplot.setSize({ width, height: 220 }); return; }
    const times = [...new Set(this.data.balls.flatMap((b) => b.speeds.map(([s]) => s)))].sort((a, b) => a - b);
    const series = this.data.balls.map((b) => { const of = new Map(b.speeds); return times.map((s) => of.get(s) ?? null); });
    const ink = getComputedStyle(this.node).color, grid = { stroke: "#8884", width: 1 }, now = this;
    const dash = [[], [8, 5], [2, 4], [12, 4, 2, 4]];
    this.uplot = new this.Plot({ width, height: 220, legend: { live: false }, cursor: { drag: { x: false, y: false } }, scales: { x: { time: false, range: [0, this.end] }, y: { range: (u, low, high) => [0, Math.max(1, high * 1.08)] } },
      axes: [{ stroke: ink, grid, label: this.t("replay.time_axis"), labelSize: 18 }, { stroke: ink, grid, label: this.t("replay.speed_axis"), labelSize: 18, size: 42 }],
      series: [{}, ...this.data.balls.map((b, i) => ({ label: b.name, stroke: this.chartInk(b.colour, ink), width: 2, dash: dash[i % 4], spanGaps: true }))],
      hooks: { draw: [(u) => { const x = u.valToPos(now.s, "x", true); u.ctx.save(); u.ctx.strokeStyle = ink; u.ctx.beginPath(); u.ctx.moveTo(x, u.bbox.top); u.ctx.lineTo(x, u.bbox.top + u.bbox.height); u.ctx.stroke(); u.ctx.restore(); }] } }, [times, ...series], this.chart);
  }
  chartInk(colour, ink) { return ["white", "black", "cue", "striker"].includes(colour) ? ink : { yellow: "#b38f00", green: "#0f9a52", brown: "#a5662f", blue: "#3f78ff", pink: "#d9628a", red: "#d8322c" }[colour] || this.ink(colour); }
}
