// One change: who makes it, what it did to score and strokes, said in one line.
import { api, setWho, toast, token, who } from "./lib.js";

function asker() {
  if (who()) return who();
  const name = (prompt("Your name, for the history of changes:") || "").trim();
  if (name) setWho(name.slice(0, 80));
  return name;
}

export async function change(app, path, body) {
  if (!token()) { toast("Changes need a login as referee.", true); return null; }
  const name = asker();
  if (!name) return null;
  try {
    const done = await api(`${app.base}/${path}`, { ...body, who: name, ...(path === "corrections" ? { version: app.head.version } : {}) });
    app.change = done;
    app.own = true;
    try { await app.reload(); } finally { app.own = false; }
    toast(done.words);
    return done;
  } catch (error) {
    toast(error.message, true);
    return null;
  }
}
