// Players over time: everybody, and one player in pictures with a table beside each.
import { api, el, put, svg, toast } from "./lib.js";
import { bars, figure, lines, table } from "./charts.js";
import { heatMap, POCKETS } from "./heat.js";
import { loadTexts, t } from "./texts.js";

const $ = (id) => document.getElementById(id);
const percent = (share) => (share && share[1] ? Math.round(100 * share[0] / share[1]) : null);
const shareWords = (share) => (share && share[1] ? `${percent(share)} % (${t("players.of", { made: share[0], tried: share[1] })})` : "–");
const seconds = (s) => (s === null ? "–" : t("players.seconds", { n: s.toFixed(1) }));
let roster = [];

// A ring that is filled by a share, its number inside.
function ring(words, share) {
  const p = percent(share), r = 42, round = 2 * Math.PI * r;
  return el("figure", { class: "tile" }, svg("svg", { viewBox: "-50 -50 100 100", role: "img", "aria-label": `${words}: ${shareWords(share)}` }, svg("circle", { r, class: "ringback" }), p === null ? null : svg("circle", { r, class: "ringfill", "stroke-dasharray": `${round * p / 100} ${round}`, transform: "rotate(-90)" }), svg("text", { "text-anchor": "middle", dy: ".36em", "font-size": 22, "font-weight": 700 }, p === null ? "–" : `${p} %`)), el("figcaption", {}, el("b", {}, words), el("span", { class: "soft" }, share && share[1] ? t("players.of", { made: share[0], tried: share[1] }) : "–")));
}
const plain = (words, value, more) => el("figure", { class: "tile" }, el("div", { class: "number" }, value), el("figcaption", {}, el("b", {}, words), more ? el("span", { class: "soft" }, more) : null));

function successPart(c, labels) {
  const rows = c.matches.map((m, i) => [`${labels[i]} ${m.opponent}`, shareWords(m.pots), shareWords(m.long_pots), shareWords(m.safeties)]);
  const of = (key) => [t(`players.${key}`), c.matches.map((m) => percent(m[key]))];
  return figure(t("players.success"), lines(t("players.success"), labels, [of("pots"), of("long_pots"), of("safeties")], 100), [t("players.date"), t("players.pots"), t("players.long_pots"), t("players.safeties")], rows, "success");
}
function breakParts(c, labels) {
  const band = ([low, high]) => (high === null ? t("players.band_from", { low }) : t("players.band", { low, high: high - 1 })), brief = ([low, high]) => (high === null ? `${low}+` : `${low}–${high - 1}`);
  const won = (m) => `${m.frames[0]}–${m.frames[1]}${m.won === null ? "" : ` ${t(m.won ? "players.won" : "players.lost")}`}`;
  return [figure(t("players.building"), lines(t("players.building"), labels, [[t("players.highest"), c.matches.map((m) => m.highest)]]), [t("players.date"), t("players.highest"), t("players.opponent"), t("players.result")], c.matches.map((m, i) => [labels[i], m.highest, m.opponent, won(m)]), "building"),
    figure(t("players.breaks"), bars(t("players.breaks"), c.breaks.map(brief), c.breaks.map((b) => b[2])), [t("players.breaks"), t("players.count")], c.breaks.map((b) => [band(b), b[2]]), "breaks"),
    figure(t("players.times"), bars(t("players.times"), c.times.map((b) => `${brief(b)} s`), c.times.map((b) => b[2])), [t("players.times"), t("players.shots")], c.times.map((b) => [`${band(b)} ${t("players.times_axis")}`, b[2]]), "times")];
}
function mapParts(c) {
  const words = (name) => t(`pockets.${{ BL: "top_left", BR: "bottom_left", CL: "top_middle", CR: "bottom_middle", TL: "top_right", TR: "bottom_right" }[name]}`);
  const rows = Object.keys(POCKETS).map((name) => [words(name), shareWords(c.pockets[name])]);
  const one = (key, cells, fill, more) => el("section", { class: "card chartcard", id: key }, el("h3", {}, t(`players.${key}`)), heatMap(t(`players.${key}`), cells, fill, key === "potted_from" ? c.pockets : {}), el("p", { class: "soft" }, t("players.most_cell", { n: Math.max(0, ...cells.flat()) })), more);
  const where = (key, cells) => table(t(`players.${key}`), [t("players.part"), ...["baulk", "middle", "top"].map((k) => t(`players.third_${k}`))], ["upper", "lower"].map((k, half) => [t(`players.half_${k}`), ...thirds(cells, half)]));
  return [one("potted_from", c.potted, "#ffd84a", [where("potted_from", c.potted), table(t("players.pockets"), [t("players.pocket"), t("players.pots")], rows)]), one("missed_from", c.missed, "#ff8f7a", where("missed_from", c.missed))];
}
// Counts in the thirds of the table along, of the half drawn above (0) or below (1).
function thirds(cells, half) {
  const across = cells[0].length / 2, along = cells.length, sum = (from, to) => cells.slice(from, to).reduce((n, row) => n + row.slice(half * across, (half + 1) * across).reduce((a, b) => a + b, 0), 0);
  return [sum(0, Math.round(along / 3)), sum(Math.round(along / 3), Math.round(2 * along / 3)), sum(Math.round(2 * along / 3), along)];
}
function rivalPart(c) {
  const bar = (a, b) => { const all = Math.max(1, a + b); return svg("svg", { class: "versus", viewBox: "0 0 100 12", preserveAspectRatio: "none", role: "img", "aria-label": `${a}–${b}` }, svg("rect", { width: 100 * a / all, height: 12, class: "filla" }), svg("rect", { x: 100 * a / all, width: 100 * b / all, height: 12, class: "fillb" })); };
  return el("section", { class: "card chartcard wide", id: "rivals" }, el("h3", {}, t("players.head_to_head")), el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("players.head_to_head") }, el("table", {}, el("thead", {}, el("tr", {}, [t("players.against", { name: c.name }), t("players.matches"), t("players.frames"), "", t("players.highest"), t("players.last")].map((h) => (h ? el("th", { scope: "col" }, h) : el("td", {}))))),
    el("tbody", {}, c.rivals.map((r) => el("tr", {}, el("th", { scope: "row" }, el("a", { href: `#${encodeURIComponent(r.name)}` }, r.name)), el("td", {}, `${r.won}–${r.lost}`), el("td", {}, `${r.frames[0]}–${r.frames[1]}`), el("td", {}, bar(...r.frames)), el("td", {}, `${r.highest[0]} – ${r.highest[1]}`), el("td", {}, r.last)))))));
}
async function showPlayer(name) {
  const c = await api(`/players/${encodeURIComponent(name)}`), f = c.total, labels = c.matches.map((m) => m.played_on);
  document.title = `${c.name} · cueref`;
  return [el("h2", {}, c.name), el("div", { class: "tiles" }, plain(t("players.matches"), `${c.won}–${c.lost}`, `${t("players.frames")} ${c.frames[0]}–${c.frames[1]}`), ring(t("players.pots"), f.pots), ring(t("players.long_pots"), f.long_pots), ring(t("players.safeties"), f.safeties), plain(t("players.highest"), c.highest), plain(t("players.shot_time"), seconds(f.shot_s))),
    el("div", { class: "charts" }, successPart(c, labels), breakParts(c, labels), mapParts(c), rivalPart(c)), el("p", { class: "soft" }, t("players.explained"))];
}
function everybody() {
  return el("section", { class: "card" }, el("h2", {}, t("players.all")), el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("players.all") }, el("table", {}, el("thead", {}, el("tr", {}, ["player", "matches", "won", "highest", "pots", "last"].map((k, i) => el("th", { scope: "col", class: i ? "n" : "" }, t(`players.${k}`))))),
    el("tbody", {}, roster.map((r) => el("tr", {}, el("th", { scope: "row" }, el("a", { href: `#${encodeURIComponent(r.name)}` }, r.name)), el("td", { class: "n" }, r.matches), el("td", { class: "n" }, r.won), el("td", { class: "n" }, r.highest), el("td", { class: "n" }, shareWords(r.pots)), el("td", { class: "n" }, r.last)))))));
}
async function show() {
  const name = decodeURIComponent(location.hash.slice(1)), known = roster.find((r) => r.name === name);
  if (!roster.length) { put($("main"), el("p", { class: "empty" }, t("players.nobody"))); return; }
  const pick = el("select", { onchange: (e) => { location.hash = encodeURIComponent(e.target.value); } }, el("option", { value: "", selected: !known }, t("players.all")), roster.map((r) => el("option", { value: r.name, selected: r.name === name }, r.name)));
  const parts = known ? await showPlayer(name) : [everybody()];
  if (decodeURIComponent(location.hash.slice(1)) === name) put($("main"), el("p", { class: "tools" }, el("label", {}, t("players.pick"), " ", pick)), parts);
}
async function start() {
  await loadTexts();
  put($("title"), t("players.title"));
  put($("back"), t("players.back"));
  document.title = `${t("players.title")} · cueref`;
  roster = await api("/players");
  addEventListener("hashchange", () => show().catch((e) => toast(e.message, true)));
  await show();
}
start().catch((error) => toast(error.message, true));
