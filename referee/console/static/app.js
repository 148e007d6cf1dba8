// The console: loads the match, keeps the views in step with it, and takes the keys.
import { announce, api, clock, el, focusOn, logOut, may as mayAs, me, put, toast, watchMatch } from "./lib.js";
import { StrokeList } from "./list.js";
import { Watch } from "./watch.js";
import { askView, hangingWords } from "./ask.js";
import { may } from "./change.js";
import { choose, language, languageNames, loadTexts, wordsOf, t, translate } from "./texts.js";

const REVIEW_VIEWS = [["watch", "w"], ["replay", "y"], ["ask", "q"], ["spots", "p"], ["restore", "r"], ["practice", "g"], ["statistics", "s"], ["history", "h"], ["export", "e"]];
const LIVE_VIEW = ["live", "v"];
// A view's file is fetched when it is first looked at: on a slow network the page is there without it.
const MADE = {
  ask: async () => askView,
  live: async () => (await import("./liveview.js")).liveView,
  replay: async () => (await import("./replay.js")).replayView,
  practice: async () => (await import("./practice.js")).practiceView,
  spots: async () => (await import("./spots.js")).spotsView,
  restore: async () => (await import("./restore.js")).restoreView,
  statistics: async () => (await import("./statistics.js")).statisticsView,
  history: async () => (await import("./history.js")).historyView,
  export: async () => (await import("./export.js")).exportView,
};
const OF_A_VIDEO = ["replay", "spots", "restore", "practice"]; // nothing was seen of a match told by a facts file
const viewName = (view) => t({ ask: "console.questions", replay: "replay.title", practice: "practice.title" }[view] || `console.${view}`);
let VIEWS = REVIEW_VIEWS;
const app = { camera_turn: 0, head: null, rows: [], view: "watch", stroke: 0, ident: "" };
let shown = null;
const $ = (id) => document.getElementById(id);

let list = null;
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

// What the server says, in this page's language and with the table turned as it is shown.
app.said = (path) => `${app.base}${path}?lang=${language()}&turn=${app.head ? app.head.turn : 0}`;
const turnKey = () => `cueref-turn-${app.ident}`;
// The table a quarter further: video, drawing and words together; kept for this match.
app.turnTable = () => {
  localStorage.setItem(turnKey(), (app.head.turn + 1) % 4);
  if (app.watch) app.watch.pause();
  app.watch = app.asked = null;
  shown = null;
  reload();
};

async function start() {
  await loadTexts();
  list = app.list = new StrokeList((n) => go("watch", n));
  translate();
  let matches = await api("/matches");
  while (!matches.length) { // a table that is still looked for
    put($("main"), el("p", { class: "empty" }, t("console.looked_for")));
    await new Promise((done) => setTimeout(done, 1500));
    matches = await api("/matches").catch(() => []);
  }
  const asked = new URLSearchParams(location.search).get("match");
  app.ident = (matches.find((m) => m.id === asked) || matches[0]).id;
  app.matches = matches;
  app.live = matches.some((m) => m.live);
  if (app.live) {
    VIEWS = [LIVE_VIEW, ...REVIEW_VIEWS];
  }
  await reload();
  watchMatch(app.ident, (m) => { if (app.head && m.version > app.head.version) reload(); }, app.live && !asked ? () => {} : app.linked);
  if (app.live && !asked) (await import("./liveview.js")).followTable(app, other);
}
// Whether the server is there, said above every view; once it is back, what could not be shown is.
app.linked = (ok, words) => {
  const link = $("link"), back = ok && link.classList.contains("bad");
  link.classList.toggle("bad", !ok);
  announce(link, words);
  if (!back || !app.head) return;
  if (app.watch && (app.watch.lost || !app.watch.stroke)) { app.watch = null; shown = null; }
  reload().catch((error) => toast(error.message, true));
};
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
  const head = await api(base), kept = localStorage.getItem(turnKey());
  if (head.told) VIEWS = VIEWS.filter(([view]) => !OF_A_VIDEO.includes(view));
  app.camera_turn = head.turn;
  head.turn = kept === null ? head.turn : Number(kept) % 4;
  app.head = head;
  wordsOf(head.game);
  const rows = await api(app.said("/strokes"));
  app.rows = rows;
  list.unit = head.unit;
  list.set(rows, app.change && app.change.changed);
  drawHead();
  await show(true);
}

// The questions that wait: about strokes, and at a table what a player has to choose.
app.count = () => {
  const tab = $("nav").querySelector("[data-view=ask]"), n = app.head ? app.head.open + (app.choices || []).length : 0;
  if (tab) put(tab, viewName("ask"), n ? el("span", { class: "count", title: app.head && app.head.hanging ? hangingWords(app.head.hanging) : null }, n) : null);
};

function drawHead() {
  const h = app.head, frames = h.frames.length > 1 || h.won[0] + h.won[1] > 0;
  document.title = `${h.players.join(" – ")} · cueref`;
  $("head").replaceChildren(
    el("span", { class: "name a" }, h.players[0]),
    el("h1", { class: "tally", id: "score", "aria-label": `${h.players[0]} ${h.score[0]}, ${h.players[1]} ${h.score[1]}` }, el("b", { class: "a" }, h.score[0]), " – ", el("b", { class: "b" }, h.score[1]), h.provisional ? el("small", { class: "provisional", id: "provisional" }, t(h.provisional === 1 ? "console.provisional_one" : "console.provisional", { n: h.provisional }), h.hanging ? `; ${hangingWords(h.hanging)}` : "") : null, frames ? el("small", {}, `${t(`console.units_${h.unit}`)} ${h.won[0]}–${h.won[1]}`) : null, h.running ? el("small", { id: "running" }, t("console.under_way")) : null, h.record_fault ? el("small", { id: "record-fault", title: h.record_fault }, t("console.journal_changed")) : null),
    el("span", { class: "name b" }, h.players[1]));
  put($("top"), app.matches.length > 1 ? el("select", { "aria-label": t("console.match"), onchange: (e) => { location.search = `?match=${encodeURIComponent(e.target.value)}`; } },
      app.matches.map((m) => el("option", { value: m.id, selected: m.id === app.ident }, `${m.players.join(" – ")} (${m.id})`))) : el("span", { class: "brand", "aria-hidden": "true" }, "cueref"), whoIsThere());
  $("nav").replaceChildren(...VIEWS.map(([view, key]) => el("a", { href: `#/${view}`, title: t("console.key", { key }), "data-view": view },
    viewName(view))), el("button", { type: "button", class: "q", title: t("console.keys"), onclick: help }, t("console.help")));
  app.count();
  put($("looking"), h.editable && !may(app) ? t("console.looking_on") : null);
}

// Who is there, and the way in or out. Everybody may look on (a spectator without a name), who is not logged in by that.
const whoIsThere = () => (me.name || mayAs("referee")
  ? el("span", { class: "me" }, el("a", { href: "/users" }, me.name ? t("access.logged_in_as", { name: me.name }) : t("access.by_token")), el("button", { type: "button", id: "logout", onclick: logOut }, t("access.log_out")))
  : el("span", { class: "me" }, el("a", { class: "button", id: "login", href: `/login?to=${encodeURIComponent(location.pathname)}` }, t("access.log_in"))));

// What had the keyboard's focus is gone: it goes on at the row that was changed, the stroke's or the next question's heading.
const goOn = (main) => focusOn(main.querySelector("tr.changed,.facts h2") || main.querySelector("h2"));

// Another view begins at its top: on a desk the main part scrolls, on a phone the window.
function fromTheTop(main) { main.scrollTop = 0; window.scrollTo(0, 0); }

async function show(fresh = false) {
  if (!app.head) return;
  const { view, n } = hash();
  app.view = view;
  for (const a of $("nav").querySelectorAll("a")) {
    const here = a.dataset.view === view;
    if (here) a.setAttribute("aria-current", "page"); else a.removeAttribute("aria-current");
    if (here) a.scrollIntoView({ block: "nearest", inline: "center" });
  }
  const main = $("main"), held = main.contains(document.activeElement) && document.activeElement !== main;
  const drawn = () => { if (held && !main.contains(document.activeElement)) goOn(main); };
  try {
    if (view === "watch") {
      if (!app.watch || app.watch.ident !== app.ident) app.watch = new Watch(app);
      if (shown !== "watch") { main.replaceChildren(app.watch.node); fromTheTop(main); }
      main.className = "watch";
      shown = "watch";
      await app.watch.show(n || app.stroke || (app.rows[0] && app.rows[0].n) || 0, fresh);
      drawn();
      return;
    }
    if (app.watch) app.watch.pause();
    // a change by another window must not throw away a comparison, a chosen picture or a running clip
    if (fresh && shown === view && !app.own && ["live", "replay", "restore", "practice", "export"].includes(view)) return;
    const make = await MADE[view]().catch(() => { throw new Error(t("board.not_connected")); });
    const node = await make(app, n);
    if (hash().view !== view) return;
    main.className = view;
    if (node.parentNode !== main) main.replaceChildren(node);
    if (shown !== view) fromTheTop(main);
    shown = view;
    drawn();
  } catch (error) {
    toast(error.message, true);
    if (shown !== view) { main.replaceChildren(el("p", { class: "empty" }, error.message)); shown = null; } // not the view before
  }
}

const keys = () => [["↓ j, ↑ k", "keys.next"], [t("keys.space"), "keys.play"], [", .", "keys.image"], ["- +", "keys.speed"], ["l", "keys.loop"], ["Home", "keys.start"], ["t", "keys.turn"],
  ["c", "keys.correct"], ["u", "keys.undo"], ["1 … 9", "keys.answer"], ["n", "keys.question"]].map(([k, w]) => [k, t(w)]).concat(VIEWS.map(([view, key]) => [key, viewName(view)]));
function help() {
  $("help").replaceChildren(el("h2", {}, t("keys.title")), el("dl", {}, keys().map(([k, w]) => [el("dt", {}, k), el("dd", {}, w)])), el("label", {}, t("console.language"), " ", el("select", { onchange: (e) => choose(e.target.value) }, Object.entries(languageNames()).map(([code, name]) => el("option", { value: code, selected: code === language() }, name)))), el("button", { onclick: () => $("help").close() }, t("phone.close")));
  $("help").showModal();
}

document.addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) || $("help").open || $("ask").open || !app.head) return;
  const view = VIEWS.find(([, key]) => key === e.key);
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[e.key];
  if (e.key === "?") help();
  else if (view) go(view[0]);
  else if (e.key === "u") undo();
  else if (/^[1-9]$/.test(e.key) && document.querySelectorAll("button.answer,button.press").length) document.querySelectorAll("button.answer,button.press")[e.key - 1]?.click();
  else if (e.key === "n") go("ask");
  else if (e.key === "t") app.turnTable();
  else if (step && app.view === "watch") {
    const i = app.rows.findIndex((s) => s.n === app.stroke) + step;
    if (app.rows[i]) go("watch", app.rows[i].n);
  } else if (!(app.view === "watch" && app.watch.key(e.key))) return;
  e.preventDefault();
});

export async function undo(entry) {
  const { change } = await import("./change.js");
  app.undone = entry || null;
  await change(app, "undo", entry ? { entry } : {});
}
app.undo = undo;
app.clock = clock;

addEventListener("hashchange", () => show());
start().catch((error) => { toast(error.message, true); put($("main"), el("p", { class: "empty" }, error.message)); });
