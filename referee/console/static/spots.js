// Spots: each respotted colour against its due spot, magnified, with arrow and uncertainty.
import { api, clock, el, mm, signed, svg } from "./lib.js";

// The ball's centre against the spot, in mm; up is towards the top cushion, as a referee walks up.
function scope(head, c) {
  const reach = Math.max(6, Math.min(60, 1.35 * (c.offset_mm + 2 * c.sigma_mm)));
  const r = head.table.ball_radius_mm;
  return svg("svg", { class: "scope", viewBox: `${-reach} ${-reach} ${2 * reach} ${2 * reach}`, role: "img", "aria-label": `${c.ball} ${mm(c.offset_mm)} mm off` },
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
  const tolerance = el("input", { type: "number", min: 0, max: 50, step: 0.5, value: app.tolerance ?? 2, "aria-label": "tolerance in mm" });
  const draw = async () => {
    const all = await api(`${app.base}/spots?tolerance=${Number(tolerance.value) || 0}`);
    box.replaceChildren(...all.map((c) => el("article", { class: `spot ${c.finding}` }, scope(app.head, c),
      el("div", {}, el("h3", {}, c.ball, el("small", {}, ` ${clock(c.t_s)}`)),
        el("p", { class: "big" }, `${mm(c.offset_mm)} mm`, el("small", {}, ` ± ${mm(2 * c.sigma_mm)}`)),
        el("p", {}, { on: "on its spot", off: "OFF its spot", unsure: "too uncertain to say" }[c.finding]),
        el("p", { class: "soft" }, `${signed(c.dx_mm)} mm across, ${signed(c.dy_mm)} mm along`),
        c.instead ? el("p", {}, `own spot occupied${c.occupied_by.length ? ` by ${c.occupied_by.join(", ")}` : ""}; due: ${c.instead}`) : null,
        c.due ? el("p", {}, el("small", {}, `due at ${mm(c.due[0])} across, ${mm(c.due[1])} along`)) : null))));
    if (!all.length) box.replaceChildren(el("p", { class: "empty" }, "No colour was respotted in this recording."));
  };
  tolerance.addEventListener("change", () => { app.tolerance = tolerance.value; draw(); });
  await draw();
  return el("div", {}, el("p", { class: "tools" }, el("label", {}, "Tolerance ", tolerance, " mm beyond the uncertainty (two standard deviations)")), box);
}
