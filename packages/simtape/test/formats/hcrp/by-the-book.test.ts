import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { matching } from "../../../src/cli/input/glob.ts";
import { TICK } from "../../../src/formats/hcrp/layout/framing.ts";
import { writing } from "../../../src/formats/hcrp/writing.ts";
import {
  applyEdits,
  check,
  convert,
  MemoryFiles,
  open as openRecording,
  type Operation,
  type Reader,
  type Recording,
  repair,
  rewrite,
  writeEdited,
} from "../../../src/index.ts";
import { loadZstd } from "../../../src/kit.ts";
import { compact } from "../../../src/record/index.ts";
import { bundleOfFiles } from "../../conformance/mutate.ts";
import { compacted } from "../../fixtures/hcrp/recording.ts";
import { wildContent } from "../../record/wild.ts";
import { tries } from "../../soak.ts";
import { BookReader, type BookState } from "../../support/hcrp-by-the-book.ts";

const fixture = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`../../fixtures/${name}`, import.meta.url)));

const zstd = await loadZstd();
const race = fixture("hcrp/tower-race.hcrp");

function open(bytes: Uint8Array): Promise<Recording> {
  return openRecording(bundleOfFiles({ "a.hcrp": bytes }));
}

const book = (bytes: Uint8Array): BookReader =>
  BookReader.open(bytes, (frame, size) => zstd.decompress(frame, { size, allowUnknownSize: true }));

function statesOf(bytes: Uint8Array): BookState[] {
  const reader = book(bytes);
  const states = [...reader.states()];
  // none of those that the specification lets a reader pass over, but for what hosts wrote
  expect([...reader.passed.keys()].filter((type) => type < 64 && type !== 40)).toEqual([]);
  expect(states.length).toBe(reader.ticks);
  return states;
}

async function edited(bytes: Uint8Array, operations: readonly Operation[]): Promise<Uint8Array> {
  const context = {
    writing,
    matching,
    open: async (name: string): Promise<Reader> => (await open(others.get(name)!)).reader,
  };
  const { reader } = await applyEdits((await open(bytes)).reader, { version: 1, operations }, context);
  const files = new MemoryFiles("a.hcrp");
  await writeEdited(reader, writing, files);
  return files.bytes;
}

const others = new Map<string, Uint8Array>();

async function rewritten(bytes: Uint8Array): Promise<Uint8Array> {
  const files = new MemoryFiles("a.hcrp");
  await rewrite(await open(bytes), writing, files);
  return files.bytes;
}

async function repaired(bytes: Uint8Array): Promise<Uint8Array> {
  const files = new MemoryFiles("a.hcrp");
  await repair(await open(bytes), bundleOfFiles({ "a.hcrp": bytes }), writing, files, (written) =>
    openRecording(written),
  );
  return files.bytes;
}

async function compactedOf(bytes: Uint8Array): Promise<Uint8Array> {
  const files = new MemoryFiles("a.hcrp");
  await compact(bundleOfFiles({ "a.hcrp": bytes }), files, { level: 3 });
  return files.bytes;
}

/** What a snapshot holds: where compaction leaves one out, the rest is known from before. */
function scene({ bodies, blocks, world }: BookState): unknown {
  const kept = Object.entries(bodies).map(([id, body]) => {
    const {
      vitals: _,
      view: _1,
      seat: _2,
      effects: _3,
      head: _4,
      position: _5,
      ...rest
    } = body as Record<string, unknown>;
    return [id, rest];
  });
  return { bodies: Object.fromEntries(kept), blocks, world };
}

/** Where simtape sees things, and which blocks. */
async function seen(bytes: Uint8Array, tick: number): Promise<unknown> {
  await using recording = await open(bytes);
  const { sets } = await recording.state(tick * TICK);
  const bodies: Record<string, unknown> = {};
  for (const name of ["players", "entities"]) {
    const { ids, columns } = sets.get(name)!;
    const position = columns.get("position")!.data as Float64Array;
    ids.forEach((id, row) => {
      bodies[String(id)] = Array.from(position.subarray(3 * row, 3 * row + 3), placed);
    });
  }
  const { ids, columns } = sets.get("blocks")!;
  const kinds = (columns.get("kind")?.data ?? []) as readonly string[];
  const blocks = ids.map((id, row) => [String(id), kinds[row]] as const);
  return { bodies, blocks: Object.fromEntries(blocks.sort(([a], [b]) => (a < b ? -1 : 1))) };
}

/** Who only joined is nowhere: the book has no word for that. */
function placed(part: number): number {
  return Number.isNaN(part) ? 0 : part + 0;
}

/** As `toEqual`, which takes its time, and says at which tick. */
function same(found: readonly unknown[], expected: readonly unknown[]): void {
  found.forEach((state, tick) => {
    if (JSON.stringify(state) !== JSON.stringify(expected[tick])) expect(state, `tick ${tick}`).toEqual(expected[tick]);
  });
}

function reported({ bodies, blocks }: BookState): unknown {
  const places = Object.entries(bodies).map(([id, body]) => [
    id,
    (body as { position: number[] }).position.map(placed),
  ]);
  return { bodies: Object.fromEntries(places), blocks };
}

const source = fc
  .integer({ min: -3, max: 1 << 20 })
  .map((seed) => (seed < 0 ? race : compacted(zstd, wildContent(seed), { level: 1 })));

describe("a reader that knows only the specification", () => {
  test("sees what simtape sees", async () => {
    await fc.assert(
      fc.asyncProperty(source, fc.nat(), async (bytes, at) => {
        const states = statesOf(bytes);
        const tick = at % states.length;
        expect(reported(states[tick]!)).toEqual(await seen(bytes, tick));
      }),
      { numRuns: tries(5, 50_000) },
    );
  });

  test("sees in a cut what it sees in the whole, also when it is laid out again, compacted and joined", async () => {
    await fc.assert(
      fc.asyncProperty(source, fc.nat(), fc.nat(), async (bytes, a, b) => {
        const whole = statesOf(bytes);
        const [from, until] = [a % (whole.length - 1), (b % whole.length) + 1].sort((x, y) => x - y) as [
          number,
          number,
        ];
        if (from === until) return;
        const range = { from: from * TICK, until: until * TICK };
        const trimmed = await edited(bytes, [{ op: "trim", ...range }]);
        const expected = whole.slice(from, until);
        const states = statesOf(trimmed);
        // a chunk that is whole keeps its last ticks, in which nothing happens
        const last = expected.at(-1)!;
        same(
          states,
          states.map((_, tick) => expected[tick] ?? last),
        );
        const tick = b % Math.min(states.length, expected.length);
        expect(await seen(trimmed, tick)).toEqual(reported(expected[tick]!));
        same(statesOf(await rewritten(trimmed)), states);
        const merged = statesOf(await compactedOf(trimmed));
        same(merged.map(scene), states.map(scene));
        others.set("b", bytes);
        const joined = statesOf(
          await edited(bytes, [
            { op: "trim", ...range },
            { op: "join", files: ["b"] },
          ]),
        );
        same(joined.slice(-whole.length), whole);
        const both = Math.min(states.length, expected.length);
        same(joined.slice(0, both), states);
      }),
      { numRuns: tries(4, 50_000) },
    );
  });
});

describe("a recording whose cut tells displacements with an event of simtape's own", () => {
  const old = fixture("hcrp/cut-63.hcrp");
  const from = 12_350 / 50;

  test("is read, and judged with a warning", async () => {
    await using recording = await open(old);
    const whole = statesOf(race);
    for (const tick of [0, 1, 20, 100, 272]) expect(await seen(old, tick)).toEqual(reported(whole[from + tick]!));
    const { status, findings } = await check(recording);
    expect(status).toBe("sound");
    expect(findings.map(({ code, severity }) => `${severity} ${code}`)).toEqual(["warning private-event"]);
  });

  test.each([
    ["copied again", rewritten],
    ["repaired", repaired],
    ["compacted", compactedOf],
    ["trimmed", (bytes: Uint8Array) => edited(bytes, [{ op: "trim", until: 200 * TICK }])],
  ])("is without it when it is %s", async (_, made) => {
    const wrong = [...book(old).states()];
    const whole = statesOf(race);
    expect(wrong[5]).not.toEqual(whole[from + 5]);
    const bytes = await made(old);
    const states = statesOf(bytes);
    same(states.map(scene), whole.slice(from).map(scene));
    await using recording = await open(bytes);
    expect((await check(recording)).findings).toEqual([]);
  });

  test("keeps what it carries of another format", async () => {
    const tape = await openRecording(bundleOfFiles({ "p.tape": fixture("mira/patrol.tape") }));
    const files = new MemoryFiles("a.hcrp");
    await convert(tape, writing, files);
    await using whole = await open(files.bytes);
    const carried = fixture("hcrp/carried-63.hcrp");
    for (const make of [rewritten, compactedOf]) {
      const bytes = await make(carried);
      statesOf(bytes);
      await using recording = await open(bytes);
      for (const tick of [0, 1, 40, 200, 452]) {
        const [state, expected] = [await recording.state(tick * TICK), await whole.state((tick + 27) * TICK)];
        expect(Object.fromEntries(state.values)).toEqual(Object.fromEntries(expected.values));
        expect(Object.fromEntries(state.sets)).toEqual(Object.fromEntries(expected.sets));
      }
    }
  });
});
