import protobuf from "protobufjs";
import descriptor from "protobufjs/ext/descriptor.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as wellKnown from "../../../src/export/mcap/well-known.ts";
import type { Recording } from "../../../src/index.ts";
import { jsonOf } from "../../../src/model/query/value-text.ts";
import { REAL, SOUND, type SoundRecording } from "../../specimens.ts";
import { type Exported, exported, opened } from "./make.ts";
import {
  foxgloveProto,
  indexed,
  type JudgedFile,
  sectionCrcs,
  streamed,
  valueIn,
  wrongBy,
  wrongBySchema,
} from "./judge.ts";

const { descriptorsOf } = wellKnown;
type WellKnown = wellKnown.WellKnown;

/** A real recording of more bytes takes too long here. */
const MOST = 512 << 10;
const REAL_SMALL = REAL.filter(({ files }) => Object.values(files).reduce((sum, each) => sum + each.length, 0) < MOST);

function digest({ messages }: JudgedFile): string[] {
  return messages
    .map(({ topic, logTime, data }) => `${logTime} ${topic} ${Buffer.from(data).toString("latin1")}`)
    .sort();
}

async function values(recording: Recording): Promise<Map<string, string[]>> {
  const all = new Map<string, string[]>();
  const { epoch } = await recording.timeline();
  for await (const { channel, time, value } of recording.messages()) {
    const own = all.get(channel.name) ?? [];
    all.set(channel.name, own);
    own.push(`${(epoch ?? 0n) + BigInt(time)} ${bytesAsText(value)}`);
  }
  return all;
}

/** As `jsonOf` of the model has it, apart from bytes. */
function bytesAsText(value: unknown): string {
  const replaced = (each: unknown): unknown => {
    if (each instanceof Uint8Array) return Buffer.from(each).toString("base64");
    if (Array.isArray(each)) return each.map(replaced);
    if (typeof each === "object" && each !== null && !ArrayBuffer.isView(each))
      return Object.fromEntries(Object.entries(each).map(([key, item]) => [key, replaced(item)]));
    return each;
  };
  return jsonOf(replaced(value) as never);
}

describe.each([...SOUND, ...REAL_SMALL].map((of) => [`${of.format}: ${of.name}`, of] as const))(
  "%s as MCAP",
  (_, of: SoundRecording) => {
    let recording: Recording;
    let result: Exported;
    let stream: JudgedFile;

    beforeAll(async () => {
      recording = await opened(of);
      result = await exported(recording);
      stream = await streamed(result.bytes);
    });

    afterAll(() => recording.close());

    it("is the same streamed and by its indexes, with right CRCs", async () => {
      const index = await indexed(result.bytes);
      expect(digest(index)).toEqual(digest(stream));
      expect(index.statistics.messageCount).toBe(BigInt(stream.messages.length));
      expect(result.report.count).toBe(stream.messages.length);
      const { data, summary } = sectionCrcs(result.bytes);
      expect(data.stated).toBe(data.computed);
      expect(summary.stated).toBe(summary.computed);
    });

    it("is in order of time, but for messages of one moment", () => {
      const times = stream.messages.map(({ logTime }) => logTime);
      expect(times.filter((time, i) => i > 0 && time < times[i - 1]!)).toEqual([]);
    });

    it("has each message of each channel, with its time and its value", async () => {
      const names = new Map(stream.channels.map(({ topic, metadata }) => [topic, metadata.get("simtape:channel")]));
      const found = new Map<string, string[]>();
      for (const { topic, logTime, data } of stream.messages) {
        const name = names.get(topic);
        if (name === undefined) continue;
        const own = found.get(name) ?? [];
        found.set(name, own);
        own.push(`${logTime} ${new TextDecoder().decode(data)}`);
      }
      const expected = await values(recording);
      expect([...found.keys()].sort()).toEqual([...expected.keys()].sort());
      for (const [name, texts] of expected) {
        const own = found.get(name)!;
        expect(own.length, name).toBe(texts.length);
        const isWrapped = own[0]!.split(" ")[1]!.startsWith('{"value":') && !texts[0]!.includes(' {"value":');
        const whole = texts.map((text) => (isWrapped ? text.replace(" ", ' {"value":').concat("}") : text));
        expect(own, name).toEqual(whole);
      }
    });

    it("has only messages that fit Foxglove's own schemas, or the channel's", () => {
      for (const message of stream.messages) {
        const { topic, schema, data } = message;
        const value = valueIn(message);
        const wrong = schema.startsWith("foxglove.")
          ? wrongBySchema(schema, value)
          : wrongBy(
              `${of.name} ${schema}`,
              JSON.parse(new TextDecoder().decode(stream.schemas.get(schema))) as object,
              value,
            );
        expect(wrong, `${topic}: ${new TextDecoder().decode(data).slice(0, 300)}`).toBeNull();
      }
    });

    it("has every event as a log", async () => {
      const events = [];
      for await (const some of recording.events()) events.push(...some);
      const logs = stream.messages.filter(({ schema }) => schema === "foxglove.Log").map(valueIn);
      expect(logs.map(({ message, name }) => `${name} ${message}`)).toEqual(
        events.map(({ kind, text }) => `${kind} ${text}`),
      );
    });
  },
);

describe("the descriptors of Foxglove's schemas", () => {
  it.each(Object.values(wellKnown).filter((each) => typeof each === "object"))(
    "have fields of $name that Foxglove's own definitions have, with their numbers and types",
    (known) => {
      const set = descriptor.FileDescriptorSet.decode(descriptorsOf(known as WellKnown));
      const root = (protobuf.Root as unknown as DescriptorRoot).fromDescriptor(set);
      root.resolveAll();
      const seen = new Set<string>();
      sameMessage(root.lookupType((known as WellKnown).name), seen);
      expect(seen.size).toBeGreaterThan(1);
    },
  );
});

/** What `protobufjs/ext/descriptor` adds. */
interface DescriptorRoot {
  fromDescriptor(set: unknown): protobuf.Root;
}

/** Primitives that are never written have no fields here. */
const UNUSED = /Cylinder|Line|TriangleList|Model/;

function sameMessage(ours: protobuf.Type, seen: Set<string>): void {
  const path = ours.fullName;
  if (seen.has(path)) return;
  seen.add(path);
  const theirs = foxgloveProto.lookupType(path);
  if (!UNUSED.test(path) && path !== ".foxglove.LocationFix")
    expect(ours.fieldsArray.map(({ name }) => name).sort()).toEqual(theirs.fieldsArray.map(({ name }) => name).sort());
  for (const field of ours.fieldsArray.map((each) => each.resolve())) {
    const other = theirs.fields[field.name]!.resolve();
    expect([field.id, field.repeated], `${path}.${field.name}`).toEqual([other.id, other.repeated]);
    if (field.resolvedType === null) expect(field.type).toBe(other.type);
    else expect(field.resolvedType.fullName).toBe(other.resolvedType!.fullName);
    if (field.resolvedType instanceof protobuf.Enum)
      expect(field.resolvedType.values).toEqual((other.resolvedType as protobuf.Enum).values);
    if (field.resolvedType instanceof protobuf.Type) sameMessage(field.resolvedType, seen);
  }
}
