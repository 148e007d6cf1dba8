// Starts the player in the file of one stroke; Plot and Player stand before it.
const told = JSON.parse(document.getElementById("told").textContent);
const t = (key, values = {}) => (told.texts[key.split(".")[1]] || key).replace(/\{(\w+)\}/g, (all, k) => (k in values ? values[k] : all));
const place = document.getElementById("replay"), film = document.getElementById("film");
const player = new Player(told.data, told.table, t, Plot, film, told.begins_s);
place.append(player.node);
requestAnimationFrame(() => player.seek(0, true));
