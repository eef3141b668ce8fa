import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { check, memoryStore, type Store } from "../../src/index.ts";
import { verify } from "../../src/record/compact/verify.ts";
import { LineError, LineProtocol } from "../../src/record/lines/line-protocol.ts";
import { recordingBundle } from "../../src/record/live/existing.ts";
import { RECORDING_PROFILES } from "../../src/record/live/profile.ts";
import { record } from "../../src/record/live/recorder.ts";
import { recover } from "../../src/record/live/recover.ts";
import { tries } from "../soak.ts";
import { copied, MemoryJournal } from "./memory-journal.ts";
import { Dice, session } from "./session-lines.ts";
import { expectSame, SessionModel } from "./session-model.ts";
import { openRecording, turn } from "./walk.ts";

/** Sessions in the long run. */
const SOAK = Number(process.env["SESSIONS"] ?? 100_000);

const LINE_END = Uint8Array.of(0x0a);

/** What came of a session's lines: each was taken, or is among the skipped. */
interface Fed {
  readonly into: LineProtocol;
  readonly store: Store;
  readonly journal: MemoryJournal;
  readonly model: SessionModel;
  readonly kind: "world" | "states";
  /** Lets time go by. */
  readonly wait: (milliseconds: number) => void;
}

/** Feeds a session line by line, while the clock goes on; `between` is called behind each line. */
async function fed(
  seed: number,
  length: number,
  isLenient: boolean,
  to: Store,
  between?: (into: LineProtocol) => Promise<boolean>,
): Promise<Fed> {
  const { lines } = session(seed, length);
  const dice = new Dice(seed ^ 0x5eed);
  const store = to;
  const journal = new MemoryJournal();
  const model = new SessionModel();
  const skipped: LineError[] = [];
  let time = 0;
  let kind: "world" | "states" = "world";
  const every = dice.of([0, 300, 30_000]);
  const profile = dice.of(RECORDING_PROFILES.filter((name) => name !== "ghost"));
  const into = new LineProtocol({
    open: (header) =>
      record(store, {
        id: "run",
        now: () => 0,
        elapsed: () => time,
        profile,
        journal,
        commit: { every },
        limits: { ticks: 2 ** 31 - 1 },
        ...header,
      }),
    now: () => time,
    skipped: isLenient ? (error) => skipped.push(error) : undefined,
  });
  let fault: LineError | null = null;
  for (const [n, line] of lines.entries()) {
    const cut = dice.is(0.1) ? dice.below(line.length) : 0;
    try {
      if (cut > 0) await into.feed(line.subarray(0, cut));
      await into.feed(line.subarray(cut));
      await into.feed(LINE_END);
    } catch (error) {
      expect(error).toBeInstanceOf(LineError);
      fault = error as LineError;
    }
    const bad = fault ?? skipped.find((one) => one.line === n + 1);
    if (bad === undefined) {
      const text = new TextDecoder().decode(line);
      if (/^\s*\{\s*"(set|sets|entities)"|"simtape".*"sets"/s.test(text)) kind = "states";
      model.take(text);
    } else expect(bad.line).toBe(n + 1);
    if (fault !== null || into.ended !== null) break;
    time += dice.below(200);
    if (dice.is(0.3)) into.poll();
    if (dice.is(0.3)) await turn();
    if (between !== undefined && into.recorder !== null && !(await between(into))) break;
  }
  expect(skipped.length).toBe(into.skipped);
  expect(new Set(skipped.map(({ line }) => line)).size).toBe(skipped.length);
  const wait = (milliseconds: number): void => {
    time += milliseconds;
  };
  return { into, store, journal, model, kind, wait };
}

async function expectSound(store: Store, what: string): Promise<void> {
  await using recording = await openRecording(store, "run");
  expect((await check(recording)).findings, what).toEqual([]);
  const verified = await verify(recordingBundle(store, "run"));
  expect(verified.findings, what).toEqual([]);
  expect(verified).toMatchObject({ status: "sound", snapshotsDiffering: 0, isFinished: true });
}

const seeds = fc.record({
  seed: fc.noShrink(fc.integer()),
  length: fc.integer({ min: 1, max: 60 }),
  isLenient: fc.boolean(),
});

describe("any session of lines, right, wrong or hostile,", () => {
  test("ends in a sound recording of exactly the lines that were taken; each other costs itself only", async () => {
    const property = fc.asyncProperty(seeds, async ({ seed, length, isLenient }) => {
      const { into, store, model, kind } = await fed(seed, length, isLenient, memoryStore());
      if (into.recorder === null) return;
      into.settle();
      await into.recorder.close({ outcome: into.ended ?? "abandoned" });
      await expectSound(store, `seed ${seed}`);
      await using recording = await openRecording(store, "run");
      const { count } = (await recording.timeline()).tick!;
      expect([model.tick, model.tick + 1]).toContain(count);
      await expectSame(recording, model, kind, model.tick + 1);
    });
    await fc.assert(property, { numRuns: tries(60, SOAK), seed: Number(process.env["SESSIONS_SEED"] ?? 14) });
  });

  test("leaves whole ticks, when the recorder dies anywhere in it, and with a journal all that were over", async () => {
    const property = fc.asyncProperty(seeds, fc.nat(60), async ({ seed, length }, death) => {
      let left = death;
      const { into, store, journal, model, kind, wait } = await fed(
        seed,
        length,
        true,
        slow(memoryStore()),
        async () => left-- > 0,
      );
      if (into.recorder === null) return;
      let until = 0;
      if (seed % 2 === 0) {
        // what is on its way arrives, and the journal is due; a chunk that ends just then is compressed first
        for (let n = 0; n < 60; n++) {
          await turn();
          if (n % 20 === 0) wait(600);
          if (n % 20 === 0) into.recorder.poll();
        }
        until = into.recorder.tick;
      }
      const dead = await copied(store);
      const own = new MemoryJournal();
      own.bytes = journal.bytes;
      // the last write may be cut
      if (until === 0 && own.bytes !== null)
        own.bytes = own.bytes.subarray(0, own.bytes.length - new Dice(seed).below(60));
      await into.recorder.abort();
      const report = await recover(dead, "run", { journal: own });
      await expectSound(dead, `seed ${seed}`);
      expect(report.ticks).toBeLessThanOrEqual(into.recorder.tick);
      await using recording = await openRecording(dead, "run");
      await expectSame(recording, model, kind, Math.max(until, report.ticks));
    });
    await fc.assert(property, { numRuns: tries(40, SOAK / 5), seed: Number(process.env["SESSIONS_SEED"] ?? 15) });
  });
});

/** Everything takes a while, so that the recorder may die between a segment and its metadata. */
function slow(store: Store): Store {
  const put: Store["put"] = async (...words) => {
    await turn();
    const etag = await store.put(...words);
    await turn();
    return etag;
  };
  return new Proxy(store, {
    get: (target, name) => {
      if (name === "put") return put;
      const member = Reflect.get(target, name) as unknown;
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
