// The scoreboard. URL: match, until (stroke), place (bottom, top), scale, a, b, back, ink (colours), show (parts).
import { el, watchMatch } from "./lib.js";
import { breakBalls, connect, loadHead, rulingLine, snookersLine } from "./live.js";
import { language, loadTexts, t } from "./texts.js";

const query = new URLSearchParams(location.search);
const board = document.getElementById("board");
const colour = (name) => { const v = query.get(name) || ""; return /^[0-9a-fA-F]{3,8}$/.test(v) ? `#${v}` : ""; };
for (const name of ["a", "b", "back", "ink"]) if (colour(name)) board.style.setProperty(`--${name}`, colour(name));
const scale = Number(query.get("scale"));
if (scale > 0.2 && scale < 4) board.style.setProperty("--scale", scale);
if (query.get("place") === "top") board.classList.add("top");
const parts = new Set((query.get("show") || "frames,break,balls,remaining,ruling").split(","));
const pass = query.get("token") ? `token=${encodeURIComponent(query.get("token"))}` : "";

let ident = query.get("match");
async function draw() {
  const until = /^\d+$/.test(query.get("until") || "") ? `until=${query.get("until")}&` : "";
  const answer = await fetch(`/api/matches/${encodeURIComponent(ident)}/overlay?${until}lang=${language()}&${pass}`);
  if (!answer.ok) return;
  const s = await answer.json(), behind = s.players[s.score[0] > s.score[1] ? 1 : 0];
  put({ ...s, lead: s.snookers ? t(s.snookers === 1 ? "board.snooker" : "board.snookers", { name: behind, n: s.snookers }) : "" });
}
function put(s) {
  const side = (i) => el("div", { class: `side ${"ab"[i]}${s.side === "AB"[i] ? " on" : ""}` }, el("span", { class: "name" }, s.players[i]), el("b", { class: "score" }, s.score[i]));
  board.replaceChildren(
    el("div", { class: "line" }, side(0), parts.has("frames") ? el("div", { class: "frames" }, `${s.frames[0]}`, el("small", {}, `${t(`console.unit_${s.unit || "frame"}`)} ${s.frame}`), `${s.frames[1]}`) : null, side(1)),
    el("div", { class: "line low" },
      parts.has("break") && s.break ? el("span", { class: "break" }, `${t("board.break")} `, el("b", {}, s.break)) : null,
      parts.has("balls") && s.break ? el("span", { class: "balls" }, s.balls.slice(-18).map((c) => el("i", { style: `background:${s.fills[c]}`, class: c }, s.letters[c]))) : null,
      parts.has("remaining") && s.remaining !== null ? el("span", { class: "remaining" }, `${t("board.remaining")} ${s.remaining}`) : null,
      parts.has("remaining") && s.snookers ? el("span", { class: "snookers" }, s.lead) : null,
      parts.has("ruling") && s.call ? el("span", { class: "ruling call" }, t("board.call")) : parts.has("ruling") && s.ruling ? el("span", { class: "ruling" }, s.ruling) : null));
  board.hidden = false;
}
// What a running table says, in the shape of a reviewed match's scoreboard.
function ofState(state, head) {
  const r = rulingLine(state, state.last_ruling);
  return { players: state.players.map((p) => p.name), frames: state.players.map((p) => p.frames), frame: state.frame || 1, score: state.players.map((p) => p.score), side: state.phase === "frame" ? state.striker : null,
    break: state.break_points, balls: breakBalls(state), remaining: state.phase === "frame" ? state.remaining : null, snookers: state.snookers_required, lead: snookersLine(state), ruling: r && r.kind === "foul" ? r.words : "", call: Boolean(r && r.kind === "call"), fills: head.fills, letters: head.letters };
}
async function follow() {
  const lost = el("div", { class: "lost", role: "status", hidden: "" });
  document.querySelector("main").append(lost);
  const told = (words) => { lost.textContent = words; lost.hidden = !words; };
  const head = await loadHead(told);
  connect({ show: (state) => put(ofState(state, head)), link: (ok, since, words) => { told(ok ? "" : words); board.classList.toggle("stale", !ok); } });
}
async function start() {
  const matches = await fetch(`/api/matches?${pass}`).then((a) => a.json(), () => null);
  if (!matches) { setTimeout(start, 2000); return; } // OBS was started before the table
  if (!ident && (!matches.length || matches[0].live)) { await follow(); return; }
  if (!ident) ident = matches[0].id;
  await loadTexts(pass && `?${pass}`);
  await draw();
  watchMatch(ident, draw);
}
start();
