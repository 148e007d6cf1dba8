// Spots: each respotted colour against its due spot, magnified, with arrow and uncertainty.
import { api, clock, el, mm, momentField, put, signed, svg, toast } from "./lib.js";
import { closeUp } from "./closeup.js";
import { ballName, language, t } from "./texts.js";

// The ball's centre against the spot, in mm; up is towards the top cushion, as a referee walks up.
function scope(head, c) {
  const reach = Math.max(6, Math.min(60, 1.35 * (c.offset_mm + 2 * c.sigma_mm)));
  const r = head.table.ball_radius_mm;
  return svg("svg", { class: "scope", viewBox: `${-reach} ${-reach} ${2 * reach} ${2 * reach}`, role: "img", "aria-label": t("spots.off_by", { ball: ballName(c.ball), mm: mm(c.offset_mm) }) },
    svg("rect", { x: -reach, y: -reach, width: 2 * reach, height: 2 * reach, fill: "#14784f" }),
    svg("circle", { cx: c.dx_mm, cy: -c.dy_mm, r, fill: head.fills[c.ball], "fill-opacity": 0.45, stroke: "#fff", "stroke-width": reach / 90 }),
    svg("circle", { cx: 0, cy: 0, r: 2, fill: "none", stroke: "#ffe14a", "stroke-width": reach / 90, "stroke-dasharray": `${reach / 25}` }),
    svg("path", { d: `M${-reach / 8} 0H${reach / 8}M0 ${-reach / 8}V${reach / 8}`, stroke: "#fff", "stroke-width": reach / 60 }),
    c.offset_mm > reach / 12 ? arrow(c.dx_mm, -c.dy_mm, reach) : null,
    svg("circle", { cx: c.dx_mm, cy: -c.dy_mm, r: 2 * c.sigma_mm, fill: "#fff", "fill-opacity": 0.35, stroke: "#fff", "stroke-width": reach / 120 }));
}

// From the ball to its spot: the way it has to go.
function arrow(x, y, reach) {
  const len = Math.hypot(x, y), ux = -x / len, uy = -y / len, h = reach / 9;
  return svg("g", {}, svg("line", { x1: x, y1: y, x2: -ux * h * 0.7, y2: -uy * h * 0.7, stroke: "#fff", "stroke-width": reach / 45 }),
    svg("polygon", { points: `0,0 ${-ux * h - uy * h * 0.45},${-uy * h + ux * h * 0.45} ${-ux * h + uy * h * 0.45},${-uy * h - ux * h * 0.45}`, fill: "#fff" }));
}

export async function spotsView(app) {
  const box = el("div", { class: "cards" });
  const tolerance = el("input", { type: "number", min: 0, max: 50, step: 0.5, value: app.tolerance ?? 2, "aria-label": t("spots.tolerance_mm") });
  const draw = async () => {
    const all = await api(`${app.base}/spots?tolerance=${Number(tolerance.value) || 0}&lang=${language()}`);
    box.replaceChildren(...all.map((c) => el("article", { class: `spot ${c.finding}` }, scope(app.head, c),
      el("div", {}, el("h3", {}, ballName(c.ball), el("small", {}, ` ${clock(c.t_s)}`)),
        el("p", { class: "big" }, `${mm(c.offset_mm)} mm`, el("small", {}, ` ± ${mm(2 * c.sigma_mm)}`)),
        el("p", {}, t(`spots.${c.finding}`)),
        el("p", { class: "soft" }, t("spots.across_along", { across: signed(c.dx_mm), along: signed(c.dy_mm) })),
        c.instead ? el("p", {}, t("spots.occupied", { balls: c.occupied_by.join(", "), due: c.instead })) : null,
        c.due ? el("p", {}, el("small", {}, t("spots.due_at", { across: mm(c.due[0]), along: mm(c.due[1]) }))) : null))));
    if (!all.length) box.replaceChildren(el("p", { class: "empty" }, t("spots.none")));
  };
  tolerance.addEventListener("change", () => { app.tolerance = tolerance.value; draw(); });
  await draw();
  return el("div", {}, el("h2", {}, t("console.spots")), spotsNow(app, tolerance),
    el("h3", {}, t("spots.respots")), el("p", { class: "tools" }, el("label", {}, t("spots.tolerance"), " ", tolerance, " ", t("spots.tolerance_words"))), box);
}

// "Is the blue on its spot now?": live at any moment, in a recording at the moment that is asked for.
function spotsNow(app, tolerance) {
  const stroke = app.rows.find((s) => s.n === app.stroke) || app.rows[app.rows.length - 1];
  const at = momentField(app, t("restore.moment_s"), stroke ? stroke.end_s + 1 : 0, () => clear(), () => look());
  const said = el("p", { class: "big", role: "status" }), cards = el("div", { class: "cards near" });
  let asked = 0; // an answer to a question that was changed meanwhile is shown no more
  const clear = () => { asked += 1; said.textContent = ""; put(cards); };
  const look = async () => {
    clear();
    const mine = asked;
    said.textContent = t("restore.looking");
    try {
      const r = await api(`${app.base}/spots/now?at=${Number(at.value) || 0}&tolerance=${Number(tolerance.value) || 0}`);
      if (mine !== asked) return;
      const off = r.spots.filter((s) => s.finding === "off"), unsure = r.spots.filter((s) => s.finding === "unsure");
      said.textContent = off.length ? t("spots.some_off", { balls: off.map((s) => ballName(s.ball)).join(", ") }) : unsure.length ? t("spots.some_unsure", { balls: unsure.map((s) => ballName(s.ball)).join(", ") }) : r.spots.length ? t("spots.all_on") : t("spots.none_near");
      const src = r.size_px && (app.head.live || app.head.video.available) ? `/api${app.base}/image?at=${Number(at.value) || 0}&n=${Date.now()}` : "";
      put(cards, r.spots.map((s) => el("article", { class: `spot ${s.finding}` }, src && s.px ? closeUp(app.head, src, r.size_px, { ...s.px, colour: s.ball, left_mm: s.offset_mm, finding: s.finding }) : scope(app.head, s),
        el("div", {}, el("h4", {}, ballName(s.ball)), el("p", { class: "big" }, `${mm(s.offset_mm)} mm`, el("small", {}, ` ± ${mm(2 * s.sigma_mm)}`)), el("p", {}, t(`spots.${s.finding}`))))));
    } catch (error) { if (mine === asked) clear(); toast(error.message, true); }
  };
  return el("section", { class: "spotsnow" }, el("h3", {}, t("spots.now")), el("p", { class: "tools" }, app.head.live ? null : el("label", {}, t("restore.moment"), " ", at, " s"), el("button", { type: "button", class: "main", id: "looknow", onclick: look }, t("spots.look"))), said, cards);
}
