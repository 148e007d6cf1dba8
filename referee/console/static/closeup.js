// A ball's own picture, enlarged, under the drawn outline of where it belongs.
import { el, mm, svg } from "./lib.js";
import { ballName, t } from "./texts.js";

// `o`: colour, where it belongs (x_px, y_px, r_px), where it is (now_px, may be null), what is left to go.
export function closeUp(head, src, [width, height], o) {
  const reach = Math.max(3.2 * o.r_px, o.now_px ? 1.3 * (Math.hypot(o.now_px[0] - o.x_px, o.now_px[1] - o.y_px) + 1.5 * o.r_px) : 0);
  const name = t("restore.close_up", { ball: ballName(o.colour) });
  return el("figure", { class: "closeup" }, svg("svg", { viewBox: `${o.x_px - reach} ${o.y_px - reach} ${2 * reach} ${2 * reach}`, role: "img", "aria-label": name },
    svg("image", { href: src, x: -0.5, y: -0.5, width, height, preserveAspectRatio: "none" }),
    svg("circle", { cx: o.x_px, cy: o.y_px, r: o.r_px, fill: "none", stroke: "#000", "stroke-width": o.r_px / 7 }),
    svg("circle", { cx: o.x_px, cy: o.y_px, r: o.r_px, fill: "none", stroke: "#ffe14a", "stroke-width": o.r_px / 12 }),
    svg("path", { d: `M${o.x_px - o.r_px / 4} ${o.y_px}h${o.r_px / 2}M${o.x_px} ${o.y_px - o.r_px / 4}v${o.r_px / 2}`, stroke: "#ffe14a", "stroke-width": o.r_px / 16 })),
    el("figcaption", {}, el("b", {}, ballName(o.colour)), o.left_mm === null || o.left_mm === undefined ? "" : ` ${mm(o.left_mm)} mm`, o.finding ? ` · ${t(`spots.${o.finding}`)}` : ""));
}
