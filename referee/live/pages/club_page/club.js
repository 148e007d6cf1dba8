// Everything that comes from the broker is set as text, never as markup.
import { qrCode } from "/static/qr.js";
import { ballName, frameLine, loadTexts, t, translate, units } from "/static/texts.js";
const link = document.getElementById("link");
const place = document.getElementById("tables");
const card = document.getElementById("card");

const cards = new Map(); // by topic: the card, and what it shows

// What is read aloud is written when it is different only: the same words again would be read again.
const announce = (node, words) => { if (node.textContent !== words) node.textContent = words; };

// A card that stands keeps its links, so that the keyboard's focus stays while scores change.
function show(data) {
  const why = data.refused ? t("club.refused", { why: data.refused }) : t("club.no_broker");
  announce(link, data.connected ? "" : t("club.old", { why }));
  const nodes = data.tables.map(cardOf);
  if (!nodes.length) {
    const none = document.createElement("p");
    none.textContent = t("club.none");
    nodes.push(none);
  }
  if (nodes.length !== place.children.length || nodes.some((n, k) => n !== place.children[k])) place.replaceChildren(...nodes);
}

function cardOf(entry) {
  const known = cards.get(entry.topic) ?? { node: card.content.firstElementChild.cloneNode(true), shows: "" };
  cards.set(entry.topic, known);
  const shows = JSON.stringify(entry);
  if (known.shows === shows) return known.node;
  known.shows = shows;
  // a broker takes messages from anybody: one of another shape costs its own card, not the page
  try {
    fill(known.node, entry);
  } catch {
    fill(known.node, { topic: entry.topic, online: entry.online, state: null });
  }
  return known.node;
}

function fill(node, entry) {
  const s = entry.state;
  const name = s?.table ?? entry.topic;
  node.querySelector(".name").textContent = name;
  const trouble = !entry.online ? t("club.offline") : s && s.status !== "running" ? t(`status.${s.status}`) : "";
  announce(node.querySelector(".condition"), trouble);
  node.classList.toggle("offline", !entry.online);
  node.classList.toggle("trouble", entry.online && trouble !== "");
  const open = (s?.questions ?? []).filter((q) => q.open).length + (s?.questions_more ?? 0);
  translate(node);
  node.querySelector("table").hidden = !s?.players?.length;
  node.querySelector("th.frames").textContent = s && s.best_of !== 1 ? units(s.game) : "";
  node.querySelector("tbody").replaceChildren(...(s?.players ?? []).map((p) => player(p, entry)));
  node.querySelector(".open").textContent = open ? t(open === 1 ? "phone.one_open" : "phone.some_open", { n: open }) : "";
  node.querySelector(".now").textContent = s ? standing(s) : "";
  node.querySelector(".said").textContent = s?.last_ruling ? said(s, s.last_ruling) : "";
  linkPages(node.querySelector(".pages"), s && entry.pages ? entry.pages : "", name);
  codeOf(node.querySelector(".qr"), s && entry.pages ? entry.pages : "", entry.topic, name);
}

function player(p, entry) {
  const s = entry.state;
  const row = document.createElement("tr");
  if (entry.online && p.side === s.striker && s.phase === "frame") row.className = "striker";
  for (const [name, text] of [["", p.name], ["frames", s.best_of === 1 ? "" : String(p.frames)], ["points", String(p.score)]]) {
    const cell = document.createElement(name ? "td" : "th");
    if (name) cell.className = name; else cell.scope = "row";
    cell.textContent = text;
    row.append(cell);
  }
  return row;
}

function standing(s) {
  if (s.phase !== "frame") return { practice: t("board.practice"), waiting: t("board.waiting"), between_frames: t("board.between_frames"), match_over: t("board.match_over_level") }[s.phase] ?? "";
  const now = [frameLine(s)];
  if (s.break_points) now.push(`${t("board.break")} ${s.break_points}`);
  if (s.ball_on) now.push(`${t("board.on")}: ${ballName(s.ball_on)}`);
  if (s.free_ball) now.push(t("board.free_ball"));
  if (s.snookers_required) now.push(t("club.snookers", { n: s.snookers_required }));
  return now.join(" · ");
}

function linkPages(list, pages, name) {
  if (list.dataset.to === `${pages} ${name}`) return;
  list.dataset.to = `${pages} ${name}`;
  list.replaceChildren(...(pages ? [["#/live", "club.table"], ["#/ask", "console.questions"], ["phone", "club.phone"], ["tv", "club.tv"]] : []).map(([path, words]) => {
    const a = document.createElement("a");
    a.href = `${pages}/${path}`;
    a.textContent = t(words);
    a.setAttribute("aria-label", `${t(words)}, ${name}`);
    return a;
  }));
}

// The code leads a phone to the table's page; the club's server makes it.
async function codeOf(box, pages, topic, name) {
  if (box.dataset.to === `${pages} ${name}`) return;
  box.dataset.to = `${pages} ${name}`;
  box.hidden = true;
  if (!pages) return;
  const { rows, only_here: onlyHere } = await fetch(`/api/tables/${encodeURIComponent(topic)}/qr`).then((a) => (a.ok ? a.json() : { rows: [] }), () => ({ rows: [] }));
  if (!rows.length && !onlyHere) { delete box.dataset.to; return; }
  box.firstElementChild.replaceChildren(onlyHere ? t("club.only_here") : qrCode(rows, t("club.qr", { name })));
  box.lastElementChild.hidden = Boolean(onlyHere);
  box.hidden = false;
}

// The last ruling in this page's language; what a table of another language says of a game's own rules stays as it is.
function said(s, r) {
  if (r.verdict === "call") return t("board.call"); // what is likeliest is not ruled
  const to = (s.players ?? []).find((p) => p.side === r.foul?.penalty_to);
  if (r.foul && to) return t(r.miss ? "board.foul_and_miss" : "board.foul", { points: r.foul.penalty, name: to.name });
  return r.kind === "points" && r.potted?.length ? `${r.potted.map(ballName).join(", ")} · ${r.points}` : r.kind === "no_score" && s.game === "snooker" ? t("ruling.no_score") : r.text ?? "";
}

let pause = 500;
function connect() {
  const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`);
  socket.onmessage = (event) => { pause = 500; show(JSON.parse(event.data)); };
  socket.onclose = () => {
    announce(link, t("club.old", { why: t("club.no_server") }));
    setTimeout(connect, pause);
    pause = Math.min(pause * 2, 8000);
  };
}
await loadTexts();
translate();
document.title = `${t("club.title")} · cueref`;
if ((await fetch("/api/tables").then((a) => a.json(), () => ({}))).players_page) {
  const a = document.createElement("a");
  a.href = "/players";
  a.textContent = t("players.title");
  document.getElementById("players").append(a);
}
connect();
