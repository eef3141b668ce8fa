import { ByteCursor } from "../../../bytes/cursor.ts";
import type { MessageBatch } from "../../../model/messages/batch.ts";
import { calledBy, eventOf } from "../../../model/query/events.ts";
import type { EventReader, Participant, RecordingEvent } from "../../../model/query/event.ts";
import type { Recorded } from "../../../model/traits.ts";
import type { Time } from "../../../model/values/time.ts";
import type { ChunkContext } from "../chunk/context.ts";
import {
  PRODUCTION,
  readCheckpointReached,
  readCheckpointReset,
  readDestroy,
  readProductionSpawn,
  readRunEnd,
  RESET_REASONS,
} from "../layout/production.ts";
import { passOver } from "./pass-over.ts";

/** The recorded subject (spec §14). */
const SUBJECT = 0;

/**
 * Reads events from the production dialect (spec §14): the run of its subject, and things that spawn and go. Behind a set
 * snapshot bit all things that are present spawn again, in the same tick: only those that were not there before are events.
 */
export class ProductionEvents implements EventReader {
  readonly channels: ReadonlyMap<number, readonly string[]>;
  readonly #recording: Recorded;
  readonly #first: Time;
  readonly #snapshot: number;
  #here = new Map<number, Participant>();
  #before = new Map<number, Participant>();

  /** The recording begins at `first`; its snapshots' channel is `snapshot`. */
  constructor(recording: Recorded, snapshot: number, first: Time) {
    this.#recording = recording;
    this.#snapshot = snapshot;
    this.#first = first;
    this.channels = new Map([
      [PRODUCTION.spawn, ["spawn", "removal"]],
      [PRODUCTION.destroy, ["spawn", "removal"]],
      [snapshot, ["spawn", "removal"]],
      [PRODUCTION.runStart, ["start"]],
      [PRODUCTION.checkpointReached, ["checkpoint"]],
      [PRODUCTION.checkpointReset, ["reset"]],
      [PRODUCTION.runEnd, ["end"]],
      [PRODUCTION.clearGhostBlocks, ["clear-blocks"]],
    ]);
  }

  begin(start: Time, signal: AbortSignal | undefined): Promise<void> {
    return passOver(this, this.#recording, start, signal);
  }

  read(batch: MessageBatch, i: number, into: RecordingEvent[]): void {
    const id = batch.channel[i]!;
    if (id === this.#snapshot) {
      this.#before = this.#here;
      this.#here = new Map();
      return;
    }
    const channel = this.#recording.channels[id]!;
    const event = this.#event(id, batch, i);
    if (event === null) return;
    const value = channel.schema.decode(batch.payload(i), batch.context);
    into.push(eventOf(channel, batch, i, { ...event, value }));
  }

  /** Null: it repeats what is known. */
  #event(id: number, batch: MessageBatch, i: number): Pick<RecordingEvent, "kind" | "text" | "who"> | null {
    const cursor = new ByteCursor(batch.bytes, batch.start[i]!, batch.end[i]!);
    const subject: Participant = { set: "players", id: SUBJECT, label: "" };
    switch (id) {
      case PRODUCTION.spawn: {
        const { dialect, palettes } = batch.context as ChunkContext;
        const { entity, type } = readProductionSpawn(cursor, dialect === 4 ? 4 : 5);
        const label = typeof type === "number" ? `#${type}` : palettes.fixed("entity-type", type);
        const who = { set: entity === SUBJECT ? "players" : "entities", id: entity, label };
        this.#here.set(entity, who);
        if (this.#before.delete(entity)) return null;
        const text = `${calledBy(who)} ${batch.time[i] === this.#first ? "is present" : "spawns"}`;
        return { kind: "spawn", text, who: [who] };
      }
      case PRODUCTION.destroy: {
        const { entity } = readDestroy(cursor);
        const who = this.#here.get(entity) ?? { set: "entities", id: entity, label: "" };
        this.#here.delete(entity);
        return { kind: "removal", text: `${calledBy(who)} is removed`, who: [who] };
      }
      case PRODUCTION.runStart:
        return { kind: "start", text: "the run starts", who: [subject] };
      case PRODUCTION.checkpointReached: {
        const { checkpoint, milliseconds } = readCheckpointReached(cursor);
        return { kind: "checkpoint", text: `after ${seconds(milliseconds)}: checkpoint ${checkpoint}`, who: [subject] };
      }
      case PRODUCTION.checkpointReset: {
        const { reason, milliseconds } = readCheckpointReset(cursor);
        const why = RESET_REASONS[reason] ?? `reason ${reason}`;
        return {
          kind: "reset",
          text: `after ${seconds(milliseconds)}: back to the checkpoint (${why})`,
          who: [subject],
        };
      }
      case PRODUCTION.runEnd: {
        const { result, milliseconds } = readRunEnd(cursor);
        const how = result === 0 ? "finished" : "ended by a reset";
        return { kind: "end", text: `after ${seconds(milliseconds)}: ${how}`, who: [subject] };
      }
      case PRODUCTION.clearGhostBlocks:
        return { kind: "clear-blocks", text: "all block edits are undone", who: [] };
      default:
        return null;
    }
  }
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(3)} s`;
}
