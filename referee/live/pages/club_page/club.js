// Everything that comes from the broker is set as text, never as markup.
import { ballName, loadTexts, t, translate } from "/static/texts.js";
const link = document.getElementById("link");
const place = document.getElementById("tables");
const card = document.getElementById("card");

function show(data) {
  const why = data.refused ? t("club.refused", { why: data.refused }) : t("club.no_broker");
  link.textContent = data.connected ? "" : t("club.old", { why });
  place.replaceChildren(...data.tables.map(shown));
  if (!data.tables.length) {
    const none = document.createElement("p");
    none.textContent = t("club.none");
    place.append(none);
  }
}

// A broker takes messages from anybody: one of another shape costs its own card, not the page.
function shown(entry) {
  try {
    return element(entry);
  } catch {
    return element({ topic: entry.topic, online: entry.online, state: null });
  }
}

function element(entry) {
  const s = entry.state;
  const node = card.content.firstElementChild.cloneNode(true);
  node.querySelector(".name").textContent = s?.table ?? entry.topic;
  const trouble = !entry.online ? t("club.offline") : s && s.status !== "running" ? t(`status.${s.status}`) : "";
  node.querySelector(".condition").textContent = trouble;
  node.classList.toggle("offline", !entry.online);
  node.classList.toggle("trouble", entry.online && trouble !== "");
  if (!s) return node;
  const rows = (s.players ?? []).map((p) => {
    const row = document.createElement("tr");
    if (entry.online && p.side === s.striker && s.phase === "frame") row.className = "striker";
    for (const [name, text] of [["", p.name], ["frames", s.best_of === 1 ? "" : String(p.frames)], ["points", String(p.score)]]) {
      const cell = document.createElement("td");
      cell.className = name;
      cell.textContent = text;
      row.append(cell);
    }
    return row;
  });
  node.querySelector("tbody").replaceChildren(...rows);
  const now = [];
  if (s.phase === "frame") {
    now.push(s.best_of ? t("board.frame_best_of", { n: s.frame, of: s.best_of }) : t("board.frame", { n: s.frame }));
    if (s.break_points) now.push(`${t("board.break")} ${s.break_points}`);
    if (s.ball_on) now.push(`${t("board.on")}: ${ballName(s.ball_on)}`);
    if (s.free_ball) now.push(t("board.free_ball"));
    if (s.snookers_required) now.push(t("club.snookers", { n: s.snookers_required }));
  } else now.push({ practice: t("board.practice"), waiting: t("board.waiting"), between_frames: t("board.between_frames"), match_over: t("board.match_over_level") }[s.phase] ?? "");
  const open = (s.questions ?? []).filter((q) => q.open).length;
  node.querySelector(".open").textContent = open ? t(open === 1 ? "phone.one_open" : "phone.some_open", { n: open }) : "";
  if (entry.pages) node.querySelector(".pages").replaceChildren(...[["#/live", "club.table"], ["#/ask", "console.questions"], ["phone", "club.phone"], ["tv", "club.tv"]].map(([path, words]) => {
    const a = document.createElement("a");
    a.href = `${entry.pages}/${path}`;
    a.textContent = t(words);
    a.setAttribute("aria-label", `${t(words)}, ${s.table ?? entry.topic}`);
    return a;
  }));
  node.querySelector(".now").textContent = now.join(" · ");
  node.querySelector(".said").textContent = s.last_ruling?.text ?? "";
  return node;
}

let pause = 500;
function connect() {
  const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`);
  socket.onmessage = (event) => { pause = 500; show(JSON.parse(event.data)); };
  socket.onclose = () => {
    link.textContent = t("club.old", { why: t("club.no_server") });
    setTimeout(connect, pause);
    pause = Math.min(pause * 2, 8000);
  };
}
await loadTexts();
translate();
if ((await fetch("/api/tables").then((a) => a.json(), () => ({}))).players_page) {
  const a = document.createElement("a");
  a.href = "/players";
  a.textContent = t("players.title");
  document.getElementById("players").append(a);
}
connect();
