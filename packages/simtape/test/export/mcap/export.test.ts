import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { jsonOf } from "../../../src/model/query/value-text.ts";
import type { Recording } from "../../../src/model/recording.ts";
import { REAL, SOUND, type SoundRecording } from "../../specimens.ts";
import { type Exported, exported, opened } from "./make.ts";
import { indexed, json, type JudgedFile, sectionCrcs, streamed, wrongBy, wrongBySchema } from "./judge.ts";

/** A real recording of more bytes takes too long here. */
const MOST = 512 << 10;
const REAL_SMALL = REAL.filter(({ files }) => Object.values(files).reduce((sum, each) => sum + each.length, 0) < MOST);

function digest({ messages }: JudgedFile): string[] {
  return messages.map(({ topic, logTime, data }) => `${logTime} ${topic} ${new TextDecoder().decode(data)}`).sort();
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
      for (let i = 1; i < stream.messages.length; i++)
        expect(stream.messages[i]!.logTime >= stream.messages[i - 1]!.logTime).toBe(true);
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
        for (const [i, text] of texts.entries()) {
          const at = text.indexOf(" ");
          const whole = isWrapped ? `${text.slice(0, at)} {"value":${text.slice(at + 1)}}` : text;
          expect(JSON.parse(own[i]!.slice(own[i]!.indexOf(" ")))).toEqual(JSON.parse(whole.slice(whole.indexOf(" "))));
          expect(own[i]!.split(" ")[0]).toBe(text.slice(0, at));
        }
      }
    });

    it("has only messages that fit Foxglove's own schemas, or the channel's", () => {
      for (const { topic, schema, data } of stream.messages) {
        const value = json(data);
        const wrong = schema.startsWith("foxglove.")
          ? wrongBySchema(schema, value)
          : wrongBy(`${of.name} ${schema}`, JSON.parse(stream.schemas.get(schema)!) as object, value);
        expect(wrong, `${topic}: ${new TextDecoder().decode(data).slice(0, 300)}`).toBeNull();
      }
    });

    it("has every event as a log", async () => {
      const events = [];
      for await (const some of recording.events()) events.push(...some);
      const logs = stream.messages.filter(({ schema }) => schema === "foxglove.Log").map(({ data }) => json(data));
      expect(logs.map(({ message, name }) => `${name} ${message}`)).toEqual(
        events.map(({ kind, text }) => `${kind} ${text}`),
      );
    });
  },
);

describe("what is known of Foxglove's schemas", () => {
  it("names the fields that a message must have, with types that Foxglove's own schemas take", async () => {
    const { FRAME_TRANSFORMS, LASER_SCAN, LOCATION_FIX, LOG, POSE_IN_FRAME, POSES_IN_FRAME, SCENE_UPDATE } =
      await import("../../../src/export/mcap/well-known.ts");
    const { default: foxglove } = await import("@foxglove/schemas/jsonschema.js");
    for (const { name, schema } of [
      FRAME_TRANSFORMS,
      LASER_SCAN,
      LOCATION_FIX,
      LOG,
      POSE_IN_FRAME,
      POSES_IN_FRAME,
      SCENE_UPDATE,
    ]) {
      const theirs = (foxglove as unknown as Record<string, object>)[name.replace("foxglove.", "")]!;
      sameFields(name, schema as Node, theirs as Node);
    }
  });
});

interface Node {
  readonly type?: string;
  readonly title?: string;
  readonly properties?: Record<string, Node>;
  readonly required?: readonly string[];
  readonly items?: Node;
}

/** Primitives that are never written have no fields here. */
const UNUSED = /Cylinder|Line|TriangleList|Model/;

function sameFields(path: string, ours: Node, theirs: Node): void {
  expect(ours.title, path).toBe(ours.title === undefined ? undefined : theirs.title);
  if (theirs.type !== undefined) expect(ours.type, path).toBe(theirs.type);
  if (ours.items !== undefined) sameFields(`${path}[]`, ours.items, theirs.items!);
  if (ours.properties === undefined || UNUSED.test(ours.title ?? "")) return;
  for (const name of theirs.required ?? []) expect(Object.keys(ours.properties), path).toContain(name);
  for (const [name, node] of Object.entries(ours.properties)) {
    expect(theirs.properties![name], `${path}.${name}`).toBeDefined();
    sameFields(`${path}.${name}`, node, theirs.properties![name]!);
  }
}
