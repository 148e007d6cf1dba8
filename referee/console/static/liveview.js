// The console of a running table: its panel as the view "Live", the banner when the table is lost, new matches.
import { el, put, spoken, toast, token } from "./lib.js";
import { active, askedWords, conditionWords, connect, pass, t } from "./live.js";
import { hasState } from "./correct.js";
import { Panel } from "./panel.js";

let panel = null, node = null, newest = null;

// Follow the table: `changed(matchId)` when another match is on than the one shown.
export function followTable(app, changed) {
  connect({
    link: (ok, since, words) => { app.linked(ok, words); document.body.classList.toggle("stale", !ok); },
    show: (state) => {
      newest = state;
      app.choices = state.questions.filter((q) => q.open && q.kind === "choice").map(askedWords);
      app.count();
      if (panel) panel.show(state);
      statusBar(app, state);
      if (state.match_id !== app.ident) changed(state.match_id);
    },
  });
}
// In every view of the console: how the table does, and the questions that wait.
function statusBar(app, state) {
  const bar = document.getElementById("status"), trouble = active(state), open = state.questions.filter((q) => q.open).length;
  const same = JSON.stringify([state.status, trouble, open]);
  if (bar.dataset.same === same) return;
  bar.dataset.same = same;
  bar.hidden = false;
  bar.className = `statusbar${trouble.length ? " bad" : ""}`;
  put(bar, el("b", {}, t(`status.${state.status}`)), trouble.map((c) => el("span", {}, conditionWords(c) || t(`status.${c.code}`))));
}
export async function liveView(app) {
  if (!panel) { // one for the page: what is being pressed is not made anew when the match is read again
    panel = new Panel(app.head, 1.6, app);
    const p = panel.parts, button = (words, act, danger) => el("button", { type: "button", disabled: !token(), class: danger ? "danger" : "", onclick: act }, words);
    node = el("div", { class: "livegrid" }, el("h2", { class: "hidden" }, t("console.live")),
      el("section", {}, p.score, p.questions, p.last, p.chips, p.nominate,
        el("p", { class: "buttons" }, button(t("phone.act"), () => panel.menu()), hasState(app) ? button(t("correct.set_state"), () => panel.setState()) : null, button(t("phone.new_match"), () => panel.newMatch()))),
      el("section", {}, panel.table.node, p.rulings, recordings(app, button)));
    if (newest) panel.show(newest);
  }
  return node;
}
// What is kept of the pictures, to be deleted: clips of this match, matches that are over.
function recordings(app, button) {
  const box = el("div"), list = el("ul", { class: "kept" });
  const remove = async (path, words) => {
    try {
      const answer = await fetch(`/api/live/${path}`, { method: "DELETE", headers: { ...spoken(), "x-cueref-token": token() } });
      if (!answer.ok) throw new Error(JSON.parse(await answer.text()).detail || `${answer.status}`);
      toast(words);
      await draw();
    } catch (error) { toast(error.message, true); }
  };
  const draw = async () => {
    const answer = await fetch(`/api/live/matches${pass}`);
    if (!answer.ok) return;
    put(list, (await answer.json()).map((m) => el("li", {}, el("span", {}, m.id, m.on ? ` (${t("phone.is_on")})` : ""), el("span", {}, `${(m.bytes / 1e6).toFixed(1)} MB`),
      m.on ? button(t("phone.delete_clips"), () => panel.confirm(t("phone.delete_clips"), () => remove("clips", t("phone.done")))) : button(t("phone.delete_match"), () => panel.confirm(`${t("phone.delete_match")} ${m.id}`, () => remove(`matches/${encodeURIComponent(m.id)}`, t("phone.done")))))));
  };
  put(box, el("details", { ontoggle: draw }, el("summary", {}, t("phone.kept")), list));
  return box;
}
