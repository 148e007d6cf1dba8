// Export: the match in other forms, one ruling as evidence, the scoreboard's address.
import { api, el, may, me } from "./lib.js";

const FORMS = [["json", "match.json", "everything, as the published schema has it"], ["csv", "strokes.csv", "one line a stroke"], ["tracks", "tracks.csv", "every ball while it moves"], ["sheet", "Score sheet", "as the recorder keeps it (rule 5.3); print it to PDF"],
  ["report", "report.html", "with table diagrams"], ["chapters", "chapters.vtt", "WebVTT chapters for a player"], ["markers", "markers.edl", "markers for video editors"]];

export async function exportView(app) {
  const link = (path) => `/api${app.base}/${path}`;
  const number = el("input", { type: "number", min: 1, value: app.stroke || 1, "aria-label": "stroke", oninput: () => draw() });
  const evidence = el("a", { class: "button", download: true }), blur = el("input", { type: "checkbox", style: "width:auto", onchange: () => draw() });
  const draw = () => { evidence.href = link(`evidence/${Number(number.value) || 1}${blur.checked ? "?blur=true" : ""}`); evidence.textContent = `Evidence for stroke ${number.value}`; };
  draw();
  // the server makes one such file at a time: the page says how far it is
  const said = el("span", { role: "status" });
  const words = (p) => p.state === "waiting" ? `waits for ${p.before} other${p.before === 1 ? "" : "s"}` : p.state === "working" ? `${Math.round(100 * p.share)} %` : "";
  evidence.addEventListener("click", () => {
    const [path, query] = evidence.getAttribute("href").slice(4).split("?");
    const timer = setInterval(async () => {
      const p = await api(`${path}/progress${query ? `?${query}` : ""}`).catch(() => null);
      said.textContent = p ? words(p) : "";
      if (!p || p.state === "ready") clearInterval(timer);
    }, 1000);
  });
  const live = app.head.live, origin = location.origin;
  // A screen that nobody logs in at carries a key in its address, which only reads; the page shows it to referees.
  const keyed = (url) => (me.screen_key ? `${url}${url.includes("?") ? "&" : "?"}token=${me.screen_key}` : url);
  const overlay = keyed(live ? `${origin}/overlay` : `${origin}/overlay?match=${encodeURIComponent(app.ident)}`);
  const screens = live ? [["Television", keyed(`${origin}/tv`)], ["Phone (log in there)", `${origin}/phone`]] : [];
  return el("div", { class: "exports" }, el("ul", {}, FORMS.filter(([form]) => !live || form !== "tracks").map(([form, name, words]) => el("li", {}, el("a", { href: link(`export/${form}`), download: true }, name), ` ${words}`))),
    el("p", {}, "One ruling as one file, with clip, positions, clause and journal: stroke ", number, " ", evidence, " ", said, " ", el("label", { style: "display:inline" }, blur, " blur people (all that is off the table, and what covers it; look before publishing)")),
    el("p", {}, "Scoreboard for OBS (browser source, 1920×1080): ", el("a", { href: overlay }, overlay)),
    screens.map(([name, url]) => el("p", {}, `${name}: `, el("a", { href: url }, url))),
    may("owner") ? el("p", {}, el("a", { href: "/users" }, "Users: referees, spectators, the tablet at the table")) : null,
    el("p", {}, el("a", { href: "/api" }, "The interface for programs (/api)")));
}
