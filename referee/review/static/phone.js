// The table on a phone, for one hand: score, table, last ruling; and with the token: answers, nominations, the frame's ends.
import { el, put, setWho, toast, token, who } from "./lib.js";
import { Table } from "./table.js";
import { active, ballName, breakBalls, connect, disc, frameLine, loadTexts, pass, phaseLine, request, respotLine, rulingLine, snookersLine, t } from "./live.js";

const $ = (id) => document.getElementById(id);
const BALLS = ["red", "yellow", "green", "brown", "blue", "pink", "black"];
let head = null, table = null, state = null, nominated = null, drawn = "";

function header() {
  const trouble = active(state), side = (i) => {
    const p = state.players[i];
    return el("div", { class: `side ${"ab"[i]}${state.striker === p.side && state.phase === "frame" ? " on" : ""}` }, el("div", { class: "name" }, p.name), el("div", { class: "points" }, p.score));
  };
  put($("score"), el("div", { class: "bar" }, el("span", {}, state.table), el("span", {}, frameLine(state)), el("span", { class: `state${trouble.length ? " bad" : ""}` }, t(`status.${state.status}`))),
    el("div", { class: "sides" }, side(0), el("div", { class: "frames" }, `${state.players[0].frames}–${state.players[1].frames}`, el("small", {}, t("board.frames"))), side(1)));
}
function chips() {
  const on = state.phase === "frame" && state.ball_on, balls = breakBalls(state);
  return el("div", { class: "chips" },
    on ? el("span", {}, t("board.on"), disc(head, state.ball_on.split("_")[0]), ballName(state.ball_on)) : null,
    state.break_points ? el("span", { class: "break" }, t("board.break"), el("b", {}, state.break_points), balls.slice(-6).map((c) => disc(head, c))) : null,
    state.free_ball ? el("span", { class: "hot" }, t("board.free_ball")) : null,
    state.touching.length ? el("span", { class: "hot" }, t("board.touching", { balls: [...new Set(state.touching.map(ballName))].join(", ") })) : null,
    on && state.remaining !== null ? el("span", {}, t("board.remaining"), el("b", {}, state.remaining)) : null,
    state.snookers_required ? el("span", { class: "hot" }, snookersLine(state)) : null);
}
function last() {
  const phase = phaseLine(state), r = rulingLine(state, state.last_ruling), due = state.respots.filter((d) => !d.placed && !d.own_spot_free);
  return [phase ? el("div", { class: "respot" }, phase) : null,
    r && r.words ? el("div", { class: `last ${r.kind}` }, el("b", {}, r.words), r.why ? el("i", {}, r.why) : null, r.clause ? el("small", {}, r.clause) : null, state.last_ruling.provisional ? el("small", {}, ` (${t("board.provisional")})`) : null) : null,
    due.length ? el("div", { class: "respot" }, due.map(respotLine).join("; ")) : null];
}
function questions() {
  const open = state.questions.filter((q) => q.open);
  return open.map((q) => el("section", { class: "question", "data-id": q.id }, el("b", {}, named(q.text)),
    q.clip ? el("video", { src: `/api/live/clips/${q.stroke}${pass}`, controls: true, muted: true, playsinline: true, preload: "none" }) : null,
    q.answers.map((a) => el("button", { type: "button", class: "answer", disabled: !token(), onclick: () => send({ type: "answer", question: q.id, index: a.index }) }, el("b", {}, q.kind === "choice" ? t(`choices.${a.label}`) : named(a.label)), a.means ? el("span", {}, named(a.means), a.score ? ` → ${a.score[0]}–${a.score[1]}` : "") : null)),
    token() ? null : el("small", { class: "soft" }, t("phone.no_token"))));
}
const named = (text) => text;
function rulings() {
  const rows = [...state.rulings].reverse().slice(0, 8);
  return el("ul", { class: "rulings" }, rows.map((r) => {
    const line = rulingLine(state, r), p = state.players.find((x) => x.side === r.striker);
    return el("li", {}, el("span", { class: "n" }, r.stroke), el("span", { class: line.kind }, el("b", {}, p ? p.name : "–"), ` ${line.words || "–"}`), el("span", {}, `${r.score[0]}–${r.score[1]}`));
  }));
}
function layoutOf(balls) {
  const out = {};
  for (const b of balls) (out[b.colour] = out[b.colour] || []).push([b.x_mm, b.y_mm]);
  return out;
}
function show(now) {
  state = now;
  header();
  // what is being pressed must not be replaced under the finger: only what has changed is drawn anew
  const same = JSON.stringify([now.questions, now.rulings, now.respots, now.options, now.phase, now.ball_on, now.free_ball, now.break_points, now.remaining, now.touching]);
  if (same !== drawn) {
    drawn = same;
    put($("main"), questions(), last(), chips(), table.node, rulings());
    actions();
  }
  table.clear();
  table.layout(layoutOf(now.balls));
}
function actions() {
  const nominate = state.phase === "frame" && (state.ball_on === "any_colour" || state.free_ball);
  put($("act"), nominate && token() ? el("div", {}, el("div", { class: "soft" }, nominated ? t("phone.nominated", { ball: ballName(nominated) }) : t("phone.nominate")),
    el("div", { class: "balls" }, BALLS.filter((b) => state.free_ball || b !== "red").map((b) => el("button", { type: "button", class: nominated === b ? "chosen" : "", "aria-label": ballName(b), "data-ball": b, onclick: () => { nominated = b; send({ type: "nominate", ball: b }); actions(); } }, disc(head, b))))) : null,
    el("div", { class: "row" }, el("button", { type: "button", id: "more", disabled: !token(), onclick: frameMenu }, t("phone.act"))));
  if (!nominate) nominated = null;
}
function frameMenu() {
  const concede = state.players.map((p) => [t("phone.concede", { name: p.name }), { type: "frame", act: "concede", by: p.side }]);
  const all = [...concede, [t("phone.rerack"), { type: "frame", act: "rerack" }], [t("phone.abandon"), { type: "frame", act: "abandon" }], [t("phone.undo"), { type: "undo" }]];
  put($("ask"), el("div", { class: "stack" }, all.map(([words, body]) => el("button", { type: "button", onclick: () => confirmed(words, body) }, words)), el("button", { type: "button", onclick: () => $("ask").close() }, t("phone.close"))));
  $("ask").showModal();
}
function confirmed(words, body) {
  put($("ask"), el("div", { class: "stack" }, el("b", {}, t("phone.confirm", { what: words })), el("button", { type: "button", class: "danger", id: "yes", onclick: () => { $("ask").close(); send(body); } }, t("phone.yes")), el("button", { type: "button", onclick: () => $("ask").close() }, t("phone.no"))));
}
function asked() {
  return new Promise((done) => {
    const input = el("input", { type: "text", maxlength: 80, "aria-label": t("phone.name") });
    put($("ask"), el("form", { class: "stack", onsubmit: (e) => { e.preventDefault(); setWho(input.value.trim()); $("ask").close(); done(who()); } }, el("label", {}, t("phone.name"), input), el("button", { type: "submit", class: "main" }, t("phone.done"))));
    $("ask").showModal();
  });
}
async function send(body) {
  try {
    const name = who() || (await asked());
    if (!name) return;
    await request(body, name);
    toast(t("phone.done"));
  } catch (error) { toast(error.message, true); }
}
function link(ok, since, words) {
  $("link").className = ok ? "" : "bad";
  $("link").textContent = words;
  document.body.classList.toggle("stale", !ok);
}
async function start() {
  for (;;) {
    try {
      head = (await (await fetch(`/api/live${pass}`)).json()).head;
      await loadTexts();
      break;
    } catch { link(false, null, "…"); await new Promise((done) => setTimeout(done, 2000)); }
  }
  table = new Table(head, 2.1);
  connect({ show, link });
}
start();
