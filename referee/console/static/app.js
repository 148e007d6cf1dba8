// The console: loads the match, keeps the views in step with it, and takes the keys.
import { api, clock, el, put, toast, watchMatch } from "./lib.js";
import { StrokeList } from "./list.js";
import { Watch } from "./watch.js";
import { askView } from "./ask.js";
import { spotsView } from "./spots.js";
import { restoreView } from "./restore.js";
import { statisticsView } from "./statistics.js";
import { historyView } from "./history.js";
import { exportView } from "./export.js";
import { loadTexts } from "./live.js";
import { followTable, liveView } from "./liveview.js";

const REVIEW_VIEWS = [["watch", "Watch", "w"], ["ask", "Questions", "q"], ["spots", "Spots", "p"], ["restore", "Restore", "r"], ["statistics", "Statistics", "s"], ["history", "History", "h"], ["export", "Export", "e"]];
const LIVE_VIEW = ["live", "Live", "v"];
let VIEWS = REVIEW_VIEWS;
const app = { head: null, rows: [], view: "watch", stroke: 0, ident: "" };
const $ = (id) => document.getElementById(id);

const list = new StrokeList((n) => go("watch", n));
app.list = list;
app.go = go;
app.reload = reload;

function hash() {
  const [, view, n] = location.hash.split("/");
  return { view: VIEWS.some(([v]) => v === view) ? view : VIEWS[0][0], n: Number(n) || 0 };
}
function go(view, n) {
  const next = `#/${view}${n ? `/${n}` : ""}`;
  if (location.hash === next) show(); else location.hash = next;
}

async function start() {
  let matches = await api("/matches");
  while (!matches.length) { // a table that is still looked for
    put($("main"), el("p", { class: "empty" }, "The table is being looked for in the camera's picture. This page goes on by itself."));
    await new Promise((done) => setTimeout(done, 1500));
    matches = await api("/matches").catch(() => []);
  }
  const asked = new URLSearchParams(location.search).get("match");
  app.ident = (matches.find((m) => m.id === asked) || matches[0]).id;
  app.matches = matches;
  app.live = matches.some((m) => m.live);
  if (app.live) {
    VIEWS = [LIVE_VIEW, ...REVIEW_VIEWS];
    await loadTexts();
  }
  await reload();
  watchMatch(app.ident, (m) => { if (app.head && m.version > app.head.version) reload(); });
  if (app.live && !asked) followTable(app, other);
}
// Another match has begun at the table: the page begins anew with it.
let leaving = false;
async function other(ident) {
  const matches = await api("/matches").catch(() => []);
  if (leaving || !matches.some((m) => m.id === ident)) return;
  leaving = true;
  location.reload();
}

async function reload() {
  const base = `/matches/${encodeURIComponent(app.ident)}`;
  app.base = base;
  const [head, rows] = await Promise.all([api(base), api(`${base}/strokes`)]);
  app.head = head;
  app.rows = rows;
  list.set(rows, app.change && app.change.changed);
  drawHead();
  await show(true);
}

function drawHead() {
  const h = app.head, frames = h.frames.length > 1 || h.won[0] + h.won[1] > 0;
  document.title = `${h.players.join(" – ")} · cueref`;
  $("head").replaceChildren(
    el("span", { class: "name a" }, h.players[0]),
    el("span", { class: "tally", id: "score" }, el("b", { class: "a" }, h.score[0]), " – ", el("b", { class: "b" }, h.score[1]), frames ? el("small", {}, `${h.unit}s ${h.won[0]}–${h.won[1]}`) : null, h.running ? el("small", { id: "running" }, "review under way") : null, h.record_fault ? el("small", { id: "record-fault", title: h.record_fault }, "journal changed afterwards") : null),
    el("span", { class: "name b" }, h.players[1]));
  if (app.matches.length > 1) {
    $("head").append(el("select", { "aria-label": "match", onchange: (e) => { location.search = `?match=${encodeURIComponent(e.target.value)}`; } },
      app.matches.map((m) => el("option", { value: m.id, selected: m.id === app.ident }, `${m.players.join(" – ")} (${m.id})`))));
  }
  $("nav").replaceChildren(...VIEWS.map(([view, words, key]) => el("a", { href: `#/${view}`, title: `key ${key}`, "data-view": view },
    words, view === "ask" && h.calls ? el("span", { class: "count" }, h.calls) : null)), el("button", { type: "button", class: "q", title: "keys (?)", onclick: help }, "?"));
}

let shown = null;
async function show(fresh = false) {
  if (!app.head) return;
  const { view, n } = hash();
  app.view = view;
  for (const a of $("nav").querySelectorAll("a")) a.toggleAttribute("aria-current", a.dataset.view === view);
  const main = $("main");
  try {
    if (view === "watch") {
      if (!app.watch || app.watch.ident !== app.ident) app.watch = new Watch(app);
      if (shown !== "watch") main.replaceChildren(app.watch.node);
      main.className = "watch";
      shown = "watch";
      await app.watch.show(n || app.stroke || (app.rows[0] && app.rows[0].n) || 0, fresh);
      return;
    }
    if (app.watch) app.watch.pause();
    // a change by another window must not throw away a comparison, a chosen picture or a running clip
    if (fresh && shown === view && !app.own && ["live", "restore", "export"].includes(view)) return;
    const make = { live: liveView, ask: askView, spots: spotsView, restore: restoreView, statistics: statisticsView, history: historyView, export: exportView }[view];
    const node = await make(app, n);
    if (hash().view !== view) return;
    main.className = view;
    if (node.parentNode !== main) main.replaceChildren(node);
    shown = view;
  } catch (error) { toast(error.message, true); }
}

const keys = () => [["↓ or j, ↑ or k", "next, previous stroke"], ["space", "play or pause"], [", and .", "one image back, on"], ["- and +", "slower, faster"], ["l", "loop the stroke"], ["Home", "start of the stroke"],
  ["c", "correct this stroke"], ["u", "undo the last change"], ["1 … 9", "answer the question in sight"], ["n", "next question"], ...VIEWS.map(([, words, key]) => [key, words])];
function help() {
  $("help").replaceChildren(el("h2", {}, "Keys"), el("dl", {}, keys().map(([k, w]) => [el("dt", {}, k), el("dd", {}, w)])), el("button", { onclick: () => $("help").close() }, "Close"));
  $("help").showModal();
}

document.addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) || $("help").open || $("ask").open || !app.head) return;
  const view = VIEWS.find(([, , key]) => key === e.key);
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[e.key];
  if (e.key === "?") help();
  else if (view) go(view[0]);
  else if (e.key === "u") undo();
  else if (/^[1-9]$/.test(e.key) && document.querySelectorAll("button.answer,button.press").length) document.querySelectorAll("button.answer,button.press")[e.key - 1]?.click();
  else if (e.key === "n") go("ask");
  else if (step && app.view === "watch") {
    const i = app.rows.findIndex((s) => s.n === app.stroke) + step;
    if (app.rows[i]) go("watch", app.rows[i].n);
  } else if (!(app.view === "watch" && app.watch.key(e.key))) return;
  e.preventDefault();
});

export async function undo(entry) {
  const { change } = await import("./change.js");
  await change(app, "undo", entry ? { entry } : {});
}
app.undo = undo;
app.clock = clock;

addEventListener("hashchange", () => show());
start().catch((error) => toast(error.message, true));
