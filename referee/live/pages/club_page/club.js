// Everything that comes from the broker is set as text, never as markup.
const link = document.getElementById("link");
const place = document.getElementById("tables");
const card = document.getElementById("card");
const WORDS = {
  starting: "starting", stopped: "stopped", camera_lost: "camera lost", camera_moved: "camera moved",
  picture_covered: "picture covered", view_wrong: "picture is not the table", slow: "images skipped",
  disk_nearly_full: "disk nearly full", recording_stopped: "no clips are kept", journal_in_memory: "disk full",
};
const ball = (name) => (name ?? "").replaceAll("_", " ");

function show(data) {
  const why = data.refused ? `the broker lets nobody in (${data.refused})` : "the broker cannot be reached";
  link.textContent = data.connected ? "" : `${why}; what is shown is old`;
  place.replaceChildren(...data.tables.map(element));
  if (!data.tables.length) {
    const none = document.createElement("p");
    none.textContent = "No table has published yet: cueref live CAMERA --mqtt mqtt://BROKER";
    place.append(none);
  }
}

function element(entry) {
  const s = entry.state;
  const node = card.content.firstElementChild.cloneNode(true);
  node.querySelector(".name").textContent = s?.table ?? entry.topic;
  const trouble = entry.online ? WORDS[s?.status] ?? "" : "offline";
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
    now.push(`frame ${s.frame}${s.best_of ? ` of ${s.best_of}` : ""}`);
    if (s.break_points) now.push(`break ${s.break_points}`);
    if (s.ball_on) now.push(`on: ${ball(s.ball_on)}`);
    if (s.free_ball) now.push("free ball");
    if (s.snookers_required) now.push(`${s.snookers_required} snooker${s.snookers_required > 1 ? "s" : ""} required`);
  } else now.push({ practice: "practice", waiting: "no game", between_frames: "between frames", match_over: "match over" }[s.phase] ?? "");
  node.querySelector(".now").textContent = now.join(" · ");
  node.querySelector(".said").textContent = s.last_ruling?.text ?? "";
  return node;
}

let pause = 500;
function connect() {
  const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`);
  socket.onmessage = (event) => { pause = 500; show(JSON.parse(event.data)); };
  socket.onclose = () => {
    link.textContent = "this page has lost its server; what is shown is old";
    setTimeout(connect, pause);
    pause = Math.min(pause * 2, 8000);
  };
}
connect();
