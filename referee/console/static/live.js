// A live table's state by WebSocket, for every page that shows it. A page that has lost its table says so.
import { clockTime, disc, percent, spoken, token } from "./lib.js";
import { ballName, frameLine, isSnooker, language, loadTexts, wordsOf, t, units } from "./texts.js";

export { ballName, disc, frameLine, t, units };

const SILENT_S = 20;
const query = new URLSearchParams(location.search).get("token");
export const pass = query ? `?token=${encodeURIComponent(query)}` : "";

// The table's shape; asked for until the table answers: a screen may be switched on before the machine.
export async function loadHead(told) {
  for (;;) {
    try {
      const found = await (await fetch(`/api/live${pass}`)).json();
      await loadTexts(pass, "/api/live/texts");
      if (found.head) return found.head;
      told(found.waiting || t("board.connecting"));
    } catch { told("…"); }
    await new Promise((done) => setTimeout(done, 2000));
  }
}

// What a page shows of a state. Clocks and the machine's figures change every second and are shown nowhere.
const seenOf = ({ seq, t_s, utc, machine, camera, ...shown }) => JSON.stringify(shown);

// `show(state)` gets every state that looks different; `link(ok, since, words)` says whether what is shown is of now.
export function connect({ show, link: told, say }) {
  // A banner that is written anew with the same words is read aloud anew: it is told of what is different only.
  let linked = "";
  const link = (ok, since, words) => {
    if (linked === `${ok} ${words}`) return;
    linked = `${ok} ${words}`;
    told(ok, since, words);
  };
  let wait = 500, heard = 0, state = null, seen = "", news = 0, waiting = "";
  const tell = () => {
    const now = Date.now();
    if (!heard || now - heard > 6500) link(false, heard || null, heard ? t("board.not_connected_since", { time: clockTime(heard) }) : t("board.connecting"));
    else if (!state) link(false, null, waiting || t("board.connecting"));
    else if (now - news > 1000 * SILENT_S && !["stopped", "camera_lost"].includes(state.status)) link(false, news, t("board.silent", { time: clockTime(news) }));
    else link(true, heard, "");
  };
  const open = () => {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}/ws/live${pass}`);
    socket.onmessage = (e) => {
      const message = JSON.parse(e.data);
      wait = 500;
      heard = Date.now();
      // The time of the table's last word: two clocks disagree by a little, which is not news.
      const said = heard - 1000 * (message.age_s || 0);
      if (Math.abs(said - news) > 2000) news = said;
      if (message.type === "state") {
        state = message.body;
        wordsOf(state.game);
        const now = seenOf(state);
        if (now !== seen) { seen = now; show(state); }
      }
      if (message.type === "waiting") waiting = message.words;
      if (message.type === "say" && say) say(message.words);
      tell();
    };
    socket.onclose = () => { if (heard) heard = Math.min(heard, Date.now() - 6501); tell(); setTimeout(open, wait); wait = Math.min(wait * 2, 8000); };
  };
  setInterval(tell, 1000);
  tell();
  open();
}

const OF_BALLS = new Set(["ball", "balls", "on", "next_on"]);
// A question in this page's language: its texts, balls by name; of an older table as that says it.
export const askedWords = (q) => (q.asked && q.asked.length ? q.asked.map((a) => t(`questions.${a.text}`, Object.fromEntries(a.values.map(([k, v]) => [k, OF_BALLS.has(k) ? v.split(", ").map(ballName).join(", ") : v])))).join(" ") : q.text);
export const player = (state, side) => state.players.find((p) => p.side === side);
// The balls of the break that is being made, oldest first, from the last rulings.
export function breakBalls(state) {
  const found = [];
  if (!state.break_points) return found;
  for (const r of [...state.rulings].reverse()) {
    if (r.frame !== state.frame || r.striker !== state.striker || r.kind !== "points") break;
    found.unshift(...r.potted.map((b) => b.split("_")[0]));
    if (r.points === r.break_points) break;
  }
  return found;
}
// What the table says in every language, in this page's; of an older table as that says it.
const saidHere = (said, otherwise) => ((said || []).find((w) => w.language === language()) || { text: otherwise }).text;
export const choiceWords = (a) => saidHere(a.said, t(`choices.${a.label.replaceAll(" ", "_")}`));
export const answerWords = (a) => saidHere(a.said, a.label), meansWords = (a) => saidHere(a.means_said, a.means);
// What an answer means, with the score that it leaves; nothing in practice.
export const consequence = (a) => (a.means ? `${meansWords(a)}${a.score ? ` →\u00a0${a.score[0]}\u2060–\u2060${a.score[1]}` : ""}` : "");
// What may be so where a ruling is a call, the likeliest first. Weights that are all the same were not measured: none is likelier then.
function alternatives(r) {
  const all = r.alternatives || [], measured = new Set(all.map((a) => a.weight.toFixed(3))).size > 1;
  return all.map((a, k) => ({ answer: a, words: `${t(k ? "board.otherwise" : measured ? "board.likely" : "board.perhaps", { facts: answerWords(a) })}${measured ? ` (${percent(a.weight)})` : ""}` }));
}
// A call: what is likely and what would change it, or the stroke whose question answers this one too.
const callLine = (r) => ({ kind: "call", words: t("board.call"), why: r.hangs_on ? t("console.hangs_on_stroke", { n: r.hangs_on }) : "", clause: "", may: alternatives(r) });
// Other games' rulings are said as the review says them: the referee's call first, then what follows from it.
function gameLine(r) {
  const [call, ...rest] = saidHere(r.said, r.text).split("; ");
  const fell = r.kind === "points" && r.potted.length ? `${r.potted.map(ballName).join(", ")} · ${r.points}` : call;
  return { kind: r.foul ? "foul" : r.kind === "points" ? "points" : "plain", words: fell, why: rest.join("; "), clause: r.foul ? r.foul.clause || "" : "" };
}
// The last ruling as a line: what was said, and for a foul what was wrong.
export function rulingLine(state, r) {
  if (!r) return null;
  if (r.verdict === "call") return callLine(r);
  if (!isSnooker(state.game)) return gameLine(r);
  if (!r.foul) return r.kind === "points" ? { kind: "points", words: `${r.potted.map(ballName).join(", ")} · ${r.points}`, why: "", clause: "" } : { kind: "plain", words: t(r.kind === "unruled" ? "ruling.practice" : "ruling.no_score"), why: "", clause: "" };
  const to = player(state, r.foul.penalty_to);
  return { kind: "foul", words: t(r.miss ? "board.foul_and_miss" : "board.foul", { points: r.foul.penalty, name: to ? to.name : "–" }), why: r.foul.reason ? t(`fouls.${r.foul.reason}`) : "", clause: r.foul.clause || "" };
}
export function respotLine(d) {
  const ball = ballName(d.ball);
  if (d.own_spot_free) return t("board.respot_own", { ball });
  const why = d.occupied_by.length ? `, ${t("board.respot_why", { balls: d.occupied_by.map(ballName).join(", ") })}` : "";
  return (d.spot ? t("board.respot", { ball, spot: ballName(d.spot) }) : t("board.respot_beside", { ball })) + why;
}
export function snookersLine(state) {
  if (!state.snookers_required || !state.leader) return "";
  const behind = state.players.find((p) => p.side !== state.leader);
  return state.snookers_required === 1 ? t("board.snooker", { name: behind.name }) : t("board.snookers", { name: behind.name, n: state.snookers_required });
}
export function phaseLine(state) {
  if (state.phase === "match_over") return state.winner ? t("board.match_over", { name: player(state, state.winner).name }) : t("board.match_over_level");
  return { waiting: t("board.waiting"), practice: t("board.practice"), between_frames: t("board.between_frames") }[state.phase] || "";
}
// What is so with the table, in this page's language; words that are no text as they are.
export const conditionWords = (c) => (c.said ? t(`conditions.${c.said.text}`, Object.fromEntries(c.said.values)) : c.text);
export const active = (state) => state.conditions.filter((c) => c.active && c.code !== "running");

// A request to the table; refused requests throw with the server's sentence.
export async function request(body, who) {
  const answer = await fetch("/api/live/requests", { method: "POST", headers: { ...spoken(), "content-type": "application/json", "x-cueref-token": token() }, body: JSON.stringify({ ...body, who }) });
  if (answer.ok) return answer.json();
  const text = await answer.text();
  let words = text;
  try { words = JSON.parse(text).detail; } catch { /* plain text */ }
  throw new Error(words);
}
