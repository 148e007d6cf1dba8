// A QR code from the server's rows of 0 and 1, dark on white with its quiet zone also where the page is dark.
const SVG = "http://www.w3.org/2000/svg";
const QUIET = 4;

export function qrCode(rows, label) {
  const made = (tag, attrs) => { const node = document.createElementNS(SVG, tag); for (const [k, v] of Object.entries(attrs)) node.setAttribute(k, v); return node; };
  const side = rows.length + 2 * QUIET, d = rows.flatMap((row, y) => [...row].map((c, x) => (c === "1" ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  const code = made("svg", { viewBox: `${-QUIET} ${-QUIET} ${side} ${side}`, role: "img", "aria-label": label, "shape-rendering": "crispEdges" });
  code.append(made("rect", { x: -QUIET, y: -QUIET, width: side, height: side, fill: "#fff" }), made("path", { d, fill: "#000" }));
  return code;
}
