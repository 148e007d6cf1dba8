// Export: the match in other forms, what is made on request, one ruling as evidence, screens with their address.
import { evidenceLink } from "./evidence.js";
import { api, el, may, me, put } from "./lib.js";
import { kept, maker, query } from "./make.js";
import { qrCode } from "./qr.js";
import { language, t } from "./texts.js";

const WITH_CHOICES = ["sheet", "markers", "obs"];  // forms that ask something first, below

// A screen that nobody logs in at carries a key in its address, which only reads; the page shows it to referees.
const keyed = (url) => (me.screen_key ? `${url}${url.includes("?") ? "&" : "?"}token=${me.screen_key}` : url);

export async function exportView(app) {
  const link = (path) => `/api${app.base}/${path}`, live = app.head.live, origin = location.origin;
  const overlay = keyed(live ? `${origin}/overlay` : `${origin}/overlay?match=${encodeURIComponent(app.ident)}`);
  const item = (form, href, words) => el("li", {}, el("a", { href, download: true }, words || t(`export.${form}`)), ` ${t(`export.${form}_is`)}`);
  return el("div", { class: "exports" }, el("h2", {}, t("console.export")),
    el("div", { class: "makers" }, sheetPart(app, link), filmPart(app), televisionPart(app), app.head.told ? null : evidencePart(app, link)),
    el("section", {}, el("h3", {}, t("export.files")), el("ul", {}, [...app.head.forms, "tracks"].filter((form) => !WITH_CHOICES.includes(form) && !((live || app.head.told) && form === "tracks") && !(app.head.told && form === "chapters")).map((form) => item(form, link(`export/${form}`))), app.head.told ? null : markers(link),
      el("li", {}, el("a", { href: link(`export/obs?${query({ url: overlay })}`), download: true }, t("make.obs")), ` ${t("make.obs_is")}`))),
    el("section", {}, el("h3", {}, t("export.screens")), el("p", {}, t("export.obs"), " ", el("a", { href: overlay }, overlay)), live ? screens(origin) : null,
      may("owner") ? el("p", {}, el("a", { href: "/users" }, t("export.users"))) : null, el("p", {}, el("a", { href: "/api" }, t("export.api")))));
}

// The score sheet: what the match does not know of itself is said here, and kept in this browser.
function sheetPart(app, link) {
  const date = el("input", { type: "date", value: app.head.begun_on || "" });
  const venue = kept("venue", t("sheet.venue")), competition = kept("competition", t("sheet.competition")), referee = kept("referee", t("sheet.referee"));
  const head = () => query({ lang: language(), date: date.value, venue: venue.value, competition: competition.value, referee: referee.value });
  const page = el("a", { href: link("export/sheet"), target: "_blank", rel: "noopener", onclick: () => { page.href = link(`export/sheet?${head()}`); } }, t("export.sheet"));
  return el("section", { class: "card" }, el("h3", {}, t("make.sheet")), el("p", { class: "soft" }, t("make.sheet_is")), el("label", {}, t("sheet.date"), " ", date), venue.row, competition.row, referee.row,
    el("p", {}, maker(app, t("make.sheet_make"), () => `score-sheet.pdf?${head()}`, "score-sheet.pdf", "make-pdf")), el("p", {}, page, ` ${t("export.sheet_is")}`));
}
function filmPart(app) {
  const live = app.head.live, able = live || app.head.video.available;
  if (!able) return el("section", { class: "card" }, el("h3", {}, t("make.video")), el("p", {}, t("make.no_video")));
  const tick = (checked) => el("input", { type: "checkbox", checked });
  const blur = tick(false), drawn = tick(true), strokes = el("input", { type: "text", maxlength: 400, value: app.stroke || 1, inputmode: "numeric" }), least = el("input", { type: "number", min: 1, max: 999, value: Math.min(50, Math.max(1, ...app.rows.map((r) => r.break || 0))) });
  const more = (values) => query({ ...values, blur: blur.checked, drawn: drawn.checked ? "" : "false" });
  return el("section", { class: "card" }, el("h3", {}, t("make.video")), el("label", { class: "tick" }, drawn, " ", t("make.drawn")), el("label", { class: "tick" }, blur, " ", t("export.blur")),
    el("h4", {}, t("make.clips")), el("p", { class: "soft" }, t("make.clips_is")), el("label", {}, t("make.strokes"), " ", strokes), el("p", {}, maker(app, t("make.clips_make"), () => `clips.zip?${more({ strokes: strokes.value })}`, "clips.zip", "make-clips")),
    el("h4", {}, t("make.reel")), el("p", { class: "soft" }, t("make.reel_is")), el("label", {}, t("make.least"), " ", least), el("p", {}, maker(app, t("make.reel_make"), () => `breaks.mp4?${more({ least: least.value })}`, "breaks.mp4", "make-reel")),
    live ? null : [el("h4", {}, t("make.annotated")), el("p", { class: "soft" }, t("make.annotated_is")), el("p", {}, maker(app, t("make.annotated_make"), () => `annotated.mp4?${query({ blur: blur.checked })}`, "annotated.mp4", "make-annotated"))]);
}
function televisionPart(app) {
  const last = app.rows.length ? app.rows[app.rows.length - 1].n : 0;
  const stroke = el("input", { type: "number", min: 0, max: last, value: last }), size = el("select", {}, el("option", { value: "1" }, "1920 × 1080"), el("option", { value: "2" }, "3840 × 2160"));
  const path = (name) => `${name}?${query({ lang: language(), stroke: stroke.value, scale: size.value, venue: localStorage.getItem("cueref-make-venue") || "", competition: localStorage.getItem("cueref-make-competition") || "" })}`;
  const one = (key, name) => el("p", {}, maker(app, t(`make.${key}`), () => path(name), name, `make-${key}`));
  return el("section", { class: "card" }, el("h3", {}, t("make.television")), el("p", { class: "soft" }, t("make.television_is")), el("label", {}, t("make.after"), " ", stroke), el("label", {}, t("make.size"), " ", size),
    one("names", "names.png"), one("break", "break.png"), one("frame", "frame-score.png"));
}
// One ruling with its clip, shown in a window of its own; the page says how far it is.
function evidencePart(app, link) {
  const number = el("input", { type: "number", min: 1, value: app.stroke || 1, oninput: () => draw() });
  const { link: evidence, said } = evidenceLink({ class: "button" }), blur = el("input", { type: "checkbox", onchange: () => draw() });
  const draw = () => { evidence.href = link(`evidence/${Number(number.value) || 1}?lang=${language()}${blur.checked ? "&blur=true" : ""}`); evidence.textContent = t("export.evidence_for", { n: number.value }); };
  draw();
  return el("section", { class: "card" }, el("h3", {}, t("export.evidence")), el("p", { class: "soft" }, t("export.evidence_page")), el("label", {}, t("make.stroke"), " ", number), el("label", { class: "tick" }, blur, " ", t("export.blur")), el("p", {}, evidence, " ", said));
}
function markers(link) {
  const code = kept("timecode", t("make.timecode"), { maxlength: 11, placeholder: "00:00:00:00", pattern: "\\d\\d:\\d\\d:\\d\\d[:.]\\d\\d" });
  const a = el("a", { href: link("export/markers"), download: true, onclick: () => { a.href = link(`export/markers?${query({ timecode: code.value })}`); } }, t("export.markers"));
  return el("li", {}, a, ` ${t("export.markers_is")} `, code.row);
}

// Television and phone; the code leads a phone to the page, where one logs in.
function screens(origin) {
  const tv = keyed(`${origin}/tv`), phone = `${origin}/phone`, box = el("div", { class: "qr" });
  const near = ["127.0.0.1", "localhost", "[::1]"].includes(location.hostname);
  qr(phone).then((code) => put(box, code), () => {});
  return [el("p", {}, t("export.tv"), " ", el("a", { href: tv }, `${origin}/tv`)), el("p", {}, t("export.phone"), " ", el("a", { href: phone }, phone)), box, el("p", { class: "soft" }, t(near ? "export.qr_near" : "export.qr_look"))];
}
async function qr(text) {
  return qrCode((await api("/qr", { text })).rows, t("export.qr"));
}
