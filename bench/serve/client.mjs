/** Asks for random ranges of 4 KB over connections that are kept alive: `node client.mjs URL SIZE COUNT`. */
import { Agent, get } from "node:http";

const [url, size, count] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 16 });
let left = Number(count);

function ask() {
  const start = Math.floor(Math.random() * (Number(size) - 4096));
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: { range: `bytes=${start}-${start + 4095}` } }, (response) => {
      let bytes = 0;
      response.on("data", (piece) => (bytes += piece.length));
      response.on("end", () =>
        response.statusCode === 206 && bytes === 4096
          ? resolve()
          : reject(new Error(`${response.statusCode} with ${bytes} bytes`)),
      );
    }).on("error", reject);
  });
}

await Promise.all(
  Array.from({ length: 16 }, async () => {
    while (left-- > 0) await ask();
  }),
);
agent.destroy();
