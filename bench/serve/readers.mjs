/**
 * Asks for ranges of 4 KB at random places of one file, so many a second however long the answers take:
 * `node readers.mjs URL SIZE RATE SECONDS`. Prints the milliseconds from when each request was due to its answer, as
 * JSON.
 */
import { Agent, get } from "node:http";

const [url, size, rate, seconds] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const count = Number(rate) * Number(seconds);
const took = [];
let failed = 0;

function ask(due) {
  const start = Math.floor(Math.random() * (Number(size) - 4096));
  return new Promise((resolve) => {
    const done = (isGood) => {
      took.push(performance.now() - due);
      if (!isGood) failed++;
      resolve();
    };
    get(url, { agent, headers: { range: `bytes=${start}-${start + 4095}` } }, (response) => {
      let bytes = 0;
      response.on("data", (piece) => (bytes += piece.length));
      response.on("end", () => done(response.statusCode === 206 && bytes === 4096));
    }).on("error", () => done(false));
  });
}

const began = performance.now();
const asked = [];
for (let n = 0; n < count; ) {
  const due = Math.min(count, Math.floor(((performance.now() - began) / 1000) * Number(rate)));
  for (; n < due; n++) asked.push(ask(began + (n / Number(rate)) * 1000));
  await new Promise((resolve) => setTimeout(resolve, 2));
}
await Promise.all(asked);
agent.destroy();
process.stdout.write(JSON.stringify({ took, failed }));
