/**
 * Measures a hub under the load of a parkour server: `npm run bench:hub [-- MINUTES [kill]]`. Ten senders record 1,000
 * runs of three seconds in a minute, and 200 long recordings at the same time. Prints memory and processor time of the
 * hub's process. With `kill` the benchmark kills the hub at three quarters of the time, starts it again, and recovers
 * the recordings that were open. It fails if something is lost that the hub had committed or reported as ended.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { directoryStore } from "../packages/simtape/dist/io/node/index.js";
import { journalFile } from "../packages/simtape/dist/io/node/journal-file.js";
import { recover } from "../packages/simtape/dist/record/index.js";

const CLI = fileURLToPath(new URL("../packages/simtape/bin/simtape.js", import.meta.url));
const SENDERS = 10;
const RUN_TICKS = 60;
const RUNS_A_MINUTE = 1000;
const LONG = 200;
const TICK = 50;

const minutes = Number(process.argv[2] ?? 1);
const folder = mkdtempSync(join(tmpdir(), "simtape-hub-"));
let [hub, port] = await started();
let senders = await connected(port);
/**
 * Runs that the hub has reported as ended; open recordings, with the ticks that were sent; and those that were open
 * when the hub was killed, with the same.
 */
const ended = new Set<string>();
const open = new Map<string, { readonly sender: number; readonly isLong: boolean; ticks: number }>();
const cut = new Map<string, number>();
try {
  for (let n = 0; n < LONG; n++) begin(n, `long-${n}`, true);
  const ticks = Math.round((minutes * 60_000) / TICK);
  const killAt = process.argv[3] === "kill" ? Math.round(ticks * 0.75) : -1;
  const most = { memory: 0, open: 0 };
  let begun = 0;
  let cpu = 0;
  const since = performance.now();
  for (let tick = 0; tick < ticks; tick++) {
    if (tick === killAt) {
      cpu += processorOf(hub);
      await killed();
    }
    while (begun < (tick * TICK * RUNS_A_MINUTE) / 60_000) begin(begun, `run-${begun++}`, false);
    for (let sender = 0; sender < SENDERS; sender++) send(sender, { tick });
    for (const [rec, run] of open) {
      send(run.sender, { rec, move: { id: 1, at: [run.ticks++ / 10, 64, Math.sin(tick / 20)] } });
      if (run.isLong || run.ticks < RUN_TICKS) continue;
      send(run.sender, { end: { rec, outcome: "completed", durationMs: RUN_TICKS * TICK } });
      open.delete(rec);
    }
    most.open = Math.max(most.open, open.size);
    most.memory = Math.max(most.memory, memoryOf(hub));
    await new Promise((resolve) => setTimeout(resolve, since + (tick + 1) * TICK - performance.now()));
  }
  cpu += processorOf(hub);
  // the hub has taken all lines when it also closes the connection
  await Promise.all(senders.map((sender) => once(sender.end(), "close")));
  hub.kill("SIGTERM");
  await once(hub, "exit");
  const kept = readdirSync(folder).length;
  console.log(
    `${begun} runs of 3 s and ${LONG} long ones in ${minutes} min, ${most.open} at once: ${(most.memory / 2 ** 20).toFixed(0)} MiB at most, ` +
      `${((100 * cpu) / (minutes * 60)).toFixed(0)} % of a core; ${kept} recordings kept`,
  );
  if (killAt >= 0) await judge();
} finally {
  hub.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
}

function begin(n: number, rec: string, isLong: boolean): void {
  const sender = n % SENDERS;
  open.set(rec, { sender, isLong, ticks: 0 });
  send(sender, { begin: { rec, header: { server: "bench" } } });
  send(sender, {
    rec,
    join: { id: 1, uuid: "00000000-0000-4000-8000-000000000001", name: "runner", at: [0, 64, 0] },
  });
}

function send(sender: number, line: unknown): void {
  senders[sender]!.write(`${JSON.stringify(line)}\n`);
}

/** Kills the hub and starts it again. Every open recording begins again under another name. */
async function killed(): Promise<void> {
  hub.kill("SIGKILL");
  await once(hub, "exit");
  for (const [rec, { ticks }] of open) cut.set(rec, ticks);
  [hub, port] = await started();
  senders = await connected(port);
  const before = [...open];
  open.clear();
  for (const [rec, { sender, isLong }] of before) begin(sender, `${rec}.2`, isLong);
}

/** Recovers the recordings that were open when the hub was killed. Throws if something that was committed is lost. */
async function judge(): Promise<void> {
  const store = directoryStore(folder);
  let [committed, recovered, sent] = [0, 0, 0];
  for (const [rec, ticks] of cut) {
    const found = await recover(store, rec, {
      journal: journalFile(join(folder, rec, "journal.hcj")),
      keepsPrevious: true,
    }).catch(() => null);
    // the hub may not have read the first lines of the newest recordings
    if (found === null) continue;
    if (found.ticks < found.committed)
      throw new Error(`${rec}: ${found.committed} ticks were committed, ${found.ticks} are left`);
    committed += found.committed;
    recovered += found.ticks;
    sent += ticks;
  }
  for (const rec of ended) {
    const { status, ticks } = await recover(store, rec);
    if (status !== "sound" || ticks < RUN_TICKS - 1) throw new Error(`${rec} had ended: ${status}, ${ticks} ticks`);
  }
  console.log(
    `killed at three quarters: ${ended.size} recordings that had ended are whole; in ${cut.size} open ones ` +
      `${committed} ticks were committed, ${recovered} of the ${sent} that were sent are left`,
  );
}

/** A hub, and the port that it listens at. */
async function started(): Promise<[ChildProcess, number]> {
  const child = spawn(process.execPath, [CLI, "record", "--hub", folder, "--input", "tcp://127.0.0.1:0"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  return [child, await portOf(child)];
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

function connected(to: number): Promise<Socket[]> {
  return Promise.all(
    Array.from({ length: SENDERS }, async () => {
      const socket = connect(to, "127.0.0.1");
      await once(socket, "connect");
      // a hub that is killed breaks its connections
      createInterface(socket.on("error", () => undefined))
        .on("error", () => undefined)
        .on("line", (line) => {
          const answer = JSON.parse(line) as { readonly rec: string; readonly ended?: unknown };
          if (answer.ended !== undefined) ended.add(answer.rec);
        });
      return socket;
    }),
  );
}

/** Resident memory, bytes. */
function memoryOf({ pid }: ChildProcess): number {
  const [, kilobytes = "0"] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1024;
}

/** Processor time so far, seconds. */
function processorOf({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
