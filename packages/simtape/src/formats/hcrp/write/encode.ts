import { ByteBuilder } from "../../../bytes/builder.ts";
import { NBT, nbtCompound } from "../../../codec/nbt.ts";
import { transformOf } from "../../../model/axes/axes-transform.ts";
import { type Origin, unsetOrigin } from "../../../model/axes/geodesy.ts";
import { type Place, placesOf } from "../../../model/poses/place.ts";
import { areSameSets, type State } from "../../../model/state/state.ts";
import { radiansPer } from "../../../model/values/units.ts";
import type { ChannelInfo, Value } from "../../../model/values/value.ts";
import type { Account, StateEncoder, Witness, Writer } from "../../../model/writer.ts";
import { TICK } from "../layout/framing.ts";
import { PALETTE } from "../layout/chunk.ts";
import { writePlaceEvent, writeRemove, writeSpawn } from "../layout/entity-events.ts";
import { EVENT } from "../layout/events.ts";
import { Move, moveMask, quantize, turnChange, turnOf, writeMove } from "../layout/motion.ts";
import { MIRROR_PREFIX, SET_EVENT, VALUE_EVENT } from "../layout/own.ts";
import { writePaletteAdd } from "../layout/world-events.ts";
import { sameValue, writeSetChange, writeValueChange } from "../layout/patch.ts";
import { AXES } from "../meaning/scene.ts";
import { type Actor, type CarriedState, placeOf, type Scene } from "./scene.ts";
import { HcrpWriter } from "./writer.ts";

/** Things in the scene at most (spec §12). More are carried all the same, but no Minecraft client shows them. */
const MAX_ENTITIES = 4096;
/** Bytes of one event of changed values, about. */
const EVENT_BYTES = 1 << 18;
/** Left free in a chunk when a change is judged by its size. */
const SPARE_BYTES = 1 << 16;

/**
 * Writes any format's state: all values and sets exactly, as host events, and what has a place also as entities on the
 * grid, a block for a metre. `firstEntity` is the first id to give out, `before` what holds
 * already in a recording that is gone on with. Throws `RangeError` for a writer that is not
 * one of HCRP version 1.
 */
export function encoder(
  writer: Writer,
  account: Account,
  origin: Origin = unsetOrigin(),
  firstEntity = 1,
  before: CarriedState | null = null,
): HcrpEncoder {
  if (!(writer instanceof HcrpWriter)) throw new RangeError("not a writer of HCRP");
  return new HcrpEncoder(writer, account, origin, firstEntity, before);
}

/** Made by `encoder`. */
export class HcrpEncoder implements StateEncoder {
  readonly #writer: HcrpWriter;
  readonly #account: Account;
  readonly #valueChannel: ChannelInfo;
  readonly #setChannel: ChannelInfo;
  readonly #core: (type: number) => ChannelInfo;
  readonly #builder = new ByteBuilder();
  readonly #scratch = new ByteBuilder();
  readonly #scene: Scene;
  readonly #origin: Origin;
  readonly #counts = new Map<string, number>();
  readonly #refused = new Map<string, number>();
  readonly #move = new Move();
  readonly #at = new Float64Array(3);
  #nextEntity: number;
  #tick = 0;
  #between = 0;

  constructor(writer: HcrpWriter, account: Account, origin: Origin, firstEntity: number, before: CarriedState | null) {
    this.#origin = origin;
    this.#nextEntity = firstEntity;
    this.#writer = writer;
    this.#account = account;
    this.#valueChannel = writer.channel({ name: VALUE_EVENT });
    this.#setChannel = writer.channel({ name: SET_EVENT });
    const core = ["move", "place", "spawn", "remove", "palette-add"].map((name) => writer.channel({ name }));
    this.#core = (type) => core.find(({ id }) => id === type)!;
    this.#scene = writer.scene;
    this.#scene.begin(before);
  }

  /** The id that the next new thing gets. */
  get nextEntity(): number {
    return this.#nextEntity;
  }

  step(state: State): void {
    // what holds at a tick is what held then: a moment between two ticks is written at the later one
    const tick = Math.max(this.#tick, Math.ceil(state.time / TICK));
    if (tick * TICK !== state.time) this.#between++;
    this.#tick = tick;
    this.#scene.step();
    this.#writer.goTo(tick);
    this.#tellValues(state);
    if (areSameSets(this.#scene.sets, state.sets)) return;
    this.#tellSets(state);
    this.#tellScene(state);
  }

  end(): void {
    if (this.#scene.steps > 0) this.#writer.extend(this.#tick + 1);
    this.#writer.note("next_entity_id", { type: NBT.int, value: this.#nextEntity });
    if (this.#origin.isSet) {
      const { latitude, longitude, altitude } = this.#origin;
      const origin = nbtCompound({
        latitude: { type: NBT.double, value: latitude },
        longitude: { type: NBT.double, value: longitude },
        altitude: { type: NBT.double, value: altitude },
      });
      this.#writer.noteOwn("origin", origin);
    }
    for (const [path, count] of this.#counts) this.#account.carried(path, count);
    for (const [path, count] of this.#refused)
      this.#account.lost(path, "a tick of HCRP holds at most 16 MiB of changes", count);
    if (this.#between > 0)
      this.#account.lost(
        "time",
        "HCRP counts ticks of 50 ms: moments between two ticks are written at the later one",
        this.#between,
      );
  }

  /** All values and sets are there to the last bit, at the tick at or behind their time. */
  witness(): Witness {
    return {
      timeOf: (time) => Math.max(0, Math.ceil(time / TICK)) * TICK,
      value: ({ values }, path) => values.get(path),
      hasSets: true,
      things: () => new Map(),
      origin: this.#origin,
    };
  }

  #tellValues(state: State): void {
    const known = this.#scene.values;
    const set: [string, Value | undefined][] = [];
    const gone: [string, Value | undefined][] = [];
    let met = 0;
    for (const [path, value] of state.values) {
      const before = known.get(path);
      if (before !== undefined) met++;
      if (!sameValue(before, value)) set.push([path, value]);
    }
    if (met < known.size) for (const path of known.keys()) if (!state.values.has(path)) gone.push([path, undefined]);
    const out = this.#builder;
    for (const [path, value] of gone.concat(set)) {
      writeValueChange(this.#scratch, path, value, this.#nameIndex);
      const change = this.#scratch.take();
      if (change.length + out.length > this.#writer.room - SPARE_BYTES) {
        this.#refuse(path);
        continue;
      }
      out.raw(change);
      if (value === undefined) this.#scene.values.delete(path);
      else this.#scene.values.set(path, value);
      this.#count(path);
      if (out.length >= EVENT_BYTES) this.#put(this.#valueChannel, out.take());
    }
    if (out.length > 0) this.#put(this.#valueChannel, out.take());
  }

  #tellSets(state: State): void {
    const names = new Set([...this.#scene.sets.keys(), ...state.sets.keys()]);
    for (const name of names) {
      const before = this.#scene.sets.get(name) ?? null;
      const after = state.sets.get(name) ?? null;
      writeSetChange(this.#builder, name, before, after, this.#nameIndex);
      if (this.#builder.length === 0) continue;
      const change = this.#builder.take();
      if (change.length > this.#writer.room - SPARE_BYTES) {
        this.#refuse(name);
        continue;
      }
      this.#put(this.#setChannel, change);
      if (after === null) this.#scene.sets.delete(name);
      else this.#scene.sets.set(name, after);
      this.#count(name);
    }
  }

  // ── the scene ─────────────────────────────────────────────────────────

  #tellScene(state: State): void {
    const sets = new Map([...state.sets].filter(([, set]) => set.ids.length <= MAX_ENTITIES));
    for (const place of placesOf({ ...state, sets }, this.#origin)) this.#tellPlace(place);
    const gone: number[] = [];
    for (const [key, actor] of this.#scene.actors) {
      if (actor.step === this.#scene.steps) continue;
      gone.push(actor.entity);
      this.#scene.actors.delete(key);
    }
    if (gone.length === 0) return;
    writeRemove(this.#builder, { entities: Uint32Array.from(gone) });
    this.#put(this.#core(EVENT.remove), this.#builder.take());
  }

  #tellPlace(place: Place): void {
    const at = this.#at;
    SCENE.vectorBack(place.x, place.y, place.z, at, 0);
    const [x, y, z] = [quantize(at[0]!), quantize(at[1]!), quantize(at[2]!)];
    if (!Number.isSafeInteger(x) || !Number.isSafeInteger(y) || !Number.isSafeInteger(z)) return;
    const key = `${place.set}\0${typeof place.id}\0${place.id}`;
    const kind = `${MIRROR_PREFIX}${place.set}/${place.kind}`;
    let actor = this.#scene.actors.get(key);
    if (actor !== undefined && (actor.kind !== kind || actor.label !== place.label)) {
      writeRemove(this.#builder, { entities: Uint32Array.of(actor.entity) });
      this.#put(this.#core(EVENT.remove), this.#builder.take());
      this.#scene.actors.delete(key);
      actor = undefined;
    }
    const [yaw, pitch] = anglesOf(place);
    if (actor === undefined) {
      this.#spawn(key, kind, place.label, Float64Array.of(x, y, z), yaw, pitch);
      return;
    }
    actor.step = this.#scene.steps;
    this.#moveTo(actor, x, y, z, yaw, pitch);
  }

  #spawn(key: string, kind: string, label: string, q: Float64Array, yaw: number, pitch: number): void {
    if (this.#scene.actors.size >= MAX_ENTITIES) return;
    const entity = this.#nextEntity++;
    const type = this.#paletteIndex(PALETTE.entityType, kind);
    const profile = label === "" ? null : this.#paletteIndex(PALETTE.profile, label);
    writeSpawn(this.#builder, { entity, type, q, yaw, pitch, flags: 0, uuid: null, profile });
    this.#put(this.#core(EVENT.spawn), this.#builder.take());
    this.#scene.actors.set(key, {
      entity,
      kind,
      label,
      q,
      d: new Float64Array(3),
      yaw,
      pitch,
      step: this.#scene.steps,
    });
  }

  #moveTo(actor: Actor, x: number, y: number, z: number, yaw: number, pitch: number): void {
    const { q, d } = actor;
    const dx = x - q[0]!;
    const dy = y - q[1]!;
    const dz = z - q[2]!;
    const isStill = dx === 0 && dy === 0 && dz === 0 && d[0] === 0 && d[1] === 0 && d[2] === 0;
    if (isStill && yaw === actor.yaw && pitch === actor.pitch) return;
    const move = this.#move;
    move.entity = actor.entity;
    move.x = dx - d[0]!;
    move.y = dy - d[1]!;
    move.z = dz - d[2]!;
    move.yaw = turnChange(actor.yaw, yaw);
    move.pitch = turnChange(actor.pitch, pitch);
    q[0] = x;
    q[1] = y;
    q[2] = z;
    actor.yaw = yaw;
    actor.pitch = pitch;
    if ([move.x, move.y, move.z].every((value) => Math.abs(value) < 2 ** 51)) {
      move.mask = moveMask(move, false);
      d[0] = dx;
      d[1] = dy;
      d[2] = dz;
      writeMove(this.#builder, move);
      this.#put(this.#core(EVENT.move), this.#builder.take());
      return;
    }
    d.fill(0);
    writePlaceEvent(this.#builder, { entity: actor.entity, ...placeOf(actor) });
    this.#put(this.#core(EVENT.place), this.#builder.take());
  }

  // ── events ────────────────────────────────────────────────────────────

  readonly #nameIndex = (name: string): number => this.#paletteIndex(PALETTE.text, name);

  /** Index in the open chunk's palette, added there when it is new. */
  #paletteIndex(kind: number, text: string): number {
    const known = this.#scene.names.find(kind, text);
    if (known !== null) return known;
    const index = this.#scene.names.index(kind, text);
    const out = new ByteBuilder();
    writePaletteAdd(out, { kind, entry: new TextEncoder().encode(text) });
    this.#put(this.#core(EVENT.paletteAdd), out.take());
    return index;
  }

  #put(channel: ChannelInfo, payload: Uint8Array): void {
    this.#scene.wrote(payload.length);
    this.#writer.write(channel, this.#tick * TICK, payload);
  }

  #count(path: string): void {
    this.#counts.set(path, (this.#counts.get(path) ?? 0) + 1);
  }

  #refuse(path: string): void {
    this.#refused.set(path, (this.#refused.get(path) ?? 0) + 1);
  }
}

const SCENE = transformOf(AXES);

/** Yaw and pitch in angle steps. */
function anglesOf({ orientation }: Place): [number, number] {
  if (orientation === null) return [0, 0];
  const angles: [number, number, number] = [0, 0, 0];
  SCENE.anglesBack(...orientation, radiansPer("deg"), angles, 0);
  return [turnOf(angles[2]), turnOf(angles[1])];
}
