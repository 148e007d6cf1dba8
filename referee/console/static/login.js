// Logging in by password, or by the code of a link. The code stands after #, which browsers never send.
import { language, loadTexts, t, translate } from "./texts.js";

const $ = (id) => document.getElementById(id);
const given = new URLSearchParams(location.hash.slice(1));
const wanted = given.get("to") || new URLSearchParams(location.search).get("to") || "/";
// Only a path of this server: "//elsewhere" and "/\elsewhere" are other sites.
const target = /^\/[a-z]*$/.test(wanted) ? wanted : "/";
history.replaceState(null, "", location.pathname + location.search);

function say(words, bad) {
  $("words").textContent = words;
  $("words").className = bad ? "words bad" : "words";
}

async function enter(body) {
  const answer = await fetch("/api/session", { method: "POST", headers: { "content-type": "application/json", "accept-language": language() }, body: JSON.stringify(body) });
  if (answer.ok) {
    const me = await answer.json();
    const first = body.code && me.account !== null && !me.tablet && !me.has_password; // invited: sets a password
    location.replace(first ? "/users" : target);
    return;
  }
  const text = await answer.text();
  let words = text;
  try { const { detail } = JSON.parse(text); if (typeof detail === "string") words = detail; } catch { /* plain text */ }
  say(words, true);
  $("password").value = "";
}

await loadTexts();
translate();
document.title = `${t("access.log_in")} · cueref`;

$("login").addEventListener("submit", (e) => {
  e.preventDefault();
  say("…");
  enter({ name: $("name").value, password: $("password").value }).catch(() => say(t("access.no_answer"), true));
});
for (const kind of ["code", "token"]) {
  if (given.get(kind)) { say("…"); enter({ [kind]: given.get(kind) }).catch(() => say(t("access.no_answer"), true)); }
}
// A link from a mail comes without the cookie, which browsers send to their own pages' requests only.
if (!given.get("code") && !given.get("token") && new URLSearchParams(location.search).has("to")) {
  const { role } = await fetch("/api/session").then((a) => a.json()).catch(() => ({}));
  if (["spectator", "referee", "owner"].includes(role)) location.replace(target);
}
