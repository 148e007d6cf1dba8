// Small helpers shared by all pages. Text always goes in as text nodes: names come from people.
import { language, t as words } from "./texts.js";

const SVG = "http://www.w3.org/2000/svg";
const PROPS = new Set(["value", "checked", "disabled", "selected", "muted", "loop", "currentTime"]);

function fill(node, attrs, children) {
  for (const [key, value] of Object.entries(attrs || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (PROPS.has(key)) node[key] = value;
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  for (const child of children.flat(3)) {
    if (child === undefined || child === null || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}
// Like replaceChildren, which would write "null" for what is not there.
export const put = (node, ...children) => { node.replaceChildren(); return fill(node, {}, children); };
// A field for a moment of the recording: what was found at another moment is cleared as it changes, Enter looks.
export function momentField(app, words, at_s, clear, look) {
  const end = app.head.video.duration_s || Infinity;
  return el("input", { type: "number", min: 0, step: 0.1, max: Number.isFinite(end) ? end : null, value: Math.max(0, Math.min(at_s, end - 0.2)).toFixed(1), "aria-label": words, oninput: clear, onkeydown: (e) => { if (e.key === "Enter") look(); } });
}
// A region that is read aloud: the same words are not written (and announced) anew.
export const announce = (node, words) => { if (node.textContent !== words) node.textContent = words; };
// Where the keyboard goes on: an element that takes no focus by itself takes it now.
export function focusOn(node) {
  if (!node) return;
  if (!node.matches("a[href],button:not([disabled]),input,select,summary")) node.tabIndex = -1;
  node.focus();
}
export const el = (tag, attrs, ...children) => fill(document.createElement(tag), attrs, children);
// A ball as a mark in a line of text, as the drawing has it.
export const disc = (head, colour) => el("i", { class: `disc ${colour}`, style: `background:${head.fills[colour] || "linear-gradient(135deg,#e8c21c,#1a53c8 60%,#111)"}` }, head.letters[colour] || "");
export const svg = (tag, attrs, ...children) => fill(document.createElementNS(SVG, tag), attrs, children);

// Who is there, as the server knows it: role, name (of an account, which signs all changes), the session's token.
// A token in the fragment, which browsers never send, is that of a server whose owner has no account yet.
const found = /(?:^#|&)token=([\w-]+)/.exec(location.hash);
if (found) {
  sessionStorage.setItem("cueref-token", found[1]);
  history.replaceState(null, "", location.pathname + location.search);
}
export const me = await fetch("/api/session").then((a) => a.json()).catch(() => ({ role: "nobody", name: "", token: "" }));
const RANKS = ["nobody", "public", "spectator", "referee", "owner"];
// Whether the one who is there has at least this role.
export const may = (role) => RANKS.indexOf(sessionStorage.getItem("cueref-token") ? "owner" : me.role) >= RANKS.indexOf(role);
// What a change must carry; empty for those who only look.
export const token = () => (may("referee") && me.token) || sessionStorage.getItem("cueref-token") || "";
// Ends this browser's session; a token that stood in the address is forgotten with it.
export async function logOut() {
  sessionStorage.removeItem("cueref-token");
  await fetch("/api/session", { method: "DELETE", headers: { ...spoken(), "x-cueref-token": me.token || "" } }).catch(() => null);
  location.reload();
}
export const who = () => me.name || localStorage.getItem("cueref-who") || "";
export const setWho = (name) => localStorage.setItem("cueref-who", name);

// Answers come in this page's language, which may be another than the browser's.
export const spoken = () => ({ "accept-language": language() });

export async function api(path, body, raw) {
  const options = { headers: spoken() };
  if (body !== undefined) {
    options.method = "POST";
    options.headers["x-cueref-token"] = token();
    options.headers["content-type"] = raw ? "application/octet-stream" : "application/json";
    options.body = raw ? body : JSON.stringify(body);
  }
  // the browser's own words for a server that is gone ("Failed to fetch") tell a person nothing
  const answer = await fetch("/api" + path, options).catch(() => { throw new Error(words("board.not_connected")); });
  if (!answer.ok) {
    const text = await answer.text();
    let said = text;
    try {
      said = JSON.parse(text).detail;
    } catch { /* plain text */ }
    throw Object.assign(new Error(said || `${answer.status}`), { status: answer.status });
  }
  return answer.json();
}

export function clock(t, digits = 0) {
  if (t === null || t === undefined) return "–";
  const s = Math.max(0, t), whole = Math.floor(s);
  const tail = digits ? (s - whole).toFixed(digits).slice(1) : "";
  const two = (n) => String(n).padStart(2, "0");
  const h = Math.floor(whole / 3600), m = Math.floor(whole / 60) % 60;
  return (h ? `${h}:${two(m)}` : `${m}`) + `:${two(whole % 60)}${tail}`;
}
// No tenth of a millimetre where a hand's breadth is to go.
export const mm = (v, digits = 1) => (v === null || v === undefined ? "–" : v.toFixed(Math.abs(v) < 100 ? digits : 0));
// A share with the digits that mean something, as percent() of weighing.py: 99.98 %, 60 %, 0.02 %.
export const percent = (share) => {
  const rest = Math.min(share, 1 - share);
  return `${(100 * share).toFixed(rest >= 0.01 || rest < 5e-5 ? 0 : rest >= 0.001 ? 1 : 2)}\u00a0%`;
};
export const signed = (v, digits = 1) => (v >= 0 ? "+" : "−") + Math.abs(v).toFixed(digits);

let toastTimer = 0;
export function toast(text, bad = false) {
  const box = document.getElementById("toast");
  box.textContent = text;
  box.className = bad ? "show bad" : "show";
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { box.className = ""; }, bad ? 7000 : 4000);
}

export const clockTime = (ms) => new Date(ms).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });

// A socket that comes back by itself; `heard` gets every message, `linked` whether the server is there, and words for a person.
export function watchMatch(ident, heard, linked = () => {}) {
  let wait = 500, since = 0;
  const open = () => {
    const query = new URLSearchParams(location.search).get("token");
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}/ws/${encodeURIComponent(ident)}${query ? `?token=${encodeURIComponent(query)}` : ""}`);
    socket.onmessage = (e) => { wait = 500; since = 0; linked(true, ""); heard(JSON.parse(e.data)); };
    socket.onclose = () => {
      if (!since) linked(false, words("board.not_connected_since", { time: clockTime(since = Date.now()) }));
      setTimeout(open, wait);
      wait = Math.min(wait * 2, 8000);
    };
  };
  open();
}
