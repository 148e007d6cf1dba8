// Correcting a stroke and setting the state: only what is changed is sent; everything after it is judged again.
import { el, put } from "./lib.js";
import { change } from "./change.js";
import { ballName, isSnooker, t } from "./texts.js";

const CUE = ["on_table", "pocketed", "off_table"];
const colour = (ball) => ball.split("_")[0];
const JUDGED = ["good_enough_attempt", "possible_to_hit", "snookered", "intentional", "called"];
const judged = (app) => JUDGED.filter((name) => (name === "called" ? app.head.uncalled_lapses : app.head.judgements.includes(name)));
const cueOptions = () => CUE.map((c) => [c, t(`correct.cue_${c}`)]);
const ballOptions = (app) => app.head.object_balls.map((b) => [b, ballName(b)]);

const field = (label, input) => el("label", {}, el("span", {}, label), input);
const group = (label, node) => el("div", { class: "field", role: "group", "aria-label": label }, el("span", {}, label), node);
const select = (name, options, value) => el("select", { name }, options.map(([v, words]) => el("option", { value: v, selected: v === value }, words)));
const foulName = (f) => t(`fouls.${f}`);

function ballsEditor(name, label, start, choices, words = ballName) {
  const balls = [...start], box = el("span", { class: "chips", "data-name": name });
  const draw = () => box.replaceChildren(...balls.map((b, i) => el("button", { type: "button", class: "chip", "data-ball": b, "aria-label": t("correct.take_away", { what: words(b) }), onclick: () => { balls.splice(i, 1); draw(); } }, `${words(b)} ×`)),
    el("select", { "aria-label": t("correct.add_to", { what: label }), onchange: (e) => { if (e.target.value) { balls.push(e.target.value); draw(); } } }, el("option", { value: "" }, t("correct.add")), choices.map((b) => el("option", { value: b }, words(b)))));
  draw();
  return { box, value: () => balls };
}

// The facts of a stroke as a person knows them.
export function factsForm(app, s) {
  const first = s.first_contact ? [colour(s.first_contact.ball)] : [];
  const potted = s.potted.map((p) => colour(p.ball)), off = s.off_table.map(colour).filter((b) => b !== s.cue), balls = app.head.object_balls;
  const names = { first_contact: t("correct.first_contact"), potted: t("correct.potted"), off_table: t("correct.off_table"), infringements: t("correct.other_fouls") };
  const lists = { first_contact: [first, ballsEditor("first contact", names.first_contact, first, balls)], potted: [potted, ballsEditor("potted", names.potted, potted, balls)], off_table: [off, ballsEditor("off the table", names.off_table, off, balls)], infringements: [[], ballsEditor("other fouls", names.infringements, [], app.head.infringements, foulName)] };
  const simple = { cue_ball: s.cue_ball, nominated: s.nominated || "", striker: s.side || "" }, yesNo = [["", t("correct.as_seen")], ["true", t("phone.yes")], ["false", t("phone.no")]];
  const form = el("form", { onsubmit: (e) => { e.preventDefault(); send(); } },
    group(names.first_contact, lists.first_contact[1].box), group(names.potted, lists.potted[1].box), group(names.off_table, lists.off_table[1].box),
    field(t("correct.cue_ball"), select("cue_ball", cueOptions(), s.cue_ball)),
    app.head.nominates ? field(t("correct.nominated"), select("nominated", [["", t("correct.not_said")], ...ballOptions(app)], simple.nominated)) : null,
    field(t("correct.striker"), select("striker", [["A", app.head.players[0]], ["B", app.head.players[1]]], simple.striker)),
    el("details", {}, el("summary", {}, t("correct.referee_judges")), group(names.infringements, lists.infringements[1].box), judged(app).map((name) => field(t(`correct.${name}`), select(name, yesNo, "")))),
    s.options.length ? field(t("correct.choice"), select("choice", [["", "–"], ...s.options.map((o, k) => [o, s.option_words[k]])], "")) : null,
    el("p", { class: "buttons" }, el("button", { type: "submit", class: "main" }, t("correct.send"))));
  function send() {
    const facts = {};
    for (const [name, [before, editor]] of Object.entries(lists)) if (editor.value().join() !== before.join()) facts[name] = editor.value();
    for (const [name, before] of Object.entries(simple)) { const v = form.elements[name] ? form.elements[name].value : before; if (v !== before) facts[name] = v || null; }
    for (const name of judged(app)) { const v = form.elements[name].value; if (v) facts[name] = v === "true"; }
    const choice = form.elements.choice ? form.elements.choice.value : "";
    if (choice) change(app, "corrections", { stroke: s.n, choice });
    // what was seen is confirmed by the person who was asked, though nothing of it is changed
    else if (Object.keys(facts).length || s.kind === "call") change(app, "corrections", { stroke: s.n, facts: Object.keys(facts).length ? facts : { first_contact: first, potted, cue_ball: s.cue_ball } });
  }
  return form;
}

// The state of other games is not of this shape.
export const hasState = (app) => isSnooker(app.head.game);

// A state that the balls on the table speak against is stored only when it is said to be so once more.
async function setState(app, body) {
  try { return await change(app, "state", body, true); } catch (error) {
    return (await confirmed(error.message)) ? change(app, "state", { ...body, sure: true }) : null;
  }
}
function confirmed(words) {
  const dialog = el("dialog", { class: "sure", "aria-labelledby": "sure" });
  document.body.append(dialog);
  return new Promise((done) => {
    const close = (sure) => () => { dialog.close(); dialog.remove(); done(sure); };
    put(dialog, el("div", { class: "stack" }, el("h2", { id: "sure" }, t("correct.cannot_be")), el("p", {}, words), el("button", { type: "button", class: "main", onclick: close(false) }, t("correct.correct_it")), el("button", { type: "button", class: "store", onclick: close(true) }, t("correct.store_it"))));
    dialog.oncancel = close(false);
    dialog.showModal();
  });
}

// Striker, ball on, score and frames: before a stroke, or from now on (`stroke` null).
export function stateForm(app, { stroke = null, striker, ball_on, score, done = () => {} }) {
  const number = (name, value, label, max = 999) => el("input", { type: "number", name, min: 0, max, value, required: value !== "", inputmode: "numeric", "aria-label": label });
  const [a, b] = app.head.players;
  const form = el("form", { class: "state", onsubmit: (e) => {
    e.preventDefault();
    const f = form.elements, body = { striker: f.striker.value, ball_on: f.ball_on.value, score: [Number(f.score_a.value), Number(f.score_b.value)] };
    if (stroke) body.stroke = stroke;
    if (f.frames_a.value !== "" && f.frames_b.value !== "") body.frames = [Number(f.frames_a.value), Number(f.frames_b.value)];
    setState(app, body).then((made) => { if (made) done(); else if (form.isConnected) f.score_a.focus(); });
  } },
  field(t("correct.at_table"), select("striker", [["A", a], ["B", b]], striker || "A")),
  field(t("correct.ball_on"), select("ball_on", [...ballOptions(app), ["any_colour", ballName("any_colour")]], ball_on || "red")),
  el("div", { class: "field", role: "group", "aria-label": t("correct.score") }, el("span", {}, t("correct.score")), el("span", { class: "pair" }, number("score_a", score[0], t("correct.score_of", { name: a })), " – ", number("score_b", score[1], t("correct.score_of", { name: b })))),
  el("div", { class: "field", role: "group", "aria-label": t("correct.frames_won") }, el("span", {}, t("correct.frames_won")), el("span", { class: "pair" }, number("frames_a", "", t("correct.frames_of", { name: a }), 99), " – ", number("frames_b", "", t("correct.frames_of", { name: b }), 99))),
  el("p", { class: "buttons" }, el("button", { type: "submit", class: "main setstate" }, t("correct.set_state"))));
  return form;
}

function missedForm(app, s) {
  const at = (name, value) => el("input", { type: "number", name, step: 0.1, min: 0, value: value.toFixed(1) });
  const added = ballsEditor("potted in the missed stroke", t("correct.potted"), [], app.head.object_balls);
  const missed = el("form", { onsubmit: (e) => { e.preventDefault(); const f = missed.elements; change(app, "strokes", { start_s: Number(f.start_s.value), end_s: Number(f.end_s.value), first_contact: f.first.value || null, potted: added.value(), cue_ball: f.cue.value }); } },
    field(t("correct.begins_s"), at("start_s", s.end_s + 1)), field(t("correct.ends_s"), at("end_s", s.end_s + 3)), field(t("correct.first_contact"), select("first", [["", t("correct.no_ball")], ...ballOptions(app)], "red")), group(t("correct.potted"), added.box), field(t("correct.cue_ball"), select("cue", cueOptions(), "on_table")),
    el("p", {}, el("button", { type: "submit" }, t("correct.add_stroke"))));
  return missed;
}

export function correctForm(app, s) {
  return el("details", { class: "correct" }, el("summary", {}, t("correct.title")), factsForm(app, s),
    el("p", { class: "buttons" }, el("button", { type: "button", onclick: () => change(app, "corrections", { stroke: s.n, facts: { drop: true } }) }, t("console.no_stroke")), el("button", { type: "button", onclick: () => app.undo() }, t("correct.undo"))),
    s.side && hasState(app) ? el("details", { class: "before" }, el("summary", {}, t("console.state_before")), stateForm(app, { stroke: s.n, striker: s.side, ball_on: s.ball_on, score: s.score_before })) : null,
    el("details", { class: "missed" }, el("summary", {}, t("correct.missed")), missedForm(app, s)));
}
