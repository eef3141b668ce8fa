import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CORPUS_FORMATS } from "../../../scripts/make-corpus.ts";
import {
  type Dissector,
  type Field,
  fieldText,
  MORE_FIELDS,
  type NativeRecord,
  open,
  type Recording,
} from "../src/index.ts";
import { bundleOfFiles } from "./conformance/mutate.ts";
import { everyRecording } from "./recordings.ts";
import { tries } from "./soak.ts";
import { SOUND } from "./specimens.ts";

const CASES = await everyRecording();

/** Records of a kind, and messages of a channel, that are looked at: some from the beginning, then ever fewer. */
const FIRST = tries(3, 400);

describe("fields are all of each record and message, in order, leave nothing unnamed but what is unknown, and say what it decodes to", () => {
  test.each(CASES)("$name", async ({ files, isDamaged }) => {
    await using recording = await open(bundleOfFiles(files), { formats: CORPUS_FORMATS });
    const dissector = await recording.dissector();
    const unnamed = new Map<string, number>();
    for await (const record of someRecords(recording)) {
      const { fields, contents } = await dissector.record(record);
      expectCover(fields, record.bytes, record.kind);
      count(unnamed, record.kind, fields);
      if (contents !== null) {
        expectCover(contents.fields, contents.bytes, `${record.kind} inflated`);
        count(unnamed, `${record.kind} inflated`, contents.fields);
      }
    }
    if (!isDamaged) expect([...unnamed.keys()].filter((kind) => !isForeign(recording, kind))).toEqual([]);
    const seen = recording.channels.map(() => 0);
    let compared = 0;
    let numbers = 0;
    let batches = 0;
    for await (const batch of recording.batches()) {
      if (batches++ > FIRST * 4) break;
      for (let row = 0; row < batch.length; row++) {
        const channel = recording.channels[batch.channel[row]!]!;
        if (!isLookedAt(seen[channel.id]!++)) continue;
        const payload = batch.payload(row);
        const fields = dissector.message(batch, row);
        expectCover(fields, payload, channel.name);
        if (isDamaged) continue;
        const value = channel.schema.decode(payload, batch.context);
        for (const field of fields) {
          if (field.role !== "value" || typeof field.value !== "number") continue;
          const name = nameIn(recording, channel.name, field.name);
          if (name === null) continue;
          numbers++;
          const found = memberOf(value, name) ?? bitsOf(value, name);
          if (typeof found !== "number" && typeof found !== "boolean") continue;
          // asking `expect` of each would take longer than all the rest
          if (!Object.is(field.value, Number(found))) expect([field.name, field.value]).toEqual([name, found]);
          compared++;
        }
      }
    }
    if (!isDamaged && numbers > 0) expect(compared / numbers).toBeGreaterThan(0.9);
  });
});

test("fields of any bytes are all of them, whatever their kind", async () => {
  const opened: { readonly recording: Recording; readonly dissector: Dissector; readonly records: NativeRecord[] }[] =
    [];
  for (const { files } of SOUND) {
    const recording = await open(bundleOfFiles(files));
    const records: NativeRecord[] = [];
    for await (const record of someRecords(recording)) records.push(record);
    opened.push({ recording, dissector: await recording.dissector(), records });
  }
  const damage = fc.record({
    of: fc.nat(),
    record: fc.nat(),
    flips: fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), { maxLength: 4 }),
    cut: fc.nat(),
    most: fc.integer({ min: 0, max: 400 }),
  });
  await fc.assert(
    fc.asyncProperty(damage, async ({ of, record, flips, cut, most }) => {
      const { dissector, records } = opened[of % opened.length]!;
      const sound = records[record % records.length]!;
      const bytes = sound.bytes.slice(0, sound.bytes.length - (cut % 3 === 0 ? cut % sound.bytes.length : 0));
      for (const [at, bits] of flips) if (bytes.length > 0) bytes[at % bytes.length]! ^= bits;
      const { fields, contents } = await dissector.record({ ...sound, bytes }, { most });
      expectCover(fields, bytes, sound.kind);
      expect(fields.length).toBeLessThanOrEqual(most + 1);
      if (contents !== null) expectCover(contents.fields, contents.bytes, `${sound.kind} inflated`);
    }),
    { numRuns: tries(150, 20_000) },
  );
  for (const { recording } of opened) await recording.close();
});

test("as many fields as asked for are made, then one for the rest", async () => {
  const { files } = SOUND[0]!;
  await using recording = await open(bundleOfFiles(files));
  const dissector = await recording.dissector();
  for await (const record of someRecords(recording)) {
    const { fields } = await dissector.record(record, { most: 3 });
    expect(fields.length).toBeLessThanOrEqual(4);
    if (fields.length === 4) expect(fields[3]!.name).toBe(MORE_FIELDS);
  }
});

test("a field's text is short, and tells a float32 by as few digits as it has", () => {
  const text = (value: unknown): string => fieldText({ value });
  expect(text(Math.fround(0.1))).toBe("0.1");
  expect(text(-122.405769025)).toBe("-122.405769025");
  expect(text(1795214012.24)).toBe("1795214012.24");
  expect(text(2 ** 53)).toBe("9007199254740992");
  expect(text(-0)).toBe("-0");
  expect(text(12345678901234567890n)).toBe("12345678901234567890");
  expect(text("a\0b\n")).toBe("a␀b␊");
  expect(text(Float32Array.of(0.5, 1, 2))).toBe("0.5 1 2");
  expect(text(new Float64Array(1000))).toBe("0 0 0 0 0 0 0 0 … 1000 in all");
  expect(text(Uint8Array.of(1, 2, 255))).toBe("01 02 ff");
  expect(text("x".repeat(1000)).length).toBe(120);
});

/** The first of each kind, then at growing distances. */
async function* someRecords(recording: Recording): AsyncGenerator<NativeRecord> {
  const seen = new Map<string, number>();
  for await (const records of recording.records()) {
    for (const record of records) {
      const before = seen.get(record.kind) ?? 0;
      seen.set(record.kind, before + 1);
      if (isLookedAt(before)) yield record;
    }
  }
}

function isLookedAt(before: number): boolean {
  return before < FIRST || Math.floor(Math.log2(before)) > Math.floor(Math.log2(before - 1));
}

function expectCover(fields: readonly Field[], bytes: Uint8Array, what: string): void {
  let at = 0;
  for (const { name, start, end } of fields) {
    if (start !== at || end <= start) expect([what, name, start]).toEqual([what, name, at]);
    at = end;
  }
  if (at !== bytes.length) expect([what, at]).toEqual([what, bytes.length]);
}

function count(unnamed: Map<string, number>, kind: string, fields: readonly Field[]): void {
  for (const { name, role, start, end } of fields) {
    if (role !== "unknown" && role !== "payload") continue;
    const what = role === "unknown" ? `${kind}: unknown` : `${kind}: ${name.replaceAll(/\[\d+\]/g, "[]")}`;
    unnamed.set(what, (unnamed.get(what) ?? 0) + end - start);
  }
}

/** What is not named, by format: bytes that cannot be read, and those that are meant to be opaque. */
const FOREIGN: Readonly<Record<string, RegExp>> = {
  // private packets
  carla: /^packet-\d+: payload$/,
  // what longer headers have more; meta data; compressed data; one payload that does not have the layout of its type
  mira: /^(header: unknown|channel-info: meta|message: data|message inflated: unknown)$/,
  // what others encode: payloads, schemas, attachments, compressed records; what a newer version may add
  mcap: /^(chunk: records|message: payload|schema: data|attachment: data|chunk inflated: (payload|data)|(record 0x80|header|schema|channel|message index|chunk inflated): unknown)$/,
  // the items; what is no packet, and is recorded as it came; an item of another program
  flightgear: /^(frame: items, deflated|frame( inflated)?: (unknown|weather))$/,
  // bytes that the index names no chunk for; blocks of zstd; what belongs to hosts
  hcrp: /^((gap|trailing): unknown|chunk: block\[\]\.data|chunk inflated: (snapshot\.host\.bytes|ticks\[\]\.events\[\]\.(body|host-\d+|[a-z]+:[a-z]+)))$/,
  // deflated members; others
  nanover: /^((messages|index): .*, deflated|zip: data)$/,
};

function isForeign({ info }: Recording, kind: string): boolean {
  return FOREIGN[info.format]!.test(kind);
}

/** What a field is called in the decoded value of its channel; null: it is in another part of the message. */
function nameIn({ info }: Recording, channel: string, name: string): string | null {
  if (info.format !== "nanover" || (info.version === "1" && channel === "frame")) return name;
  if (name === "frame_index") return "frame.index";
  if (name.startsWith("changed_keys.")) return name.replace("changed_keys", "updates");
  return name.startsWith(`${channel}.`) ? name.slice(channel.length + 1) : null;
}

/** FlightGear's booleans stand in a byte, the lowest bit first, and share its field. */
function bitsOf(value: unknown, name: string): number | undefined {
  const names = name.split(", ");
  const signals = value as Readonly<Record<string, unknown>>;
  if (typeof value !== "object" || value === null || !names.every((one) => typeof signals[one] === "boolean")) return;
  return names.reduce((bits, one, bit) => bits + (signals[one] === true ? 2 ** bit : 0), 0);
}

const AXES: readonly (readonly string[])[] = [
  ["x", "y", "z"],
  ["roll", "pitch", "yaw"],
  ["red", "green", "blue", "alpha"],
  ["rpm", "torque"],
  ["km/h", "factor"],
  ["lateral load", "lateral", "longitudinal"],
];

/** A member by its path; keys may have full stops in them. */
function memberOf(value: unknown, path: string): unknown {
  if (path === "") return value;
  if (path === "value" || path === "seconds" || path === "frame") {
    if (typeof value === "number" || typeof value === "bigint") return value;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const item = /^\[(\d+)\]\.?/.exec(path);
  if (item !== null) return memberOf((value as readonly unknown[])[Number(item[1])], path.slice(item[0].length));
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    const axis = AXES.map((names) => names.indexOf(path)).find((at) => at >= 0);
    return axis === undefined ? undefined : (value as unknown as ArrayLike<unknown>)[axis];
  }
  const own = value as Readonly<Record<string, unknown>>;
  for (let end = path.length; end > 0; end = Math.max(path.lastIndexOf(".", end - 1), path.lastIndexOf("[", end - 1))) {
    const key = path.slice(0, end);
    if (!Object.hasOwn(own, key)) continue;
    const rest = path.slice(end);
    const found = memberOf(own[key], rest.startsWith(".") ? rest.slice(1) : rest);
    if (found !== undefined) return found;
  }
  return undefined;
}
