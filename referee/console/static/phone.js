// The table on a phone, for one hand: score, questions, last ruling, table; and with the token: every answer,
// nominations, the state, the frame's ends, spots and restore.
import { announce, api, el, logOut, me, put, token } from "./lib.js";
import { connect, loadHead } from "./live.js";
import { language, t, translate } from "./texts.js";
import { Panel } from "./panel.js";

const $ = (id) => document.getElementById(id);
let panel = null;

function link(ok, since, words) {
  $("link").classList.toggle("bad", !ok);
  announce($("link"), words);
  document.body.classList.toggle("stale", !ok);
}
// The match that is on, as the console's parts need it.
const app = { base: "", head: null, ident: "", said: (path) => `${app.base}${path}?lang=${language()}&turn=${app.head.turn}`,
  async reload() {
    app.head = await api(app.base);
    if (panel) { panel.drawn = ""; if (panel.state) panel.show(panel.state); }
  } };
async function follow(ident) {
  if (app.ident === ident) return;
  app.ident = ident;
  app.base = `/matches/${encodeURIComponent(ident)}`;
  await app.reload().catch(() => { app.ident = ""; app.base = ""; });
}
async function start() {
  const head = await loadHead((words) => link(false, null, words));
  translate();
  document.title = `${t("phone.title")} · cueref`;
  const own = (await api("/matches").catch(() => []))[0];
  if (own) await follow(own.id);
  panel = new Panel(head, 2.1, app.head ? app : null);
  const p = panel.parts, to = (view, words) => el("a", { class: "button", href: `/#/${view}` }, words);
  put($("score"), el("h1", { class: "hidden" }, t("phone.title")), p.score);
  put($("main"), p.trouble, p.questions, p.last, p.chips, panel.table.node, p.rulings);
  put($("act"), p.nominate, el("div", { class: "buttons" }, el("button", { type: "button", id: "more", disabled: !token(), onclick: () => panel.menu([el("p", {}, me.name ? t("access.logged_in_as", { name: me.name }) : t("access.by_token")), el("button", { type: "button", id: "logout", onclick: logOut }, t("access.log_out"))]) }, t("phone.act")), token() ? null : el("a", { class: "button", id: "login", href: "/login?to=/phone" }, t("access.log_in")), to("spots", t("console.spots")), to("restore", t("console.restore"))));
  connect({ show: (state) => { panel.show(state); if (app.head && state.match_id !== app.ident) follow(state.match_id); }, link });
}
// What is pressed lies over the page's end, and is higher where calls are open.
new ResizeObserver(() => document.documentElement.style.setProperty("--act", `${$("act").offsetHeight}px`)).observe($("act"));
start();
