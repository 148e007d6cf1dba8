// Players over time: everybody, and one player in pictures with a table beside each.
import { api, el, put, svg, toast } from "./lib.js";
import { bars, figure, lines, table } from "./charts.js";
import { heatMap, POCKETS } from "./heat.js";
import { loadTexts, t, units, wordsOf } from "./texts.js";

const $ = (id) => document.getElementById(id);
const percent = (share) => (share && share[1] ? Math.round(100 * share[0] / share[1]) : null);
const shareWords = (share) => (share && share[1] ? `${percent(share)} % (${t("players.of", { made: share[0], tried: share[1] })})` : "–");
const seconds = (s) => (s === null ? "–" : t("players.seconds", { n: s.toFixed(1) }));
const headed = (words) => words[0].toUpperCase() + words.slice(1);
// The figures of a game in its own words, and whether it has them.
const FIGURES = { highest: "highest_break", pots: "pot_success", long_pots: "long_pot_success", safeties: "safety_success", shot_time: "average_shot_time" };
const has = (c, key) => c.figures.includes(FIGURES[key]), words = (key) => t(`stats.row_${FIGURES[key]}`);
let roster = [], chosen = "";

// A ring that is filled by a share, its number inside.
function ring(words, share) {
  const p = percent(share), r = 42, round = 2 * Math.PI * r;
  return el("figure", { class: "tile" }, svg("svg", { viewBox: "-50 -50 100 100", role: "img", "aria-label": `${words}: ${shareWords(share)}` }, svg("circle", { r, class: "ringback" }), p === null ? null : svg("circle", { r, class: "ringfill", "stroke-dasharray": `${round * p / 100} ${round}`, transform: "rotate(-90)" }), svg("text", { "text-anchor": "middle", dy: ".36em", "font-size": 22, "font-weight": 700 }, p === null ? "–" : `${p} %`)), el("figcaption", {}, el("b", {}, words), el("span", { class: "soft" }, share && share[1] ? t("players.of", { made: share[0], tried: share[1] }) : "–")));
}
const plain = (words, value, more) => el("figure", { class: "tile" }, el("div", { class: "number" }, value), el("figcaption", {}, el("b", {}, words), more ? el("span", { class: "soft" }, more) : null));

function successPart(c, labels) {
  const keys = ["pots", "long_pots", "safeties"].filter((key) => has(c, key));
  if (!keys.length) return null;
  const rows = c.matches.map((m, i) => [`${labels[i]} ${m.opponent}`, ...keys.map((key) => shareWords(m[key]))]);
  return figure(t("players.success"), lines(t("players.success"), labels, keys.map((key) => [words(key), c.matches.map((m) => percent(m[key]))]), 100), [t("players.date"), ...keys.map(words)], rows, "success");
}
function breakParts(c, labels) {
  const band = ([low, high]) => (high === null ? t("players.band_from", { low }) : t("players.band", { low, high: high - 1 })), brief = ([low, high]) => (high === null ? `${low}+` : `${low}–${high - 1}`);
  const won = (m) => `${m.frames[0]}–${m.frames[1]}${m.won === null ? "" : ` ${t(m.won ? "players.won" : "players.lost")}`}`;
  const highest = words("highest"), building = t("players.building", { figure: highest }), runs = has(c, "highest");
  return [runs && figure(building, lines(building, labels, [[highest, c.matches.map((m) => m.highest)]]), [t("players.date"), highest, t("players.opponent"), t("players.result")], c.matches.map((m, i) => [labels[i], m.highest, m.opponent, won(m)]), "building"),
    runs && figure(t("players.breaks"), bars(t("players.breaks"), c.breaks.map(brief), c.breaks.map((b) => b[2])), [t("players.breaks"), t("players.count")], c.breaks.map((b) => [band(b), b[2]]), "breaks"),
    figure(t("players.times"), bars(t("players.times"), c.times.map((b) => `${brief(b)} s`), c.times.map((b) => b[2])), [t("players.times"), t("players.shots")], c.times.map((b) => [`${band(b)} ${t("players.times_axis")}`, b[2]]), "times")];
}
function mapParts(c) {
  if (!has(c, "pots")) return null;
  const pocket = (name) => t(`pockets.${{ BL: "top_left", BR: "bottom_left", CL: "top_middle", CR: "bottom_middle", TL: "top_right", TR: "bottom_right" }[name]}`);
  const rows = Object.keys(POCKETS).map((name) => [pocket(name), shareWords(c.pockets[name])]);
  const one = (key, cells, fill, more) => el("section", { class: "card chartcard", id: key }, el("h3", {}, t(`players.${key}`)), heatMap(t(`players.${key}`), cells, fill, key === "potted_from" ? c.pockets : {}), el("p", { class: "soft" }, t("players.most_cell", { n: Math.max(0, ...cells.flat()) })), more);
  const where = (key, cells) => table(t(`players.${key}`), [t("players.part"), ...["baulk", "middle", "top"].map((k) => t(`players.third_${k}`))], ["upper", "lower"].map((k, half) => [t(`players.half_${k}`), ...thirds(cells, half)]));
  return [one("potted_from", c.potted, "#ffd84a", [where("potted_from", c.potted), table(t("players.pockets"), [t("players.pocket"), words("pots")], rows)]), one("missed_from", c.missed, "#ff8f7a", where("missed_from", c.missed))];
}
// Counts in the thirds of the table along, of the half drawn above (0) or below (1).
function thirds(cells, half) {
  const across = cells[0].length / 2, along = cells.length, sum = (from, to) => cells.slice(from, to).reduce((n, row) => n + row.slice(half * across, (half + 1) * across).reduce((a, b) => a + b, 0), 0);
  return [sum(0, Math.round(along / 3)), sum(Math.round(along / 3), Math.round(2 * along / 3)), sum(Math.round(2 * along / 3), along)];
}
function rivalPart(name, c) {
  const head = [t("players.against", { name }), t("players.matches"), headed(units(c.game)), "", has(c, "highest") ? words("highest") : null, t("players.last")];
  const bar = (a, b) => { const all = Math.max(1, a + b); return svg("svg", { class: "versus", viewBox: "0 0 100 12", preserveAspectRatio: "none", role: "img", "aria-label": `${a}–${b}` }, svg("rect", { width: 100 * a / all, height: 12, class: "filla" }), svg("rect", { x: 100 * a / all, width: 100 * b / all, height: 12, class: "fillb" })); };
  return el("section", { class: "card chartcard wide", id: "rivals" }, el("h3", {}, t("players.head_to_head")), el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("players.head_to_head") }, el("table", {}, el("thead", {}, el("tr", {}, head.filter((h) => h !== null).map((h) => (h ? el("th", { scope: "col" }, h) : el("td", {}))))),
    el("tbody", {}, c.rivals.map((r) => el("tr", {}, el("th", { scope: "row" }, el("a", { href: `#${encodeURIComponent(r.name)}` }, r.name)), el("td", {}, `${r.won}–${r.lost}`), el("td", {}, `${r.frames[0]}–${r.frames[1]}`), el("td", {}, bar(...r.frames)), has(c, "highest") && el("td", {}, `${r.highest[0]} – ${r.highest[1]}`), el("td", {}, r.last)))))));
}
async function showPlayer(name) {
  const { games } = await api(`/players/${encodeURIComponent(name)}`), c = games.find((g) => g.game === chosen) || games[0], f = c.total, labels = c.matches.map((m) => m.played_on);
  wordsOf(c.game);
  document.title = `${name} · cueref`;
  const rings = ["pots", "long_pots", "safeties"].filter((key) => has(c, key)).map((key) => ring(words(key), f[key]));
  const pick = el("select", { id: "game", onchange: (e) => { chosen = e.target.value; show().catch((error) => toast(error.message, true)); } }, games.map((g) => el("option", { value: g.game, selected: g === c }, t(`games.${g.game}`))));
  return [el("h2", {}, name), el("p", { class: "tools" }, el("label", {}, t("players.game"), " ", pick)), el("div", { class: "tiles" }, plain(t("players.matches"), `${c.won}–${c.lost}`, `${headed(units(c.game))} ${c.frames[0]}–${c.frames[1]}`), rings, has(c, "highest") && plain(words("highest"), c.highest), plain(t("players.shot_time"), seconds(f.shot_s))),
    el("div", { class: "charts" }, successPart(c, labels), breakParts(c, labels), mapParts(c), rivalPart(name, c)), has(c, "pots") && el("p", { class: "soft" }, t("players.explained"))];
}
// A row for each game of each player: what one game calls a break another does not have.
function everybody() {
  wordsOf("snooker");
  const games = [...new Set(roster.flatMap((r) => r.games.map((g) => g.game)))], runs = roster.flatMap((r) => r.games).some((g) => g.highest !== null);
  const head = ["player", games.length > 1 ? "game" : "", "matches", "won", runs ? "highest" : "", "pots", "last"].filter(Boolean);
  const cell = { game: (g) => t(`games.${g.game}`), matches: (g) => g.matches, won: (g) => g.won, highest: (g) => g.highest ?? "–", pots: (g) => shareWords(g.pots), last: (g) => g.last };
  const row = (r, g) => el("tr", {}, el("th", { scope: "row" }, el("a", { href: `#${encodeURIComponent(r.name)}`, onclick: () => { chosen = g.game; } }, r.name)), head.slice(1).map((k) => el("td", { class: "n" }, cell[k](g))));
  return el("section", { class: "card" }, el("h2", {}, t("players.all")), el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("players.all") }, el("table", {}, el("thead", {}, el("tr", {}, head.map((k, i) => el("th", { scope: "col", class: i ? "n" : "" }, t(`players.${k}`))))), el("tbody", {}, roster.flatMap((r) => r.games.map((g) => row(r, g)))))));
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
