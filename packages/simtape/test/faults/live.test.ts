import { afterEach, describe, expect, test } from "vitest";
import { check, filesBundle, memory, MemoryFiles, open } from "../../src/index.ts";
import {
  type FinishReport,
  finishTake,
  type Gap,
  JournalReader,
  recordTake,
  type TakeReport,
  type TakeStatus,
} from "../../src/live/index.ts";
import { FaultProxy } from "../support/fault-proxy.ts";
import { type NumberedSource, type SourceKind, SOURCES } from "../support/live-sources.ts";

/** Milliseconds until a connection that stands still is given up. */
const TIMEOUT = 400;
/** Milliseconds of the source's clock between two numbers. */
const STEP = 10;

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A source behind a proxy, while it is recorded. */
interface Scene {
  readonly source: NumberedSource;
  readonly proxy: FaultProxy;
  /** The number that is said next; later ones follow. */
  next: number;
  /** Milliseconds that the source's clock is wrong. */
  clock: number;
  /** Resolves when so many more messages have been recorded. */
  more(count: number): Promise<void>;
  /** Resolves when the recorder connects again. */
  broken(): Promise<void>;
}

interface Outcome {
  readonly report: TakeReport;
  readonly finished: FinishReport;
  /** Numbers in the order of the recording, with their times. */
  readonly numbers: readonly { readonly n: number; readonly time: number }[];
}

/** Records a source until `act` is done with it, and finishes the recording, which must be sound. */
async function recorded(kind: SourceKind, act: (scene: Scene) => Promise<void>): Promise<Outcome> {
  const source = await kind.start();
  closing.push(() => source.close());
  const proxy = await FaultProxy.start(source.port);
  closing.push(() => proxy.close());
  const files = new MemoryFiles("a.take");
  const stop = new AbortController();
  let status: TakeStatus | null = null;
  const taking = recordTake(kind.feed(proxy.port, TIMEOUT), await files.open(), {
    ...{ signal: stop.signal, flushEvery: 50 },
    onStatus: (now) => {
      status = now;
    },
  });
  taking.catch(() => undefined);
  const messages = (): number => status?.messages ?? 0;
  const scene: Scene = {
    ...{ source, proxy, next: 0, clock: 0 },
    more: async (count) => {
      const before = messages();
      await expect.poll(messages).toBeGreaterThanOrEqual(before + count);
    },
    broken: () => expect.poll(() => status?.phase).toBe("reconnecting") as Promise<void>,
  };
  const speaking = setInterval(() => {
    source.say(scene.next, scene.next * STEP + scene.clock);
    scene.next++;
  }, STEP);
  try {
    await scene.more(5);
    await act(scene);
  } finally {
    clearInterval(speaking);
    stop.abort();
  }
  const report = await taking;
  return { report, ...(await read(kind, files.bytes)) };
}

async function read(kind: SourceKind, journal: Uint8Array): Promise<Pick<Outcome, "finished" | "numbers">> {
  const { format } = kind.feed(1, TIMEOUT);
  const reader = await JournalReader.open(memory(journal, "a.take"));
  const out = new MemoryFiles(`a.${format.extensions[0]!}`);
  const finished = await finishTake(reader, format, out);
  await reader.close();
  await using recording = await open(filesBundle(out.files, out.name), { formats: [format], seekIndex: false });
  expect((await check(recording)).findings.filter(({ severity }) => severity === "damage")).toEqual([]);
  const numbers: { n: number; time: number }[] = [];
  for await (const batch of recording.batches()) {
    for (let i = 0; i < batch.length; i++) {
      const channel = recording.channels[batch.channel[i]!]!;
      const n = kind.numberIn(channel.schema.decode(batch.payload(i), batch.context));
      if (n !== null && (numbers.at(-1)?.n !== n || numbers.at(-1)?.time !== batch.time[i]!))
        numbers.push({ n, time: batch.time[i]! });
    }
  }
  return { finished, numbers };
}

/** Every number was kept once, in order; what is missing lies in gaps, which begin and end at messages. */
function expectHonest({ numbers, report, finished }: Outcome): void {
  expect(finished.gaps).toEqual(report.gaps);
  const holes = numbers.slice(1).flatMap(({ n, time }, i) => {
    const before = numbers[i]!;
    expect(n).toBeGreaterThan(before.n);
    return n === before.n + 1 ? [] : [{ from: before.time, until: time }];
  });
  for (const { from, until } of holes)
    expect(report.gaps.some((gap: Gap) => isNear(gap.from, from) && isNear(gap.until, until))).toBe(true);
}

/** Formats keep times to a microsecond. */
function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1000;
}

describe.each(SOURCES)("a recorder of $name", (kind) => {
  test("finds a connection that stands still, and says what it missed", async () => {
    const outcome = await recorded(kind, async (scene) => {
      scene.proxy.stall();
      await scene.broken();
      await scene.more(5);
    });
    expectHonest(outcome);
    expect(outcome.report.gaps).toHaveLength(1);
    expect(outcome.report.gaps[0]!.reason).toMatch(/no answer for 0\.4 s/);
    // nothing came since the connection stood still, and not since that was found
    expect(outcome.report.gaps[0]!.until - outcome.report.gaps[0]!.from).toBeGreaterThan(TIMEOUT * 1e6);
  });

  test("connects again each time that the connection is cut", async () => {
    const outcome = await recorded(kind, async (scene) => {
      for (let n = 0; n < 3; n++) {
        scene.proxy.cut();
        await scene.broken();
        await scene.more(5);
      }
    });
    expectHonest(outcome);
    expect(outcome.report.gaps).toHaveLength(3);
    expect(outcome.report.failure).toBeNull();
  });

  test("loses the message in whose middle the connection is cut, and no other", async () => {
    const outcome = await recorded(kind, async (scene) => {
      // somewhere in the second message behind the greeting, and later in another
      for (const bytes of [700, 1111]) {
        scene.proxy.cutsAfter = bytes;
        scene.proxy.cut();
        await scene.broken();
        await scene.more(4);
        scene.proxy.cutsAfter = Number.POSITIVE_INFINITY;
        await scene.broken();
        await scene.more(4);
      }
    });
    expectHonest(outcome);
    expect(outcome.report.gaps.length).toBeGreaterThanOrEqual(4);
    expect(outcome.report.lost).toEqual([]);
  });

  test("has everything of a slow connection", async () => {
    const outcome = await recorded(kind, async (scene) => {
      scene.proxy.pace = 40;
      scene.proxy.cut();
      await scene.broken();
      await scene.more(20);
    });
    expectHonest(outcome);
    expect(outcome.report.gaps).toHaveLength(1);
    expect(outcome.report.lost).toEqual([]);
  });

  test("goes on when the source restarts", async () => {
    const outcome = await recorded(kind, async (scene) => {
      await scene.source.restart(1012);
      await scene.more(5);
    });
    expectHonest(outcome);
    expect(outcome.report.gaps).toHaveLength(1);
    expect(outcome.report.gaps[0]!.reason).toMatch(/code 1012/);
  });

  test("leaves out garbage, counts it, and outlives bytes that are no WebSocket", async () => {
    let garbage = 0;
    const outcome = await recorded(kind, async (scene) => {
      garbage = scene.source.sayGarbage();
      await scene.more(3);
      scene.proxy.inject(new Uint8Array(64).fill(0xff));
      await scene.broken();
      await scene.more(3);
    });
    expectHonest(outcome);
    const count = (lost: readonly { readonly count: number }[]): number =>
      lost.reduce((sum, one) => sum + one.count, 0);
    expect(count(outcome.report.lost)).toBe(garbage);
    expect(count(outcome.finished.lost)).toBe(garbage);
    expect(outcome.report.gaps).toHaveLength(1);
  });

  test("refuses a message of 100 MB, counts it, and goes on", async () => {
    const outcome = await recorded(kind, async (scene) => {
      scene.source.sayLong(scene.next, 100_000_000);
      await expect.poll(() => scene.proxy.passed).toBeGreaterThan(100_000_000);
      await scene.more(50);
    });
    expect(outcome.report.lost).toEqual([{ reason: "a message of more than 63 MiB", count: 1 }]);
    expect(outcome.numbers.every(({ n }, i) => i === 0 || n > outcome.numbers[i - 1]!.n)).toBe(true);
  });

  test("ends at once while the connection stands still", async () => {
    const outcome = await recorded(kind, async (scene) => {
      scene.proxy.stall();
      scene.proxy.isStalled = true;
      await scene.broken();
    });
    expect(outcome.numbers.length).toBeGreaterThan(0);
    // the gap has no end: nothing came any more
    expect(outcome.report.gaps).toEqual([]);
    expect(outcome.report.failure).toBeNull();
  });

  test.runIf(kind.hasClock)("keeps the times of a clock that falls back, and says that it did", async () => {
    const outcome = await recorded(kind, async (scene) => {
      scene.clock = -5000;
      await scene.more(10);
      scene.proxy.cut();
      scene.clock = -60_000;
      await scene.broken();
      await scene.more(5);
    });
    const { report, numbers } = outcome;
    expect(report.clockFalls).toBe(1);
    const sorted = [...numbers].sort((a, b) => a.n - b.n);
    const falls = sorted.slice(1).filter(({ time }, i) => time < sorted[i]!.time);
    expect(falls).toHaveLength(2);
    expect(report.gaps).toHaveLength(1);
    expect(report.gaps[0]!.until).toBe(report.gaps[0]!.from);
    expect(report.gaps[0]!.reason).toMatch(/clock then stood 5\d\.\d+ s further back/);
  });
});
