/** Serves ranges of a file over plain node:http: no server in Node costs less. `node plain.mjs FILE`. */
import { open } from "node:fs/promises";
import { createServer } from "node:http";

const file = await open(process.argv[2], "r");
const { size } = await file.stat();
const server = createServer((request, response) => void answer(request, response));

async function answer(request, response) {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
  const [start, end] = [Number(first), Math.min(size, Number(last) + 1)];
  const bytes = Buffer.allocUnsafe(end - start);
  await file.read(bytes, 0, bytes.length, start);
  response.writeHead(206, {
    "content-type": "application/octet-stream",
    "content-length": bytes.length,
    "content-range": `bytes ${start}-${end - 1}/${size}`,
    "accept-ranges": "bytes",
    etag: '"plain"',
  });
  response.end(bytes);
}

server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
