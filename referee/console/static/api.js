// The OpenAPI document as a page; no outside script is loaded for it.
import { el } from "./lib.js";
import { loadTexts, t, translate } from "./texts.js";

await loadTexts();
translate();

const doc = await (await fetch("/api/openapi.json")).json();
document.getElementById("paths").replaceChildren(...Object.entries(doc.paths).flatMap(([path, verbs]) => Object.entries(verbs).map(([verb, op]) =>
  el("article", { class: "op" }, el("h2", {}, el("code", {}, verb.toUpperCase()), " ", el("code", {}, path)), el("p", {}, op.summary || ""),
    el("ul", {}, (op.parameters || []).map((p) => el("li", {}, el("code", {}, p.name), ` (${p.in}${p.required ? t("api.required") : ""}) `, (p.schema && (p.schema.type || p.schema.$ref || "")) || "")))))));
