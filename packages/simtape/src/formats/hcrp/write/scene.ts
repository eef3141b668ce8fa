import { ByteBuilder } from "../../../bytes/builder.ts";
import type { EntitySet, State } from "../../../model/state/state.ts";
import type { Value } from "../../../model/values/value.ts";
import {
  PALETTE,
  SECTION,
  type SnapshotEntity,
  writeEntities,
  writeHostState,
  writeSections,
} from "../layout/chunk.ts";
import type { GridPlace } from "../layout/motion.ts";
import { STATE_NAMESPACE } from "../layout/own.ts";
import { writeStateChange } from "../layout/patch.ts";
import { PaletteIndex } from "../meaning/snapshot-palettes.ts";
import type { SnapshotSource } from "./chunk-series.ts";

/** A snapshot is due when events came to so many times its size (events §6), or after so many ticks. */
const SNAPSHOT_SHARE = 4;
const SNAPSHOT_TICKS = 1200;
/** Snapshots above this are not made: readers fold from the one before. */
const SNAPSHOT_BYTES = 8 << 20;

/** A thing as it was written last. */
export interface Actor {
  readonly entity: number;
  readonly kind: string;
  readonly label: string;
  readonly q: Float64Array;
  readonly d: Float64Array;
  yaw: number;
  pitch: number;
  /** The step it was seen in. */
  step: number;
}

/** The state of another simulator, as a recording holds it at some time, with its pictures on the grid. */
export interface CarriedState extends Omit<State, "time"> {
  readonly actors: readonly Actor[];
}

export function placeOf({ q, yaw, pitch }: Actor): GridPlace {
  return { q, yaw, pitch, flags: 0 };
}

/**
 * A state as far as an encoder wrote it, and what the open chunk knows of it. The encoder keeps it up to date, and
 * chunks begin with snapshots of it.
 */
export class Scene implements SnapshotSource {
  readonly values: Map<string, Value> = new Map();
  readonly sets: Map<string, EntitySet> = new Map();
  readonly actors: Map<string, Actor> = new Map();
  /** Of events that no encoder writes. */
  readonly #others: SnapshotSource | null;
  #names = new PaletteIndex();
  #isEncoded = false;
  #steps = 0;
  /** Of events since the last snapshot. */
  #bytes = 0;
  #snapshotBytes = 0;
  #snapshotTick = 0;

  /** `others` gives the snapshots until an encoder begins; null: there are none. */
  constructor(others: SnapshotSource | null) {
    this.#others = others;
  }

  /** Palettes of the open chunk. */
  get names(): PaletteIndex {
    return this.#names;
  }

  /** States that were written, the one being written included. */
  get steps(): number {
    return this.#steps;
  }

  /** An encoder writes the recording from here on. `before`: what a recording that is gone on with holds there. */
  begin(before: CarriedState | null): void {
    this.#isEncoded = true;
    for (const [path, value] of before?.values ?? []) this.values.set(path, value);
    for (const [name, set] of before?.sets ?? []) this.sets.set(name, set);
    // which things they are pictures of is not recorded: the first state takes them out, and puts them in again
    for (const actor of before?.actors ?? []) this.actors.set(`${actor.entity}`, actor);
  }

  /** Another state is about to be written. */
  step(): void {
    this.#steps++;
  }

  /** An event of so many bytes was written. */
  wrote(bytes: number): void {
    this.#bytes += bytes;
  }

  /**
   * The state before a chunk's first event; null when a snapshot is not due. Palettes and displacements begin again.
   */
  snapshot(tick: number, isWanted: boolean): Uint8Array | null {
    if (!this.#isEncoded) return this.#others?.snapshot(tick, isWanted) ?? null;
    this.#names = new PaletteIndex();
    for (const actor of this.actors.values()) actor.d.fill(0);
    if (this.#steps <= 1 && this.values.size === 0 && this.sets.size === 0) return EMPTY;
    const isDue = this.#bytes >= this.#snapshotBytes * SNAPSHOT_SHARE || tick - this.#snapshotTick >= SNAPSHOT_TICKS;
    if (!isDue && !isWanted) return null;
    const names = new PaletteIndex();
    const snapshot = this.#sections(names);
    if (snapshot.length > SNAPSHOT_BYTES) return null;
    this.#names = names;
    this.#bytes = 0;
    this.#snapshotBytes = snapshot.length;
    this.#snapshotTick = tick;
    return snapshot;
  }

  #sections(names: PaletteIndex): Uint8Array {
    const out = new ByteBuilder();
    const now: State = { time: 0, values: this.values, sets: this.sets };
    writeStateChange(out, NOTHING, now, (name) => names.index(PALETTE.text, name));
    const host = { namespace: STATE_NAMESPACE, bytes: out.take() };
    writeHostState(out, host);
    const state = out.take();
    writeEntities(
      out,
      Array.from(this.actors.values(), (actor) => entityOf(actor, names)),
    );
    const entities = out.take();
    writeSections(out, [
      { type: SECTION.palettes, body: names.section() },
      { type: SECTION.entities, body: entities },
      { type: SECTION.host, body: state },
    ]);
    return out.take();
  }
}

const EMPTY = new Uint8Array(0);
const NOTHING: State = { time: 0, values: new Map(), sets: new Map() };

function entityOf(actor: Actor, names: PaletteIndex): SnapshotEntity {
  return {
    entity: actor.entity,
    place: placeOf(actor),
    details: {
      type: names.index(PALETTE.entityType, actor.kind),
      pose: 0,
      flags: 0,
      heldSlot: 0,
      itemUse: 0,
      uuid: null,
      profile: actor.label === "" ? null : names.index(PALETTE.profile, actor.label),
    },
  };
}
