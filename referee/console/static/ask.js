// Questions: what the camera leaves open, what each answer would mean; one press decides.
import { api, clock, el } from "./lib.js";
import { Table } from "./table.js";
import { change } from "./change.js";

// The answers of one question, as buttons; also used beside the video.
export function answers(app, stroke, question) {
  const box = el("div", { class: "answers" });
  const draw = (q) => box.replaceChildren(el("p", { class: "question" }, q.question),
    ...q.answers.flatMap((a, i) => [el("button", { type: "button", class: "answer", "data-index": a.index, disabled: !app.head.editable, onclick: () => change(app, "corrections", { stroke: stroke.n, answer: a.index }) },
      el("kbd", {}, i + 1), el("b", {}, a.facts), el("meter", { min: 0, max: 1, value: a.weight, title: "weight" }), el("i", {}, `${Math.round(100 * a.weight)} %`),
      el("span", {}, a.means, a.score ? ` → ${a.score[0]}–${a.score[1]}` : "")),
    ...a.otherwise.map((o, k) => el("button", { type: "button", class: "otherwise", disabled: !app.head.editable, onclick: () => change(app, "corrections", { stroke: stroke.n, answer: a.index, otherwise: k }) }, `or, if ${o.facts} (${Math.round(100 * o.weight)} %): ${o.means}`))]));
  if (question) draw(question);
  else api(`${app.base}/questions`).then((all) => { const q = all.find((x) => x.n === stroke.n); if (q) draw(q); });
  return box;
}

export async function askView(app, n) {
  const all = await api(`${app.base}/questions`), same = JSON.stringify([n, all]);
  if (app.asked && app.asked.same === same && app.asked.node.isConnected) return app.asked.node;
  const node = all.length ? await questionNode(app, n, all) : el("p", { class: "empty" }, "No question is open: every ruling is certain or decided.");
  app.asked = { same, node };
  return node;
}

async function questionNode(app, n, all) {
  const q = all.find((x) => x.n === n) || all[0];
  const s = await api(`${app.base}/strokes/${q.n}`);
  const table = new Table(app.head);
  table.stroke(s);
  const from = Math.max(0, s.start_s - 0.5), to = s.end_s + 0.5;
  const video = app.head.video.available ? el("video", { src: `/api${app.base}/video#t=${from},${to}`, muted: true, playsinline: true, autoplay: true, controls: true, onloadedmetadata: (e) => { e.target.currentTime = from; },
    ontimeupdate: (e) => { if (e.target.currentTime >= to) { e.target.currentTime = from; e.target.play().catch(() => {}); } } }) : null;
  return el("div", { class: "askgrid" },
    el("section", {}, el("h2", {}, `Question ${all.indexOf(q) + 1} of ${all.length}`, el("small", {}, ` stroke ${q.n}, ${q.striker}, ball on ${q.on}, ${clock(q.start_s)}`)), answers(app, s, q),
      el("p", {}, el("a", { href: `#/watch/${q.n}` }, "Watch the stroke, or correct other facts")),
      el("ol", { class: "others" }, all.filter((x) => x !== q).map((x) => el("li", {}, el("a", { href: `#/ask/${x.n}` }, `Stroke ${x.n}: ${x.question}`))))),
    el("section", {}, video, table.node));
}
