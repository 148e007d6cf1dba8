// History: who changed what and when; each change can be taken back, which is one more entry.
import { api, el } from "./lib.js";
import { may, whenWords } from "./change.js";
import { t } from "./texts.js";

// Roles stand on the table's parts by word: a phone shows each row as a block, and they would be lost with the layout.
const cell = (name, ...words) => el("td", { role: "cell", class: name }, ...words);

export async function historyView(app) {
  const all = await api(`${app.base}/history`), title = el("h2", {}, t("console.history"));
  if (!all.length) return el("div", {}, title, el("p", { class: "empty" }, t("history.none")));
  const heads = ["entry", "when", "who", "stroke", "change", ...(may(app) ? ["take_back"] : [])].map((w) => el("th", { role: "columnheader", scope: "col" }, t(`history.${w}`)));
  const row = (e) => el("tr", { role: "row", class: `${e.in_force || e.kind === "withdrawn" ? "" : "over"}${e.entry === app.undone ? " changed" : ""}` },
    cell("entry", e.entry), cell("when", whenWords(e.at)), cell("who", e.who), cell("at", e.stroke ? el("a", { href: `#/watch/${e.stroke}`, "data-unit": t("history.stroke"), "aria-label": t("history.stroke_n", { n: e.stroke }) }, e.stroke) : "–"), cell("change", e.words),
    may(app) ? cell("back", e.in_force ? el("button", { type: "button", "aria-label": t("history.undo_what", { what: e.words }), onclick: () => app.undo(e.entry) }, t("history.undo")) : "") : null);
  return el("div", {}, title, el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("console.history") },
    el("table", { role: "table" }, el("tr", { role: "row" }, heads), [...all].reverse().map(row))));
}
