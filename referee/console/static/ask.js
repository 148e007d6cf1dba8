// Questions: what the camera leaves open, what each answer would mean; one press decides.
import { api, clock, el, percent, put } from "./lib.js";
import { Table } from "./table.js";
import { change, decidedWords, may } from "./change.js";
import { factsForm, hasState, stateForm } from "./correct.js";
import { ballName, t } from "./texts.js";

const named = (labels) => ["first_contact", "potted", "nominated", "ball_on"].flatMap((k) => (labels[k] && !["none", "-"].includes(labels[k]) ? labels[k].split(/, | and /) : [])).map((b) => b.split("_")[0]);

const SHOWN = 3; // a question shows its stroke so often by itself, then it waits at its beginning

// What an answer says, drawn: the balls that it is about are ringed on the table before the stroke.
function picture(app, stroke, answer) {
  const balls = new Set(named(answer.labels).map((b) => (b === "any" ? "colour" : b)));
  const table = new Table(app.head, 2.6);
  table.layout(stroke.before);
  for (const [colour, places] of Object.entries(stroke.before)) if (balls.has(colour) || (balls.has("colour") && !["white", "red"].includes(colour))) places.forEach(([x, y]) => table.ring(x, y));
  table.node.setAttribute("aria-label", t("console.answer_drawn", { facts: answer.facts }));
  table.node.classList.add("small");
  return table.node;
}

// How many strokes hang on what is open; each is answered with the question on which it hangs.
export const hangingWords = (n) => t(n === 1 ? "console.hanging_one" : "console.hanging", { n });

// The strokes that hang on a question, each with the way to its own clip and answers; `to`: where they are.
export const strokesUnder = (hanging, to = "#/ask/") => hanging.map((n) => el("a", { href: `${to}${n}`, "aria-label": t("console.hanging_stroke", { n }) }, n));

// The answers of one question, as buttons; also used beside the video and on the phone.
export function answers(app, stroke, question) {
  const box = el("div", { class: "answers" });
  const send = (body) => change(app, "corrections", { stroke: stroke.n, ...body });
  const draw = (q) => put(box, el("h3", { class: "question" }, q.question), q.hangs_on ? el("p", { class: "hangs" }, el("a", { href: `#/ask/${q.hangs_on}` }, t("console.hangs_why", { n: q.hangs_on }))) : null, q.decided && q.decided.unknown ? el("p", { class: "soft" }, decidedWords(q.decided)) : null,
    q.answers.map((a, i) => [el("button", { type: "button", class: "answer", "data-index": a.index, disabled: !may(app), onclick: () => send({ answer: a.index }) },
      el("kbd", { "aria-hidden": "true" }, i + 1), el("b", {}, a.facts), stroke.before && !app.head.told ? picture(app, stroke, a) : null,
      !a.means && !a.score && !q.measured ? null : el("span", {}, a.means, a.score ? ` →\u00a0${a.score[0]}\u2060–\u2060${a.score[1]}` : "", q.measured ? el("i", {}, ` (${percent(a.weight)})`) : null)),
    a.otherwise.map((o, k) => el("button", { type: "button", class: "otherwise", disabled: !may(app), onclick: () => send({ answer: a.index, otherwise: k }) }, `${t("console.or_if", { facts: o.facts })}${q.measured ? ` (${percent(o.weight)})` : ""}: ${o.means}`))]),
    may(app) ? others(app, stroke, q) : el("p", { class: "soft" }, app.head.editable ? t("phone.no_token") : t("console.not_now")));
  if (question) draw(question);
  else api(app.said("/questions")).then((all) => { const q = all.find((x) => x.n === stroke.n); if (q) draw(q); });
  return box;
}

// Every question can be answered with what is true, also with what nobody thought of.
function others(app, stroke, q) {
  const more = el("details", { class: "other" }, el("summary", {}, t("console.something_else")),
    el("h4", {}, t("console.what_happened")), factsForm(app, stroke), hasState(app) && stroke.side ? [el("h4", {}, t("console.state_before")), stateForm(app, { stroke: stroke.n, striker: stroke.side, ball_on: q.ball_on, score: q.score_before })] : null);
  return [el("p", { class: "buttons" }, el("button", { type: "button", class: "nostroke", onclick: () => change(app, "corrections", { stroke: stroke.n, facts: { drop: true } }) }, t("console.no_stroke")),
    el("button", { type: "button", class: "unknown", onclick: () => change(app, "unknown", { stroke: stroke.n }) }, t("console.dont_know"))), more];
}

export async function askView(app, n) {
  const all = await api(app.said("/questions")), same = JSON.stringify([n, all, app.choices]);
  if (app.asked && app.asked.same === same && app.asked.node.isConnected) return app.asked.node;
  const node = all.length ? await questionNode(app, n, all) : el("div", {}, el("h2", {}, t("console.questions")), choices(app).length ? el("ol", { class: "others" }, choices(app)) : el("p", { class: "empty" }, t("console.no_question")));
  app.asked = { same, node };
  return node;
}

// What a player has to choose at the table is answered in the view "Live".
const choices = (app) => (app.choices || []).map((words) => el("li", {}, el("a", { href: "#/live" }, words)));

async function questionNode(app, n, all) {
  const q = all.find((x) => x.n === n) || all[0];
  const s = await api(app.said(`/strokes/${q.n}`));
  const roots = all.filter((x) => !x.hangs_on), root = roots.find((x) => x.n === q.hangs_on) || q;
  const rest = [...new Set([root, ...roots])].filter((x) => x !== q);
  const table = new Table(app.head);
  table.stroke(s);
  const from = Math.max(0, s.start_s - 0.5), to = s.end_s + 0.5, src = s.clip ? `/api${app.base}/clips/${q.n}` : app.head.video.available ? `/api${app.base}/video` : "", off = s.clip ? s.clip.offset_s : 0;
  const video = src ? el("video", { src: `${src}#t=${Math.max(0, from - off)}`, muted: true, playsinline: true, autoplay: !matchMedia("(prefers-reduced-motion: reduce)").matches, controls: true, "aria-label": t("console.video_of", { n: q.n }), onloadedmetadata: (e) => { e.target.currentTime = Math.max(0, from - off); },
    ontimeupdate: (e) => { if (!e.target.paused && e.target.currentTime >= to - off) again(e.target); }, onended: (e) => again(e.target) }) : null;
  let left = SHOWN - 1; // an image that nobody looks at any more costs a processor for nothing
  const again = (shown) => { shown.currentTime = Math.max(0, from - off); if (left-- > 0) shown.play().catch(() => {}); else { left = SHOWN - 1; shown.pause(); } };
  return el("div", { class: "askgrid" },
    el("section", {}, el("h2", { class: "hung" }, root === q ? t("console.question_of", { i: roots.indexOf(q) + 1, of: roots.length }) : t("console.hangs_on_stroke", { n: root.n }), el("small", {}, ` ${t(q.side ? "console.question_at" : "console.question_at_practice", { n: q.n, name: q.striker, on: q.on, time: clock(q.start_s) })}`)), answers(app, s, q),
      q.hanging.length ? el("p", { class: "under" }, el("b", {}, t("console.hanging_list")), strokesUnder(q.hanging)) : null,
      el("p", {}, el("a", { href: `#/watch/${q.n}` }, t("console.watch_or_correct"))),
      rest.length + choices(app).length ? el("h3", {}, t("console.other_questions")) : null,
      el("ol", { class: "others" }, choices(app), rest.map((x) => el("li", {}, el("a", { href: `#/ask/${x.n}` }, t("console.stroke_question", { n: x.n, question: x.question })), x.decided && x.decided.unknown ? ` · ${decidedWords(x.decided)}` : "", x.hanging.length ? el("div", { class: "under" }, el("small", {}, hangingWords(x.hanging.length)), strokesUnder(x.hanging)) : null)))),
    el("section", {}, video, table.node));
}
export { ballName };
