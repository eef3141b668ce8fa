/**
 * Measures many live recordings on one node: what they cost, how late they can be read, and whether other requests
 * wait: `npm run build && npx tsx bench/serve/live.ts [--recordings 20] [--things 10] [--seconds 30]`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type ClientRequest, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import WebSocket from "ws";
import { later, print, quantile, useOf } from "./measure.ts";

const CLI = fileURLToPath(new URL("../../packages/simtape/bin/simtape.js", import.meta.url));
/** Milliseconds of a tick. */
const TICK = 50;
/** Milliseconds until all recordings have begun, which do not count. */
const BEGINNING = 8000;

const { values } = parseArgs({
  options: {
    recordings: { type: "string", default: "20" },
    things: { type: "string", default: "10" },
    seconds: { type: "string", default: "30" },
  },
});
const [recordings, things, seconds] = [Number(values.recordings), Number(values.things), Number(values.seconds)];
const folder = mkdtempSync(join(tmpdir(), "simtape-bench-"));
const server = spawn(process.execPath, [CLI, "serve", join(folder, "library"), "--port", "0"], {
  stdio: ["ignore", "pipe", "inherit"],
});
try {
  const [line] = (await once(server.stdout!, "data")) as [Buffer];
  const address = line.toString().trim();
  await later(3000);
  const idle = useOf(server.pid!);
  await later(5000);
  const atRest = (useOf(server.pid!).cpu - idle.cpu) / 5;
  const senders: ClientRequest[] = [];
  for (let n = 0; n < recordings; n++)
    senders.push(
      request(`${address}/api/live/bench-${n}`, { method: "POST", agent: false }).on("error", () => undefined),
    );
  /** When each tick was sent, which is the same for all recordings. */
  const sent: number[] = [];
  const sending = setInterval(() => {
    const tick = sent.length;
    sent.push(performance.now());
    for (const sender of senders) {
      let text = `{"tick":${tick}}\n`;
      for (let thing = 0; thing < things; thing++)
        text += `{"entities":{"cars":{"${thing}":{"position":[${(tick * 0.7 + thing).toFixed(3)},${Math.sin(tick / 9 + thing).toFixed(4)},0]}}}}\n`;
      sender.write(text);
    }
  }, TICK);
  await later(BEGINNING);
  const before = useOf(server.pid!);
  const began = performance.now();
  const behind: number[] = [];
  for (let n = 0; n < recordings; n++) {
    const socket = new WebSocket(`${address.replace("http", "ws")}/api/recordings/bench-${n}/socket`);
    let first = true;
    socket.on("message", (data) => {
      const message = JSON.parse((data as Buffer).toString("utf8")) as { readonly seconds: number };
      // when the last tick was sent that can be read now
      const at = sent[Math.round(message.seconds * 20) - 1];
      if (!first && at !== undefined) behind.push(performance.now() - at);
      first = false;
    });
  }
  const answers: number[] = [];
  while (performance.now() - began < seconds * 1000) {
    const asked = performance.now();
    await (await fetch(`${address}/health`)).text();
    answers.push(performance.now() - asked);
    await later(5);
  }
  clearInterval(sending);
  const after = useOf(server.pid!);
  const row = {
    recordings,
    "lines a second": recordings * (things + 1) * (1000 / TICK),
    "of a core at rest, %": atRest * 100,
    "of a core, %": ((after.cpu - before.cpu) / ((performance.now() - began) / 1000)) * 100,
    "of it the first thread, %": ((after.first - before.first) / ((performance.now() - began) / 1000)) * 100,
    "memory, MiB": after.memory,
    "can be read behind, p50 ms": quantile(behind, 0.5),
    "can be read behind, p99 ms": quantile(behind, 0.99),
    "another request, p50 ms": quantile(answers, 0.5),
    "another request, p99 ms": quantile(answers, 0.99),
    "another request, most ms": Math.max(...answers),
  };
  print(row);
  for (const sender of senders) sender.destroy();
} finally {
  server.kill();
  await once(server, "exit");
  rmSync(folder, { recursive: true, force: true });
}
