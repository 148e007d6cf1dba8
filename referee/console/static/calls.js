// What a player calls before a stroke, pressed: a ball and its pocket, safety, push out, a ball frozen to its rail.
// The same at a live table and at a stroke of a finished review; only what the game's rules take there is offered.
import { disc, el, focusOn, put } from "./lib.js";
import { pocketKey } from "./table.js";
import { ballName, t } from "./texts.js";

const POCKETS = ["BL", "BR", "CL", "CR", "TL", "TR"];
const ROWS = ["top", "middle", "bottom"], COLUMNS = ["left", "middle", "right"];

// The ball that lies nearest to a rail, each in its own direction.
const TOWARDS = { left: (b) => -b.x_mm, right: (b) => b.x_mm, bottom: (b) => -b.y_mm, top: (b) => b.y_mm };
const nearest = (balls, rail) => [...balls].sort((a, b) => TOWARDS[rail](b) - TOWARDS[rail](a))[0];

// The same control in another drawing.
const markOf = (node) => ["call", "ball", "pocket", "frozen", "touching", "made"].filter((k) => node.dataset[k] !== undefined).map((k) => `[data-${k}="${CSS.escape(node.dataset[k])}"]`)[0] || "";
// A heading beside its balls, which are moved sideways where they do not fit.
const row = (heading, buttons) => el("div", { class: "ballrow" }, el("span", {}, heading), el("div", { class: "balls", role: "group", "aria-label": heading }, buttons));

export class Calls {
  // `make(body)` and `takeBack(entry)` reach the match; each says whether it was done. `names`: of A and B.
  constructor(head, { make, takeBack, names }) {
    Object.assign(this, { head, make, takeBack, names });
    this.node = el("div", { class: "calls" });
    Object.assign(this, { open: { balls: [], frozen: [], touching: [] }, called: [], balls: [] });
    this.ball = null; // called, its pocket not yet
  }
  // `key`: of the stroke to come; `open`: what may be called; `called`: what was; `balls`: that lie there;
  // `may`: whether this page may call.
  show({ key, open, called, balls, may }) {
    if (key !== this.key || !may || !open.balls.includes(this.ball)) this.ball = null;
    Object.assign(this, { key, open, called, balls, may });
    const held = this.node.contains(document.activeElement) ? markOf(document.activeElement) : "";
    put(this.node, this.made(), may ? (this.ball ? this.pockets() : [this.plain(), this.nominations(), this.frozen(), this.touching()]) : null);
    if (held) focusOn(this.node.querySelector(held));
    return this.node.childElementCount > 0;
  }
  // Drawn anew after a press; the keyboard goes on at what takes the place of what was pressed.
  redraw(next) {
    const held = this.node.contains(document.activeElement);
    this.show(this);
    if (held) focusOn(this.node.querySelector(next) || this.node.querySelector("button"));
  }
  words({ kind, by, ball, pocket }) {
    const what = kind === "frozen" || kind === "touching" ? t(`calls.${kind}_ball`, { ball: ballName(ball) })
      : kind !== "nominate" ? t(`calls.${kind}`)
      : pocket ? t("calls.into", { ball: ballName(ball), pocket: t(`pockets.${pocketKey(pocket, this.head.turn || 0)}`) }) : ballName(ball);
    return by && by !== this.open.by ? t("calls.by", { name: this.names()["AB".indexOf(by)], what }) : what;
  }
  // What is in force; one press takes it back.
  made() {
    if (!this.called.length) return null;
    return el("div", { class: "made" }, el("b", {}, t("calls.called")), this.called.map((c) => {
      const what = this.words(c);
      return this.may && c.entry !== null ? el("button", { type: "button", class: "callmade", "data-made": c.entry, "aria-label": t("calls.take_back", { what }), onclick: () => this.takeBack(c.entry) }, `${what} ×`) : el("span", { class: "callmade" }, what);
    }));
  }
  // Safety and push out: one press each, another takes it back.
  plain() {
    const kinds = ["safety", "push_out"].filter((kind) => this.open[kind]);
    if (!kinds.length) return null;
    return el("div", { class: "plaincalls" }, kinds.map((kind) => {
      const made = this.called.find((c) => c.kind === kind && c.by === this.open.by);
      return el("button", { type: "button", class: made ? "chosen" : "", "data-call": kind, "aria-pressed": made ? "true" : "false", onclick: () => (made && made.entry !== null ? this.takeBack(made.entry) : this.make({ type: kind, by: this.open.by })) }, t(`calls.${kind}`));
    }));
  }
  nominations() {
    if (!this.open.balls.length) return null;
    const heading = t(this.open.pockets ? "calls.call" : "calls.nominate");
    const chosen = (b) => this.called.some((c) => c.kind === "nominate" && c.ball === b && c.by === this.open.by);
    return row(heading, this.open.balls.map((b) => el("button", { type: "button", class: chosen(b) ? "chosen" : "", "aria-label": ballName(b), "data-ball": b, onclick: () => this.name(b) }, disc(this.head, b))));
  }
  name(ball) {
    if (!this.open.pockets) { this.make({ type: "nominate", by: this.open.by, ball }); return; }
    this.ball = ball;
    this.redraw("[data-pocket]");
  }
  // The six pockets as they lie on the screen.
  pockets() {
    const heading = t("calls.which_pocket", { ball: ballName(this.ball) }), ball = this.ball;
    const placed = POCKETS.map((name) => [name, pocketKey(name, this.head.turn || 0)]).map(([name, key]) => [name, key, ...key.split("_")])
      .sort((a, b) => ROWS.indexOf(a[2]) - ROWS.indexOf(b[2]) || COLUMNS.indexOf(a[3]) - COLUMNS.indexOf(b[3]));
    const wide = (this.head.turn || 0) % 2 === 0; // the table lies on its side
    return [el("div", { class: "which" }, disc(this.head, ball), el("span", {}, heading), el("button", { type: "button", "data-call": "other", onclick: () => { this.ball = null; this.redraw(`[data-ball="${CSS.escape(ball)}"]`); } }, t("calls.another_ball"))),
      el("div", { class: `pocketcalls${wide ? " wide" : ""}`, role: "group", "aria-label": heading }, placed.map(([name, key]) => el("button", { type: "button", "data-pocket": name, onclick: () => this.into(ball, name) }, t(`pockets.${key}`))))];
  }
  async into(ball, pocket) {
    if (!(await this.make({ type: "nominate", by: this.open.by, ball, pocket }))) return;
    this.ball = null;
    this.redraw(`[data-ball="${CSS.escape(ball)}"]`);
  }
  // A ball at a rail counts as frozen to it only where somebody says so before the shot (WPA 8.4); offered are those
  // that may touch it as measured.
  frozen() {
    if (!this.open.frozen.length) return null;
    return row(t("calls.frozen"), this.open.frozen.map(({ ball, rail }) => {
      const made = this.declared(ball, rail);
      return el("button", { type: "button", class: made ? "chosen" : "", "aria-label": ballName(ball), "aria-pressed": made ? "true" : "false", "data-frozen": ball, onclick: () => (made && made.entry !== null ? this.takeBack(made.entry) : this.make({ type: "frozen", ball, rail })) }, disc(this.head, ball));
    }));
  }
  // A ball that the cue-ball may touch as measured (WPA 6.7, WEPF Y(6)).
  touching() {
    if (!this.open.touching.length) return null;
    return row(t("calls.touching"), this.open.touching.map((ball) => {
      const made = this.called.find((c) => c.kind === "touching" && c.ball === ball);
      return el("button", { type: "button", class: made ? "chosen" : "", "aria-label": ballName(ball), "aria-pressed": made ? "true" : "false", "data-touching": ball, onclick: () => (made && made.entry !== null ? this.takeBack(made.entry) : this.make({ type: "touching", ball })) }, disc(this.head, ball));
    }));
  }
  declared(ball, rail) { return this.called.find((c) => c.kind === "frozen" && c.ball === ball && (c.rail || rail) === rail); }
  // The balls that were declared frozen, to be ringed in the drawing.
  ringed() { return this.open.frozen.filter(({ ball, rail }) => this.declared(ball, rail)).map(({ ball, rail }) => nearest(this.balls.filter((b) => b.colour === ball), rail)).filter(Boolean); }
}
