// Serves a folder as hosts do: compressed, with media types, and with assets
// that are kept for a year, since their names change with their content.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { gzipSync } from "node:zlib";

const [root, port] = process.argv.slice(2);
const types = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
  ".json": "application/json",
  ".xml": "application/xml",
  ".txt": "text/plain; charset=utf-8",
};

createServer(async (request, response) => {
  const path = normalize(new URL(request.url, "http://localhost").pathname);
  const name = path.endsWith("/") ? path + "index.html" : path;
  try {
    const body = gzipSync(await readFile(join(root, name)));
    response.writeHead(200, {
      "Content-Type": types[extname(name)] || "application/octet-stream",
      "Content-Encoding": "gzip",
      "Cache-Control": name.startsWith("/assets/") ? "max-age=31536000, immutable" : "no-cache",
    });
    response.end(body);
  } catch {
    response.writeHead(404).end();
  }
}).listen(Number(port), "localhost");
