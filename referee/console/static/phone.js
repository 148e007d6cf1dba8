// The table on a phone, for one hand: score, table, last ruling; and with the token: answers, nominations, the frame's ends.
import { el, put, token } from "./lib.js";
import { connect, loadHead, t } from "./live.js";
import { Panel } from "./panel.js";

const $ = (id) => document.getElementById(id);

function link(ok, since, words) {
  $("link").classList.toggle("bad", !ok);
  $("link").textContent = words;
  document.body.classList.toggle("stale", !ok);
}
async function start() {
  const head = await loadHead((words) => link(false, null, words));
  const panel = new Panel(head), p = panel.parts;
  put($("score"), p.score);
  put($("main"), p.trouble, p.questions, p.last, p.chips, panel.table.node, p.rulings);
  put($("act"), p.nominate, el("button", { type: "button", id: "more", disabled: !token(), onclick: () => panel.menu() }, t("phone.act")));
  connect({ show: (state) => panel.show(state), link });
}
start();
