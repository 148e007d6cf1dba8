// History: who changed what and when; each change can be taken back, which is one more entry.
import { api, el } from "./lib.js";

export async function historyView(app) {
  const all = await api(`${app.base}/history`);
  if (!all.length) return el("p", { class: "empty" }, "No person has changed anything.");
  return el("div", { class: "scroll" }, el("table", {}, el("tr", {}, ["Entry", "When", "Who", "Stroke", "Change", ""].map((w) => el("th", {}, w))),
    [...all].reverse().map((e) => el("tr", { class: e.in_force ? "" : "over" }, el("td", {}, e.entry), el("td", {}, new Date(e.at).toLocaleString()), el("td", {}, e.who), el("td", {}, e.stroke ? el("a", { href: `#/watch/${e.stroke}` }, e.stroke) : "–"), el("td", {}, e.words),
      el("td", {}, e.in_force && app.head.editable ? el("button", { type: "button", onclick: () => app.undo(e.entry) }, "Undo") : "")))));
}
