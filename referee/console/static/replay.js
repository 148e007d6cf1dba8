// The view Replay: a stroke in 3-D and from above, beside its video; the file to share is made by the server.
import { api, el } from "./lib.js";
import { maker, query } from "./make.js";
import { Player } from "./player.js";
import { language, t } from "./texts.js";
import Plot from "./uplot/uPlot.esm.js";

export async function replayView(app, n) {
  const chosen = n || app.stroke || (app.rows[0] && app.rows[0].n) || 0;
  if (!chosen) return el("p", { class: "empty" }, t("watch.no_strokes"));
  app.stroke = chosen;
  const data = await api(app.said(`/strokes/${chosen}/replay`)), row = app.rows.find((r) => r.n === chosen);
  const pick = el("select", { onchange: (e) => app.go("replay", Number(e.target.value)) }, app.rows.map((s) => el("option", { value: s.n, selected: s.n === chosen }, `${s.n} ${s.striker}: ${s.happened}`)));
  const head = el("div", { class: "tools" }, el("h2", {}, t("replay.heading", { n: chosen })), el("label", {}, t("replay.pick"), " ", pick), row ? el("span", {}, row.ruling) : null);
  if (!data.balls.length) return el("div", {}, head, el("p", { class: "empty" }, t("replay.no_tracks")));
  const video = filmOf(app, data), player = new Player(data, app.head, t, Plot, video, data.clip ? data.clip.offset_s : 0);
  const blur = el("input", { type: "checkbox" });
  const share = maker(app, t("make.replay_make"), () => `stroke.html?${query({ stroke: chosen, lang: language(), blur: blur.checked })}`, `stroke-${chosen}.html`, "make-replay");
  requestAnimationFrame(() => player.seek(0, true));
  return el("div", { class: "replayview" }, head, player.node, el("section", { class: "card" }, el("h3", {}, t("make.replay")), el("p", { class: "soft" }, t("make.replay_is")), video ? el("label", { class: "tick" }, blur, " ", t("export.blur")) : null, el("p", {}, share)));
}
function filmOf(app, data) {
  if (!data.clip && !app.head.video.available) return null;
  return el("video", { src: data.clip ? `/api${app.base}/clips/${data.n}` : `/api${app.base}/video`, muted: true, playsinline: true, preload: "auto", "aria-label": t("replay.video") });
}
