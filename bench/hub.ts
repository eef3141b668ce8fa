/**
 * A hub under the load of a parkour server: `npm run bench:hub [-- MINUTES]`. 1,000 runs of three seconds in a minute,
 * from ten senders, and 200 recordings at once besides. Prints memory and processor time of the recorder's process.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const CLI = fileURLToPath(new URL("../packages/simtape/bin/simtape.js", import.meta.url));
const SENDERS = 10;
const RUN_TICKS = 60;
const RUNS_A_MINUTE = 1000;
const LONG = 200;
const TICK = 50;

const minutes = Number(process.argv[2] ?? 1);
const folder = mkdtempSync(join(tmpdir(), "simtape-hub-"));
const hub = spawn(process.execPath, [CLI, "record", "--hub", folder, "--input", "tcp://127.0.0.1:0"], {
  stdio: ["ignore", "ignore", "pipe"],
});
try {
  const port = await portOf(hub);
  const senders = await Promise.all(Array.from({ length: SENDERS }, () => connected(port)));
  const send = (sender: number, line: unknown): unknown => senders[sender]!.write(`${JSON.stringify(line)}\n`);
  for (let n = 0; n < LONG; n++) begin(n % SENDERS, `long-${n}`);
  const running = new Map<string, { readonly sender: number; left: number }>();
  const ticks = Math.round((minutes * 60_000) / TICK);
  const most = { memory: 0, open: 0 };
  let begun = 0;
  const started = performance.now();
  for (let tick = 0; tick < ticks; tick++) {
    while (begun < (tick * TICK * RUNS_A_MINUTE) / 60_000) {
      const rec = `run-${begun++}`;
      begin(begun % SENDERS, rec);
      running.set(rec, { sender: begun % SENDERS, left: RUN_TICKS });
    }
    for (let sender = 0; sender < SENDERS; sender++) send(sender, { tick });
    for (const [rec, run] of running) {
      send(run.sender, { rec, move: { id: 1, at: [tick / 10, 64, Math.sin(tick / 20)] } });
      if (--run.left > 0) continue;
      send(run.sender, { end: { rec, outcome: "completed", durationMs: RUN_TICKS * TICK } });
      running.delete(rec);
    }
    for (let n = 0; n < LONG; n++) send(n % SENDERS, { rec: `long-${n}`, move: { id: 1, at: [n, 64, tick / 10] } });
    most.open = Math.max(most.open, running.size + LONG);
    most.memory = Math.max(most.memory, memoryOf(hub));
    await new Promise((resolve) => setTimeout(resolve, started + (tick + 1) * TICK - performance.now()));
  }
  const cpu = processorOf(hub);
  // all that was sent is taken when the hub, too, has closed the connection
  await Promise.all(senders.map((sender) => once(sender.end(), "close")));
  hub.kill("SIGTERM");
  await once(hub, "exit");
  const kept = readdirSync(folder).length;
  console.log(
    `${begun} runs of 3 s and ${LONG} long ones in ${minutes} min, ${most.open} at once: ${(most.memory / 2 ** 20).toFixed(0)} MiB at most, ` +
      `${((100 * cpu) / (minutes * 60)).toFixed(0)} % of a core; ${kept} recordings kept`,
  );

  function begin(sender: number, rec: string): void {
    send(sender, { begin: { rec, header: { server: "bench" } } });
    send(sender, {
      rec,
      join: { id: 1, uuid: "00000000-0000-4000-8000-000000000001", name: "runner", at: [0, 64, 0] },
    });
  }
} finally {
  hub.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
}

async function portOf(child: ChildProcess): Promise<number> {
  let said = "";
  for await (const text of child.stderr!.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
    said += String(text);
    const found = /listening at tcp:\/\/127\.0\.0\.1:(\d+)/.exec(said);
    if (found !== null) {
      child.stderr!.resume();
      return Number(found[1]);
    }
  }
  throw new Error(`the hub ended: ${said}`);
}

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  return socket.resume();
}

/** Bytes that are resident. */
function memoryOf({ pid }: ChildProcess): number {
  const [, kilobytes = "0"] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1024;
}

/** Seconds of user and system. */
function processorOf({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
