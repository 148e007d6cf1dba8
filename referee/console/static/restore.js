// Restore: the balls as they are against the position before a stroke; arrows and millimetres left.
import { api, el, mm, svg, toast } from "./lib.js";
import { Table } from "./table.js";

export async function restoreView(app, n) {
  const fouls = app.rows.filter((s) => s.kind === "foul");
  const chosen = n || (fouls.length ? fouls[fouls.length - 1].n : app.rows.length ? app.rows[app.rows.length - 1].n : 0);
  if (!chosen) return el("p", { class: "empty" }, "This match has no strokes.");
  const stroke = await api(`${app.base}/strokes/${chosen}`);
  const table = new Table(app.head, 1), list = el("ol", { class: "moves" }), over = el("div", { class: "over" }), count = el("p", { class: "big", id: "left" });
  table.layout(stroke.before);
  const pick = el("select", { "aria-label": "stroke", onchange: (e) => app.go("restore", Number(e.target.value)) },
    app.rows.filter((s) => s.kind === "foul" || s.n === chosen).map((s) => el("option", { value: s.n, selected: s.n === chosen }, `${s.n} ${s.striker}: ${s.ruling}`)));
  const at = el("input", { type: "number", min: 0, step: 0.1, value: (stroke.end_s + 2).toFixed(1), "aria-label": "moment in seconds" });
  const run = async (work) => {
    count.textContent = "looking …";
    try { draw(await work()); } catch (error) { count.textContent = ""; toast(error.message, true); }
  };
  const file = el("input", { type: "file", accept: "image/*", "aria-label": "picture", onchange: (e) => { const f = e.target.files[0]; if (f) run(() => api(`${app.base}/restore?stroke=${chosen}`, f, true).then((r) => ({ ...r, picture: URL.createObjectURL(f) }))); } });

  function draw(r) {
    table.clear();
    const R = app.head.table.ball_radius_mm;
    const open = r.balls.filter((b) => !b.done);
    count.textContent = open.length ? `${open.length} of ${r.balls.length} balls to place` : "Every ball is back";
    count.className = `big ${open.length ? "" : "good"}`;
    for (const b of r.balls) {
      if (b.now_mm) table.layers.balls.append(table.ball(b.colour, ...b.now_mm));
      if (b.target_mm) table.layers.ghosts.append(svg("circle", { cx: b.target_mm[1], cy: b.target_mm[0], r: R + 8, fill: "none", stroke: b.done ? "#4dff9d" : "#fff", "stroke-width": 9, "stroke-dasharray": b.done ? null : "18 12" }));
      if (b.now_mm && b.target_mm && !b.done && b.left_mm > 12) table.layers.marks.append(table.arrow(b.now_mm, b.target_mm, "#ffe14a"));
    }
    list.replaceChildren(...[...r.balls].sort((a, b) => (a.done - b.done) || ((b.left_mm ?? 1e9) - (a.left_mm ?? 1e9))).map((b) => el("li", { class: b.done ? "done" : "todo" },
      el("span", { class: "disc", style: `background:${app.head.fills[b.colour]}` }, app.head.letters[b.colour]),
      b.left_mm === null ? el("b", {}, b.now_mm ? "take off" : "put on") : el("b", {}, `${mm(b.left_mm)} mm`),
      b.left_mm === null || b.done ? null : el("span", { class: "turn", style: `transform:rotate(${Math.round(Math.atan2(b.dy_mm, -b.dx_mm) * 180 / Math.PI + (app.head.turned ? 180 : 0))}deg)`, title: "direction, as in the diagram" }, "↑"),
      el("i", {}, b.left_mm === null ? "" : `± ${mm(2 * b.sigma_mm)}`, b.was_on_spot ? " · was on its spot" : ""))));
    over.replaceChildren();
    if (r.picture && r.size_px) {
      over.append(el("img", { src: r.picture, alt: "the picture" }), svg("svg", { viewBox: `0 0 ${r.size_px[0]} ${r.size_px[1]}` },
        r.outlines.map((o) => svg("circle", { cx: o.x_px, cy: o.y_px, r: o.r_px, fill: "none", stroke: "#ffe14a", "stroke-width": 2 }))));
    }
  }
  const page = el("div", { class: "restoregrid" },
    el("section", {}, el("p", { class: "tools" }, el("label", {}, "Position before stroke ", pick)),
      app.head.live ? el("p", {}, "Compared with the table as it is now; updated every second.") : el("p", { class: "tools" }, el("label", {}, "Moment ", at, " s"), el("button", { type: "button", class: "main", id: "compare", onclick: () => run(() => api(`${app.base}/restore?stroke=${chosen}&at=${Number(at.value)}`).then((r) => ({ ...r, picture: app.head.video.available ? `/api${app.base}/image?at=${Number(at.value)}` : null }))) }, "Compare"), el("label", { class: "file" }, "or a picture ", file)),
      count, list),
    el("section", {}, table.node, over));
  if (app.head.live) follow();
  return page;

  // The referee puts the balls back with the screen in sight: what is left to do follows the hands.
  async function follow() {
    try { draw(await api(`${app.base}/restore?stroke=${chosen}&at=0`)); } catch { /* the page's banner says that the table is lost */ }
    setTimeout(() => { if (page.isConnected) follow(); }, 1000);
  }
}
