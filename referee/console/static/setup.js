// Setting up a table: picture with lights, the table found, the match named; then the live table's console.
import { api, el, put, toast, token } from "./lib.js";
import { loadTexts, t } from "./texts.js";

const $ = (id) => document.getElementById(id);
const SIGN = { green: "✓", amber: "!", red: "×" };
const STAGES = ["pictures", "table", "balls"];
const img = el("img", { alt: "", hidden: true }), note = el("p", {}), view = el("div", { class: "view" }, img, note), lights = el("div", { class: "lights" });
const working = el("div", { class: "working" }), answer = el("div", { class: "stack" });
let state = null, accepted = false, fields = {}, begin = null, drawn = "", lit = "", stage_drawn = "", pictured = "", running = false, matchStep = null, kind = null, gone = 0, games = {};
const SIZES = [["length_mm", "setup.length", 600, 5000], ["width_mm", "setup.width", 300, 5000], ["ball_mm", "setup.ball", 20, 80]];

const number = (name, value, min, max, step) => (fields[name] = el("input", { type: "number", min, max, step: step || 1, value, required: true }));
const text = (name, value) => (fields[name] = el("input", { type: "text", maxlength: 80, value, required: true }));
const select = (name, options, value) => (fields[name] = el("select", {}, options.map(([v, words]) => el("option", { value: v, selected: v === value }, words))));
const tick = (name, value, words) => el("label", { class: "tick" }, (fields[name] = el("input", { type: "checkbox", checked: value })), words);
const optional = (name, value, min, max) => (fields[name] = el("input", { type: "number", min, max, step: "any", value: value || "" }));
const row = (words, input) => el("label", {}, words, input);

function build(known) {
  games = Object.fromEntries(known.games.map((g) => [g.game, g]));
  const game = el("label", {}, t("setup.game"), select("game", known.games.map((g) => [g.game, t(`games.${g.game}`)]), known.game));
  const sizes = el("div", { class: "working", hidden: known.usual }, ...SIZES.map(([name, words, min, max]) => row(t(words), number(name, known[name] ?? games[known.game][name], min, max, "any"))));
  const usual = el("option", { value: "usual", selected: known.usual });
  kind = el("select", { "aria-label": t("setup.step_table"), onchange: () => { sizes.hidden = kind.value === "usual"; } }, usual, el("option", { value: "other", selected: !known.usual }, t("setup.table_other")));
  const named = () => { usual.textContent = t("setup.table_usual", { length: Math.round(played().length_mm), width: Math.round(played().width_mm) }); };
  fields.game.onchange = () => { // another game's table has to be found anew
    for (const [name] of SIZES) fields[name].value = played()[name];
    kind.value = "usual"; sizes.hidden = true;
    accepted = accepted && state.found.marks === played().marks;
    drawn = ""; named(); if (state) show(state);
  };
  named();
  begin = el("button", { type: "button", class: "main", id: "calibrate", onclick: calibrate }, t("setup.calibrate"));
  matchStep = el("form", { class: "step locked", onsubmit: (e) => { e.preventDefault(); save(true); } }, el("h2", {}, t("setup.step_match")),
    row(t("setup.player_a"), text("player_a", known.player_a)), row(t("setup.player_b"), text("player_b", known.player_b)), row(t("setup.best_of"), number("best_of", known.best_of, 0, 99)),
    row(t("setup.breaks"), select("breaks", [["A", t("setup.player_a")], ["B", t("setup.player_b")]], known.breaks)),
    row(t("setup.table_name"), text("table_name", known.table_name)), row(t("setup.keep_days"), number("keep_days", known.keep_days, 0, 3650, "any")), tick("record", known.record, t("setup.record")),
    row(t("setup.language"), select("language", Object.entries(known.languages), known.language)), tick("voice", known.voice, t("setup.speak_here")),
    el("p", { class: "buttons" }, el("button", { type: "submit", class: "main", id: "start" }, t("setup.save")), el("button", { type: "button", onclick: () => save(false) }, t("setup.save_only"))), el("div", { id: "saved" }));
  put($("main"), el("h1", {}, t("setup.title"), el("small", { id: "camera" })),
    el("section", {}, el("p", {}, t("setup.camera_help")), view, lights),
    el("section", {}, el("div", { class: "step" }, el("h2", {}, t("setup.step_table")), game, kind, sizes, row(t("setup.nose"), optional("nose_mm", known.nose_mm, 10, 60))), el("div", { class: "step" }, el("h2", {}, t("setup.step_calibrate")), el("p", {}, t("setup.keep_still")), begin, working, answer), matchStep));
  lock();
}
const played = () => games[fields.game.value];
const size = () => ({ game: fields.game.value, measured: kind.value === "other", nose_mm: Number(fields.nose_mm.value) || null, ...Object.fromEntries(SIZES.map(([name]) => [name, kind.value === "other" ? Number(fields[name].value) : null])) });
async function act(path, body) {
  if (!token()) { toast(t("phone.no_token"), true); return null; }
  try { show(await api(`/setup/${path}`, body)); return state; } catch (error) { toast(error.message, true); return null; }
}
function calibrate() { accepted = false; lock(); act("calibrate", size()); }
function lock() {
  const open = accepted && state && state.found;
  matchStep.classList.toggle("locked", !open);
  for (const node of matchStep.querySelectorAll("input,select,button")) node.disabled = !open;
}
async function save(start) {
  const value = (name) => fields[name].value, num = (name) => Number(fields[name].value);
  const body = { ...size(), table_name: value("table_name"), player_a: value("player_a"), player_b: value("player_b"), best_of: num("best_of"), breaks: value("breaks"), keep_days: num("keep_days"), record: fields.record.checked, language: value("language"), voice: fields.voice.checked, start };
  if (await act("save", body)) {
    put($("saved"), el("p", {}, t("setup.saved", { file: state.saved })), el("p", {}, t("setup.command"), " ", el("code", {}, state.command)), start ? el("p", {}, el("b", {}, t("setup.starting"))) : null);
    if (start) wait();
  }
}
// The live table answers at the same address; then this page becomes its console.
async function wait() {
  for (;;) {
    await new Promise((done) => setTimeout(done, 1000));
    const there = await fetch("/api/live").then((a) => (a.ok ? a.json() : null), () => null);
    if (there && "head" in there) { location.reload(); return; } // the session goes on: it is the same command
  }
}
function light(a) {
  const figure = a.value === null ? "" : `${Math.abs(a.value) >= 100 ? Math.round(a.value) : Math.round(10 * a.value) / 10} ${a.unit}`;
  return el("div", { class: `light ${a.light}`, "data-sign": SIGN[a.light], "data-topic": a.topic }, el("b", {}, t(`setup.advice_${a.topic}`), el("i", {}, figure)), el("span", {}, a.sentence));
}
function show(found) {
  running = Boolean(state && state.picture && found.picture && found.picture[2] !== state.picture[2]);
  state = found;
  $("camera").textContent = `${found.camera}${found.picture ? ` · ${found.picture[0]} × ${found.picture[1]}` : ""}`;
  const advised = JSON.stringify(found.advice);
  if (advised !== lit) { lit = advised; put(lights, found.advice.map(light)); }
  note.textContent = found.trouble || (found.picture ? "" : t("setup.no_picture"));
  note.hidden = !note.textContent;
  begin.disabled = Boolean(found.stage) || !found.picture;
  const stage = JSON.stringify(found.stage);
  if (stage !== stage_drawn) {
    stage_drawn = stage;
    put(working, found.stage ? [el("progress", { max: STAGES.length, value: STAGES.indexOf(found.stage.name) + 0.5 }), el("span", { id: "stage" }, t("setup.calibrating", { stage: t(`setup.stage_${found.stage.name}`), seconds: Math.round(found.stage.seconds) }))] : null);
  }
  const same = JSON.stringify([found.found, found.refusal, Boolean(found.stage)]);
  if (same !== drawn) { drawn = same; put(answer, found.stage ? null : result(found)); lock(); }
}
function result(found) {
  const f = found.found, bad = found.refusal ? el("p", { class: "badbox" }, found.refusal) : null;
  if (!f) return bad;
  const words = t(f.poor ? "setup.calibrated_poor" : "setup.calibrated", { typical: f.typical_mm, worst: f.worst_mm, residual: f.residual_px });
  return [bad, el("p", { class: f.poor ? "poorbox" : "goodbox", id: "result" }, words), f.notes.map((n) => el("p", {}, el("small", {}, n))), el("p", {}, t(`setup.look_close_${f.marks}`)),
    f.baulk_certain ? null : el("p", {}, t(`setup.end_${f.marks}`), " ", el("button", { type: "button", onclick: () => act("turn", {}) }, t("setup.turn"))),
    el("p", { class: "buttons" }, el("button", { type: "button", class: "main", id: "right", onclick: () => { accepted = true; lock(); matchStep.scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion:reduce)").matches ? "auto" : "smooth" }); } }, t("setup.looks_right")), el("button", { type: "button", onclick: calibrate }, t("setup.try_again")))];
}
// The picture comes again as soon as the last one is there, four times a second at most; none while the camera has no
// new one or nobody looks.
function pictures() {
  const next = new Image();
  const wanted = state && state.picture && `${running ? Date.now() : state.picture[2]}${state.found ? `&draw=1&found=${state.found.seconds}${state.found.baulk_certain}` : ""}`;
  if (document.hidden || !wanted || wanted === pictured) { setTimeout(pictures, 250); return; }
  pictured = wanted;
  next.onload = () => { img.src = next.src; img.hidden = false; setTimeout(pictures, 250); };
  next.onerror = () => setTimeout(pictures, 1000);
  next.src = `/api/setup/picture?n=${wanted}`;
}
async function follow() {
  for (;;) {
    try { show(await api("/setup")); gone = 0; } catch { gone += 1; }
    $("link").classList.toggle("bad", gone > 2 && !(state && state.starting));
    $("link").textContent = gone > 2 ? t("board.not_connected") : "";
    if (state && state.starting) return;
    await new Promise((done) => setTimeout(done, 700));
  }
}
async function start() {
  await loadTexts("", "/api/live/texts");
  document.title = `${t("setup.title")} · cueref`;
  build(await api("/setup/defaults"));
  follow();
  pictures();
}
start().catch((error) => toast(error.message, true));
