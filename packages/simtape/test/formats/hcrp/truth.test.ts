import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { hcrp } from "../../../src/formats/hcrp/format.ts";
import { SECTION, writeEntities } from "../../../src/formats/hcrp/layout/chunk.ts";
import { writePlaceEvent, writeSwing } from "../../../src/formats/hcrp/layout/entity-events.ts";
import { EVENT } from "../../../src/formats/hcrp/layout/events.ts";
import {
  HEADER_BYTES,
  headerCrc,
  readHeader,
  readIndexEntry,
  TICK,
  uuidText,
  writeHeader,
  writeIndexEntry,
} from "../../../src/formats/hcrp/layout/framing.ts";
import { readMetadata, readReserved } from "../../../src/formats/hcrp/layout/metadata.ts";
import { MOVE_ON_GROUND, MOVE_X, Move, writeMove } from "../../../src/formats/hcrp/layout/motion.ts";
import { ByteBuilder, ByteCursor, loadZstd, writeNbt } from "../../../src/kit.ts";
import { open } from "../../../src/index.ts";
import { bundleOfFiles } from "../../conformance/describe-format.ts";
import { built, chunkBytes, compacted, event } from "../../fixtures/hcrp/recording.ts";
import { type Pose, WorldRecorder } from "../../fixtures/hcrp/world.ts";
import { sample, sampleBytes, samplesDirectory } from "../../samples.ts";

const zstd = await loadZstd();
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const fromHex = (digits: string): Uint8Array => new Uint8Array(Buffer.from(digits.replaceAll(/[ |]/g, ""), "hex"));

/** Inflated chunks of the golden file (spec §3.4). */
const CHUNK_0 = fromHex("00 | 00 00 01 01 00 80 20 80 80 20 80 20 00 00 00 00 01 | 07 00 01 00 00 21 b4 06");
const CHUNK_1 = fromHex("10 01 0e 01 00 b4 26 80 80 20 80 20 00 00 00 00 01 | 05 00 01 03 00 00");

describe("the golden file's chunks (spec §3.4)", () => {
  test("are written byte for byte", () => {
    const place = (x: number) => ({ q: Float64Array.of(x, 262_144, 2048), yaw: 0, pitch: 0, flags: 1 });
    const move = Object.assign(new Move(), { x: 410, mask: MOVE_X | MOVE_ON_GROUND });
    const first = chunkBytes({
      ticks: 200,
      snapshot: [],
      records: [
        { tick: 0, events: [event(EVENT.place, (out) => writePlaceEvent(out, { entity: 0, ...place(2048) }))] },
        { tick: 7, events: [event(EVENT.move, (out) => writeMove(out, move))] },
      ],
    });
    expect(hex(first)).toBe(hex(CHUNK_0));
    const entities = built((out) => writeEntities(out, [{ entity: 0, place: place(2458), details: null }]));
    const second = chunkBytes({
      ticks: 40,
      snapshot: [{ type: SECTION.entities, body: entities }],
      records: [{ tick: 5, events: [event(EVENT.swing, (out) => writeSwing(out, { entity: 0, hand: 0 }))] }],
    });
    expect(hex(second)).toBe(hex(CHUNK_1));
  });
});

describe.runIf(samplesDirectory !== null)("golden-v1.hcrp", () => {
  const bytes = samplesDirectory === null ? new Uint8Array(0) : sampleBytes("hypercube/golden-v1.hcrp");

  test("has the header that the specification prints, and it is written again byte for byte", () => {
    const header = readHeader(new ByteCursor(bytes));
    expect(header).toMatchObject({
      flags: 5,
      worldId: "0f5ba7a2-6a0e-4d3b-9c55-0123456789ab",
      startedAt: 1_775_779_200_000n,
      dictionaryId: 0,
      metadataLength: 108,
      indexLength: 28,
      tickCount: 240,
      chunkCount: 2,
      crc: 0xddabd5a5,
    });
    expect(header.extension).toMatchObject({
      version: 1,
      ticksPerSecond: 20,
      dataVersion: 4903,
      totalLength: 467n,
      recordingId: "11111111-2222-4333-8444-555555555555",
      generation: 1,
      finishedAt: 1_775_779_212_000n,
    });
    expect(headerCrc(bytes)).toBe(header.crc);
    const builder = new ByteBuilder();
    writeHeader(builder, header);
    expect(hex(builder.take())).toBe(hex(bytes.subarray(0, HEADER_BYTES)));
  });

  test("has the metadata and the index that the specification prints", () => {
    const section = bytes.subarray(256, 364);
    const metadata = readMetadata(section);
    expect(hex(writeNbt(metadata))).toBe(hex(section));
    expect(readReserved(metadata).epochs).toMatchObject([
      { chunk: 0, dataVersion: 4903, schema: "world", schemaVersion: 1 },
    ]);
    const index = bytes.subarray(364, 392);
    expect(hex(index)).toBe("00c801010000000000000188271ac80128010000000000" + "0001af2417");
    const cursor = new ByteCursor(index);
    const builder = new ByteBuilder();
    const entries = [readIndexEntry(cursor, false), readIndexEntry(cursor, false)];
    for (const entry of entries) writeIndexEntry(builder, entry);
    expect(hex(builder.take())).toBe(hex(index));
    expect(entries.map(({ startTick, tickCount, offsetLow }) => [startTick, tickCount, offsetLow])).toEqual([
      [0, 200, 392],
      [200, 40, 431],
    ]);
  });

  test("has chunks that inflate to the bytes that the specification prints", () => {
    expect(hex(zstd.decompress(bytes.subarray(392, 431), { size: 26 }))).toBe(hex(CHUNK_0));
    expect(hex(zstd.decompress(bytes.subarray(431), { size: 23 }))).toBe(hex(CHUNK_1));
  });

  test("plays: one entity, a move of 410 steps at tick 7, a swing at tick 205", async () => {
    await using recording = await open(bundleOfFiles({ "golden-v1.hcrp": bytes }), { formats: [hcrp] });
    const messages: [string, number, unknown][] = [];
    for await (const message of recording.messages())
      messages.push([message.channel.name, message.time / TICK, message.keyframe]);
    expect(messages).toEqual([
      ["snapshot", 0, true],
      ["place", 0, false],
      ["move", 7, false],
      ["snapshot", 200, true],
      ["swing", 205, false],
    ]);
    const xAt = async (tick: number): Promise<unknown> => {
      const set = (await recording.state(tick * TICK)).sets.get("entities")!;
      return set.columns.get("position")!.data;
    };
    expect(await xAt(6)).toEqual(Float64Array.of(0.5, 64, 0.5));
    expect(await xAt(7)).toEqual(Float64Array.of(2458 / 4096, 64, 0.5));
    expect(await xAt(240)).toEqual(Float64Array.of(2458 / 4096, 64, 0.5));
    expect(recording.findings).toEqual([]);
    expect(await recording.timeline()).toEqual({
      start: 0,
      end: 12e9,
      epoch: 1_775_779_200_000_000_000n,
      tick: { name: "tick", count: 240, duration: TICK },
    });
    expect(recording.info.metadata["worldId"]).toBe(uuidText(bytes.subarray(7, 23)));
  });
});

/** Half a grid step: what rounding to the grid may cost (events §2.1), and a little for the printed figure. */
const BOUND = 0.000123;

describe.runIf(samplesDirectory !== null)("trace24-ticks.ndjson.gz", () => {
  test("24 players encoded as moves are where they were, within half a grid step, at every tick", async () => {
    const path = sample("hypercube/trace24-ticks.ndjson.gz");
    const FROM = 600;
    const TICKS = 600;
    const poses = new Map<number, Map<number, Pose>>();
    for (const line of gunzipSync(readFileSync(path)).toString().split("\n")) {
      if (line === "") continue;
      const [tick, player, kind, x, y, z, yaw, pitch, , , , flags] = JSON.parse(line);
      if (kind !== "m" || tick < FROM || tick >= FROM + TICKS) continue;
      const turn = 180 / Math.PI;
      const pose = { x, y, z, yaw: yaw * turn, pitch: pitch * turn, onGround: (flags & 1) !== 0 };
      const atTick = poses.get(tick - FROM) ?? new Map<number, Pose>();
      poses.set(tick - FROM, atTick.set(player, pose));
    }
    const world = new WorldRecorder(200, 2);
    const seen = new Set<number>();
    for (let tick = 0; tick < TICKS; tick++) {
      world.at(tick);
      for (const [player, pose] of poses.get(tick) ?? []) {
        if (seen.has(player)) world.move(player, pose);
        else
          world.spawn(player, "minecraft:player", pose, {
            uuid: `00000000-0000-4000-8000-0000000000${String(player).padStart(2, "0")}`,
            profile: `bot${player}`,
          });
        seen.add(player);
      }
    }
    expect(seen.size).toBe(24);
    const file = compacted(zstd, { chunks: world.finish(TICKS) }, { level: 3 });
    await using recording = await open(bundleOfFiles({ "a.hcrp": file }), { formats: [hcrp] });
    expect((await recording.statistics())[EVENT.move]!.messages).toBeGreaterThan(5000);
    // the whole track by folding once
    const reader = await hcrp.open(bundleOfFiles({ "a.hcrp": file }), { report: () => undefined }, {});
    const { MutableState } = await import("../../../src/model/state/state.ts");
    const state = new MutableState();
    reader.state.begin?.(state);
    let checked = 0;
    let worst = 0;
    let worstAngle = 0;
    let done = 0;
    const last = new Map<number, Pose>();
    const check = (until: number): void => {
      for (; done < until; done++) {
        for (const [player, pose] of poses.get(done) ?? []) last.set(player, pose);
        if (done + 1 < until) continue;
        const set = state.sets.get("players")!;
        const position = set.columns.get("position")!;
        const rotation = set.columns.get("rotation")!;
        for (const [player, pose] of last) {
          const row = set.find(player);
          const distances = [pose.x, pose.y, pose.z].map((value, k) => Math.abs(position.number(row, k) - value));
          worst = Math.max(worst, ...distances);
          const turn = (((rotation.number(row, 2) - pose.yaw) % 360) + 540) % 360;
          worstAngle = Math.max(worstAngle, Math.abs(turn - 180));
          checked++;
        }
      }
    };
    for await (const batch of reader.batches({})) {
      for (let i = 0; i < batch.length; i++) {
        if (i > 0 && batch.time[i] !== batch.time[i - 1]) check(batch.time[i - 1]! / TICK + 1);
        reader.state.apply(state, batch, i);
      }
    }
    expect(checked).toBeGreaterThan(10_000);
    expect(worst).toBeLessThanOrEqual(BOUND);
    expect(worst).toBeGreaterThan(BOUND / 2);
    expect(worstAngle).toBeLessThanOrEqual(0.00275);
    await reader.close();
  });
});
