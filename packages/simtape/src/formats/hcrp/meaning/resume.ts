import { MutableState } from "../../../model/state/state.ts";
import { HcrpChunk } from "../chunk/plan.ts";
import { decodeChunk } from "../chunk/decode.ts";
import { ENTRY_SNAPSHOT } from "../layout/framing.ts";
import { EVENT_NAMES } from "../layout/events.ts";
import type { Subject } from "../layout/metadata.ts";
import { isResume } from "../layout/own.ts";
import { carriedState } from "../layout/patch.ts";
import { CARRIED } from "./scene.ts";
import { BLOCK_X, BLOCK_Y, BLOCK_Z, WorldState } from "./state.ts";

/** What a cut leaves to be said behind its snapshot and its events, for the events that follow to say. */
export interface Resumed {
  /** By entity: the displacement that its first move counts from. */
  readonly displacements: ReadonlyMap<number, Float64Array>;
  /** How far heads are turned against their bodies, in angle steps. */
  readonly heads: readonly { readonly entity: number; readonly turn: number; readonly isOnGround: boolean }[];
  /** The block that the first event 7 counts from; null: 0, 0, 0. */
  readonly block: Float64Array | null;
  /** Values and sets of another format, as the host section of a snapshot has them; null: there are none. */
  readonly carried: Uint8Array | null;
}

const SNAPSHOT: number = EVENT_NAMES.length;
const EXTENSION: number = SNAPSHOT + 1;
/** Every sized event in one channel: none is looked at but the one that is sought. */
const CHANNELS = { snapshot: SNAPSHOT, extension: EXTENSION, sized: (): null => null };

/** What the event of a cut says in an inflated chunk that has one. */
export function resumedIn(raw: Uint8Array, hasSnapshot: boolean, subjects: readonly Subject[]): Resumed | null {
  const entry = { startTick: 0, tickCount: 0x7fff_ffff, flags: hasSnapshot ? ENTRY_SNAPSHOT : 0 };
  const sizes = { offsetHigh: 0, offsetLow: 0, compressedLength: 1, uncompressedLength: raw.length };
  const chunk = new HcrpChunk(0, { ...entry, ...sizes, formatVersion: null, dataVersion: null }, 0, null);
  const { columns } = decodeChunk(raw, chunk, 1, 0, CHANNELS);
  const model = new WorldState(
    { snapshot: SNAPSHOT, extension: EXTENSION, value: null, set: null, original: null },
    subjects,
  );
  const state = new MutableState();
  model.begin(state);
  for (let i = 0; i < columns.length; i++) {
    const isSought = columns.channel[i] === EXTENSION && isResume(columns.payload(i));
    model.apply(state, columns, i);
    if (isSought) return resumed(model, state);
  }
  return null;
}

function resumed(model: WorldState, state: MutableState): Resumed {
  const displacements = new Map<number, Float64Array>();
  const heads: { entity: number; turn: number; isOnGround: boolean }[] = [];
  const isCarried = state.value(CARRIED) === true;
  for (const [name, set] of state.sets) {
    // of carried sets only the pictures are on the grid
    if (isCarried && name !== ".mirror") continue;
    const { columns } = set;
    const [displacement, angles, onGround] = [columns.get(".d"), columns.get(".a"), columns.get("on-ground")];
    if (displacement === undefined || angles === undefined) continue;
    set.ids.forEach((id, row) => {
      if (typeof id !== "number") return;
      const d = Float64Array.from({ length: 3 }, (_, k) => displacement.number(row, k));
      // who only joined is nowhere
      const turn = angles.number(row, 2);
      if (![...d, turn].every(Number.isFinite)) return;
      if (d.some((part) => part !== 0)) displacements.set(id, d);
      if (turn !== 0) heads.push({ entity: id, turn, isOnGround: onGround?.number(row) === 1 });
    });
  }
  const block = Float64Array.from([BLOCK_X, BLOCK_Y, BLOCK_Z], (name) => Number(state.value(name) ?? 0));
  return {
    displacements,
    heads,
    block: block.some((part) => part !== 0) ? block : null,
    carried: isCarried ? carriedState(model, state) : null,
  };
}
