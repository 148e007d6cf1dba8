// Practice: a position, the balls put back, tries counted from the strokes, results of each player over time.
import { api, el, mm, put, svg, toast, token, who } from "./lib.js";
import { figure, lines } from "./charts.js";
import { Table } from "./table.js";
import { ballName, t } from "./texts.js";

const EVERY_MS = 1000;
const PLAYER = "cueref-practice-player";
const nameOf = (p) => (p.own ? p.name : t(`practice.${p.id.replace("std-", "std_")}`));

export async function practiceView(app, n) {
  const base = `${app.base}/practice`, live = app.head.live, able = Boolean(token());
  const data = await api(base);
  let positions = data.positions, session = data.session, chosen = positions[0];
  const page = el("div", { class: "practice" });
  const player = el("input", { type: "text", maxlength: 80, list: "practisers", value: localStorage.getItem(PLAYER) || app.head.players.find((p) => p.length > 1) || "", oninput: () => localStorage.setItem(PLAYER, player.value) });
  const of = el("input", { type: "number", min: 1, max: 100, value: 10 }), since = el("input", { type: "number", min: 0, step: 0.1, value: 0 });
  const pick = el("select", { onchange: () => { chosen = positions.find((p) => p.id === pick.value); draw(); } });
  const table = new Table(app.head, 1.15), score = el("div", { class: "practicescore", "aria-live": "polite" }), left = el("p", { class: "big", id: "left" }), moves = el("ol", { class: "moves" }), over = el("div", { class: "over" }), results = el("div", { class: "results" });
  const begin = el("button", { type: "button", class: "main", id: "begin", disabled: !able, onclick: () => act(start) }, t("practice.begin"));
  const act = async (work) => { try { await work(); } catch (error) { toast(error.message, true); } };

  // -- the position ------------------------------------------------------------------------------------------------
  function fillPositions() {
    put(pick, positions.map((p) => el("option", { value: p.id, selected: chosen && p.id === chosen.id }, nameOf(p))));
    forget.hidden = !(chosen && chosen.own);
  }
  function draw() {
    forget.hidden = !(chosen && chosen.own);
    table.clear();
    put(moves);
    put(over);
    left.textContent = "";
    if (chosen) table.layout(chosen.layout);
  }
  const forget = el("button", { type: "button", disabled: !able, onclick: () => act(async () => { await api(`${base}/positions/${chosen.id}/drop`, {}); await again(positions.find((p) => p.id !== chosen.id)); }) }, t("practice.drop"));
  async function again(next) {
    positions = (await api(base)).positions;
    chosen = positions.find((p) => p.id === (next || {}).id) || positions[0];
    fillPositions();
    draw();
  }
  function storePart() {
    const name = el("input", { type: "text", maxlength: 80 }), kind = el("select", {}, ["tries", "run"].map((k) => el("option", { value: k }, t(`practice.kind_${k}`))));
    const target = el("select", {}, el("option", { value: "" }, t("practice.any_ball")), ["red", "yellow", "green", "brown", "blue", "pink", "black"].map((c) => el("option", { value: c }, ballName(c))));
    const stroke = n || app.stroke || (app.rows.length ? app.rows[app.rows.length - 1].n : 0);
    const send = (from) => act(async () => {
      if (!name.value.trim()) { name.focus(); return; }
      await again(await api(`${base}/positions`, { name: name.value, kind: kind.value, target: target.value || null, ...from }));
      toast(t("phone.done"));
    });
    return el("details", { class: "card" }, el("summary", {}, t("practice.store")), el("label", {}, t("practice.name"), " ", name), el("label", {}, t("practice.kind"), " ", kind), el("label", {}, t("practice.target"), " ", target),
      el("p", { class: "buttons" }, live ? el("button", { type: "button", id: "keepnow", disabled: !able, onclick: () => send({}) }, t("practice.store_now")) : null, stroke ? el("button", { type: "button", id: "keepstroke", disabled: !able, onclick: () => send({ stroke }) }, t("practice.store_stroke", { n: stroke })) : null));
  }
  // -- putting the balls back: the outlines over the camera's picture, what is left to do beside -----------------------
  let following = false;
  const place = el("button", { type: "button", id: "place", "aria-pressed": "false", onclick: () => { following = !following; place.setAttribute("aria-pressed", following); if (following) { follow(); table.node.scrollIntoView({ block: "nearest" }); } else draw(); } }, t(live ? "practice.placing" : "practice.place"));
  async function follow() {
    if (!following || !page.isConnected) return;
    const at = live ? 0 : Number(since.value) || 0;
    try {
      const r = await api(`${base}/positions/${chosen.id}/restore?at=${at}`);
      if (following) placed(r, live || app.head.video.available ? `/api${app.base}/image?at=${at}${live ? `&now=${Date.now()}` : ""}` : null);
    } catch (error) { if (!live) toast(error.message, true); } // the page's banner says that the table is lost
    if (live) setTimeout(follow, EVERY_MS);
  }
  function placed(r, picture) {
    table.clear();
    const R = app.head.table.ball_radius_mm, open = r.balls.filter((b) => !b.done);
    left.textContent = open.length ? t("restore.to_place", { n: open.length, of: r.balls.length }) : t("restore.all_back");
    left.className = `big ${open.length ? "" : "good"}`;
    for (const b of r.balls) {
      if (b.now_mm) table.layers.balls.append(table.ball(b.colour, ...b.now_mm));
      if (b.target_mm) table.layers.ghosts.append(svg("circle", { cx: b.target_mm[1], cy: b.target_mm[0], r: R + 10, fill: b.done ? "none" : app.head.fills[b.colour], "fill-opacity": 0.45, stroke: b.done ? "#4dff9d" : "#fff", "stroke-width": 14, "stroke-dasharray": b.done ? null : "24 14" }));
      if (b.now_mm && b.target_mm && b.left_mm > 12) table.layers.marks.append(table.arrow(b.now_mm, b.target_mm, "#ffe14a"));
    }
    const words = (b) => (b.left_mm === null ? t(b.now_mm ? "restore.take_off" : "restore.put_on") : `${mm(b.left_mm)} mm`), alike = new Map(); // fifteen reds to put on are one line
    for (const b of [...open].sort((a, c) => (c.left_mm ?? 1e9) - (a.left_mm ?? 1e9))) { const key = `${b.colour} ${words(b)}`; alike.set(key, [b, (alike.get(key) || [b, 0])[1] + 1]); }
    put(moves, [...alike.values()].slice(0, 8).map(([b, n]) => el("li", { class: "todo" }, el("span", { class: "disc", style: `background:${app.head.fills[b.colour]}`, role: "img", "aria-label": ballName(b.colour) }, app.head.letters[b.colour]), el("b", {}, n > 1 ? `${n} × ` : "", words(b)))));
    if (picture && r.size_px) put(over, el("img", { src: picture, alt: t("restore.picture") }), svg("svg", { viewBox: `0 0 ${r.size_px[0]} ${r.size_px[1]}`, "aria-hidden": "true" }, r.outlines.map((o) => svg("circle", { cx: o.x_px, cy: o.y_px, r: o.r_px, fill: "none", stroke: "#ffe14a", "stroke-width": Math.max(2, r.size_px[0] / 600) }))));
  }
  // -- the session -------------------------------------------------------------------------------------------------------
  async function start() {
    if (!player.value.trim()) { player.focus(); return; }
    if (live) await practiceMode("practice");
    session = await api(`${base}/sessions`, { player: player.value, position: chosen.id, of: Number(of.value) || 10, since_s: Number(since.value) || 0 });
    showSession();
  }
  // A live table referees no frame meanwhile.
  async function practiceMode(what) {
    const { request } = await import("./live.js");
    await request({ type: "frame", act: what }, who() || player.value).catch(() => {}); // it is practice already
  }
  const say = (body) => act(async () => { session = await api(`${base}/sessions/${session.id}/tries`, { who: who() || player.value, ...body }); showSession(); });
  function showSession() {
    begin.textContent = t(session && session.ended_at ? "practice.again" : "practice.begin");
    if (!session) { put(score); return; }
    const run = session.position.kind === "run", over10 = session.counted >= session.of, counted = session.tries.filter((x) => x.counts).slice(0, session.of), last = counted[counted.length - 1], on = !session.ended_at;
    const dot = (x, i) => { const what = run ? t("practice.try_run", { n: i + 1, made: x.made }) : t(x.made ? "practice.try_made" : "practice.try_missed", { n: i + 1 }), words = x.by ? `${what}, ${t("practice.said_by", { by: x.by })}` : what; return el("button", { type: "button", class: `try ${x.made ? "made" : "missed"}`, title: words, "aria-label": on && able && !run ? t("practice.flip", { what: words }) : words, disabled: !on || !able || run, onclick: () => say({ at_s: x.at_s, made: x.made ? 0 : 1 }) }, run ? x.made : x.made ? "●" : "○"); };
    const balls = el("input", { type: "number", min: 0, max: 36, value: 1, "aria-label": t("practice.visit") });
    put(score, el("h3", {}, `${session.player}: ${nameOf(session.position)}`),
      el("p", { class: "made10", id: "count" }, run ? t("practice.score_run", { best: session.best, made: session.made, n: session.counted }) : t("practice.score", { made: session.made, n: session.counted })),
      el("div", { class: "dots", role: "group", "aria-label": t("practice.tries") }, counted.map(dot), Array.from({ length: Math.max(0, session.of - counted.length) }, () => el("span", { class: "try", "aria-hidden": "true" }, "·"))),
      el("p", {}, over10 ? t("practice.done") : session.counted ? t("practice.to_come", { n: session.of - session.counted }) : t("practice.none_yet")),
      on && able ? el("p", { class: "buttons" }, el("span", {}, t("practice.by_hand")), run ? [balls, el("button", { type: "button", disabled: over10, onclick: () => say({ made: Number(balls.value) || 0 }) }, t("practice.visit"))] : [el("button", { type: "button", id: "potted", disabled: over10, onclick: () => say({ made: 1 }) }, t("practice.potted")), el("button", { type: "button", id: "missed", disabled: over10, onclick: () => say({ made: 0 }) }, t("practice.missed"))], last ? el("button", { type: "button", onclick: () => say({ at_s: last.at_s, made: last.made, counts: false }) }, t("practice.leave_out")) : null,
        el("button", { type: "button", class: "main", id: "end", onclick: () => act(async () => { session = await api(`${base}/sessions/${session.id}/end`, {}); showSession(); await showResults(); }) }, t("practice.end"))) : null);
  }
  async function poll() {
    if (!page.isConnected) return;
    if (session && !session.ended_at && !document.hidden) {
      const now = await api(`${base}/session`).catch(() => null);
      if (now && session && now.id === session.id && JSON.stringify(now) !== JSON.stringify(session)) { session = now; showSession(); }
    }
    setTimeout(poll, EVERY_MS);
  }
  // -- results -----------------------------------------------------------------------------------------------------------
  async function showResults() {
    const name = player.value.trim();
    if (!name) { put(results); return; }
    const all = (await api(`${base}/results?player=${encodeURIComponent(name)}`)).filter((s) => s.counted), by = new Map();
    for (const s of all) by.set(nameOf(s.position), [...(by.get(nameOf(s.position)) || []), s]);
    put(results, el("h3", {}, t("practice.results", { name })), all.length ? el("div", { class: "charts" }, [...by].map(([title, list]) => {
      const run = list[0].position.kind === "run", labels = list.map((s) => s.begun_at.slice(0, 10)), share = (s) => Math.round(100 * s.made / s.counted), words = t(run ? "practice.balls" : "practice.share");
      return figure(title, lines(`${title}: ${words}`, labels, [[words, list.map((s) => (run ? s.best : share(s)))]], run ? null : 100), [t("practice.date"), t("practice.result")], list.map((s, i) => [labels[i], run ? t("practice.score_run", { best: s.best, made: s.made, n: s.counted }) : `${t("practice.score", { made: s.made, n: s.counted })} (${share(s)} %)`]));
    })) : el("p", {}, t("practice.no_results")));
  }
  player.addEventListener("change", () => act(showResults));
  if (session) { chosen = positions.find((p) => p.id === session.position.id) || chosen; player.value = session.player; }
  fillPositions();
  draw();
  showSession();
  await act(showResults);
  setTimeout(poll, EVERY_MS);
  put(page, el("h2", {}, t("practice.title")), el("datalist", { id: "practisers" }, data.players.map((p) => el("option", { value: p }))),
    el("div", { class: "practicegrid" },
      el("section", {}, el("div", { class: "card" }, el("label", {}, t("practice.player"), " ", player), el("label", {}, t("practice.position"), " ", pick), el("label", {}, t("practice.tries"), " ", of), live ? null : el("label", {}, `${t("practice.since")}, s `, since), el("p", { class: "buttons" }, begin, place, forget)), score, el("p", { class: "soft" }, t("practice.explained")), storePart()),
      el("section", {}, left, table.node, moves, over)), results);
  return page;
}
