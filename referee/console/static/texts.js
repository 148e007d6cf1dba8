// Every text of the pages comes from one file a language; the server has them.
const KEPT = "cueref-lang";
let sections = {}, code = "en", names = {};

export const language = () => code;
export const languageNames = () => names;
export const chosen = () => localStorage.getItem(KEPT) || "";
export function choose(lang) { localStorage.setItem(KEPT, lang); location.reload(); }

function take(found) {
  sections = found.sections;
  code = found.language;
  names = found.languages || names;
  document.documentElement.lang = code;
}
// `fallback`: where the texts of a page that nobody chose a language for come from (a live table's own).
export async function loadTexts(pass = "", fallback = "") {
  const wanted = new URLSearchParams(location.search).get("lang") || chosen();
  const path = wanted || !fallback ? `/api/texts?lang=${encodeURIComponent(wanted || navigator.language.split("-")[0])}` : fallback;
  const answer = await fetch(path + (pass ? (path.includes("?") ? `&${pass.slice(1)}` : pass) : "")).catch(() => { throw new Error("Not connected"); }); // no texts, no other language
  if (!answer.ok) throw new Error(`${answer.status}`);
  take(await answer.json());
}
// A text filled in: t("board.part", { unit: "Frame", n: 3 }).
export function t(key, values = {}) {
  const [section, name] = [key.slice(0, key.indexOf(".")), key.slice(key.indexOf(".") + 1)];
  const text = (sections[section] || {})[name];
  return text === undefined ? name.replaceAll("_", " ") : text.replace(/\{(\w+)\}/g, (all, k) => (k in values ? String(values[k]) : all));
}
// What stands in a page's HTML: `data-t` names the text of an element, `data-t-label` that of its aria-label.
export function translate(root = document) {
  for (const node of root.querySelectorAll("[data-t]")) node.textContent = t(node.dataset.t);
  for (const node of root.querySelectorAll("[data-t-label]")) node.setAttribute("aria-label", t(node.dataset.tLabel));
}
// Of each game: what it calls the things a match is made of (racks where nothing is said), its family (unit,
// family and game have words of their own: the sections `own_NAME` of the texts), whether its state is snooker's.
const GAMES = {
  snooker: { unit: "frame", snooker: true }, six_red: { unit: "frame", snooker: true }, wepf: { unit: "frame", family: "british" }, blackball: { family: "british" }, blackball_numbered: { family: "british" }, wepf_numbered: { unit: "frame", family: "british" },
  carrom: { unit: "board", family: "carrom" }, english_billiards: { unit: "game", family: "billiards" }, english_billiards_spotted: { unit: "game", family: "billiards" }, wpa_14_1: { unit: "game" },
};
const of = (game) => ({ unit: "rack", family: "pool", ...GAMES[game] });
export const isSnooker = (game) => Boolean(of(game).snooker);
const headed = (words) => words[0].toUpperCase() + words.slice(1);
export const units = (game) => t(`console.units_${of(game).unit}`);
export const frameLine = ({ game, frame, best_of }) => (frame ? t(best_of ? "board.part_best_of" : "board.part", { unit: headed(t(`console.unit_${of(game).unit}`)), n: frame, of: best_of }) : "");
// From here on the texts are in a game's own words: white is not the cue-ball in each, and a run of 14.1 no break.
let usual = [];
export function wordsOf(game) {
  for (const [section, name, text] of usual) sections[section][name] = text;
  usual = [];
  for (const kind of isSnooker(game) ? [] : [of(game).unit, of(game).family, game]) {
    for (const [key, text] of Object.entries(sections[`own_${kind}`] || {})) {
      const at = key.indexOf("."), section = key.slice(0, at), name = key.slice(at + 1);
      usual.unshift([section, name, sections[section][name]]);
      sections[section][name] = text;
    }
  }
}
export const ballName = (ball) => t(`balls.${ball === "any_colour" ? ball : ball.split("_")[0]}`);
