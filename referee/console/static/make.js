// What the server makes on request: one button that has it made, says how far it is, and then offers the file.
import { api, el, put, toast } from "./lib.js";
import { t } from "./texts.js";

// A button with its progress. `path()`: below the match, with its query, when it is pressed.
export function maker(app, words, path, name, id) {
  const said = el("span", { class: "made", role: "status" }), bar = el("progress", { max: 1, "aria-label": words, hidden: true });
  const button = el("button", { type: "button", id, onclick: run }, words);
  async function run() {
    if (button.getAttribute("aria-disabled")) return;
    const [form, query] = `${path()}?`.split("?"), base = `${app.base}/made/${form}`, of = (more) => `${base}${more}${query ? `?${query}` : ""}`;
    button.setAttribute("aria-disabled", "true"); // not disabled, which would drop the keyboard's focus
    bar.hidden = false;
    bar.removeAttribute("value");
    put(said, t("make.waits", { n: 0 }));
    const timer = setInterval(async () => {
      const p = await api(of("/progress")).catch(() => null);
      if (!p || !button.getAttribute("aria-disabled")) return;
      if (p.state === "working") bar.setAttribute("value", p.share);
      put(said, p.state === "waiting" ? t("make.waits", { n: p.before }) : t("make.working", { share: Math.round(100 * p.share) }));
    }, 700);
    try {
      const made = await api(of("/ready"));
      const size = (made.bytes / 1e6).toFixed(made.bytes < 1e6 ? 2 : 1), link = el("a", { class: "button", href: `/api${of("")}`, download: name }, t("make.download", { name, size }));
      put(said, link);
      link.click();
      if (document.activeElement === button) link.focus();
    } catch (error) { put(said); toast(error.message, true); }
    clearInterval(timer);
    button.removeAttribute("aria-disabled");
    bar.hidden = true;
  }
  return el("span", { class: "maker" }, button, " ", bar, " ", said);
}
// A field whose text is kept in this browser for the next time.
export function kept(key, words, more = {}) {
  const name = `cueref-make-${key}`;
  const input = el("input", { type: "text", maxlength: 120, value: localStorage.getItem(name) || "", ...more, oninput: () => localStorage.setItem(name, input.value) });
  return { row: el("label", {}, words, " ", input), get value() { return input.value.trim(); } };
}
export const query = (values) => new URLSearchParams(Object.entries(values).filter(([, v]) => v !== "" && v !== null && v !== undefined && v !== false)).toString();
