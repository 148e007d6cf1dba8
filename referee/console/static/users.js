// The owner's page of users: people with their roles, the tablet at the table, links that log in once.
import { language, loadTexts, t, translate } from "./texts.js";

const $ = (id) => document.getElementById(id);
let me = {};

function el(tag, attrs, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attrs || {})) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key in node && typeof value !== "string") node[key] = value;
    else node.setAttribute(key, value);
  }
  node.append(...children); // strings become text nodes: names come from people
  return node;
}

function say(words, bad) {
  $("words").textContent = words;
  $("words").className = bad ? "words bad" : "words";
}

async function api(method, path, body) {
  const headers = { "x-cueref-token": me.token || "", "accept-language": language() };
  if (body !== undefined) headers["content-type"] = "application/json";
  const answer = await fetch(`/api${path}`, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  const text = await answer.text();
  if (answer.ok) return JSON.parse(text);
  let words = text;
  try {
    const { detail } = JSON.parse(text);
    words = detail;
  } catch { /* plain text */ }
  throw new Error(words);
}

const doing = (work) => async (event) => {
  if (event && event.preventDefault) event.preventDefault();
  try { say(""); await work(); await show(); } catch (error) { say(error.message, true); }
};

async function showLink(user) {
  const { path } = await api("POST", `/users/${user.id}/link`);
  $("link").replaceChildren(
    el("p", {}, t("access.link_is", { name: user.name })),
    el("div", { class: "link", id: "thelink" }, location.origin + path));
}

function roleOf(user) {
  if (user.tablet) return t("access.tablet_at", { table: user.table });
  const select = el("select", { "aria-label": t("access.role_of", { name: user.name }) },
    ...["spectator", "referee", "owner"].map((r) => el("option", { value: r, selected: r === user.role }, t(`access.role_${r}`))));
  select.addEventListener("change", doing(() => api("POST", `/users/${user.id}/role`, { role: select.value })));
  return select;
}

function remove(user) {
  if (confirm(t("access.remove_sure", { name: user.name }))) return api("DELETE", `/users/${user.id}`);
  return null;
}

function setPassword(user) {
  const box = el("input", { type: "password", minLength: 10, maxLength: 200, required: true, autocomplete: "new-password", "aria-label": t("access.new_password_of", { name: user.name }) });
  const form = el("form", {}, box, el("button", { class: "main" }, t("access.set_the_password")));
  form.addEventListener("submit", doing(async () => { await api("POST", `/users/${user.id}/password`, { password: box.value }); say(t("access.has_new_password", { name: user.name })); }));
  $(`u${user.id}`).append(form);
  box.focus();
}

async function show() {
  $("own").hidden = me.account === null || me.tablet;
  $("oldlabel").hidden = !me.has_password;
  $("ownname").value = me.name;
  $("owner").hidden = me.role !== "owner";
  if (me.role !== "owner") { $("title").textContent = me.name || t("access.your_account"); return; }
  const all = await api("GET", "/users");
  $("users").replaceChildren(...all.map((user) => el("li", { id: `u${user.id}` },
    el("div", { class: "who" }, el("b", {}, user.name), roleOf(user),
      el("small", {}, t(user.sessions === 1 ? "access.one_session" : "access.sessions", { n: user.sessions }) + (user.tablet || user.has_password ? "" : t("access.no_password")))),
    el("div", { class: "acts" },
      el("button", { type: "button", onclick: doing(() => showLink(user)) }, t("access.login_link")),
      ...(user.tablet ? [] : [el("button", { type: "button", onclick: () => setPassword(user) }, t("access.set_password"))]),
      el("button", { type: "button", onclick: doing(() => api("DELETE", `/users/${user.id}/sessions`)) }, t("access.log_out_everywhere")),
      el("button", { type: "button", class: "danger", onclick: doing(() => remove(user)) }, t("access.remove"))))));
  if (!all.length) $("users").append(el("li", {}, t("access.nobody_yet")));
}

$("add").addEventListener("submit", doing(async () => {
  const password = $("password").value || null;
  const made = await api("POST", "/users", { name: $("name").value, role: $("role").value, password });
  if (!password) await showLink(made);
  $("add").reset();
}));
$("addtablet").addEventListener("submit", doing(async () => {
  await showLink(await api("POST", "/users", { name: $("tabletname").value, tablet: true }));
  $("addtablet").reset();
}));
$("password-own").addEventListener("submit", doing(async () => {
  me = await api("POST", "/session/password", { old: $("old").value, new: $("new").value });
  $("password-own").reset();
  say(t("access.password_changed"));
}));
$("logout").addEventListener("click", async () => {
  try { await api("DELETE", "/session"); location.replace("/login"); } catch (error) { say(error.message, true); }
});

await loadTexts();
translate();
document.title = `${t("access.users")} · cueref`;
try {
  me = await api("GET", "/session");
  $("tablet").hidden = !me.table;
  await show();
} catch (error) { say(error.message, true); }
