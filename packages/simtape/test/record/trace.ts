import { gunzipSync } from "node:zlib";
import {
  PALETTE,
  SECTION,
  type Section,
  writeBlockEdits,
  writeEntities,
  writeSections,
} from "../../src/formats/hcrp/layout/chunk.ts";
import { writeHeldSlot, writeSpawn, writeStateEvent, writeSwing } from "../../src/formats/hcrp/layout/entity-events.ts";
import { EVENT, EVENT_NAMES } from "../../src/formats/hcrp/layout/events.ts";
import { TICK } from "../../src/formats/hcrp/layout/framing.ts";
import { Move, moveMask, quantize, turnChange, turnOf, writeMove } from "../../src/formats/hcrp/layout/motion.ts";
import { writeChat, writePaletteAdd, writeSetBlock } from "../../src/formats/hcrp/layout/world-events.ts";
import { PaletteIndex } from "../../src/formats/hcrp/meaning/snapshot-palettes.ts";
import { createWriter } from "../../src/formats/hcrp/write/create.ts";
import { MemoryFiles } from "../../src/index.ts";
import { ByteBuilder } from "../../src/kit.ts";
import { sampleBytes, samplesDirectory } from "../samples.ts";

/** One line of samples/hypercube/trace24-ticks.ndjson.gz: tick, player, kind, what follows. */
type Row = readonly [number, number, string, ...(string | number)[]];

/** The rows of the trace by tick; null where there are no samples. */
export function traceRows(): readonly Row[] | null {
  if (samplesDirectory === null) return null;
  const text = gunzipSync(sampleBytes("hypercube/trace24-ticks.ndjson.gz")).toString();
  return JSON.parse(`[${text.trim().replaceAll("\n", ",")}]`) as Row[];
}

export interface TraceOptions {
  /** Players taken; absent: all 24. */
  readonly players?: readonly number[] | undefined;
  /** Ticks `[from, to)` of the trace, said again from 0 on; all players are there from 202 to 6254. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly chunkTicks?: number | undefined;
  readonly dialect?: "v1-segmented" | "v1" | undefined;
}

/** A recording of the trace, as a recorder that looks at the end of each tick would make it. */
export async function traceRecording(rows: readonly Row[], options: TraceOptions = {}): Promise<MemoryFiles> {
  const { players, from = 0, to = 6373, chunkTicks = 200, dialect = "v1-segmented" } = options;
  const files = new MemoryFiles(dialect === "v1" ? "trace.hcrp" : "meta.hcrp");
  const writer = await createWriter(files, {
    dialect,
    epoch: 1_775_844_000_000_000_000n,
    metadata: { recordingId: "0f5ba7a2-6a0e-4d3b-9c55-0123456789ab", dataVersion: 2586 },
  });
  const channels = EVENT_NAMES.map((name) => writer.channel({ name }));
  const emit = (type: number, tick: number, payload: Uint8Array): void =>
    writer.write(channels[type]!, tick * TICK, payload);
  const scribe = new Scribe(emit, (tick, payload) => writer.snapshot(tick, payload));
  const wanted = players === undefined ? null : new Set(players);
  let next = 0;
  for (let tick = 0; tick < to; tick++) {
    const own = tick - from;
    if (own >= 0 && own % chunkTicks === 0) scribe.snapshot(own);
    for (; next < rows.length && rows[next]![0] <= tick; next++) {
      const row = rows[next]!;
      if (wanted === null || wanted.has(row[1])) scribe.take(row, own);
    }
    if (own >= 0) scribe.endTick(own);
    if (tick % 100 === 0 && writer.ready !== null) await writer.ready;
  }
  writer.extend(to - from);
  await writer.close();
  return files;
}

interface Body {
  readonly entity: number;
  readonly name: string;
  readonly q: Float64Array;
  readonly d: Float64Array;
  yaw: number;
  pitch: number;
  onGround: boolean;
  flags: number;
  slot: number;
  /** The place at the end of the tick; null: it did not say. */
  at: Row | null;
}

class Scribe {
  readonly #emit: (type: number, tick: number, payload: Uint8Array) => void;
  readonly #keep: (tick: number, payload: Uint8Array) => void;
  readonly #out = new ByteBuilder(64);
  readonly #bodies = new Map<number, Body>();
  readonly #blocks = new Map<string, { readonly at: readonly number[]; state: string }>();
  readonly #move = new Move();
  #names = new PaletteIndex();
  #block: readonly number[] = [0, 0, 0];

  constructor(
    emit: (type: number, tick: number, payload: Uint8Array) => void,
    keep: (tick: number, payload: Uint8Array) => void,
  ) {
    this.#emit = emit;
    this.#keep = keep;
  }

  take(row: Row, tick: number): void {
    const [, player, kind] = row;
    const body = this.#bodies.get(player);
    if (kind === "m") {
      if (body !== undefined) body.at = row;
      else this.#spawn(player, row, tick);
    } else if (kind === "b") {
      const at = [row[3], row[4], row[5]] as number[];
      const state = `minecraft:state_${row[6]}`;
      this.#blocks.set(at.join(), { at, state });
      if (tick < 0) return;
      const block = this.#name(PALETTE.block, state, tick);
      const delta = Float64Array.from(at, (value, k) => value - this.#block[k]!);
      this.#block = at;
      this.#put(EVENT.setBlock, tick, (out) => writeSetBlock(out, { delta, block }));
    } else if (kind === "slot" && body !== undefined) {
      body.slot = row[3] as number;
      if (tick >= 0) this.#put(EVENT.heldSlot, tick, (out) => writeHeldSlot(out, { entity: player, slot: body.slot }));
    } else if (tick < 0) {
      return;
    } else if (kind === "swing") {
      this.#put(EVENT.swing, tick, (out) => writeSwing(out, { entity: player, hand: 0 }));
    } else if (kind === "chat") {
      const text = this.#name(PALETTE.text, String(row[3]), tick);
      this.#put(EVENT.chat, tick, (out) => writeChat(out, { kind: 0, sender: player, text }));
    }
  }

  endTick(tick: number): void {
    for (const body of this.#bodies.values()) {
      if (body.at === null) continue;
      const { q, d, yaw, pitch, onGround } = body;
      const before = [...q];
      const flags = this.#place(body, body.at);
      const move = this.#move;
      move.entity = body.entity;
      move.x = q[0]! - before[0]! - d[0]!;
      move.y = q[1]! - before[1]! - d[1]!;
      move.z = q[2]! - before[2]! - d[2]!;
      move.yaw = turnChange(yaw, body.yaw);
      move.pitch = turnChange(pitch, body.pitch);
      move.mask = moveMask(move, body.onGround);
      const isStill = q.every((value, k) => value === before[k]);
      if (
        !isStill ||
        yaw !== body.yaw ||
        pitch !== body.pitch ||
        onGround !== body.onGround ||
        d.some((value) => value !== 0)
      ) {
        for (let k = 0; k < 3; k++) d[k] = q[k]! - before[k]!;
        this.#put(EVENT.move, tick, (out) => writeMove(out, move));
      }
      if (flags !== body.flags) {
        body.flags = flags;
        this.#put(EVENT.state, tick, (out) => writeStateEvent(out, { entity: body.entity, pose: 0, flags }));
      }
      body.at = null;
    }
  }

  snapshot(tick: number): void {
    this.#names = new PaletteIndex();
    this.#block = [0, 0, 0];
    const names = this.#names;
    const entities = [...this.#bodies.values()].map((body) => {
      body.d.fill(0);
      const { entity, q, yaw, pitch, flags, slot } = body;
      return {
        entity,
        place: { q, yaw, pitch, flags: body.onGround ? 1 : 0 },
        details: {
          type: names.index(PALETTE.entityType, "minecraft:player"),
          pose: 0,
          flags,
          heldSlot: slot,
          itemUse: 0,
          uuid: null,
          profile: names.index(PALETTE.profile, body.name),
        },
      };
    });
    let before: readonly number[] = [0, 0, 0];
    const edits = [...this.#blocks.values()].map(({ at, state }) => {
      const delta = Float64Array.from(at, (value, k) => value - before[k]!);
      before = at;
      return { delta, block: names.index(PALETTE.block, state) };
    });
    const sections: Section[] = [
      { type: SECTION.entities, body: this.#built((out) => writeEntities(out, entities)) },
      { type: SECTION.blocks, body: this.#built((out) => writeBlockEdits(out, edits)) },
    ];
    const palettes: Section = { type: SECTION.palettes, body: names.section() };
    this.#keep(
      tick,
      this.#built((out) => writeSections(out, [palettes, ...sections])),
    );
  }

  #spawn(entity: number, row: Row, tick: number): void {
    const body: Body = {
      entity,
      name: `bot${entity}`,
      q: new Float64Array(3),
      d: new Float64Array(3),
      yaw: 0,
      pitch: 0,
      onGround: false,
      flags: 0,
      slot: 0,
      at: null,
    };
    this.#place(body, row);
    this.#bodies.set(entity, body);
    if (tick < 0) return;
    const type = this.#name(PALETTE.entityType, "minecraft:player", tick);
    const profile = this.#name(PALETTE.profile, body.name, tick);
    const { q, yaw, pitch } = body;
    const flags = body.onGround ? 1 : 0;
    this.#put(EVENT.spawn, tick, (out) => writeSpawn(out, { entity, type, q, yaw, pitch, flags, uuid: null, profile }));
    this.#put(EVENT.state, tick, (out) => writeStateEvent(out, { entity, pose: 0, flags: 0 }));
    this.#put(EVENT.heldSlot, tick, (out) => writeHeldSlot(out, { entity, slot: 0 }));
  }

  /** Puts a body where a row says; gives its flags. */
  #place(body: Body, row: Row): number {
    const [, , , x, y, z, yaw, pitch] = row as readonly number[];
    const flags = row[11] as number;
    body.q[0] = quantize(x!);
    body.q[1] = quantize(y!);
    body.q[2] = quantize(z!);
    body.yaw = turnOf(180 - (yaw! * 180) / Math.PI);
    body.pitch = turnOf((-pitch! * 180) / Math.PI);
    body.onGround = (flags & 1) !== 0;
    return ((flags & 2) === 0 ? 0 : 2) | ((flags & 8) === 0 ? 0 : 8);
  }

  #name(kind: number, text: string, tick: number): number {
    const known = this.#names.find(kind, text);
    if (known !== null) return known;
    const index = this.#names.index(kind, text);
    this.#put(EVENT.paletteAdd, tick, (out) => writePaletteAdd(out, { kind, entry: new TextEncoder().encode(text) }));
    return index;
  }

  #put(type: number, tick: number, write: (out: ByteBuilder) => void): void {
    this.#emit(type, tick, this.#built(write));
  }

  #built(write: (out: ByteBuilder) => void): Uint8Array {
    write(this.#out);
    return this.#out.take();
  }
}
