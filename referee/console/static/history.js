// History: who changed what and when; each change can be taken back, which is one more entry.
import { api, el } from "./lib.js";
import { may, whenWords } from "./change.js";
import { t } from "./texts.js";

export async function historyView(app) {
  const all = await api(`${app.base}/history`), title = el("h2", {}, t("console.history"));
  if (!all.length) return el("div", {}, title, el("p", { class: "empty" }, t("history.none")));
  const heads = ["entry", "when", "who", "stroke", "change"].map((w) => el("th", { scope: "col" }, t(`history.${w}`)));
  return el("div", {}, title, el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("console.history") }, el("table", {}, el("tr", {}, heads, may(app) ? el("th", { scope: "col" }, t("history.take_back")) : null),
    [...all].reverse().map((e) => el("tr", { class: e.in_force ? "" : "over" }, el("td", {}, e.entry), el("td", {}, whenWords(e.at)), el("td", {}, e.who), el("td", {}, e.stroke ? el("a", { href: `#/watch/${e.stroke}` }, e.stroke) : "–"), el("td", {}, e.words),
      may(app) ? el("td", {}, e.in_force ? el("button", { type: "button", "aria-label": t("history.undo_what", { what: e.words }), onclick: () => app.undo(e.entry) }, t("history.undo")) : "") : null)))));
}
