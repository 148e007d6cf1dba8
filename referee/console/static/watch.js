// Watching: the video at the stroke, the table from above beside it, the facts and their correction.
import { api, clock, el, put, svg, toast, token } from "./lib.js";
import { Table, pocketKey } from "./table.js";
import { Calls } from "./calls.js";
import { correctForm } from "./correct.js";
import { evidenceLink } from "./evidence.js";
import { answers } from "./ask.js";
import { change, changeWords, decidedWords, may } from "./change.js";
import { ballName, language, t } from "./texts.js";

// The cue-ball stands first where it takes part: "cue-ball–red".
const cueFirst = (balls, cue) => [...balls].sort((a, b) => (b === cue) - (a === cue));
const SPEEDS = [0.1, 0.25, 0.5, 1, 2];

export class Watch {
  constructor(app) {
    this.app = app;
    this.ident = app.ident;
    this.loop = false;
    this.speed = 3;
    this.table = new Table(app.head);
    this.calls = new Calls(app.head, { make: (said) => change(app, "calls", { stroke: this.stroke.n, ...said }), takeBack: (entry) => app.undo(entry), names: () => app.head.players });
    this.offset = 0; // match time of the video's own 0: a live stroke has a clip of its own
    this.one = app.head.video.available ? this.player(`/api${app.base}/video`) : null;
    this.video = this.one;
    this.time = el("output", { class: "time" });
    this.bar = el("input", { type: "range", min: 0, max: 1000, value: 0, "aria-label": t("watch.place"), oninput: () => this.seek(this.from + (this.to - this.from) * this.bar.value / 1000) });
    this.facts = el("section", { class: "facts", "aria-label": t("watch.facts"), tabindex: 0 });
    const button = (text, title, act, id) => el("button", { type: "button", title, id, onclick: act }, text);
    this.playButton = button(t("watch.press_play"), t("watch.play"), () => this.toggle(), "play");
    this.loopButton = button(t("watch.press_loop"), t("watch.loop"), () => this.key("l"), "loop");
    this.speedButton = button(t("watch.press_speed", { times: 1 }), t("watch.speed"), () => this.key(this.speed < SPEEDS.length - 1 ? "+" : "reset"), "speed");
    this.controls = el("div", { class: "controls" }, el("div", { class: "along" }, this.bar, this.time), this.playButton, button(t("watch.press_start"), t("watch.start"), () => this.key("Home")), button(`‹ ${t("watch.press_image")}`, t("watch.back"), () => this.key(",")), button(`${t("watch.press_image")} ›`, t("watch.on"), () => this.key(".")), this.loopButton, this.speedButton, button(t("watch.press_turn"), t("watch.turn"), () => this.app.turnTable()));
    this.picture = el("div", { class: `picture turned${(this.table.turn - app.camera_turn + 4) % 4}` }, this.labelled(this.video) || el("p", { class: "novideo" }, app.head.live ? t("watch.clip_here") : t("watch.no_video")));
    this.node = el("div", { class: app.head.told ? "watchgrid told" : "watchgrid" }, app.list.node,
      app.head.told ? null : el("section", { class: "stage", "aria-label": t("watch.stage") }, this.picture, this.controls, this.table.node), this.facts);
    this.t = 0;
    this.playing = false;
  }
  // The video with its pockets by name, as the table beside it and the sentences have them.
  labelled(video) {
    if (!video) return null;
    const { width, height } = this.app.head.video, places = Object.entries(this.app.head.pockets_px || {});
    if (!width || !places.length) return video;
    const inside = (v, most, room) => Math.max(room, Math.min(most - room, v)), back = -90 * ((this.table.turn - this.app.camera_turn + 4) % 4), size = height / 26;
    const words = places.filter(([name]) => /^[BCT][LR]$/.test(name)).map(([name, [x, y]]) => {
      const said = t(`pockets.${pocketKey(name, this.table.turn)}`), half = said.length * size * 0.3; // no letter is wider
      return svg("text", { transform: `translate(${inside(x, width, back % 180 ? size : half)} ${inside(y, height, back % 180 ? half : size)}) rotate(${back})`, "text-anchor": "middle", dy: ".35em", "font-size": size, fill: "#fff", stroke: "#000", "stroke-width": size / 6, "paint-order": "stroke" }, said);
    });
    return [video, svg("svg", { class: "pockets", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, words)];
  }
  player(src) {
    const video = el("video", { src, preload: "metadata", playsinline: true, muted: true, tabindex: -1, "aria-label": t("watch.video") }), mine = () => this.video === video;
    video.addEventListener("play", () => { if (mine()) this.run(true); });
    video.addEventListener("pause", () => { if (mine()) this.run(false); });
    video.addEventListener("seeked", () => { if (mine()) this.draw(); });
    video.addEventListener("loadedmetadata", () => { if (mine()) video.currentTime = Math.max(0, this.t - this.offset); });
    video.addEventListener("error", () => { if (mine()) this.withoutVideo(); });
    return video;
  }
  // The clip of a live stroke takes the place of the one before it, also when the match is over and has no whole video.
  clip(s) {
    if (!this.app.head.live && (this.one || (!s.clip && !this.video))) return;
    if (this.video) this.video.pause();
    this.run(false);
    this.offset = s.clip ? s.clip.offset_s : 0;
    this.video = s.clip ? this.player(`/api${this.app.base}/clips/${s.n}`) : null;
    put(this.picture, this.labelled(this.video) || el("p", { class: "novideo" }, t("watch.no_clip")));
  }
  // A codec that this browser does not know, or a server that is gone: the table goes on without the picture.
  async withoutVideo() {
    if (!this.video) return;
    const asked = fetch(this.video.src, { headers: { range: "bytes=0-0" }, cache: "no-store" }), words = el("p", { class: "novideo" });
    this.t = Math.max(this.from || 0, this.t);
    this.video = null;
    this.run(false);
    put(this.picture, words);
    this.draw();
    this.lost = !await asked.then((answer) => answer.ok, () => false);
    words.textContent = t(this.lost ? "watch.not_reached" : "watch.cannot_play");
  }
  now() { return this.video ? this.video.currentTime + this.offset : this.t; }
  seek(t) {
    this.t = Math.max(0, t);
    if (this.video && this.video.readyState > 0) this.video.currentTime = Math.max(0, this.t - this.offset);
    this.draw();
  }
  run(on) {
    if (on && !this.playing) { // images are drawn while something moves, and no longer
      this.last = performance.now();
      cancelAnimationFrame(this.frame);
      this.frame = requestAnimationFrame((now) => this.tick(now));
    }
    this.playing = on;
    this.playButton.textContent = t(on ? "watch.press_pause" : "watch.press_play");
  }
  pause() { if (this.video) this.video.pause(); this.run(false); }
  toggle() {
    if (!this.stroke) return;
    const on = !this.playing;
    if (on && this.now() >= this.to - 0.02) this.seek(this.from);
    if (this.video) { if (on) this.video.play().catch(() => this.run(false)); else this.video.pause(); } else this.run(on);
  }
  key(key) {
    const image = 1 / this.app.head.rate_hz;
    if (key === " ") this.toggle();
    else if (key === ",") { this.pause(); this.seek(this.now() - image); }
    else if (key === ".") { this.pause(); this.seek(this.now() + image); }
    else if (key === "Home") this.seek(this.from);
    else if (key === "l") { this.loop = !this.loop; this.loopButton.toggleAttribute("aria-pressed", this.loop); }
    else if (key === "-" || key === "+" || key === "=" || key === "reset") {
      this.speed = key === "reset" ? 0 : Math.max(0, Math.min(SPEEDS.length - 1, this.speed + (key === "-" ? -1 : 1)));
      if (this.video) this.video.playbackRate = SPEEDS[this.speed];
      this.speedButton.textContent = t("watch.press_speed", { times: SPEEDS[this.speed] });
    } else if (key === "c") this.openForm();
    else return false;
    return true;
  }
  tick(now) {
    if (!this.playing) return;
    if (!this.video) this.t += Math.max(0, Math.min(0.1, (now - this.last) / 1000)) * SPEEDS[this.speed];
    this.last = now;
    this.draw();
    if (this.now() >= this.to) { if (this.loop) this.seek(this.from); else if (!this.video) this.run(false); }
    this.frame = requestAnimationFrame((next) => this.tick(next));
  }
  draw() {
    if (!this.stroke) return;
    const t = this.now();
    this.time.textContent = clock(t, 2);
    if (document.activeElement !== this.bar) this.bar.value = 1000 * (t - this.from) / (this.to - this.from);
    this.table.moment(t);
  }
  async show(n, fresh) {
    if (!n) { this.facts.replaceChildren(el("p", {}, t("watch.no_strokes"))); return; }
    const jump = n !== this.app.stroke || !this.stroke;
    this.app.stroke = n;
    this.app.list.select(n);
    if (!jump && !fresh && this.stroke.n === n) return;
    const [stroke, hands] = await Promise.all([api(this.app.said(`/strokes/${n}`)), api(`${this.app.base}/hands`)]).catch((error) => {
      this.stroke = null; // not the facts of the stroke before
      put(this.facts, el("p", { class: "empty" }, error.message));
      throw error;
    });
    if (this.app.stroke !== n) return;
    const before = this.app.rows.filter((s) => s.n < n).pop();
    if (jump || !this.stroke || Boolean(this.stroke.clip) !== Boolean(stroke.clip)) this.clip(stroke);
    this.hands = hands.filter((h) => h.t_s <= stroke.start_s && (!before || h.t_s >= before.start_s));
    this.stroke = stroke;
    this.from = Math.max(0, stroke.start_s - 0.6);
    this.to = stroke.end_s + 0.6;
    this.table.stroke(stroke);
    this.drawFacts();
    if (this.opening === n) this.openForm();
    if (jump) this.seek(this.from); else this.draw();
  }
  // What the last change did: every stroke that is judged differently, and the score.
  changes() {
    const c = this.app.change;
    if (!c) return null;
    return el("section", { class: "changes", id: "changes" }, el("b", {}, c.words || changeWords(c)), el("br"),
      c.changed.slice(0, 12).map((n) => [el("a", { href: `#/watch/${n}` }, n), " "]), c.changed.length > 12 ? t("watch.and_more", { n: c.changed.length - 12 }) : null,
      el("button", { type: "button", onclick: () => this.app.undo() }, t("history.undo")), " ", el("button", { type: "button", onclick: () => { this.app.change = null; this.app.list.set(this.app.rows); this.drawFacts(); } }, t("phone.done")));
  }
  // A stroke that is still being fetched gets its form opened when it is drawn: the one in sight belongs to the stroke before.
  // What was seen with its doubt; what a person said stands as that person's word.
  sure(first) {
    const percent = Math.round(100 * (first.colour_confidence ?? first.confidence));
    return this.stroke.decided && !this.stroke.decided.unknown ? ballName(first.ball) : t(percent >= 100 ? "watch.sure" : "watch.probable", { ball: ballName(first.ball), percent });
  }
  openForm() {
    const form = this.facts.querySelector("details.correct");
    this.opening = this.stroke && this.stroke.n === this.app.stroke ? null : this.app.stroke;
    if (this.opening || !form) return;
    form.open = true;
    form.querySelector("select")?.focus();
  }
  // The form to correct the stroke; what was filled in survives a change that another window made.
  form(s) {
    const kept = this.draft;
    if (kept && kept.dirty && kept.entry === s.entry && !this.app.own) {
      if (!kept.node.querySelector(".kept")) kept.node.prepend(el("p", { class: "warn kept" }, t("watch.someone_else")));
      return kept.node;
    }
    const draft = { entry: s.entry, dirty: false, node: correctForm(this.app, s) };
    draft.node.open = Boolean(kept && kept.node.open && kept.entry === s.entry && !this.app.own);
    for (const kind of ["input", "change", "click"]) draft.node.addEventListener(kind, (e) => { if (e.target.closest("input,select,.chip")) draft.dirty = true; });
    this.draft = draft;
    return draft.node;
  }
  // The link lives as long as its stroke: what it says of its page outlives another drawing of the facts.
  evidence(n) {
    const href = `/api${this.app.base}/evidence/${n}?lang=${language()}`;
    if (!this.proof || this.proof.href !== href) {
      const { link, said } = evidenceLink({ class: "button evidence", href }, t("watch.evidence"));
      this.proof = { href, node: el("p", {}, link, " ", said) };
    }
    return this.proof.node;
  }
  async deleteClip(n) {
    if (!confirm(t("watch.delete_sure"))) return;
    const answer = await fetch(`/api/live/clips/${n}`, { method: "DELETE", headers: { "x-cueref-token": token() } });
    toast(answer.ok ? t("watch.deleted") : `${answer.status}`, !answer.ok);
    this.stroke = null;
    await this.show(n, true);
  }
  // What was called before the stroke, and what may be said of it still.
  callsBefore(s) {
    const balls = Object.entries(s.before || {}).flatMap(([colour, places]) => places.map(([x_mm, y_mm]) => ({ colour, x_mm, y_mm })));
    const some = this.calls.show({ key: s.n, open: s.open_calls, called: s.called, balls, may: may(this.app) });
    return some ? el("section", { class: "callsbefore", "aria-label": t("calls.before") }, el("h3", {}, t("calls.before")), this.calls.node) : null;
  }
  drawFacts() {
    const s = this.stroke, fact = (name, value) => (value === "" || value === null || value === undefined ? null : [el("dt", {}, name), el("dd", {}, value)]);
    const first = s.first_contact;
    const note = this.app.head.warnings.filter((w) => w.t_s !== null && w.t_s >= s.start_s - 2 && w.t_s <= s.end_s + 2).map((w) => el("p", { class: "warn" }, w.text));
    if (note.length > 4) note.splice(3, note.length - 3, el("p", { class: "warn" }, t("watch.more_notes", { n: note.length - 3 })));
    put(this.facts, this.changes(),
      el("h2", {}, `${s.n} · ${s.striker}`, el("small", {}, ` ${t(`console.unit_${this.app.head.unit}`)} ${s.frame}${s.start_s === null ? "" : `, ${clock(s.start_s, 1)}`}`)),
      el("p", { class: `ruling big hung ${s.kind}` }, s.hangs_on ? t("console.hangs_on_stroke", { n: s.hangs_on }) : s.kind === "call" ? t("board.call") : s.ruling, s.clause ? el("span", { class: "tag" }, s.clause) : null),
      s.kind === "call" ? answers(this.app, s) : null,
      el("dl", {}, fact(t("watch.ball_on"), s.on === "–" ? "" : s.on), fact(t(s.decided ? "watch.facts_are" : "watch.seen"), s.happened), fact(t("watch.first_contact"), this.app.head.told ? "" : first ? this.sure(first) : t("watch.none")),
        fact(t("watch.contacts"), s.contacts.map((c) => cueFirst(c.balls, s.cue).map(ballName).join("–")).join(", ")), fact(t("board.break"), s.state_words.some(([name]) => name === t("board.break")) ? "" : s.break || ""), fact(t("watch.score"), `${s.score[0]}–${s.score[1]}`),
        fact(t("watch.verdict"), decidedWords(s.decided) || s.answered_words || t(s.kind === "call" ? "watch.open" : this.app.head.told ? "watch.by_facts" : "watch.certain")), fact(t("watch.options"), s.option_words.join("; ")), fact(t("watch.note"), s.gap_before ? t("watch.images_lost") : ""), s.state_words.map(([name, value]) => fact(name, value))),
      this.hands.map((h) => el("p", { class: `hand${h.counts ? "" : " gone"}` }, `${clock(h.t_s)} ${t(`watch.hand_${h.type}`, { ball: ballName(h.ball) })} `,
        may(this.app) ? el("button", { type: "button", onclick: () => change(this.app, "hands", { entry: h.entry, drop: h.counts }) }, t(h.counts ? "watch.did_not" : "watch.did")) : null)),
      note, this.callsBefore(s), this.app.head.live && s.clip && token() ? el("p", {}, el("button", { type: "button", class: "deleteclip", onclick: () => this.deleteClip(s.n) }, t("watch.delete_clip"))) : null,
      this.app.head.told ? null : this.evidence(s.n),
      may(this.app) ? this.form(s) : el("p", { class: "soft looking" }, this.app.head.record_fault ? t("watch.fault", { fault: this.app.head.record_fault }) : this.app.head.told ? t("watch.told_change") : this.app.head.running ? t("watch.running") : this.app.head.editable ? t("phone.no_token") : t("watch.no_journal")));
  }
}
