// Statistics: figures of both players, score over the frames, balls potted, breaks.
import { api, el, svg } from "./lib.js";
import { figure } from "./charts.js";
import { ballName, t } from "./texts.js";

// A drawing with its legend below, which has room for any name.
const captioned = (drawing, words) => el("div", {}, drawing, el("p", { class: "soft" }, words));
const scoreOf = (n, head) => t("stats.score_of", { unit: t(`console.unit_${head.unit}`), n });
function scoreChart(points, head) {
  const w = 640, h = 170, top = Math.max(10, ...points.map((p) => Math.max(p[2], p[3])));
  const x = (i) => 40 + (i + 1) * (w - 52) / points.length, y = (v) => h - 24 - v / top * (h - 40);
  const line = (k) => `M40 ${y(0)}` + points.map((p, i) => `H${x(i).toFixed(1)}V${y(p[k]).toFixed(1)}`).join("");
  return svg("svg", { class: "chart", viewBox: `0 0 ${w} ${h}`, role: "img", "aria-label": scoreOf(points[0][1], head) },
    svg("path", { d: `M40 8V${h - 24}H${w - 8}`, fill: "none", stroke: "#889" }), svg("text", { x: 4, y: y(0) }, "0"), svg("text", { x: 4, y: y(top) + 8 }, top),
    svg("path", { d: line(2), fill: "none", class: "linea", "stroke-width": 3 }), svg("path", { d: line(3), fill: "none", class: "lineb", "stroke-width": 3, "stroke-dasharray": "7 5" }));
}

// Every visit that scored, in order: A above the line, B below.
function visitChart(visits, head) {
  const w = 640, h = 170, mid = 84, top = Math.max(10, ...visits.map((v) => v[2])), step = Math.min(40, (w - 52) / visits.length);
  return svg("svg", { class: "chart", id: "visits", viewBox: `0 0 ${w} ${h}`, role: "group", "aria-label": t("stats.visits") },
    svg("path", { d: `M40 ${mid}H${w - 8}`, stroke: "#889" }), svg("text", { x: 4, y: 18 }, top),
    visits.map(([n, side, points], i) => { const tall = points / top * 66; return svg("a", { href: `#/watch/${n}`, "aria-label": t("stats.visit", { name: head.players[side], points, n }) }, svg("rect", { x: 42 + i * step, y: side ? mid : mid - tall, width: Math.max(1, step * 0.8), height: tall, class: side ? "fillb" : "filla" }, svg("title", {}, t("stats.visit", { name: head.players[side], points, n })))); }));
}

const statName = (key) => t(`stats.row_${key}`);
const bars = (list, words) => (list.length ? list.map((one) => bar(one, words)) : el("p", { class: "soft" }, t("watch.none")));
const bar = ([c, fill, n, share], words) => el("div", { class: "bar" }, el("span", {}, c === "fouls" ? t("stats.fouls") : ballName(c)), el("i", { style: `width:${share}%;background:${fill}` }), el("span", {}, words ? words(n, share) : n));

export async function statisticsView(app) {
  const s = await api(app.said("/statistics")), players = app.head.players;
  // a game whose points count only as a part of the match ends has no way of them to draw
  const frames = [...new Set(s.timeline.map((p) => p[1]))].filter((f) => s.timeline.some((p) => p[1] === f && (p[2] || p[3])));
  return el("div", {}, el("h2", {}, t("console.statistics")), app.head.players_page ? el("p", {}, players.map((name) => [el("a", { href: `/players#${encodeURIComponent(name)}` }, name), " · "]), el("a", { href: "/players" }, t("players.title"))) : null, el("div", { class: "stats" },
    el("section", {}, el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("console.statistics") }, el("table", {}, el("tr", {}, el("th", { scope: "col" }, t("stats.figure")), el("th", { class: "n a" }, players[0]), el("th", { class: "n b" }, players[1])), s.rows.map(([w, a, b]) => el("tr", {}, el("th", { scope: "row" }, statName(w)), el("td", { class: "n" }, a), el("td", { class: "n" }, b))))),
      s.attempts ? el("p", { class: "soft" }, t("stats.explained")) : null),
    s.visits.length ? figure(t("stats.visits"), captioned(visitChart(s.visits, app.head), t("stats.visits_legend", { a: players[0], b: players[1] })), [t("replay.pick"), t("stats.player"), t("stats.row_points")], s.visits.map(([n, side, points]) => [n, players[side], points])) : null,
    frames.slice(0, 40).map((f) => { const points = s.timeline.filter((p) => p[1] === f); return figure(scoreOf(f, app.head), captioned(scoreChart(points, app.head), t("stats.legend", { unit: t(`console.unit_${app.head.unit}`), n: f, a: players[0], b: players[1] })), [t("replay.pick"), ...players], points.map(([n, , a, b]) => [n, a, b])); }),
    !s.points.some((list) => list.length) ? null : el("section", { class: "two", id: "points" }, s.points.map((list, i) => el("div", {}, el("h3", { class: "ab"[i] }, t("stats.points_from", { name: players[i] })), bars(list, (n, share) => `${n} (${Math.round(share)} %)`)))),
    !s.bars.some((list) => list.length) ? null : el("section", { class: "two" }, s.bars.map((list, i) => el("div", {}, el("h3", { class: "ab"[i] }, t("stats.potted_by", { name: players[i] })), bars(list)))),
    !s.rows.some(([name]) => name === "highest_break") ? null : el("section", {}, el("h3", {}, t("stats.breaks")), s.breaks.length ? el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("stats.breaks") }, el("table", {}, el("tr", {}, el("th", { class: "n" }, t("board.break")), el("th", {}, t("stats.player")), el("th", { class: "n" }, t(`console.unit_${app.head.unit}`)), el("th", {}, t("console.strokes")), el("th", {}, t("stats.balls"))),
      s.breaks.map((b) => el("tr", {}, el("td", { class: "n" }, b.points), el("td", {}, b.player), el("td", { class: "n" }, b.frame), el("td", {}, el("a", { href: `#/watch/${b.first}` }, `${b.first}–${b.last}`)), el("td", {}, b.balls.map(ballName).join(", ")))))) : el("p", {}, t("watch.none")))));
}
