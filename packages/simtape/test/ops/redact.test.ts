import fc from "fast-check";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { toJson } from "../../src/cli/command.ts";
import { matching } from "../../src/cli/input/glob.ts";
import { FORMATS, MemoryFiles, MutableState, open, Recording, type State, type Value } from "../../src/index.ts";
import { loadZstd } from "../../src/kit.ts";
import { Findings } from "../../src/model/error.ts";
import { applyEdits } from "../../src/ops/edit/apply.ts";
import type { Operation } from "../../src/ops/edit/list.ts";
import type { Removed } from "../../src/ops/edit/redact.ts";
import { mustBeWithout } from "../../src/ops/edit/scan.ts";
import { writeEdited } from "../../src/ops/edit/write.ts";
import { bundleOfFiles } from "../conformance/mutate.ts";
import { compacted } from "../fixtures/hcrp/recording.ts";
import { wildContent } from "../record/wild.ts";
import { tries } from "../soak.ts";
import { SOUND, type SoundRecording } from "../specimens.ts";
import { BookReader } from "../support/hcrp-by-the-book.ts";

const zstd = await loadZstd();

const wild = fc.integer({ min: 0, max: 1 << 20 }).map((seed): SoundRecording => {
  const bytes = compacted(zstd, wildContent(seed), { level: 1 });
  return {
    name: `seed ${seed}`,
    format: "hcrp",
    files: { "w.hcrp": bytes },
    bundle: () => bundleOfFiles({ "w.hcrp": bytes }),
  };
});

interface Redacted {
  readonly source: Recording;
  readonly files: Readonly<Record<string, Uint8Array>>;
  readonly written: Recording;
  readonly removed: Removed;
  readonly edited: Recording;
}

async function redacted(of: SoundRecording, operation: Operation): Promise<Redacted> {
  const source = await open(of.bundle());
  const writing = await FORMATS.find(({ id }) => id === of.format)!.writing!();
  let removed: Removed | null = null;
  const { reader } = await applyEdits(
    source.reader,
    { version: 1, operations: [operation] },
    {
      writing,
      matching,
      open: () => Promise.reject(new Error("not asked for")),
      removed: (found) => {
        removed = found;
      },
    },
  );
  const files = new MemoryFiles(Object.keys(of.files)[0]!);
  if (removed === null) throw new Error("nothing was said to be taken out");
  await writeEdited(reader, writing, files, { without: removed });
  const all = { [files.name]: files.bytes, ...Object.fromEntries(files.files) };
  const written = await open(bundleOfFiles(all));
  return { source, files: all, written, removed, edited: new Recording(reader, new Findings()) };
}

/** All that is in the files, inflated. */
async function inflated({ files, written }: Redacted): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for (const bytes of Object.values(files)) {
    parts.push(bytes);
    if (bytes[0] === 0x1f && bytes[1] === 0x8b) parts.push(gunzipSync(bytes));
    if (bytes[0] === 0x48 && bytes[4] === 1) {
      const book = BookReader.open(bytes, (frame, size) => zstd.decompress(frame, { size, allowUnknownSize: true }));
      parts.push(...book.chunks.map(({ raw }) => raw));
    }
  }
  for await (const batch of written.batches()) parts.push(batch.bytes);
  for await (const records of written.records()) parts.push(...records.map(({ bytes: own }) => own));
  return Buffer.concat(parts);
}

/** Payloads of the messages that are taken out and of those that are kept, as the source has them. */
async function payloadsOf(of: SoundRecording, isOut: (name: string, time: number) => boolean): Promise<Buffer[][]> {
  const [out, kept]: Buffer[][] = [[], []];
  await using source = await open(of.bundle());
  for await (const batch of source.batches())
    for (let i = 0; i < batch.length; i++) {
      const { name } = source.channels[batch.channel[i]!]!;
      // entries of palettes are there for others
      const isTaken = isOut(name, batch.time[i]!) && !(of.format === "hcrp" && name === "palette-add");
      (isTaken ? out! : kept!).push(Buffer.from(batch.payload(i)));
    }
  return [out!, kept!];
}

/** Bytes below which others are the same by chance. */
const TELLING = 10;

/** Of payloads, those that no bytes of the messages which are kept hold. */
function onlyIn(out: readonly Buffer[], kept: readonly Buffer[]): Buffer[] {
  const held = Buffer.concat(kept as Buffer[]);
  const telling = new Map(out.filter(({ length }) => length >= TELLING).map((one) => [one.toString("latin1"), one]));
  return [...telling.values()].filter((one) => !held.includes(one));
}

/** Words of any value; of what is kept names of members as well. */
function words(value: Value, into: Set<string>, hasNames: boolean): Set<string> {
  if (typeof value === "string") into.add(value);
  else if (Array.isArray(value)) for (const item of value as readonly Value[]) words(item, into, hasNames);
  else if (typeof value === "object" && value !== null && !ArrayBuffer.isView(value))
    for (const [key, item] of Object.entries(value)) words(item as Value, hasNames ? into.add(key) : into, hasNames);
  return into;
}

/** Words of the messages that are taken out, and of those that are kept, by a way of their own. */
async function wordsOf(
  of: SoundRecording,
  isOut: (name: string, time: number) => boolean,
): Promise<[Set<string>, Set<string>]> {
  const [out, kept] = [new Set<string>(), new Set<string>()];
  await using source = await open(of.bundle());
  for await (const batch of source.batches()) {
    for (let i = 0; i < batch.length; i++) {
      const { name, schema } = source.channels[batch.channel[i]!]!;
      // entries of palettes are there for others
      if (of.format === "hcrp" && name === "palette-add") continue;
      let value = schema.decode(batch.payload(i), batch.context);
      if (of.format === "hcrp" && name === "snapshot") value = { ...(value as object), palettes: null };
      const isKept = !isOut(name, batch.time[i]!);
      words(value, isKept ? kept : out, isKept);
    }
  }
  return [out, kept];
}

const choice = fc.record({
  pick: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
  a: fc.nat(1000),
  b: fc.nat(1000),
  isAll: fc.boolean(),
});
type Choice = typeof choice extends fc.Arbitrary<infer T> ? T : never;

/** Channels that have messages, and a range on the format's own steps. */
async function chosen(
  of: SoundRecording,
  { pick, a, b, isAll }: Choice,
): Promise<Extract<Operation, { op: "redact" }> | null> {
  await using source = await open(of.bundle());
  const statistics = await source.statistics();
  const busy = source.channels
    // frames cannot be without their start and end: see below
    .filter(({ id, name }) => statistics[id]!.messages > 0 && !name.startsWith("frame-"))
    .map(({ name }) => name);
  const channels = [...new Set(pick.map((n) => busy[n % busy.length]!))];
  if (isAll) return { op: "redact", channels };
  const { start, end, tick } = await source.timeline();
  const step = tick?.duration ?? 1;
  const at = (part: number): number => Math.round((start + ((end - start) * part) / 1000) / step) * step;
  const from = at(Math.min(a, b));
  const until = Math.max(from + step, at(Math.max(a, b) + 1));
  const operation = { op: "redact", channels, from, until } as const;
  // a range in which there is nothing is refused: see below
  const times = await linesOf(source, of, (name, time) => !isOutOf(operation)(name, time), []);
  return times.length === 0 ? null : operation;
}

function isOutOf({ channels, from = -Infinity, until = Infinity }: Extract<Operation, { op: "redact" }>) {
  return (name: string, time: number): boolean => channels.includes(name) && time >= from && time < until;
}

async function expectGone(of: SoundRecording, by: Choice): Promise<void> {
  const operation = await chosen(of, by);
  if (operation === null) return;
  const result = await redacted(of, operation);
  const bytes = await inflated(result);
  const isOut = isOutOf(operation);
  const reported = JSON.stringify(operation);
  const [out, kept] = await wordsOf(of, isOut);
  const held = [...kept].join("\n");
  for (const word of out) {
    if (word.length < 4 || held.includes(word)) continue;
    // what names of channels and the metadata say of the recording as a whole is no message's
    if (result.written.channels.some(({ name, schema }) => `${name} ${schema.name}`.includes(word))) continue;
    expect(bytes.includes(word, 0, "utf8"), `${word} is left, without ${reported}`).toBe(false);
    expect(bytes.includes(word, 0, "utf16le"), `${word} is left as UTF-16`).toBe(false);
  }
  const [outPayloads, keptPayloads] = await payloadsOf(of, isOut);
  for (const payload of onlyIn(outPayloads!, keptPayloads!))
    expect(bytes.includes(payload), `${payload.toString("hex").slice(0, 60)} is left, without ${reported}`).toBe(false);
  await mustBeWithout(result.written, bundleOfFiles(result.files), [], result.removed, []);
  expect(await linesOf(result.written, of, () => false), reported).toEqual(await linesOf(result.source, of, isOut));
}

/** What a format's writer makes itself: clocks and ends of frames, palettes, snapshots with their palettes. */
const OWN: Readonly<Record<SoundRecording["format"], readonly string[]>> = {
  carla: ["frame-start", "frame-end"],
  hcrp: ["snapshot", "palette-add", "extension", "simtape:original"],
  flightgear: [],
  mcap: [],
  mira: [],
  nanover: [],
};
/** All messages but those that are out; with what they say, but for HCRP's, which have numbers for names: see below. */
async function linesOf(
  recording: Recording,
  of: SoundRecording,
  isOut: (name: string, time: number) => boolean,
  own: readonly string[] = OWN[of.format],
): Promise<string[]> {
  const lines: string[] = [];
  for await (const batch of recording.batches())
    for (let i = 0; i < batch.length; i++) {
      const { name, schema } = recording.channels[batch.channel[i]!]!;
      const time = batch.time[i]!;
      if (own.includes(name) || isOut(name, time)) continue;
      const said = of.format === "hcrp" ? "" : toJson(schema.decode(batch.payload(i), batch.context));
      lines.push(`${time} ${name} ${said}`);
    }
  return lines;
}

/** What holds, by path; chat and marks have happened, and CARLA's frames are numbered by whom writes them. */
function held({ values, sets }: State): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const [path, value] of values)
    if (!/^(?:chat|mark|frame|frame-duration|frame\.index)$/.test(path)) found[path] = value;
  for (const [name, { ids, columns }] of sets) {
    if (ids.length === 0) continue;
    found[name] = { ids, columns: Object.fromEntries(columns) };
  }
  return found;
}

/** Folds what is kept of a format whose messages stand alone, up to `time`, by hand. */
async function keptState(
  source: Recording,
  isOut: (name: string, time: number) => boolean,
  time: number,
): Promise<Record<string, unknown>> {
  const state = new MutableState();
  const model = source.reader.state;
  model.begin?.(state);
  for await (const batch of source.reader.batches({ end: time + 1 }))
    for (let i = 0; i < batch.length; i++)
      if (!isOut(source.channels[batch.channel[i]!]!.name, batch.time[i]!)) model.apply(state, batch, i);
  state.time = time;
  return held(state.freeze());
}

/** Where HCRP's state says that a thing is. */
function placeOf(state: State, id: number): unknown {
  for (const { ids, columns } of state.sets.values()) {
    const row = ids.indexOf(id);
    const position = columns.get("position");
    if (row >= 0 && position !== undefined) return Array.from({ length: 3 }, (_, k) => position.data[3 * row + k]);
  }
  return null;
}

async function expectSameOutside(of: SoundRecording, by: Choice): Promise<void> {
  const operation = await chosen(of, { ...by, isAll: false });
  if (operation === null) return;
  const { written, edited, source } = await redacted(of, operation);
  const isOut = isOutOf(operation);
  const { from, until } = operation as { from: number; until: number };
  const { motion } = source.reader.state;
  const times: number[] = [];
  const moved: { time: number; entity: number }[] = [];
  for await (const batch of source.batches()) {
    for (let i = 0; i < batch.length; i++) {
      const time = batch.time[i]!;
      const channel = source.channels[batch.channel[i]!]!;
      if (time < from || (time >= until && of.format !== "hcrp")) {
        if (of.format === "hcrp" || batch.channel[i] === motion || motion === null) times.push(time);
      } else if (time >= until && channel.name === "move" && !isOut(channel.name, time))
        moved.push({ time, ...(channel.schema.decode(batch.payload(i), batch.context) as { entity: number }) });
    }
  }
  const reported = JSON.stringify(operation);
  const few = <T>(all: readonly T[], count: number): T[] =>
    all.filter((_, i) => i % Math.ceil(all.length / count) === 0 || i === all.length - 1);
  for (const time of few([...new Set(times)], 12)) {
    const expected = time < from ? held(await source.state(time)) : await keptState(source, isOut, time);
    for (const other of [edited, written])
      expect(
        held(await other.state(time)),
        `${other === edited ? "edited" : "written"} at ${time}, ${reported}`,
      ).toEqual(expected);
  }
  for (const { time, entity } of few(moved, 12)) {
    const found = placeOf(await written.state(time), entity);
    // a thing of which nothing that is kept says where it is has no place
    if (found !== null && !operation.channels.some((name) => /spawn|join|snapshot|place|remove|leave/.test(name)))
      expect(found, `${entity} at ${time}, ${reported}`).toEqual(placeOf(await source.state(time), entity));
  }
}

describe.each(SOUND)("$format $name, redacted,", (of) => {
  test("has nothing of what was taken out, wherever it stood", async () => {
    await fc.assert(
      fc.asyncProperty(choice, (by) => expectGone(of, by)),
      { numRuns: tries(2, 2000) },
    );
  });
  test("holds outside the range what it held", async () => {
    await fc.assert(
      fc.asyncProperty(choice, (by) => expectSameOutside(of, by)),
      { numRuns: tries(2, 2000) },
    );
  });
});

describe("random HCRP, redacted,", () => {
  test("has nothing of what was taken out, wherever it stood", async () => {
    await fc.assert(
      fc.asyncProperty(wild, choice, (of, by) => expectGone(of, by)),
      { numRuns: tries(6, 50_000) },
    );
  });
  test("holds outside the range what it held", async () => {
    await fc.assert(
      fc.asyncProperty(wild, choice, (of, by) => expectSameOutside(of, by)),
      { numRuns: tries(6, 50_000) },
    );
  });
});
