import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import type { MessageBatch } from "../../../model/messages/batch.ts";
import type { StateModel } from "../../../model/state/state-model.ts";
import type { MutableState } from "../../../model/state/state.ts";
import { areAlike, type ChunkContext, type Palettes } from "../chunk/context.ts";
import { PALETTE } from "../layout/chunk.ts";
import { degreesOf, GRID, type LowVector, turnOf } from "../layout/motion.ts";
import {
  PRODUCTION,
  type ProductionVersion,
  readAbsoluteMove,
  readCheckpointReached,
  readCheckpointReset,
  readDeltaMove,
  readDestroy,
  readProductionHeldSlot,
  readProductionItemUse,
  readProductionSetBlock,
  readProductionSetItems,
  readProductionSpawn,
  readProductionState,
  readRunEnd,
  RESET_REASONS,
} from "../layout/production.ts";
import type { NameKind } from "../chunk/names.ts";
import { type FoundActor, Scene } from "./scene.ts";

/** The recorded subject; every other entity is a thing it owns (spec §14). */
const SUBJECT = 0;

/** Folds the events of the production dialect. Payloads that do not fit change nothing. */
export class ProductionState implements StateModel {
  readonly motion: number = PRODUCTION.deltaMove;
  readonly #snapshot: number;
  readonly #scene = new Scene();
  #cursor = new ByteCursor(new Uint8Array(0));

  /** `snapshot` is the id of the snapshots' channel. */
  constructor(snapshot: number) {
    this.#snapshot = snapshot;
  }

  begin(state: MutableState): void {
    this.#scene.begin(state);
  }

  replacesState(): boolean {
    return false;
  }

  isAlike(other: StateModel, context: unknown, otherContext: unknown): boolean {
    if (!(other instanceof ProductionState) || this.#snapshot !== other.#snapshot) return false;
    return areAlike(context as ChunkContext, otherContext as ChunkContext);
  }

  holds(channel: number): boolean {
    return channel !== PRODUCTION.handAnimation;
  }

  apply(state: MutableState, batch: MessageBatch, i: number): void {
    const context = batch.context as ChunkContext;
    const channel = batch.channel[i]!;
    if (channel === this.#snapshot) {
      // what exists follows as events of the same tick (spec §14)
      this.#scene.clear(state);
      return;
    }
    if (this.#cursor.bytes !== batch.bytes) this.#cursor = new ByteCursor(batch.bytes);
    this.#cursor.seek(batch.start[i]!);
    try {
      this.#apply(state, channel, this.#cursor, context.dialect === 4 ? 4 : 5, context.palettes);
    } catch (error) {
      if (!(error instanceof LayoutError)) throw error;
    }
  }

  #apply(state: MutableState, channel: number, cursor: ByteCursor, version: ProductionVersion, names: Palettes): void {
    switch (channel) {
      case PRODUCTION.deltaMove: {
        const { entity, delta, yaw, pitch, velocity } = readDeltaMove(cursor);
        const found = this.#find(state, entity);
        if (found === null) return;
        const { position } = found.columns;
        const x = position.number(found.row, 0) + delta[0]! / GRID;
        const y = position.number(found.row, 1) + delta[1]! / GRID;
        const z = position.number(found.row, 2) + delta[2]! / GRID;
        position.put3(found.row, x, y, z);
        turn(found, degreesOf(yaw), degreesOf(pitch));
        move(found, velocity);
        return;
      }
      case PRODUCTION.absoluteMove: {
        const { entity, position, yaw, pitch, velocity } = readAbsoluteMove(cursor);
        const found = this.#find(state, entity) ?? this.#scene.create(state, entity, "entities");
        found.columns.position.put3(found.row, position[0]!, position[1]!, position[2]!);
        turn(found, degreesOf(turnOf(yaw)), degreesOf(turnOf(pitch)));
        move(found, velocity);
        return;
      }
      case PRODUCTION.state: {
        const { entity, pose, flags } = readProductionState(cursor);
        const found = this.#find(state, entity);
        found?.columns.pose.put(found.row, pose);
        found?.columns.flags.put(found.row, flags);
        return;
      }
      case PRODUCTION.itemUse: {
        const { entity, using, hand } = readProductionItemUse(cursor);
        const found = this.#find(state, entity);
        found?.columns.itemUse.put(found.row, using ? hand + 1 : 0);
        return;
      }
      case PRODUCTION.setItems: {
        const { entity, items } = readProductionSetItems(cursor);
        const found = this.#find(state, entity);
        if (found === null) return;
        for (const { slot, item } of items) {
          const value = item[0] === 0 ? null : names.read(PALETTE.item, item);
          this.#scene.setActorValue(state, found, entity, `items/${slot}`, value);
        }
        return;
      }
      case PRODUCTION.heldSlot: {
        const { entity, slot } = readProductionHeldSlot(cursor);
        const found = this.#find(state, entity);
        found?.columns.heldSlot.put(found.row, slot);
        return;
      }
      case PRODUCTION.setBlock: {
        const { x, y, z, state: kind } = readProductionSetBlock(cursor, version);
        this.#scene.setBlock(state, x, y, z, nameOf("block", kind, names));
        return;
      }
      case PRODUCTION.spawn: {
        const { entity, type, position, yaw, pitch } = readProductionSpawn(cursor, version);
        const found = this.#scene.create(state, entity, entity === SUBJECT ? "players" : "entities");
        found.columns.kind.putText(found.row, nameOf("entity-type", type, names));
        found.columns.position.put3(found.row, position[0]!, position[1]!, position[2]!);
        turn(found, degreesOf(turnOf(yaw)), degreesOf(turnOf(pitch)));
        return;
      }
      case PRODUCTION.destroy:
        this.#scene.remove(state, readDestroy(cursor).entity);
        return;
      case PRODUCTION.runStart:
        state.setValue("run/phase", "running");
        return;
      case PRODUCTION.checkpointReached: {
        const { checkpoint, milliseconds } = readCheckpointReached(cursor);
        state.setValue("run/checkpoint", checkpoint);
        state.setValue("run/milliseconds", milliseconds);
        return;
      }
      case PRODUCTION.checkpointReset: {
        const { reason, milliseconds } = readCheckpointReset(cursor);
        state.setValue("run/reset", RESET_REASONS[reason] ?? String(reason));
        state.setValue("run/milliseconds", milliseconds);
        return;
      }
      case PRODUCTION.runEnd: {
        const { result, milliseconds } = readRunEnd(cursor);
        state.setValue("run/phase", result === 0 ? "finished" : "reset");
        state.setValue("run/milliseconds", milliseconds);
        return;
      }
      case PRODUCTION.clearGhostBlocks:
        this.#scene.clearBlocks(state);
        return;
      default:
        return;
    }
  }

  /** The subject is there from its first event on; no event spawns it. */
  #find(state: MutableState, entity: number): FoundActor | null {
    const found = this.#scene.find(state, entity);
    return found === null && entity === SUBJECT ? this.#scene.create(state, entity, "players") : found;
  }
}

/** Names as they are, protocol ids of format 4 as `#71`: their tables are the game's. */
function nameOf(kind: NameKind, state: number | string, names: Palettes): string {
  return typeof state === "number" ? `#${state}` : names.fixed(kind, state);
}

function turn({ columns, row }: FoundActor, yaw: number, pitch: number): void {
  columns.rotation.put3(row, 0, pitch, yaw);
  columns.headYaw.put(row, yaw);
}

function move({ columns, row }: FoundActor, { value }: LowVector): void {
  columns.velocity.put3(row, value[0]!, value[1]!, value[2]!);
}
