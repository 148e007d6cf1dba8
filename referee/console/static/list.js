// The list of strokes: only the rows in sight exist, so that 2,000 strokes scroll as 20 do.
import { el, clock } from "./lib.js";
import { t } from "./texts.js";

const HEIGHT = 58;

export class StrokeList {
  constructor(chosen) {
    this.rows = [];
    this.unit = "frame"; // what the game calls a part of its match
    this.current = 0;
    this.changed = new Set();
    this.chosen = chosen;
    this.inner = el("div", { class: "rows" });
    this.node = el("div", { class: "list", tabindex: 0, role: "listbox", "aria-label": t("console.strokes") }, this.inner);
    this.made = new Map();
    this.node.addEventListener("scroll", () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(this.node);
  }
  set(rows, changed) {
    this.changed = new Set(changed || []);
    this.rows = rows;
    this.inner.style.height = `${rows.length * HEIGHT}px`;
    this.node.style.setProperty("--rows", `${rows.length * HEIGHT + 2}px`);
    this.made.forEach((n) => n.remove());
    this.made.clear();
    this.draw();
  }
  draw() {
    const top = this.node.scrollTop, first = Math.max(0, Math.floor(top / HEIGHT) - 4);
    const last = Math.min(this.rows.length, Math.ceil((top + this.node.clientHeight) / HEIGHT) + 4);
    for (const [i, node] of this.made) if (i < first || i >= last) { node.remove(); this.made.delete(i); }
    for (let i = first; i < last; i++) if (!this.made.has(i)) this.made.set(i, this.inner.appendChild(this.row(i)));
  }
  row(i) {
    const s = this.rows[i], fresh = i === 0 || this.rows[i - 1].frame !== s.frame;
    return el("div", { class: `row ${s.kind}${this.changed.has(s.n) ? " changed" : ""}${s.n === this.current ? " on" : ""}${fresh ? " fresh" : ""}`, role: "option", "aria-selected": s.n === this.current ? "true" : "false",
      "data-n": s.n, style: `top:${i * HEIGHT}px`, onclick: () => this.chosen(s.n) },
      el("span", { class: "n" }, s.n, fresh ? el("b", {}, `${t(`console.unit_${this.unit}`)[0].toUpperCase()}${s.frame}`) : null),
      el("span", { class: "what" }, el("span", {}, el("b", {}, s.striker), " ", el("i", {}, s.on === "–" ? "" : s.on)), el("b", { class: "ruling" }, s.hangs_on ? t("console.hangs_on_stroke", { n: s.hangs_on }) : s.kind === "call" ? t("console.open") : s.ruling),
        el("span", {}, s.kind === "call" ? "? " : "", s.happened), el("span", { class: "end" }, `${s.score[0]}–${s.score[1]}`, " ", el("i", {}, s.start_s === null ? "" : clock(s.start_s), s.decided ? " ✎" : ""))));
  }
  select(n) {
    this.current = n;
    const i = this.rows.findIndex((s) => s.n === n);
    if (i < 0) return;
    const top = i * HEIGHT, view = this.node.clientHeight;
    if (top < this.node.scrollTop || top + HEIGHT > this.node.scrollTop + view) this.node.scrollTop = top - view / 2 + HEIGHT / 2;
    this.made.forEach((node) => node.remove());
    this.made.clear();
    this.draw();
  }
}
