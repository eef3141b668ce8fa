/**
 * Serves ranges of a file over HTTP, each some milliseconds late. `served.ts` forks this process with the path and the
 * delay. It sends its port, and then answers "report" with the requests since the last "reset".
 */
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Requests } from "./served.ts";

const [path, delay] = process.argv.slice(2) as [string, string];
const { size, mtimeMs } = statSync(path);
const nothing = (): Requests => ({ count: 0, bytes: 0, times: [], together: 0 });
let asked = nothing();
let open = 0;

const server = createServer((request, response) => {
  const together = Math.max(asked.together, ++open);
  const times = [...asked.times, performance.timeOrigin + performance.now()];
  asked = { ...asked, count: asked.count + 1, times, together };
  response.once("close", () => open--);
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "");
  const from = range === null ? 0 : Number(range[1]);
  const to = Math.min(size - 1, range === null || range[2] === "" ? size - 1 : Number(range[2]));
  setTimeout(() => {
    if (response.destroyed) return;
    asked = { ...asked, bytes: asked.bytes + to - from + 1 };
    response.writeHead(range === null ? 200 : 206, {
      "accept-ranges": "bytes",
      etag: `"${size}-${mtimeMs}"`,
      "content-length": to - from + 1,
      ...(range === null ? {} : { "content-range": `bytes ${from}-${to}/${size}` }),
    });
    if (request.method === "HEAD") response.end();
    else createReadStream(path, { start: from, end: to }).pipe(response);
  }, Number(delay));
});
server.listen(0, "127.0.0.1", () => process.send!((server.address() as AddressInfo).port));
process.on("message", (said) => {
  if (said === "reset") asked = nothing();
  process.send!(asked);
});
process.on("disconnect", () => process.exit());
