// Charts by uPlot, each a figure with its caption and a table of the same numbers beside it.
import { el } from "./lib.js";
import Plot from "./uplot/uPlot.esm.js";

const HEIGHT = 220;
const INKS = ["var(--a)", "var(--b)", "var(--good)"];
const DASHES = [[], [8, 5], [2, 4]];

const colour = (node, value) => (value.startsWith("var") ? getComputedStyle(node).getPropertyValue(value.slice(4, -1)).trim() : value);

// `make(width, ink, of)`: uPlot's options and data, once there is a place; drawn anew with another width or scheme.
function drawn(words, make) {
  const place = el("div", { class: "plot", role: "img", "aria-label": words });
  let plot = null, width = 0;
  const draw = () => {
    const now = Math.floor(place.clientWidth);
    if (now < 60) return;
    width = now;
    if (plot) plot.destroy();
    const { options, data } = make(getComputedStyle(place).color, (value) => colour(place, value), now);
    plot = new Plot({ width, height: HEIGHT, cursor: { drag: { x: false, y: false } }, legend: { live: false }, ...options }, data, place);
  };
  new ResizeObserver(() => { if (Math.floor(place.clientWidth) !== width) draw(); }).observe(place);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  return place;
}
export const table = (words, head, rows) => el("div", { class: "scroll beside", tabindex: 0, role: "region", "aria-label": `${words}: ${head.join(", ")}` }, el("table", {}, el("thead", {}, el("tr", {}, head.map((h, i) => el("th", { scope: "col", class: i ? "n" : "" }, h)))), el("tbody", {}, rows.map((r) => el("tr", {}, el("th", { scope: "row" }, r[0]), r.slice(1).map((c) => el("td", { class: "n" }, c)))))));
export const figure = (title, drawing, head, rows, id) => el("section", { class: "card chartcard", id }, el("h3", {}, title), drawing, table(title, head, rows));

const axes = (ink, words) => [{ stroke: ink, grid: { show: false }, ...words.x }, { stroke: ink, grid: { stroke: "#8884", width: 1 }, size: 44, ...words.y }];

// Lines over matches: `labels` below, `lines` of [name, values], values may be null.
export function lines(words, labels, series, top = null) {
  return drawn(words, (ink, of, width) => {
    const n = labels.length, every = Math.max(1, Math.ceil(n / 5), Math.ceil(n * 84 / Math.max(84, width - 60))); // a date has some 70 px
    return { data: [labels.map((_, i) => i), ...series.map(([, v]) => v)], options: {
      scales: { x: { time: false, range: [-0.3, Math.max(0.7, n - 0.7)] }, y: { range: (u, low, high) => [0, top || Math.max(10, (high || 0) * 1.1)] } },
      axes: axes(ink, { x: { values: (u, splits) => splits.map((i) => (Number.isInteger(i) && labels[i] ? labels[i] : "")), splits: () => labels.map((_, i) => i).filter((i) => i % every === 0) }, y: {} }),
      series: [{}, ...series.map(([name], i) => ({ label: name, stroke: of(INKS[i]), width: 2, dash: DASHES[i], spanGaps: true, points: { show: true, size: 7, fill: of(INKS[i]) } }))] } };
  });
}
// Bars with a label each.
export function bars(words, labels, values) {
  const every = (width) => Math.max(1, Math.ceil(labels.length * 74 / width)); // a label has some 60 px
  return drawn(words, (ink, of, width) => ({ data: [labels.map((_, i) => i), values], options: {
    legend: { show: false }, scales: { x: { time: false, range: [-0.6, labels.length - 0.4] }, y: { range: (u, low, high) => [0, Math.max(4, (high || 0) * 1.1)] } },
    axes: axes(ink, { x: { values: (u, splits) => splits.map((i) => labels[i] ?? ""), splits: () => labels.map((_, i) => i).filter((i) => i % every(width) === 0) }, y: { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] } }),
    series: [{}, { stroke: of(INKS[0]), fill: of(INKS[0]), width: 1, paths: Plot.paths.bars({ size: [0.72, 90] }), points: { show: false } }] } }));
}
