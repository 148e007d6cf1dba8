// What a live table asks of people and what they may ask of it; the same on the phone and in the console.
import { api, clockTime, el, focusOn, put, toast, token, who } from "./lib.js";
import { answers, strokesUnder } from "./ask.js";
import { Calls } from "./calls.js";
import { askName } from "./change.js";
import { hasState, stateForm } from "./correct.js";
import { Table } from "./table.js";
import { active, answerWords, askedWords, ballName, choiceWords, conditionWords, consequence, breakBalls, disc, frameLine, pass, phaseLine, player, request, respotLine, rulingLine, snookersLine, t, units } from "./live.js";

const CONTROLS = "button,input,select,summary";
const dialog = () => document.getElementById("ask");
const layoutOf = (balls) => {
  const out = {};
  for (const b of balls) (out[b.colour] = out[b.colour] || []).push([b.x_mm, b.y_mm]);
  return out;
};

// A call as the table's requests have it.
const requestOf = ({ type, ...said }) => (["safety", "push_out"].includes(type) ? { type: "nominate", ...said, [type]: true } : { type, ...said });

// A clip is cut a few seconds after its stroke: it is asked for a few times.
function clipOf(stroke) {
  let tries = 0;
  const src = `/api/live/clips/${stroke}${pass}`, box = el("div");
  const ask = async () => {
    const there = await fetch(src, { headers: { range: "bytes=0-0" } }).then((a) => a.ok, () => false);
    if (there) put(box, el("video", { src, "aria-label": t("console.video_of", { n: stroke }), controls: true, muted: true, playsinline: true, preload: "metadata" }));
    else if (++tries < 5 && box.isConnected) setTimeout(ask, 3000);
  };
  setTimeout(ask, 300);
  return box;
}

export class Panel {
  // `app`: the match that is on, as the console has it; it may come later.
  constructor(head, scale = 2.1, app = null) {
    this.head = head;
    this.app = app;
    this.known = new Map();
    this.table = new Table(head, scale);
    this.state = null;
    this.calls = new Calls(head, { make: (said) => this.send(requestOf(said)), takeBack: (entry) => this.send({ type: "undo", entry }), names: () => this.state.players.map((p) => p.name) });
    this.drawn = "";
    this.parts = Object.fromEntries(["score", "trouble", "questions", "last", "chips", "rulings", "nominate"].map((name) => [name, el("div", { class: `panel part-${name}` })]));
  }
  // What is being pressed must not be replaced under the finger: only what has changed is drawn anew.
  show(state) {
    this.state = state;
    const same = JSON.stringify([state.questions, state.questions_more, state.rulings, state.respots, state.options, state.phase, state.ball_on, state.free_ball, state.break_points, state.remaining, state.touching, state.players, state.conditions, state.striker, state.strokes, state.moving, state.open_calls, state.called]);
    if (same !== this.drawn) {
      this.drawn = same;
      this.read();
      for (const name of Object.keys(this.parts)) this.redraw(name);
    }
    this.table.clear();
    this.table.layout(layoutOf(state.balls));
    for (const ball of this.calls.ringed()) this.table.ring(ball.x_mm, ball.y_mm);
  }
  // The keyboard keeps its place in what is drawn anew: the same control, else the next question, else the last ruling.
  redraw(name) {
    const node = this.parts[name], held = node.contains(document.activeElement) ? document.activeElement : null;
    const card = held && held.closest("[data-id]"), at = held ? [...(card || node).querySelectorAll(CONTROLS)].indexOf(held) : -1;
    const drawn = this[name]();
    if (drawn instanceof Node && drawn.parentNode === node) return; // it keeps its own place
    put(node, drawn);
    if (!held) return;
    const same = card ? node.querySelector(`[data-id="${CSS.escape(card.dataset.id)}"]`) : node;
    focusOn((same && (same.querySelectorAll(CONTROLS)[at] || same.querySelector("h2"))) || node.querySelector("[data-id] h2") || this.parts.last.querySelector(".last,.due") || this.parts.score.querySelector(".sides"));
  }
  score() {
    const s = this.state, trouble = active(s), side = (i) => {
      const p = s.players[i];
      return el("div", { class: `side ${"ab"[i]}${s.striker === p.side && s.phase === "frame" ? " on" : ""}` }, el("div", { class: "name" }, p.name), el("div", { class: "points" }, p.score, s.questions.some((q) => q.open && q.kind === "facts" && q.counts !== false) ? el("small", {}, t("board.provisional")) : null));
    };
    return [el("div", { class: "bar" }, el("span", {}, s.table), el("span", {}, frameLine(s)), el("span", { class: `state${trouble.length ? " bad" : ""}` }, t(`status.${s.status}`))),
      el("div", { class: "sides" }, side(0), el("div", { class: "frames" }, `${s.players[0].frames}–${s.players[1].frames}`, el("small", {}, units(s.game))), side(1))];
  }
  trouble() { return active(this.state).map((c) => el("div", { class: "trouble" }, el("b", {}, t(`status.${c.code}`)), conditionWords(c) ? `: ${conditionWords(c)}` : "")); }
  // The newest stroke first, and of one stroke what happened before what the player chooses for it.
  questions() {
    const more = this.state.questions_more;
    const cards = [...this.state.questions].filter((q) => q.open).sort((a, b) => b.stroke - a.stroke || (a.kind === "choice") - (b.kind === "choice")).map((q) => el("section", { class: "ask", "data-id": q.id }, el("h2", {}, this.about(q)), this.known.get(q.stroke) && q.kind === "facts" ? null : el("h3", { class: "question" }, askedWords(q)),
      q.kind === "facts" ? clipOf(q.stroke) : null,
      q.kind === "facts" && this.known.get(q.stroke) ? answers(this.app, ...this.known.get(q.stroke)) : q.answers.map((a) => el("button", { type: "button", class: "press", disabled: !token(), onclick: () => this.send({ type: "answer", question: q.id, index: a.index }) },
        el("b", {}, q.kind === "choice" ? choiceWords(a) : answerWords(a)), a.means ? el("span", {}, consequence(a)) : null)),
      (q.hanging || []).length ? el("p", { class: "under" }, el("b", {}, t("console.hanging_list")), strokesUnder(q.hanging, "/#/ask/")) : null,
      token() ? null : el("small", {}, t("phone.no_token"))));
    return [...cards, more ? el("p", { class: "more" }, el("a", { href: "/#/ask" }, t(more === 1 ? "phone.one_more" : "phone.some_more", { n: more }))) : null];
  }
  // Which stroke a question is about: its number, who played it, when.
  about(q) {
    const p = player(this.state, q.striker);
    return t(p ? "phone.of_stroke" : "phone.of_stroke_only", { n: q.stroke, name: p ? p.name : "", time: clockTime(Date.parse(q.since_utc)) });
  }
  // The open questions with their strokes, as the match's own pages have them: each can be answered with what is true.
  async read() {
    if (!this.app || !this.app.base) return;
    const open = this.state.questions.filter((q) => q.open && q.kind === "facts").map((q) => q.stroke);
    const found = new Map();
    try {
      if (open.length) {
        const asked = await api(this.app.said("/questions"));
        for (const q of asked.filter((x) => open.includes(x.n))) found.set(q.n, [await api(this.app.said(`/strokes/${q.n}`)), q]);
      }
    } catch { return; /* the banner says that the table is lost */ }
    this.known = found;
    this.redraw("questions");
  }
  setState() {
    const s = this.state;
    put(dialog(), el("div", { class: "stack" }, el("h2", {}, t("correct.set_state")), el("p", {}, t("correct.state_now")), stateForm(this.app, { striker: s.striker, ball_on: s.ball_on, score: s.players.map((p) => p.score), done: () => dialog().close() }), el("button", { type: "button", onclick: () => dialog().close() }, t("phone.close"))));
    if (!dialog().open) dialog().showModal();
  }
  last() {
    const s = this.state, phase = phaseLine(s), r = rulingLine(s, s.last_ruling), due = s.respots.filter((d) => !d.placed && !d.own_spot_free);
    return [phase ? el("div", { class: "due" }, phase) : null,
      r && r.words ? el("div", { class: `last ${r.kind}` }, this.lastWords(r), r.clause ? el("small", {}, r.clause) : null, s.last_ruling.provisional ? el("small", {}, ` (${t("board.provisional")})`) : null) : null,
      due.length ? el("div", { class: "due" }, due.map(respotLine).join("; ")) : null];
  }
  // The last ruling's words; of a call the likeliest explanation first, then what would change it.
  lastWords(r) {
    if (!r.may || !r.may.length) return [el("b", {}, r.words), r.why ? el("i", {}, r.why) : null];
    const [best, ...others] = r.may;
    return [el("b", {}, best.words), el("i", {}, consequence(best.answer)), others.length ? el("ul", { class: "may" }, others.map((o) => el("li", {}, [o.words, consequence(o.answer)].filter(Boolean).join(": ")))) : null, el("small", {}, r.words)];
  }
  chips() {
    const s = this.state, on = s.phase === "frame" && s.ball_on;
    return el("div", { class: "chips" },
      on ? el("span", {}, t("board.on"), disc(this.head, s.ball_on.split("_")[0]), ballName(s.ball_on)) : null,
      s.break_points ? el("span", { class: "break" }, t("board.break"), el("b", {}, s.break_points), breakBalls(s).slice(-6).map((c) => disc(this.head, c))) : null,
      s.free_ball ? el("span", { class: "hot" }, t("board.free_ball")) : null,
      s.touching.length ? el("span", { class: "hot" }, t("board.touching", { balls: [...new Set(s.touching.map(ballName))].join(", ") })) : null,
      s.in_hand ? el("span", {}, t("board.in_hand")) : null,
      on && s.remaining !== null ? el("span", {}, t("board.remaining"), el("b", {}, s.remaining)) : null,
      s.snookers_required ? el("span", { class: "hot" }, snookersLine(s)) : null);
  }
  rulings() {
    return el("ul", { class: "rulings" }, [...this.state.rulings].reverse().slice(0, 8).map((r) => {
      const line = rulingLine(this.state, r), p = player(this.state, r.striker);
      return el("li", {}, el("span", { class: "n" }, r.stroke), el("span", { class: line.kind }, el("b", {}, p ? p.name : "–"), ` ${line.words || "–"}`), el("span", {}, `${r.score[0]}–${r.score[1]}`));
    }));
  }
  // Between strokes only: what is called while the balls move would be for the next stroke.
  nominate() {
    const s = this.state, may = s.phase === "frame" && !s.moving && Boolean(token());
    return this.calls.show({ key: s.strokes, open: s.open_calls, called: s.called, balls: s.balls, may }) ? this.calls.node : null;
  }
  menu(more = []) {
    const s = this.state, concede = s.players.map((p) => [t("phone.concede", { name: p.name }), { type: "frame", act: "concede", by: p.side }]);
    const rest = [[t("phone.rerack"), "rerack"], [t("phone.abandon"), "abandon"], s.phase === "practice" ? [t("phone.play_frame"), "frame"] : [t("phone.practice"), "practice"]].map(([words, act]) => [words, { type: "frame", act }]);
    const all = [...concede, ...rest, [t("phone.undo"), { type: "undo" }]];
    put(dialog(), el("div", { class: "stack" }, el("h2", {}, t("phone.menu")), this.app && hasState(this.app) ? el("button", { type: "button", id: "setstate", onclick: () => this.setState() }, t("correct.set_state")) : null, all.map(([words, body]) => el("button", { type: "button", onclick: () => this.confirm(words, () => this.send(body)) }, words)), more, el("button", { type: "button", onclick: () => dialog().close() }, t("phone.close"))));
    if (!dialog().open) dialog().showModal();
  }
  confirm(words, act) {
    put(dialog(), el("div", { class: "stack" }, el("b", {}, t("phone.confirm", { what: words })), el("button", { type: "button", class: "danger", id: "yes", onclick: () => { dialog().close(); act(); } }, t("phone.yes")), el("button", { type: "button", onclick: () => dialog().close() }, t("phone.no"))));
    if (!dialog().open) dialog().showModal();
  }
  // A new match: names, best of, who breaks.
  newMatch() {
    const s = this.state, name = (i) => el("input", { type: "text", maxlength: 80, required: true, value: s.players[i].name, "aria-label": t(i ? "setup.player_b" : "setup.player_a") });
    const a = name(0), b = name(1), of = el("input", { type: "number", min: 0, max: 99, value: s.best_of || 0 }), breaks = el("select", {}, el("option", { value: "A" }, t("setup.player_a")), el("option", { value: "B" }, t("setup.player_b")));
    const row = (words, input) => el("label", {}, words, input);
    put(dialog(), el("form", { class: "stack", onsubmit: (e) => { e.preventDefault(); dialog().close(); this.send({ type: "new_match", players: [a.value, b.value], best_of: Number(of.value) || null, breaks: breaks.value }); } },
      row(t("setup.player_a"), a), row(t("setup.player_b"), b), row(t("setup.best_of"), of), row(t("setup.breaks"), breaks), el("button", { type: "submit", class: "main" }, t("phone.new_match")), el("button", { type: "button", onclick: () => dialog().close() }, t("phone.close"))));
    if (!dialog().open) dialog().showModal();
  }
  async send(body) {
    try {
      const name = who() || (await askName());
      if (!name) return false;
      await request(body, name);
      toast(t("phone.done"));
      return true;
    } catch (error) { toast(error.message, true); return false; }
  }
}
