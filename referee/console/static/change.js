// One change: who makes it, what it did to score and strokes, said in one line.
import { api, el, put, setWho, toast, token, who } from "./lib.js";
import { t } from "./texts.js";

// Whether this page may change the match: nobody fills in a form that cannot be sent.
export const may = (app) => Boolean(app.head && app.head.editable && token());

// The name for the history, asked once and kept; what was filled in stays where it is, also after "Cancel".
export function askName() {
  const dialog = document.getElementById("ask");
  return new Promise((done) => {
    const input = el("input", { type: "text", maxlength: 80, required: true, id: "who", value: who(), autocomplete: "name" });
    const close = () => { if (dialog.open) dialog.close(); };
    put(dialog, el("form", { class: "stack", onsubmit: (e) => { e.preventDefault(); setWho(input.value.trim()); close(); } },
      el("h2", {}, t("console.your_name")), el("label", { for: "who" }, t("phone.name")), input,
      el("button", { type: "submit", class: "main" }, t("console.go_on")), el("button", { type: "button", onclick: () => { input.value = ""; input.required = false; dialog.dataset.cancelled = "yes"; close(); } }, t("console.cancel"))));
    delete dialog.dataset.cancelled;
    dialog.onclose = () => { dialog.onclose = null; done(dialog.dataset.cancelled ? "" : who()); };
    dialog.showModal();
    input.focus();
  });
}

// What a change did, in this page's language.
export function changeWords(c) {
  const [a, b] = [c.score_before.join("–"), c.score_after.join("–")], n = c.changed.length + c.gone.length;
  const rulings = t(n === 0 ? "console.changed_none" : n === 1 ? "console.changed_one" : "console.changed", { n });
  const undone = c.undone ? `${t("console.undone", { what: c.undone.words, who: c.undone.who, stroke: c.undone.stroke ? t("console.in_stroke", { n: c.undone.stroke }) : "" })} ` : "";
  const settled = c.settled.length ? `; ${t(c.settled.length === 1 ? "console.settled_one" : "console.settled", { n: c.settled.length })}` : "";
  return `${undone}${rulings}${settled}; ${a === b ? t("console.score_stays", { score: a }) : t("console.score_from_to", { before: a, after: b })}`;
}

// `asking`: a change that does not fit what is seen (409) is thrown, to be asked about.
export async function change(app, path, body, asking = false) {
  if (!token()) { toast(t("phone.no_token"), true); return null; }
  const name = who() || (await askName());
  if (!name) return null;
  try {
    const done = await api(`${app.base}/${path}`, { ...body, who: name, ...(["calls", "corrections"].includes(path) ? { version: app.head.version } : {}) });
    done.words = changeWords(done);
    app.change = done;
    app.own = true;
    try { await app.reload(); } finally { app.own = false; }
    toast(done.words);
    return done;
  } catch (error) {
    if (asking && error.status === 409) throw error;
    toast(error.message, true);
    return null;
  }
}

// A moment of today by its time, another with its day.
export function whenWords(moment) {
  const at = new Date(moment), today = at.toDateString() === new Date().toDateString();
  return today ? at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }) : at.toLocaleString([], { dateStyle: "short", timeStyle: "short" });
}

// Who said the last word, and when: "decided by Ann, 21:04".
export function decidedWords(d) {
  if (!d) return "";
  return t(d.unknown ? "console.unknown_by" : "console.decided_by", { name: d.by || t("console.someone"), time: whenWords(d.at) });
}
