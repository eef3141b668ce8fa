import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { CORPUS_FORMATS } from "../../../scripts/make-corpus.ts";
import { FORMATS } from "../src/formats.ts";
import { OWN_SCHEMA, schemaOf } from "../src/formats/carla/meaning/schema.ts";
import { writeStatePatch } from "../src/formats/carla/meaning/state-patch.ts";
import { eventSchema } from "../src/formats/hcrp/chunk/schema.ts";
import { hcrp } from "../src/formats/hcrp/format.ts";
import { writeEntityMetadata, writeLeave, writeView } from "../src/formats/hcrp/layout/entity-events.ts";
import { decodePayload } from "../src/formats/mira/meaning/payload.ts";
import { KNOWN_TYPES, TypeRegistry } from "../src/formats/mira/meaning/types.ts";
import { writeMessage } from "../src/formats/nanover/layout/messagepack.ts";
import { channelsOf } from "../src/formats/nanover/meaning/schema.ts";
import {
  type Channel,
  convert,
  LayoutError,
  MemoryFiles,
  open,
  type Recording,
  type Schema,
  type Value,
} from "../src/index.ts";
import { ByteBuilder, untyped } from "../src/kit.ts";
import { bundleOfFiles } from "./conformance/mutate.ts";
import { segmentedBundle, wildContent } from "./record/wild.ts";
import { everyRecording } from "./recordings.ts";
import { tries } from "./soak.ts";
import { type Members, misfit, type Shape, shapesOf } from "./support/type-shape.ts";

const of = (id: string): string => `packages/simtape/src/formats/${id}/format.ts`;
const SHAPES = shapesOf({
  CarlaChannels: of("carla"),
  FlightGearChannels: of("flightgear"),
  HcrpChannels: of("hcrp"),
  HcrpEvents: of("hcrp"),
  HcrpProductionEvents: of("hcrp"),
  NanoverChannels: of("nanover"),
  MiraTypes: of("mira"),
  UnreadPayload: of("mira"),
  CompressedPayload: of("mira"),
});

/** What the channels of each format decode to; of tapes by type, as channels have the robot's names. */
const CHANNELS: Readonly<Record<string, Members>> = {
  mcap: { kind: "members", members: new Map(), index: [] },
  carla: membersOf(SHAPES.CarlaChannels),
  flightgear: membersOf(SHAPES.FlightGearChannels),
  hcrp: membersOf(SHAPES.HcrpChannels),
  nanover: membersOf(SHAPES.NanoverChannels),
  mira: membersOf(SHAPES.MiraTypes),
};

function membersOf(shape: Shape): Members {
  if (shape.kind !== "members") throw new Error(`a ${shape.kind}, not an object`);
  return shape;
}

/** Channels, or types of tapes, whose messages were looked at: `"carla position"`. */
const met = new Set<string>();

/** Messages of one channel that are looked at: the first, then ever fewer. */
const FIRST = tries(200, 100_000);

async function expectTyped(recording: Recording): Promise<void> {
  const { format } = recording.info;
  const seen = recording.channels.map(() => 0);
  const wrong = new Set<string>();
  for await (const message of recording.messages()) {
    const { channel } = message;
    const before = seen[channel.id]!++;
    if (before > FIRST && Math.floor(Math.log2(before)) === Math.floor(Math.log2(before - 1))) continue;
    const value = decoded(() => message.value);
    if (value === undefined) continue;
    const found = misfit(value, shapeOf(format, channel), channel.name);
    if (found !== null) wrong.add(found.replaceAll(/\[\d+\]/g, "[]"));
  }
  expect([...wrong]).toEqual([]);
}

function decoded(decode: () => Value): Value | undefined {
  try {
    return decode();
  } catch (error) {
    if (error instanceof LayoutError) return undefined;
    throw error;
  }
}

/** Names of channels that no type is for: packets, items and events of others, types of tapes that are not known. */
const OTHERS: Readonly<Record<string, RegExp>> = {
  carla: /^packet-\d+$/,
  flightgear: /^weather$/,
  hcrp: /^(host-\d+|(?!simtape:)\w+:\w+)$/,
  nanover: /^$/,
  // topics have any name, and messages any value
  mcap: /^/,
  mira: /^(unknown|Buffer<uint8>)$/,
};

function shapeOf(format: string, { name, schema }: Channel): Shape {
  const key = format === "mira" ? schema.name.replaceAll(/\s|(?<![\w:])(?:std|mira)::/g, "") : name;
  const known = CHANNELS[format]!.members.get(key)?.shape;
  if (known === undefined) {
    expect(key).toMatch(OTHERS[format]!);
    return { kind: "any" };
  }
  met.add(`${format} ${key}`);
  if (format !== "mira") return known;
  return { kind: "union", of: [known, SHAPES.UnreadPayload, SHAPES.CompressedPayload] };
}

const HCRP = new URL("fixtures/hcrp/", import.meta.url);

const RECORDINGS = await everyRecording();

describe("messages decode to what the types of their channels say", () => {
  test.each(RECORDINGS)("$name", async ({ files }) => {
    await using recording = await open(bundleOfFiles(files), { formats: CORPUS_FORMATS });
    await expectTyped(recording);
  });

  test.each([1, 2, 3, 4])("HCRP in which everything happens: seed %i", async (seed) => {
    await using recording = await open(await segmentedBundle(wildContent(seed)));
    await expectTyped(recording);
  });

  test.each(FORMATS)("$name in HCRP", async ({ id }) => {
    const [source] = RECORDINGS.filter(({ name }) => name.startsWith(`corpus ${id}`));
    await using recording = await open(bundleOfFiles(source!.files), { formats: CORPUS_FORMATS });
    const to = new MemoryFiles("run.hcrp");
    await convert(recording, await hcrp.writing!(), to);
    await using carried = await open(bundleOfFiles({ [to.name]: to.bytes }));
    await expectTyped(carried);
  });

  test.each(readdirSync(HCRP).filter((name) => name.endsWith(".hcrp")))("fixture %s", async (name) => {
    const bytes = new Uint8Array(readFileSync(new URL(name, HCRP)));
    await using recording = await open(bundleOfFiles({ [name]: bytes }), { formats: CORPUS_FORMATS });
    await expectTyped(recording);
  });

  const build = (write: (out: ByteBuilder) => void): Uint8Array => {
    const out = new ByteBuilder();
    write(out);
    return out.take();
  };
  const dialect = { scalar: 4, wheel: 48, late: [null, null, null, null], version: 1 } as const;
  const set = { add: Float64Array.of(1), remove: Float64Array.of(2), columns: {} };
  const column = { ids: Float64Array.of(1), cells: ["a"] };

  test.each<[string, string, Schema, Uint8Array]>([
    ["carla", "frame-counter", schemaOf("frame-counter", dialect), new Uint8Array(8)],
    [
      "carla",
      "simtape-state",
      OWN_SCHEMA,
      writeStatePatch({ values: { a: 1 }, unset: ["b"], sets: { vehicles: { ...set, columns: { kind: column } } } }),
    ],
    ["carla", "simtape-state", OWN_SCHEMA, Uint8Array.of(1)],
    [
      "hcrp",
      "metadata",
      untyped(eventSchema("metadata")),
      build((out) => writeEntityMetadata(out, { entity: 1, entries: [{ index: 2, bytes: Uint8Array.of(3) }] })),
    ],
    ["hcrp", "leave", untyped(eventSchema("leave")), build((out) => writeLeave(out, { entity: 1 }))],
    [
      "hcrp",
      "view",
      untyped(eventSchema("view")),
      build((out) => writeView(out, { entity: 1, gameMode: 2, camera: null })),
    ],
    [
      "nanover",
      "command",
      channelsOf("zip", ["frame", "state", "command"])[2]!.schema,
      build((out) => writeMessage(out, { command: { request: { id: 1, name: "play" } } })),
    ],
  ])("payloads that no recording here has: %s %s", (format, name, schema, payload) => {
    const channel: Channel = { id: 0, name, schema, metadata: {} };
    expect(misfit(schema.decode(payload, null), shapeOf(format, channel))).toBeNull();
  });

  test("every type of a tape, as its layout has it", () => {
    const { members } = CHANNELS["mira"]!;
    expect([...members.keys()].sort()).toEqual([...KNOWN_TYPES].sort());
    const registry = new TypeRegistry();
    for (const [name, { shape }] of members) {
      const layouts = registry.layouts(name);
      expect(layouts.length, name).toBeGreaterThan(0);
      for (const layout of layouts) {
        for (const isLatest of [true, false]) {
          const encoding = { isLittle: true, prefix: 0, slotBytes: 0, slots: "all", countBytes: 4, isLatest } as const;
          const values = Array.from({ length: 200 }, (_, bytes) =>
            decoded(() => decodePayload(new Uint8Array(bytes), layout, encoding)),
          ).filter((value) => value !== undefined);
          expect(values.map((value) => misfit(value, shape, name))).toEqual([null]);
        }
      }
      met.add(`mira ${name}`);
    }
  });

  test("and every channel was met", () => {
    const all = Object.entries(CHANNELS).flatMap(([id, { members }]) =>
      [...members.keys()].map((name) => `${id} ${name}`),
    );
    expect(all.filter((name) => !met.has(name))).toEqual([]);
  });
});

test("docs/channels.md has every channel", () => {
  const page = readFileSync(new URL("../../../docs/channels.md", import.meta.url), "utf8");
  const names = Object.entries(CHANNELS).flatMap(([id, { members }]) => (id === "mira" ? [] : [...members.keys()]));
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
