import { ByteBuilder } from "../../bytes/builder.ts";
import { PALETTE } from "../../formats/hcrp/layout/chunk.ts";
import {
  writeEffect,
  writeEntityMetadata,
  writeExactPlace,
  writeHeldSlot,
  writeHurt,
  writeItemUse,
  writeJoin,
  writeLeave,
  writeMount,
  writePlaceEvent,
  writeRemove,
  writeSetItems,
  writeSpawn,
  writeStateEvent,
  writeSwing,
  writeVelocity,
  writeView,
  writeVitals,
} from "../../formats/hcrp/layout/entity-events.ts";
import { EVENT } from "../../formats/hcrp/layout/events.ts";
import {
  degreesOf,
  GRID,
  MOVE_ON_GROUND,
  Move,
  moveMask,
  PLACE_TELEPORT,
  quantize,
  turnChange,
  turnOf,
  writeMove,
} from "../../formats/hcrp/layout/motion.ts";
import {
  MARK_KINDS,
  type MarkKind,
  writeChat,
  writeMark,
  writePaletteAdd,
  writeParticles,
  writeSetBlock,
  writeSound,
  writeWorld,
} from "../../formats/hcrp/layout/world-events.ts";
import { PaletteIndex } from "../../formats/hcrp/meaning/snapshot-palettes.ts";
import { Body, type Identity, type Stance, type Target } from "./body.ts";
import { snapshotOf, type Tracked } from "./snapshot.ts";

/** Blocks. */
export type Point = readonly [x: number, y: number, z: number];

/** Where the events of a world go, tick by tick. */
export interface EventSink {
  /**
   * Settles where the events of this tick go. May ask `World.snapshot` for the state before it, and must when `needsSnapshot`;
   * then gives its tick.
   */
  enter(tick: number, needsSnapshot: boolean): number | null;
  /** One event at `tick`; `core` is its id (HCRP events §2). `payload` holds for the call only. */
  event(core: number, tick: number, payload: Uint8Array): void;
  /** A bookmark for the metadata. */
  mark(mark: Mark): void;
  /** Bytes that events of the present tick may still take. */
  room(): number;
}

/** A moment worth finding again (HCRP spec §4 `marks`). */
export interface Mark {
  readonly tick: number;
  readonly kind: MarkKind;
  readonly entity: number | null;
  readonly label: string;
  /** 0 to 127. */
  readonly severity: number;
}

export { MARK_KINDS, type MarkKind };

/** Where a thing is, and how. */
interface KnownStance extends Stance {
  readonly onGround: boolean;
  readonly headYaw: number | undefined;
  readonly pose: number;
  readonly flags: number;
}

/** Things tracked at most (HCRP spec §12). */
const MAX_ENTITIES = 4096;
/**
 * Kept free in a tick for what settles at its end, and for one event: the largest that a line of the line
 * protocol can be.
 */
const SPARE_BYTES = 4 << 20;

/**
 * A Minecraft-like world as a recorder sees it: its methods are called for what happens, at
 * the end of each tick or as it happens. It keeps what a snapshot needs, leaves out what changes nothing, and puts moves on the absolute grid, so that errors
 * never add up: at most 1/8192 block and 0.00275 degrees (HCRP events §2.1). Events of a thing that it does not know
 * are ignored.
 */
export class World {
  #sink: EventSink;
  readonly #builder = new ByteBuilder(64);
  readonly #move = new Move();
  /** Bodies that have a target. */
  readonly #moved: Body[] = [];
  readonly #tracked: Tracked = { bodies: new Map(), blocks: new Map(), dimension: null, time: null, weather: null };
  #names: PaletteIndex | null = null;
  #tick = 0;
  #entered = -1;
  /** The tick of the last event. */
  #lastEvent = -1;
  #isUsed = false;
  #nextEntity: number;
  #bx = 0;
  #by = 0;
  #bz = 0;
  #refused = 0;
  #named = 0;
  /** Things of a recording that is gone on with, which no sender has said are still there. */
  readonly #unclaimed = new Set<number>();
  /** Edits of blocks of it go before anything else happens. */
  #hasOldBlocks = false;

  readonly #records: readonly boolean[];

  /**
   * `records`: which core events are wanted, by id. `firstEntity` is the next id to give out: those of a recording are
   * never used again (HCRP spec §4).
   */
  constructor(sink: EventSink, records: readonly boolean[], firstEntity = 1) {
    this.#sink = sink;
    this.#records = records;
    this.#nextEntity = firstEntity;
  }

  /** Ticks rise by themselves; see `Recorder.tick`. */
  get tick(): number {
    return this.#tick;
  }

  /** The id that the next new thing gets. */
  get nextEntity(): number {
    return this.#nextEntity;
  }

  /** Things that were not taken because 4,096 are there already. */
  get refused(): number {
    return this.#refused;
  }

  /** Whether anything was recorded. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** Whether steps of the present tick are still to be written. */
  get isMoving(): boolean {
    return this.#moved.length > 0;
  }

  /** Whether anything of the present tick was recorded. */
  get isInTick(): boolean {
    return this.isMoving || this.#lastEvent === this.#tick;
  }

  has(entity: number): boolean {
    return this.#tracked.bodies.has(entity);
  }

  // ── who is there ──────────────────────────────────────────────────────

  /**
   * A new thing, and its id; -1 when there are too many. `type` as `minecraft:player`. `own` is what its sender calls it:
   * by that it is found again when the recording is gone on with (`inherited`).
   */
  spawn(type: string, stance: Stance, who: Identity | null = null, own: string | null = null): number {
    const { bodies } = this.#tracked;
    if (bodies.size >= MAX_ENTITIES) {
      this.#refused++;
      return -1;
    }
    this.enter();
    const entity = this.#nextEntity++;
    const body = new Body(entity, type, who);
    body.put(stance);
    body.own = own;
    if (own !== null) this.#named++;
    bodies.set(entity, body);
    const identity = {
      uuid: body.uuid,
      profile: body.name === null ? null : this.#name(PALETTE.profile, body.name),
    };
    const event = { entity, type: this.#name(PALETTE.entityType, type), ...body.place(0), ...identity };
    writeSpawn(this.#builder, event);
    this.#emit(EVENT.spawn);
    this.#turnHead(body, stance);
    return entity;
  }

  remove(...entities: readonly number[]): void {
    const known = entities.filter((entity) => this.has(entity));
    if (known.length === 0) return;
    this.enter();
    this.#takeOut(known);
  }

  #takeOut(entities: readonly number[]): void {
    for (const entity of entities) {
      if ((this.#tracked.bodies.get(entity)?.own ?? null) !== null) this.#named++;
      this.#tracked.bodies.delete(entity);
      this.#unclaimed.delete(entity);
    }
    writeRemove(this.#builder, { entities: Uint32Array.from(entities) });
    this.#emit(EVENT.remove);
  }

  /** All things go, and all block edits are undone. */
  clear(): void {
    const { bodies, blocks } = this.#tracked;
    if (bodies.size + blocks.size === 0) return;
    this.enter();
    if (bodies.size > 0) this.#takeOut([...bodies.keys()]);
    if (blocks.size === 0) return;
    blocks.clear();
    this.#emit(EVENT.clearBlocks);
  }

  /** A player comes: a thing of type `minecraft:player`, and the news of it. */
  join(who: Identity, stance: Stance, own: string | null = null): number {
    const entity = this.spawn("minecraft:player", stance, who, own);
    if (entity < 0) return entity;
    writeJoin(this.#builder, { entity, uuid: who.uuid, profile: this.#name(PALETTE.profile, who.name) });
    this.#emit(EVENT.join);
    return entity;
  }

  /** A player goes, and its body with it. */
  leave(entity: number): void {
    if (!this.has(entity)) return;
    this.enter();
    writeLeave(this.#builder, { entity });
    this.#emit(EVENT.leave);
    this.#takeOut([entity]);
  }

  // ── a recording that is gone on with ──────────────────────────────────

  /**
   * The thing that the sender before called so, while no event of the first tick has said what became of it; null: there
   * is none of that name, type and UUID.
   */
  inherited(own: string): { readonly entity: number; readonly type: string; readonly uuid: string | null } | null {
    for (const entity of this.#unclaimed) {
      const body = this.#tracked.bodies.get(entity)!;
      if (body.own === own) return body;
    }
    return null;
  }

  /** What is known of a thing. Throws `RangeError` for one that is not there. */
  stanceOf(entity: number): KnownStance {
    const body = this.#tracked.bodies.get(entity);
    if (body === undefined) throw new RangeError(`no thing has the number ${entity}`);
    const { yaw, pitch, head, onGround, pose, flags } = body;
    return {
      x: body.qx / GRID,
      y: body.qy / GRID,
      z: body.qz / GRID,
      yaw: degreesOf(yaw),
      pitch: degreesOf(pitch),
      headYaw: head === 0 ? undefined : degreesOf(yaw + head),
      onGround,
      pose,
      flags,
    };
  }

  /**
   * It is still there, and was not recorded meanwhile: it keeps its number, and is where `stance` says. What a resumed
   * recording holds and nothing keeps is taken out at the end of the first tick in which something happens.
   */
  keep(entity: number, stance: Stance): void {
    this.#unclaimed.delete(entity);
    this.teleport(entity, stance);
  }

  // ── motion ────────────────────────────────────────────────────────────

  /**
   * A step of its own. Of several in one tick the last counts: they are written at the tick's end, and only when they
   * lead somewhere.
   */
  move(entity: number, stance: Stance): void {
    const body = this.#tracked.bodies.get(entity);
    if (body === undefined) return;
    const yaw = turnOf(stance.yaw);
    const head = stance.headYaw === undefined ? 0 : turnChange(yaw, turnOf(stance.headYaw));
    if (body.target === null) {
      this.#moved.push(body);
      body.target = { x: 0, y: 0, z: 0, yaw, pitch: 0, head, onGround: body.onGround };
    }
    const { target } = body;
    target.x = quantize(stance.x);
    target.y = quantize(stance.y);
    target.z = quantize(stance.z);
    target.yaw = yaw;
    target.pitch = turnOf(stance.pitch);
    target.head = head;
    if (stance.onGround !== undefined) target.onGround = stance.onGround;
  }

  /** Writes the steps of the present tick, which is over or about to be cut. */
  settle(): void {
    const moved = this.#moved;
    for (let i = 0; i < moved.length; i++) {
      const body = moved[i]!;
      const { target } = body;
      body.target = null;
      if (target !== null && this.#tracked.bodies.get(body.entity) === body) this.#step(body, target);
    }
    moved.length = 0;
    if (this.#unclaimed.size > 0 && this.#lastEvent === this.#tick) this.#takeOut([...this.#unclaimed]);
  }

  #step(body: Body, target: Target): void {
    const { x, y, z, yaw, pitch, head, onGround } = target;
    const isStill = x === body.qx && y === body.qy && z === body.qz && onGround === body.onGround;
    const isSame = isStill && yaw === body.yaw && pitch === body.pitch && head === body.head;
    if (isSame && body.dx === 0 && body.dy === 0 && body.dz === 0) return;
    // settles the chunk, at whose start nothing is on its way
    if (this.#entered !== this.#tick) this.#begin(false);
    const move = this.#move;
    move.entity = body.entity;
    move.x = x - body.qx - body.dx;
    move.y = y - body.qy - body.dy;
    move.z = z - body.qz - body.dz;
    move.yaw = turnChange(body.yaw, yaw);
    move.pitch = turnChange(body.pitch, pitch);
    move.headYaw = turnChange(body.head, head);
    move.mask = moveMask(move, onGround);
    if ((move.mask & ~MOVE_ON_GROUND) === 0 && isStill) return;
    body.dx = x - body.qx;
    body.dy = y - body.qy;
    body.dz = z - body.qz;
    body.qx = x;
    body.qy = y;
    body.qz = z;
    body.yaw = yaw;
    body.pitch = pitch;
    body.head = head;
    body.onGround = onGround;
    writeMove(this.#builder, move);
    this.#emit(EVENT.move);
  }

  /** A jump through space: shown without anything in between. */
  teleport(entity: number, stance: Stance): void {
    const body = this.#find(entity);
    if (body === null) return;
    body.put(stance);
    writePlaceEvent(this.#builder, { entity, ...body.place(PLACE_TELEPORT) });
    this.#emit(EVENT.place);
    this.#turnHead(body, stance);
  }

  /** Blocks per tick. Recorded in profile `review` only, as it follows from the places (HCRP events §2.1). */
  velocity(entity: number, [x, y, z]: Point): void {
    if (!this.#records[EVENT.velocity]) return;
    if (this.#find(entity) === null) return;
    writeVelocity(this.#builder, { entity, velocity: { value: Float64Array.of(x, y, z), raw: null } });
    this.#emit(EVENT.velocity);
  }

  /** The exact place behind a move, for physics: profile `review`. Velocity in blocks per tick. */
  exact(entity: number, stance: Stance, velocity: Point): void {
    if (!this.#records[EVENT.exactPlace]) return;
    if (this.#find(entity) === null) return;
    const { x, y, z, yaw, pitch } = stance;
    writeExactPlace(this.#builder, {
      entity,
      position: Float64Array.of(x, y, z),
      yaw,
      pitch,
      velocity: Float64Array.from(velocity),
    });
    this.#emit(EVENT.exactPlace);
  }

  /** Who sits on a vehicle now; empty: all got off. */
  mount(vehicle: number, passengers: readonly number[]): void {
    if (!this.#records[EVENT.mount]) return;
    const body = this.#find(vehicle);
    if (body === null) return;
    body.passengers = passengers.length === 0 ? null : Uint32Array.from(passengers);
    writeMount(this.#builder, { vehicle, passengers: Uint32Array.from(passengers) });
    this.#emit(EVENT.mount);
  }

  // ── looks and acts ────────────────────────────────────────────────────

  /** Pose and shared flags: fire, sneak, riptide, sprint, swim, invisible, glow, elytra, from bit 0 on. */
  state(entity: number, pose: number, flags: number): void {
    const body = this.#tracked.bodies.get(entity);
    if (body === undefined || (body.pose === pose && body.flags === flags)) return;
    this.enter();
    body.pose = pose;
    body.flags = flags;
    writeStateEvent(this.#builder, { entity, pose, flags });
    this.#emit(EVENT.state);
  }

  /** Items by slot, as `minecraft:diamond_boots` or with components behind it; null empties the slot. */
  equipment(entity: number, items: Readonly<Record<number, string | null>>): void {
    if (!this.#records[EVENT.setItems]) return;
    const body = this.#tracked.bodies.get(entity);
    if (body === undefined) return;
    const changed = Object.entries(items).filter(([slot, item]) => (body.items.get(Number(slot)) ?? null) !== item);
    if (changed.length === 0) return;
    this.enter();
    const written = changed.map(([key, item]) => {
      const slot = Number(key);
      if (item === null) body.items.delete(slot);
      else body.items.set(slot, item);
      return { slot, item: item === null ? 0 : this.#name(PALETTE.item, item) };
    });
    writeSetItems(this.#builder, { entity, items: written });
    this.#emit(EVENT.setItems);
  }

  heldSlot(entity: number, slot: number): void {
    if (!this.#records[EVENT.heldSlot]) return;
    const body = this.#tracked.bodies.get(entity);
    if (body === undefined || body.heldSlot === slot) return;
    this.enter();
    body.heldSlot = slot;
    writeHeldSlot(this.#builder, { entity, slot });
    this.#emit(EVENT.heldSlot);
  }

  /** 0 no item is in use, 1 the one in the main hand, 2 in the off hand. */
  itemUse(entity: number, use: 0 | 1 | 2): void {
    if (!this.#records[EVENT.itemUse]) return;
    const body = this.#tracked.bodies.get(entity);
    if (body === undefined || body.itemUse === use) return;
    this.enter();
    body.itemUse = use;
    writeItemUse(this.#builder, { entity, use });
    this.#emit(EVENT.itemUse);
  }

  swing(entity: number, hand: 0 | 1 = 0): void {
    if (this.#find(entity) === null) return;
    writeSwing(this.#builder, { entity, hand });
    this.#emit(EVENT.swing);
  }

  /** `yaw` in degrees: where the blow came from. */
  hurt(entity: number, attacker: number | null = null, yaw = 0): void {
    if (!this.#records[EVENT.hurt]) return;
    if (this.#find(entity) === null) return;
    writeHurt(this.#builder, { entity, attacker, yaw: (turnOf(yaw) >> 8) & 0xff });
    this.#emit(EVENT.hurt);
  }

  /** Entries of the game's entity data, as bytes of the epoch's data version. */
  metadata(entity: number, entries: ReadonlyMap<number, Uint8Array>): void {
    if (!this.#records[EVENT.metadata]) return;
    const body = this.#find(entity);
    if (body === null || entries.size === 0) return;
    for (const [index, bytes] of entries) body.metadata.set(index, bytes.slice());
    writeEntityMetadata(this.#builder, {
      entity,
      entries: Array.from(entries, ([index, bytes]) => ({ index, bytes })),
    });
    this.#emit(EVENT.metadata);
  }

  /** `ticks` that it lasts; 0 takes it away. */
  effect(entity: number, name: string, amplifier: number, ticks: number): void {
    if (!this.#records[EVENT.effect]) return;
    const body = this.#find(entity);
    if (body === null) return;
    if (ticks === 0) body.effects.delete(name);
    else body.effects.set(name, { amplifier, until: this.#tick + ticks });
    writeEffect(this.#builder, { entity, effect: this.#name(PALETTE.text, name), amplifier, ticks });
    this.#emit(EVENT.effect);
  }

  /** Health in points (20 is full), food in points, experience in points. */
  vitals(entity: number, health: number, food: number, xp: number): void {
    if (!this.#records[EVENT.vitals]) return;
    const body = this.#tracked.bodies.get(entity);
    if (body === undefined) return;
    const sixths = Math.max(0, Math.min(255, Math.round(health * 6)));
    const { vitals } = body;
    if (vitals?.health === sixths && vitals.food === food && vitals.xp === xp) return;
    this.enter();
    body.vitals = { health: sixths, food, xp };
    writeVitals(this.#builder, { entity, ...body.vitals });
    this.#emit(EVENT.vitals);
  }

  /** Game mode, and the thing whose eyes a player looks through. */
  view(entity: number, gameMode: number, camera: number | null = null): void {
    if (!this.#records[EVENT.view]) return;
    const body = this.#tracked.bodies.get(entity);
    if (body === undefined || (body.view?.gameMode === gameMode && body.view.camera === camera)) return;
    this.enter();
    body.view = { gameMode, camera };
    writeView(this.#builder, { entity, gameMode, camera });
    this.#emit(EVENT.view);
  }

  // ── the world itself ──────────────────────────────────────────────────

  /** A block edit against the world version; `state` as `minecraft:oak_stairs[facing=north]`. */
  block([x, y, z]: Point, state: string): void {
    if (!this.#records[EVENT.setBlock]) return;
    // those of the sender before do not hold any more
    if (this.#hasOldBlocks) this.enter();
    const { blocks } = this.#tracked;
    const key = `${x},${y},${z}`;
    const known = blocks.get(key);
    if (known?.state === state) return;
    this.enter();
    if (known === undefined) blocks.set(key, { at: [x, y, z], state });
    else known.state = state;
    const block = this.#name(PALETTE.block, state);
    writeSetBlock(this.#builder, { delta: Float64Array.of(x - this.#bx, y - this.#by, z - this.#bz), block });
    this.#bx = x;
    this.#by = y;
    this.#bz = z;
    this.#emit(EVENT.setBlock);
  }

  /** All block edits are undone. */
  clearBlocks(): void {
    if (!this.#records[EVENT.clearBlocks]) return;
    if (this.#tracked.blocks.size === 0) return;
    this.enter();
    this.#tracked.blocks.clear();
    this.#emit(EVENT.clearBlocks);
  }

  /** As `minecraft:the_nether`. A snapshot follows: it is another world (HCRP events §6). */
  dimension(name: string): void {
    if (this.#tracked.dimension === name) return;
    this.enter();
    this.#tracked.dimension = name;
    // the last one holds, so it is written again when the chunk knows it
    this.#names!.index(PALETTE.dimension, name);
    writePaletteAdd(this.#builder, { kind: PALETTE.dimension, entry: new TextEncoder().encode(name) });
    this.#emit(EVENT.paletteAdd);
  }

  /** Time of day in ticks, and 0 clear, 1 rain, 2 thunder; null for what did not change. */
  world(time: number | null, weather: number | null): void {
    if (!this.#records[EVENT.world]) return;
    this.enter();
    const tracked = this.#tracked;
    if (time !== null) tracked.time = time;
    if (weather !== null) tracked.weather = weather;
    writeWorld(this.#builder, { time, weather });
    this.#emit(EVENT.world);
  }

  chat(text: string, sender: number | null = null): void {
    if (!this.#records[EVENT.chat]) return;
    this.enter();
    writeChat(this.#builder, { kind: sender === null ? 1 : 0, sender, text: this.#name(PALETTE.text, text) });
    this.#emit(EVENT.chat);
  }

  /** Volume and pitch are 1 when nothing is changed. */
  sound(name: string, at: Point, volume = 1, pitch = 1, category = 0): void {
    if (!this.#records[EVENT.sound]) return;
    this.enter();
    writeSound(this.#builder, {
      sound: this.#name(PALETTE.sound, name),
      position: Float64Array.from(at, (value) => Math.round(value * 8)),
      category,
      volume: byteOf(volume * 64),
      pitch: byteOf(pitch * 64),
    });
    this.#emit(EVENT.sound);
  }

  /** `spread` in blocks. */
  particles(name: string, at: Point, count: number, spread: Point = [0, 0, 0]): void {
    if (!this.#records[EVENT.particles]) return;
    this.enter();
    writeParticles(this.#builder, {
      particle: this.#name(PALETTE.particle, name),
      position: Float64Array.from(at, (value) => Math.round(value * 16)),
      count,
      spread: Uint8Array.from(spread, (value) => byteOf(value * 16)),
    });
    this.#emit(EVENT.particles);
  }

  /** In the stream and in the metadata, so that a timeline shows it without decoding anything (HCRP events §7). */
  mark(kind: MarkKind, label: string, entity: number | null = null, severity = 0): void {
    this.enter();
    const number = MARK_KINDS.indexOf(kind);
    writeMark(this.#builder, { kind: number, entity, text: this.#name(PALETTE.text, label), severity });
    this.#emit(EVENT.mark);
    this.#sink.mark({ tick: this.#tick, kind, entity, label, severity });
  }

  // ── for the recorder ──────────────────────────────────────────────────

  /** Goes to a tick; what follows belongs to it. Throws `RangeError` when it is not behind the present one. */
  goTo(tick: number): void {
    if (tick < this.#tick) throw new RangeError(`tick ${tick} is before tick ${this.#tick}, which is recorded`);
    if (tick > this.#tick) this.settle();
    this.#tick = tick;
  }

  /** The world of a recording that is gone on with, and what its sender called the things in it. */
  inherit(world: Tracked, names: ReadonlyMap<number, string>): void {
    for (const [entity, body] of world.bodies) {
      body.own = names.get(entity) ?? null;
      this.#tracked.bodies.set(entity, body);
      this.#unclaimed.add(entity);
    }
    for (const [key, edit] of world.blocks) this.#tracked.blocks.set(key, edit);
    this.#hasOldBlocks = world.blocks.size > 0;
    const { dimension, time, weather } = world;
    Object.assign(this.#tracked, { dimension, time, weather });
  }

  /** Things by their numbers. */
  get bodies(): Iterable<Body> {
    return this.#tracked.bodies.values();
  }

  /** Rises when a thing comes or goes that its sender has a name for. */
  get named(): number {
    return this.#named;
  }

  /** Another recording takes the place of the one before, and begins with a snapshot at tick 0. */
  attach(sink: EventSink, tick: number): void {
    // effects last as long as they did
    for (const { effects } of this.#tracked.bodies.values()) {
      for (const [name, { amplifier, until }] of effects)
        effects.set(name, { amplifier, until: until + tick - this.#tick });
    }
    this.#sink = sink;
    this.#tick = tick;
    this.#lastEvent = -1;
    this.#entered = -1;
  }

  /**
   * Everything that holds now, as the payload of a snapshot; the chunk's palettes begin with it. Called where a chunk
   * begins; `isTaken` is false when there is none and only the palettes begin again.
   */
  snapshot(isTaken: boolean): Uint8Array | null {
    for (const body of this.#tracked.bodies.values()) body.rest();
    this.#bx = 0;
    this.#by = 0;
    this.#bz = 0;
    if (!isTaken) {
      this.#names = new PaletteIndex();
      return null;
    }
    const { payload, names } = snapshotOf(this.#tracked);
    this.#names = names;
    return payload;
  }

  // ── within ────────────────────────────────────────────────────────────

  #find(entity: number): Body | null {
    const body = this.#tracked.bodies.get(entity);
    if (body === undefined) return null;
    this.enter();
    return body;
  }

  /**
   * Before an event: its chunk, palettes and displacements are settled behind this. Throws `RangeError` when the tick
   * holds as much as a chunk can; nothing of the event may have been noted yet.
   */
  enter(): void {
    this.#isUsed = true;
    if (this.#entered !== this.#tick) this.#begin(false);
    if (this.#sink.room() < SPARE_BYTES) throw new RangeError(`tick ${this.#tick} holds more than a chunk can`);
  }

  /** A chunk begins with this tick, in which nothing was recorded yet, and a snapshot with it. */
  enterAgain(): void {
    this.#begin(true);
  }

  /** The chunk was ended: the next event begins another one. */
  reenter(): void {
    this.#entered = -1;
  }

  #begin(needsSnapshot: boolean): void {
    this.#entered = this.#tick;
    if (this.#names === null) this.snapshot(false);
    const start = this.#sink.enter(this.#tick, needsSnapshot);
    if (start !== null) this.#restate(start);
    if (!this.#hasOldBlocks) return;
    this.#hasOldBlocks = false;
    this.#tracked.blocks.clear();
    this.#emit(EVENT.clearBlocks);
  }

  #emit(core: number, tick = this.#tick): void {
    this.#lastEvent = this.#tick;
    this.#sink.event(core, tick, this.#builder.lend());
  }

  /** Index of a name in the chunk's palette, added when it is new. */
  #name(kind: number, text: string, tick = this.#tick): number {
    const names = this.#names!;
    const known = names.find(kind, text);
    if (known !== null) return known;
    const before = this.#builder.take();
    const index = names.index(kind, text);
    writePaletteAdd(this.#builder, { kind, entry: new TextEncoder().encode(text) });
    this.#emit(EVENT.paletteAdd, tick);
    this.#builder.raw(before);
    return index;
  }

  #turnHead(body: Body, stance: Stance): void {
    if (stance.headYaw !== undefined) this.move(body.entity, stance);
  }

  /** What no section of a snapshot holds, at the snapshot's own tick. */
  #restate(tick: number): void {
    const out = this.#builder;
    for (const body of this.#tracked.bodies.values()) {
      const { entity, vitals, view, passengers, effects } = body;
      if (body.head !== 0) {
        const move = Object.assign(this.#move, { entity, x: 0, y: 0, z: 0, yaw: 0, pitch: 0, headYaw: body.head });
        move.mask = moveMask(move, body.onGround);
        writeMove(out, move);
        this.#emit(EVENT.move, tick);
      }
      if (vitals !== null) {
        writeVitals(out, { entity, ...vitals });
        this.#emit(EVENT.vitals, tick);
      }
      if (view !== null) {
        writeView(out, { entity, ...view });
        this.#emit(EVENT.view, tick);
      }
      if (passengers !== null) {
        writeMount(out, { vehicle: entity, passengers });
        this.#emit(EVENT.mount, tick);
      }
      for (const [name, { amplifier, until }] of effects) {
        if (until <= tick) {
          effects.delete(name);
          continue;
        }
        writeEffect(out, { entity, effect: this.#name(PALETTE.text, name, tick), amplifier, ticks: until - tick });
        this.#emit(EVENT.effect, tick);
      }
    }
  }
}

function byteOf(value: number): number {
  return Math.max(0, Math.min(255, Math.round(value)));
}
