// The link to a stroke's evidence page: it opens in a window of its own, and here one reads how far it is.
import { api, el } from "./lib.js";
import { t } from "./texts.js";

const EVERY_MS = 1000;
const words = (p) => (p.state === "waiting" ? t("export.waits", { n: p.before }) : p.state === "working" ? `${Math.round(100 * p.share)} %` : "");

// A link and the place that says how far the page is that the link asks for.
export function evidenceLink(attributes, ...text) {
  const said = el("span", { role: "status", class: "soft" });
  const link = el("a", { target: "_blank", rel: "noopener", ...attributes }, ...text);
  link.addEventListener("click", () => {
    said.textContent = t("export.begun");
    const [path, asked] = link.getAttribute("href").slice("/api".length).split("?");
    let silent = 0; // on a slow network the page may be asked for only now
    const timer = setInterval(async () => {
      const p = await api(`${path}/progress${asked ? `?${asked}` : ""}`).catch(() => null);
      silent = p ? 0 : silent + 1;
      if (p) said.textContent = words(p);
      if (silent > 5) said.textContent = "";
      if (silent > 5 || (p && p.state === "ready")) clearInterval(timer);
    }, EVERY_MS);
  });
  return { link, said };
}
