// Correcting a stroke: only what is changed is sent; everything after it is judged again.
import { el } from "./lib.js";
import { change } from "./change.js";

const BALLS = ["red", "yellow", "green", "brown", "blue", "pink", "black"];
const CUE = [["on_table", "on the table"], ["pocketed", "in-off (pocketed)"], ["off_table", "off the table"]];
const colour = (ball) => ball.split("_")[0];
const YESNO = [["", "as seen"], ["true", "yes"], ["false", "no"]];
const JUDGED = [["good_enough_attempt", "Good enough attempt"], ["possible_to_hit", "Possible to hit the ball on"], ["snookered", "Next player snookered"], ["intentional", "Foul was intentional"], ["called", "Foul was called"]];

const field = (label, input) => el("label", {}, el("span", {}, label), input);
const select = (name, options, value) => el("select", { name }, options.map(([v, words]) => el("option", { value: v, selected: v === value }, words)));

function ballsEditor(name, start, choices = BALLS) {
  const balls = [...start], box = el("span", { class: "chips", "data-name": name });
  const draw = () => box.replaceChildren(...balls.map((b, i) => el("button", { type: "button", class: "chip", "data-ball": b, title: `take ${b} away`, onclick: () => { balls.splice(i, 1); draw(); } }, `${b.replaceAll("_", " ")} ×`)),
    el("select", { "aria-label": `add to ${name}`, onchange: (e) => { if (e.target.value) { balls.push(e.target.value); draw(); } } }, el("option", { value: "" }, "add …"), choices.map((b) => el("option", { value: b }, b.replaceAll("_", " ")))));
  draw();
  return { box, value: () => balls };
}

export function correctForm(app, s) {
  const first = s.first_contact ? [colour(s.first_contact.ball)] : [];
  const potted = s.potted.map((p) => colour(p.ball)), off = s.off_table.map(colour).filter((b) => b !== "white");
  const lists = { first_contact: [first, ballsEditor("first contact", first)], potted: [potted, ballsEditor("potted", potted)], off_table: [off, ballsEditor("off the table", off)], infringements: [[], ballsEditor("other fouls", [], app.head.infringements)] };
  const simple = { cue_ball: s.cue_ball, nominated: s.nominated || "", striker: s.side || "" };
  const form = el("form", { onsubmit: (e) => { e.preventDefault(); send(); } },
    field("First contact", lists.first_contact[1].box), field("Potted", lists.potted[1].box), field("Off the table", lists.off_table[1].box),
    field("Cue-ball", select("cue_ball", CUE, s.cue_ball)),
    field("Nominated", select("nominated", [["", "not said"], ...BALLS.map((b) => [b, b])], simple.nominated)),
    field("Striker", select("striker", [["A", app.head.players[0]], ["B", app.head.players[1]]], simple.striker)),
    el("details", {}, el("summary", {}, "What the referee judges"), field("Other fouls", lists.infringements[1].box), JUDGED.map(([name, words]) => field(words, select(name, YESNO, "")))),
    s.options.length ? field("Choice made", select("choice", [["", "–"], ...s.options.map((o) => [o, o.replaceAll("_", " ")])], "")) : null,
    el("p", { class: "buttons" }, el("button", { type: "submit", class: "main" }, "Correct and judge again"), el("button", { type: "button", onclick: () => change(app, "corrections", { stroke: s.n, facts: { drop: true } }) }, "No such stroke"),
      el("button", { type: "button", onclick: () => app.undo() }, "Undo last change (u)")));
  function send() {
    const facts = {};
    for (const [name, [before, editor]] of Object.entries(lists)) if (editor.value().join() !== before.join()) facts[name] = editor.value();
    for (const [name, before] of Object.entries(simple)) { const v = form.elements[name].value; if (v !== before) facts[name] = v || null; }
    for (const [name] of JUDGED) { const v = form.elements[name].value; if (v) facts[name] = v === "true"; }
    const choice = form.elements.choice ? form.elements.choice.value : "";
    if (choice) change(app, "corrections", { stroke: s.n, choice });
    else if (Object.keys(facts).length) change(app, "corrections", { stroke: s.n, facts });
  }
  const at = (name, value) => el("input", { type: "number", name, step: 0.1, min: 0, value: value.toFixed(1) });
  const added = ballsEditor("potted in the missed stroke", []);
  const missed = el("form", { onsubmit: (e) => { e.preventDefault(); const f = missed.elements; change(app, "strokes", { start_s: Number(f.start_s.value), end_s: Number(f.end_s.value), first_contact: f.first.value || null, potted: added.value(), cue_ball: f.cue.value }); } },
    field("Begins, s", at("start_s", s.end_s + 1)), field("Ends, s", at("end_s", s.end_s + 3)), field("First contact", select("first", [["", "no ball"], ...BALLS.map((b) => [b, b])], "red")), field("Potted", added.box), field("Cue-ball", select("cue", CUE, "on_table")),
    el("p", {}, el("button", { type: "submit" }, "Add the stroke")));
  form.append(el("hr"));
  return el("details", { class: "correct" }, el("summary", {}, "Correct (c)"), form, el("details", { class: "missed" }, el("summary", {}, "Add a stroke that was missed after this one"), missed));
}
