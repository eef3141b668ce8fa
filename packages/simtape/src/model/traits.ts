import type { Axes } from "./axes/axes.ts";
import type { EventReader } from "./query/event.ts";
import type { Original } from "./original.ts";
import type { Reader } from "./reader.ts";
import type { Annotation } from "./annotation.ts";
import type { MessageBatch } from "./messages/batch.ts";
import type { Query } from "./messages/batch-query.ts";
import type { Keyframe } from "./messages/keyframe.ts";
import type { RecordingInfo } from "./recording-info.ts";
import type { State } from "./state/state.ts";
import type { Time, Timeline } from "./values/time.ts";
import type { Channel, ChannelStatistics } from "./values/value.ts";
import type { Hands, Showing } from "./showing.ts";
import type { TextRoom } from "./values/text-room.ts";

/**
 * What a format says of itself beyond reading. Pages and commands that know no format by name use it, so that
 * a recording of any format is shown well. Every member may be absent.
 */
export interface Traits {
  /**
   * Unit of the value at a path of the state, where its name or the format says it; null: unknown. Columns have their
   * own unit.
   */
  unitOf?(path: string): string | null;
  /** What positions, rotations and velocities in the messages of a channel mean; null: nothing tells. */
  axesOf?(channel: string): Axes | null;
  /** Makes a reader of events for one pass over a recording of this format, which may be edited. */
  events?(recording: Recorded, signal?: AbortSignal): Promise<EventReader>;
  /** What its recordings are of, in words; absent: the names of the sets. */
  readonly words?: Words;
  /**
   * What the heights of geodetic sets are really above, where that is not the ellipsoid: `sea`, the sea level of a world
   * whose sea lies on the ellipsoid. Absent: the ellipsoid, or nothing tells.
   */
  readonly heights?: "sea";
  /** Sets of the state whose things are people, with their names as labels. */
  readonly people?: readonly string[];
  /** How it is shown well. */
  readonly showing?: Showing;
  /** Which values are what things have in their hands, in a recording with this info; null: it is not known. */
  handsOf?(info: RecordingInfo): Hands | null;
  /** Where a text about the recording is kept inside, that the format's own programs pass over; absent: it has no room. */
  readonly room?: TextRoom;
  /** The files that a recording carries inside; none for one that is edited. */
  originals?(reader: Reader): Promise<readonly Original[]>;
}

/** An open recording as those see it who find its events: every `Recording` is one. */
export interface Recorded {
  readonly info: RecordingInfo;
  readonly reader: Reader;
  readonly channels: readonly Channel[];
  traits(): Promise<Traits>;
  annotations(): Promise<readonly Annotation[]>;
  timeline(): Promise<Timeline>;
  statistics(signal?: AbortSignal): Promise<readonly ChannelStatistics[]>;
  batches(query?: Query): AsyncIterable<MessageBatch>;
  keyframe(time: Time, signal?: AbortSignal): Promise<Keyframe | null>;
  state(time: Time, options?: { readonly signal?: AbortSignal | undefined }): Promise<State>;
}

/** A thing for people: one of it, and several. */
export type Word = readonly [one: string, several: string];

/** Words for what a recording is of, in the order in which they are said. What is not here is not worth saying. */
export interface Words {
  /** By set of the state: "23 vehicles". */
  readonly sets: Readonly<Record<string, Word>>;
  /** By value of the state that counts what those of the first set are in: "in 8 residues". */
  readonly within?: Readonly<Record<string, Word>>;
  /** By kind of event: "3 collisions". */
  readonly events?: Readonly<Record<string, Word>>;
}

/** Of a format without traits. */
export const NO_TRAITS: Traits = {};
