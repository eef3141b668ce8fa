import fc from "fast-check";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { matching } from "../../src/cli/glob.ts";
import { loadZstd } from "../../src/codec/zstd.ts";
import { FORMATS } from "../../src/formats.ts";
import { MemoryFiles } from "../../src/io/sink.ts";
import { Findings } from "../../src/model/error.ts";
import { openBundle } from "../../src/model/open.ts";
import { Recording } from "../../src/model/recording.ts";
import type { State } from "../../src/model/state.ts";
import type { Value } from "../../src/model/value.ts";
import { applyEdits } from "../../src/ops/edit/apply.ts";
import type { Operation } from "../../src/ops/edit/list.ts";
import type { Removed } from "../../src/ops/edit/redact.ts";
import { refuseTexts } from "../../src/ops/edit/scan.ts";
import { writeEdited } from "../../src/ops/edit/write.ts";
import { check } from "../../src/ops/check.ts";
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
  readonly files: Readonly<Record<string, Uint8Array>>;
  readonly written: Recording;
  readonly removed: Removed;
  readonly edited: Recording;
}

async function redacted(of: SoundRecording, operation: Operation): Promise<Redacted> {
  const source = await openBundle(of.bundle(), FORMATS);
  const writing = await FORMATS.find(({ id }) => id === of.format)!.writing!();
  let removed: Removed = { said: new Set(), gone: new Set() };
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
  await writeEdited(reader, writing, files, { without: removed });
  const all = { [files.name]: files.bytes, ...Object.fromEntries(files.files) };
  const written = await openBundle(bundleOfFiles(all), FORMATS);
  return { files: all, written, removed, edited: new Recording(reader, new Findings()) };
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
  return Buffer.concat(parts);
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
  await using source = await openBundle(of.bundle(), FORMATS);
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
): Promise<Extract<Operation, { op: "redact" }>> {
  await using source = await openBundle(of.bundle(), FORMATS);
  const statistics = await source.statistics();
  const busy = source.channels
    .filter(({ id, name }) => statistics[id]!.messages > 0 && !name.startsWith("frame-"))
    .map(({ name }) => name);
  const channels = [...new Set(pick.map((n) => busy[n % busy.length]!))];
  if (isAll) return { op: "redact", channels };
  const { start, end, tick } = await source.timeline();
  const step = tick?.duration ?? 1;
  const at = (part: number): number => Math.round((start + ((end - start) * part) / 1000) / step) * step;
  const from = at(Math.min(a, b));
  const until = Math.max(from + step, at(Math.max(a, b) + 1));
  return { op: "redact", channels, from, until };
}

function isOutOf({ channels, from = -Infinity, until = Infinity }: Extract<Operation, { op: "redact" }>) {
  return (name: string, time: number): boolean => channels.includes(name) && time >= from && time < until;
}

async function expectGone(of: SoundRecording, by: Choice): Promise<void> {
  const operation = await chosen(of, by);
  const result = await redacted(of, operation);
  const bytes = await inflated(result);
  const [out, kept] = await wordsOf(of, isOutOf(operation));
  const held = [...kept].join("\n");
  for (const word of out) {
    if (word.length < 4 || held.includes(word)) continue;
    // what names of channels and the metadata say of the recording as a whole is no message's
    if (result.written.channels.some(({ name, schema }) => `${name} ${schema.name}`.includes(word))) continue;
    expect(bytes.includes(word, 0, "utf8"), `${word} is left, without ${JSON.stringify(operation)}`).toBe(false);
    expect(bytes.includes(word, 0, "utf16le"), `${word} is left as UTF-16`).toBe(false);
  }
  await refuseTexts(result.written, bundleOfFiles(result.files), [], result.removed.gone);
  expect((await check(result.written)).status).toBe("sound");
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

async function expectSameOutside(of: SoundRecording, by: Choice): Promise<void> {
  const operation = await chosen(of, { ...by, isAll: false });
  const { written, edited, removed } = await redacted(of, operation);
  if (removed.gone.size > 0) return;
  // what pilots and properties say stands alone
  if (of.format === "flightgear" && operation.channels.some((name) => name !== "signals")) return;
  await using source = await openBundle(of.bundle(), FORMATS);
  const { end } = await source.timeline();
  const { from, until } = operation as { from: number; until: number };
  // between two messages of motion there is interpolation, also with those taken out; what is whole comes with its next
  const { state } = source.reader;
  const hit = source.channels.filter(({ name }) => operation.channels.includes(name)).map(({ id }) => id);
  const waiting = new Set(hit.filter((id) => state.replacesState(id)));
  const times: number[] = [];
  for await (const batch of source.batches()) {
    for (let i = 0; i < batch.length; i++) {
      const time = batch.time[i]!;
      if (time >= until) waiting.delete(batch.channel[i]!);
      const isCompared = of.format === "hcrp" || batch.channel[i] === state.motion || state.motion === null;
      if (isCompared && (time < from || (time >= until && waiting.size === 0))) times.push(time);
    }
  }
  if (until <= end && of.format === "hcrp") times.push(until);
  const some = [...new Set(times)].filter((time, i, all) => i % Math.ceil(all.length / 12) === 0 || time === until);
  for (const time of some) {
    const expected = held(await source.state(time));
    for (const other of [edited, written]) {
      const found = held(await other.state(time));
      expect(found, `${other === edited ? "edited" : "written"} at ${time}, ${JSON.stringify(operation)}`).toEqual(
        expected,
      );
    }
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
