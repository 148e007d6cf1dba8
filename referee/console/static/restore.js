// Restore: the balls as they are against the position before a stroke; arrows and millimetres left.
import { api, el, mm, momentField, put, svg, toast } from "./lib.js";
import { Table } from "./table.js";
import { closeUp } from "./closeup.js";
import { ballName, t } from "./texts.js";

export async function restoreView(app, n) {
  const fouls = app.rows.filter((s) => s.kind === "foul");
  const chosen = n || (fouls.length ? fouls[fouls.length - 1].n : app.rows.length ? app.rows[app.rows.length - 1].n : 0);
  if (!chosen) return el("p", { class: "empty" }, t("watch.no_strokes"));
  const stroke = await api(app.said(`/strokes/${chosen}`));
  const near = el("div", { class: "cards near" }), table = new Table(app.head, 1), list = el("ol", { class: "moves" }), over = el("div", { class: "over" }), count = el("p", { class: "big", id: "left" });
  table.layout(stroke.before);
  const pick = el("select", { "aria-label": t("restore.position"), onchange: (e) => app.go("restore", Number(e.target.value)) },
    app.rows.map((s) => el("option", { value: s.n, selected: s.n === chosen }, `${s.n} ${s.striker}: ${s.ruling}`)));
  const at = momentField(app, t("restore.moment_s"), stroke.end_s + 2, () => clear(), () => compare());
  const clear = () => { count.textContent = ""; put(list); put(near); put(over); table.clear(); table.layout(stroke.before); };
  const compare = () => run(() => api(`${app.base}/restore?stroke=${chosen}&at=${Number(at.value)}`).then((r) => ({ ...r, picture: app.head.video.available ? `/api${app.base}/image?at=${Number(at.value)}` : null })));
  const run = async (work) => {
    count.textContent = t("restore.looking");
    try { draw(await work()); } catch (error) { clear(); toast(error.message, true); }
  };
  const file = el("input", { type: "file", accept: "image/*", "aria-label": t("restore.picture"), onchange: (e) => { const f = e.target.files[0]; if (f) run(() => api(`${app.base}/restore?stroke=${chosen}`, f, true).then((r) => ({ ...r, picture: URL.createObjectURL(f) }))); } });

  function draw(r) {
    table.clear();
    const R = app.head.table.ball_radius_mm;
    const open = r.balls.filter((b) => !b.done);
    count.textContent = open.length ? t("restore.to_place", { n: open.length, of: r.balls.length }) : t("restore.all_back");
    count.className = `big ${open.length ? "" : "good"}`;
    for (const b of r.balls) {
      if (b.now_mm) table.layers.balls.append(table.ball(b.colour, ...b.now_mm));
      if (b.target_mm) table.layers.ghosts.append(svg("circle", { cx: b.target_mm[1], cy: b.target_mm[0], r: R + 8, fill: "none", stroke: b.done ? "#4dff9d" : "#fff", "stroke-width": 9, "stroke-dasharray": b.done ? null : "18 12" }));
      if (b.now_mm && b.target_mm && !b.done && b.left_mm > 12) table.layers.marks.append(table.arrow(b.now_mm, b.target_mm, "#ffe14a"));
    }
    list.replaceChildren(...[...r.balls].sort((a, b) => (a.done - b.done) || ((b.left_mm ?? 1e9) - (a.left_mm ?? 1e9))).map((b) => el("li", { class: b.done ? "done" : "todo" },
      el("span", { class: "disc", style: `background:${app.head.fills[b.colour]}`, role: "img", "aria-label": ballName(b.colour) }, app.head.letters[b.colour]),
      b.left_mm === null ? el("b", {}, t(b.now_mm ? "restore.take_off" : "restore.put_on")) : el("b", {}, `${mm(b.left_mm)} mm`),
      b.left_mm === null || b.done ? null : el("span", { class: "turn", style: `transform:rotate(${Math.round(Math.atan2(b.dy_mm, -b.dx_mm) * 180 / Math.PI + (90 * (app.head.turn || 0)))}deg)`, role: "img", "aria-label": t("restore.direction") }, "↑"),
      el("i", {}, b.left_mm === null ? "" : `± ${mm(2 * b.sigma_mm)}`, b.was_on_spot ? ` · ${t("restore.was_on_spot")}` : ""))));
    over.replaceChildren();
    put(near, r.picture && r.targets ? r.targets.filter((o) => !o.done).slice(0, 6).map((o) => closeUp(app.head, r.picture, r.size_px, o)) : null);
    if (r.picture && r.size_px) {
      over.append(el("img", { src: r.picture, alt: t("restore.picture") }), svg("svg", { viewBox: `0 0 ${r.size_px[0]} ${r.size_px[1]}` },
        (r.outlines || []).map((o) => svg("circle", { cx: o.x_px, cy: o.y_px, r: o.r_px, fill: "none", stroke: "#ffe14a", "stroke-width": 2 }))));
    }
  }
  const page = el("div", { class: "restoregrid" },
    el("section", {}, el("h2", {}, t("console.restore")), el("p", { class: "tools" }, el("label", {}, t("restore.position"), " ", pick)),
      app.head.live ? el("p", {}, t("restore.live")) : el("p", { class: "tools" }, el("label", {}, t("restore.moment"), " ", at, " s"), el("button", { type: "button", class: "main", id: "compare", onclick: compare }, t("restore.compare")), el("label", { class: "file" }, t("restore.or_picture"), " ", file)),
      count, list, near),
    el("section", {}, table.node, over));
  if (app.head.live) follow();
  return page;

  // The referee puts the balls back with the screen in sight: what is left to do follows the hands.
  async function follow() {
    try { draw(await api(`${app.base}/restore?stroke=${chosen}&at=0`)); } catch { /* the page's banner says that the table is lost */ }
    setTimeout(() => { if (page.isConnected) follow(); }, 1000);
  }
}
