// Export: the match in other forms, one ruling as evidence, screens with their address and code for a phone.
import { api, el, may, me, put, svg } from "./lib.js";
import { language, t } from "./texts.js";

const FORMS = ["json", "csv", "tracks", "sheet", "report", "chapters", "markers"];

// A screen that nobody logs in at carries a key in its address, which only reads; the page shows it to referees.
const keyed = (url) => (me.screen_key ? `${url}${url.includes("?") ? "&" : "?"}token=${me.screen_key}` : url);

export async function exportView(app) {
  const link = (path) => `/api${app.base}/${path}`;
  const number = el("input", { type: "number", min: 1, value: app.stroke || 1, "aria-label": t("export.stroke"), oninput: () => draw() });
  const evidence = el("a", { class: "button", target: "_blank", rel: "noopener" }), blur = el("input", { type: "checkbox", style: "width:auto", onchange: () => draw() });
  const draw = () => { evidence.href = link(`evidence/${Number(number.value) || 1}?lang=${language()}${blur.checked ? "&blur=true" : ""}`); evidence.textContent = t("export.evidence_for", { n: number.value }); };
  draw();
  // the server makes one such file at a time: the page says how far it is
  const said = el("span", { role: "status" });
  const words = (p) => (p.state === "waiting" ? t("export.waits", { n: p.before }) : p.state === "working" ? `${Math.round(100 * p.share)} %` : "");
  evidence.addEventListener("click", () => {
    said.textContent = t("export.begun");
    const [path, query] = evidence.getAttribute("href").slice(4).split("?");
    const timer = setInterval(async () => {
      const p = await api(`${path}/progress${query ? `?${query}` : ""}`).catch(() => null);
      said.textContent = p ? words(p) : "";
      if (!p || p.state === "ready") clearInterval(timer);
    }, 1000);
  });
  const live = app.head.live, origin = location.origin, overlay = keyed(live ? `${origin}/overlay` : `${origin}/overlay?match=${encodeURIComponent(app.ident)}`);
  return el("div", { class: "exports" }, el("h2", {}, t("console.export")), el("ul", {}, FORMS.filter((form) => !live || form !== "tracks").map((form) => el("li", {}, el("a", { href: link(`export/${form}`), download: true }, t(`export.${form}`)), ` ${t(`export.${form}_is`)}`))),
    el("h3", {}, t("export.evidence")), el("p", {}, t("export.evidence_is"), " ", number, " ", evidence, " ", said), el("p", {}, el("label", {}, blur, " ", t("export.blur"))),
    el("h3", {}, t("export.screens")), el("p", {}, t("export.obs"), " ", el("a", { href: overlay }, overlay)),
    live ? screens(origin) : null, may("owner") ? el("p", {}, el("a", { href: "/users" }, t("export.users"))) : null, el("p", {}, el("a", { href: "/api" }, t("export.api"))));
}

// Television and phone; the code leads a phone to the page, where one logs in.
function screens(origin) {
  const tv = keyed(`${origin}/tv`), phone = `${origin}/phone`, box = el("div", { class: "qr" });
  const near = ["127.0.0.1", "localhost", "[::1]"].includes(location.hostname);
  qr(phone).then((code) => put(box, code), () => {});
  return [el("p", {}, t("export.tv"), " ", el("a", { href: tv }, `${origin}/tv`)), el("p", {}, t("export.phone"), " ", el("a", { href: phone }, phone)), box, el("p", { class: "soft" }, t(near ? "export.qr_near" : "export.qr_look"))];
}
async function qr(text) {
  const { rows } = await api("/qr", { text }), n = rows.length, quiet = 4;
  const d = rows.flatMap((row, y) => [...row].map((c, x) => (c === "1" ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  return svg("svg", { viewBox: `${-quiet} ${-quiet} ${n + 2 * quiet} ${n + 2 * quiet}`, role: "img", "aria-label": t("export.qr") }, svg("rect", { x: -quiet, y: -quiet, width: n + 2 * quiet, height: n + 2 * quiet, fill: "#fff" }), svg("path", { d, fill: "#000" }));
}
