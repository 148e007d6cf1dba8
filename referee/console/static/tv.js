// The scoreboard for a television on the wall: everything at once, nothing to scroll, no stale score without saying so.
import { el, put } from "./lib.js";
import { active, ballName, breakBalls, connect, disc, frameLine, loadHead, meansWords, phaseLine, respotLine, rulingLine, snookersLine, t, units } from "./live.js";

const board = document.getElementById("tv"), linkBox = document.getElementById("link");
let head = null, speaking = false, voice = "";

function side(state, i) {
  const p = state.players[i], on = state.striker === p.side && state.phase === "frame";
  return el("div", { class: `side ${"ab"[i]}${on ? " on" : ""}`, "data-side": p.side }, el("div", { class: "name" }, p.name), el("div", { class: `score${p.score > 99 ? " wide" : ""}` }, p.score));
}
function low(state) {
  const balls = breakBalls(state), on = state.phase === "frame" && state.ball_on;
  return [
    balls.length ? el("span", { class: "balls" }, balls.slice(-15).map((c) => disc(head, c))) : null,
    on ? el("span", { class: "on" }, el("em", { class: "soft", style: "font-style:normal" }, t("board.on")), disc(head, state.ball_on.split("_")[0]), ballName(state.ball_on)) : null,
    state.free_ball ? el("span", { class: "hot free" }, t("board.free_ball")) : null,
    state.touching.length ? el("span", { class: "hot touching" }, t("board.touching", { balls: [...new Set(state.touching.map(ballName))].join(", ") })) : null,
    on && state.remaining !== null && !(balls.length > 4 || state.snookers_required) ? el("span", { class: "remaining" }, el("em", { class: "soft", style: "font-style:normal" }, t("board.remaining")), state.remaining) : null,
    state.snookers_required ? el("span", { class: "hot snookers" }, snookersLine(state)) : null,
  ];
}
// Text that is too wide for its place is made smaller, down to a third (or `least`), and only then cut off.
function fit(node, least = 0.34) {
  node.style.fontSize = "";
  const size = parseFloat(getComputedStyle(node).fontSize);
  for (let part = 0.94; part > least && node.scrollWidth > node.clientWidth + 1; part -= 0.06) node.style.fontSize = `${size * part}px`;
}
// A call in two lines, which is all the room there is: what is likely, and the likeliest of what would change it.
// Beside a ball that is to be placed there is room for neither.
function callLines(r) {
  const line = (a) => el("span", {}, a.words, a.answer.means ? [": ", el("i", {}, meansWords(a.answer))] : null);
  return el("div", { class: "call may" }, r.may.slice(0, 2).map(line));
}
function foot(state) {
  const phase = phaseLine(state), r = rulingLine(state, state.last_ruling), due = state.respots.filter((d) => !d.placed && !d.own_spot_free);
  if (phase) return [el("span", { class: "phase" }, phase)];
  return [
    r && r.may && r.may.length && !due.length ? callLines(r) : r && r.words && !(due.length && r.kind !== "foul" && r.kind !== "call") ? el("span", { class: r.kind }, r.words, r.why ? el("i", {}, r.why) : null) : null,
    due.length ? el("span", { class: "respot" }, due.map(respotLine).join("; ")) : null,
  ];
}
function show(state) {
  document.title = `${state.players.map((p) => `${p.name} ${p.score}`).join(" – ")} · ${state.table}`;
  const trouble = active(state);
  put(board,
    el("div", { class: "top" }, el("span", {}, state.table), el("span", { class: "frame" }, frameLine(state)), el("span", { class: `state${trouble.length ? " bad" : ""}` }, t(`status.${state.status}`))),
    el("div", { class: "sides" }, side(state, 0),
      el("div", { class: "mid" }, el("div", { class: "frames" }, `${state.players[0].frames}–${state.players[1].frames}`), el("small", {}, units(state.game)),
        state.break_points && state.phase === "frame" ? el("div", { class: "break" }, el("small", {}, t("board.break")), el("b", {}, state.break_points)) : null),
      side(state, 1)),
    el("div", { class: "low" }, low(state)), el("div", { class: "foot" }, foot(state)));
  board.querySelectorAll(".name,.low,.foot>:not(.may)").forEach((node) => fit(node));
  // what is likely is read from afar, its consequences are cut off first
  board.querySelectorAll(".may>*").forEach((node) => fit(node, 0.6));
}
function link(ok, since, words) {
  linkBox.className = ok ? "" : "bad";
  document.body.classList.toggle("stale", !ok);
  if (!ok) put(linkBox, el("b", {}, words)); else linkBox.replaceChildren();
}
function say(words) {
  if (!speaking || !("speechSynthesis" in window)) return;
  speechSynthesis.cancel(); // what would come late is not said
  const said = new SpeechSynthesisUtterance(words);
  said.lang = voice;
  speechSynthesis.speak(said);
}
function buttons() {
  const speak = el("button", { type: "button", id: "speak", onclick: () => { speaking = !speaking; speak.textContent = t(speaking ? "board.speak_stop" : "board.speak"); if (speaking) say(speak.textContent); } }, t("board.speak"));
  put(document.getElementById("buttons"), "speechSynthesis" in window ? speak : null, el("button", { type: "button", onclick: () => document.documentElement.requestFullscreen().catch(() => {}) }, t("board.fullscreen")));
  let hide = 0;
  addEventListener("pointermove", () => { document.body.classList.add("moved"); clearTimeout(hide); hide = setTimeout(() => document.body.classList.remove("moved"), 4000); });
}
async function start() {
  head = await loadHead((words) => link(false, null, words));
  voice = t("language.voice");
  buttons();
  connect({ show, link, say });
  if ("wakeLock" in navigator) navigator.wakeLock.request("screen").catch(() => {});
}
start();
