import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { nanover } from "../../src/formats/nanover/format.ts";
import { type ByteSink, check, filesBundle, memory, MemoryFiles, open, type Recording } from "../../src/index.ts";
import { fromFile } from "../../src/io/node/index.ts";
import { finishTake, JournalReader, recordTake, type TakeStatus } from "../../src/live/index.ts";
import { MAIN } from "../cli/run.ts";
import { type NumberedSource, SOURCES } from "../support/live-sources.ts";

const NANOVER = SOURCES.find(({ name }) => name === "NanoVer")!;

let folder = "";
let source: NumberedSource;
let speaking: ReturnType<typeof setInterval>;
let said = 0;
const running: ChildProcess[] = [];
const mounted: string[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "simtape-live-kill-"));
  source = await NANOVER.start();
  said = 0;
  speaking = setInterval(() => source.say(said++, 0), 5);
});
afterEach(async () => {
  clearInterval(speaking);
  for (const child of running.splice(0)) child.kill("SIGKILL");
  for (const path of mounted.splice(0)) execFileSync("umount", ["-l", path]);
  await source.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Ended {
  readonly code: number | null;
  readonly err: string;
}

function simtape(...words: string[]): { readonly child: ChildProcess; readonly ended: Promise<Ended>; err(): string } {
  const child = spawn(process.execPath, [MAIN, ...words], { stdio: ["ignore", "ignore", "pipe"], cwd: folder });
  running.push(child);
  let err = "";
  child.stderr.on("data", (data: Buffer) => {
    err += data.toString();
  });
  const ended = new Promise<Ended>((resolve) => child.once("close", (code) => resolve({ code, err })));
  return { child, ended, err: () => err };
}

/** The numbers of a recording, which must be sound. */
async function numbersIn(recording: Recording): Promise<number[]> {
  expect((await check(recording)).findings.filter(({ severity }) => severity === "damage")).toEqual([]);
  const numbers: number[] = [];
  for await (const batch of recording.batches()) {
    for (let i = 0; i < batch.length; i++) {
      const { schema } = recording.channels[batch.channel[i]!]!;
      const n = NANOVER.numberIn(schema.decode(batch.payload(i), batch.context));
      if (n !== null && n !== numbers.at(-1)) numbers.push(n);
    }
  }
  return numbers;
}

function expectRun(numbers: readonly number[]): void {
  expect(numbers).toEqual(numbers.map((_, i) => numbers[0]! + i));
}

/** Keeps what is written, write by write, and where flushes ended. */
class WatchedSink implements ByteSink {
  readonly name = "a.take";
  position = 0;
  readonly writes: Uint8Array[] = [];
  /** At each flush: how many writes it had behind it, and how many messages had arrived at the least. */
  readonly flushed: { readonly writes: number; readonly messages: number }[] = [];
  arrived = 0;

  write(bytes: Uint8Array): Promise<void> {
    this.position += bytes.length;
    this.writes.push(bytes.slice());
    return Promise.resolve();
  }

  writeAt(): Promise<void> {
    return Promise.reject(new Error("a journal only grows"));
  }

  flush(): Promise<void> {
    this.flushed.push({ writes: this.writes.length, messages: this.arrived });
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  abort(): Promise<void> {
    return Promise.resolve();
  }
}

describe("a recorder that ends between any two writes of its journal", () => {
  test("has left everything that was flushed, and nothing else than what was said", async () => {
    const sink = new WatchedSink();
    const stop = new AbortController();
    const feed = NANOVER.feed(source.port, 5000);
    const onStatus = ({ messages }: TakeStatus): void => {
      sink.arrived = messages;
    };
    const taking = recordTake(feed, sink, { signal: stop.signal, flushEvery: 20, onStatus });
    await expect.poll(() => sink.flushed.at(-1)?.messages ?? 0).toBeGreaterThan(10);
    stop.abort();
    await taking;
    let before = 0;
    for (let count = 1; count <= sink.writes.length; count++) {
      const whole = sink.writes.slice(0, count);
      const last = whole.at(-1)!;
      const flushed = (writes: number): number => sink.flushed.findLast((at) => at.writes <= writes)?.messages ?? 0;
      // the last write was cut in its middle, or is whole
      for (const [length, least] of [
        [last.length >> 1, flushed(count - 1)],
        [last.length, flushed(count)],
      ] as const) {
        const journal = Buffer.concat([...whole.slice(0, -1), last.subarray(0, length)]);
        const reader = await JournalReader.open(memory(new Uint8Array(journal), "a.take")).catch(() => null);
        if (reader === null) {
          expect(before + least).toBe(0);
          continue;
        }
        let messages = 0;
        await reader.visit({ message: () => messages++ });
        expect(messages).toBeGreaterThanOrEqual(Math.max(least, before));
        before = messages;
        const out = new MemoryFiles("a.nanover.zip");
        await finishTake(reader, nanover, out);
        await reader.close();
        await using recording = await open(filesBundle(out.files, out.name), { formats: [nanover], seekIndex: false });
        expectRun(await numbersIn(recording));
      }
    }
    expect(before).toBeGreaterThan(10);
  });
});

describe("the command", () => {
  test.each([150, 700, 1600])("killed %i ms after it began to record is recovered", async (after) => {
    const address = `ws://127.0.0.1:${source.port}`;
    const words = ["record", "--from", "nanover", address, "-o", "run.nanover.zip", "--flush-every", "50ms"];
    const recorder = simtape(...words);
    await expect.poll(recorder.err).toMatch(/recording the/);
    const first = said;
    await expect.poll(() => said).toBeGreaterThan(first + 20);
    await new Promise((resolve) => setTimeout(resolve, after));
    recorder.child.kill("SIGKILL");
    await recorder.ended;
    const { code, err } = await simtape("recover", "run.nanover.zip.take").ended;
    // a recorder that was killed before its first message was flushed has left nothing
    if (code === 1) expect(err).toMatch(/no journal|empty/);
    else {
      expect(code, err).toBe(0);
      await using recording = await open(fromFile(join(folder, "run.nanover.zip")), { formats: [nanover] });
      expectRun(await numbersIn(recording));
    }
  });

  test("whose source is gone and comes again ends with 3", async () => {
    const address = `ws://127.0.0.1:${source.port}`;
    const recorder = simtape("record", "--from", "nanover", address, "-o", "run.nanover.zip", "--duration", "20s");
    await expect.poll(recorder.err).toMatch(/recording the/);
    const first = said;
    await expect.poll(() => said).toBeGreaterThan(first + 100);
    await source.restart(1012);
    await expect.poll(() => said).toBeGreaterThan(first + 600);
    recorder.child.kill("SIGINT");
    const { code, err } = await recorder.ended;
    expect(code, err).toBe(3);
    expect(err).toMatch(/nothing from .* to .*code 1012/);
  });

  const canMount = process.platform === "linux" && process.getuid?.() === 0;
  test.skipIf(!canMount)("on a full disk says so once, and leaves what can be recovered (needs root)", async () => {
    const disk = join(folder, "disk");
    mkdirSync(disk);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", disk]);
    mounted.push(disk);
    const long = setInterval(() => source.sayLong(said++, 2000), 5);
    const address = `ws://127.0.0.1:${source.port}`;
    const path = join(disk, "run.nanover.zip");
    const { code, err } = await simtape(
      ...["record", "--from", "nanover", address, "-o", path, "--flush-every", "50ms"],
    ).ended;
    clearInterval(long);
    expect(code, err).toBe(1);
    expect(err.match(/is the disk full\?/g), err).toHaveLength(1);
    expect(err).toMatch(/simtape recover/);
    const out = join(folder, "saved.nanover.zip");
    const recovered = await simtape("recover", `${path}.take`, "-o", out).ended;
    expect(recovered.code, recovered.err).toBe(0);
    await using recording = await open(fromFile(out), { formats: [nanover] });
    expect((await numbersIn(recording)).length).toBeGreaterThan(5);
  });
});
