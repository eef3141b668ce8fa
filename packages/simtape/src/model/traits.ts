import type { EventReader } from "./query/events.ts";
import type { Original } from "./original.ts";
import type { Reader } from "./reader.ts";
import type { Recording } from "./recording.ts";
import type { Showing } from "./showing.ts";
import type { Value } from "./value.ts";

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
  /** Makes a reader of events for one pass over a recording of this format, which may be edited. */
  events?(recording: Recording, signal?: AbortSignal): Promise<EventReader>;
  /** What its recordings are of, in words; absent: the names of the sets. */
  readonly words?: Words;
  /** How it is shown well. */
  readonly showing?: Showing;
  /** Where a text about the recording is kept inside, that the format's own programs pass over; absent: it has no room. */
  readonly room?: TextRoom;
  /** The files that a recording carries inside; none for one that is edited. */
  originals?(reader: Reader): Promise<readonly Original[]>;
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

/** Where the metadata of a recording keep a text. */
export interface TextRoom {
  /** Metadata with it, for `CreateOptions`. */
  put(text: string): Readonly<Record<string, Value>>;
  /** Undefined: there is none. */
  read(metadata: Readonly<Record<string, Value>>): Value | undefined;
}

/** The room of those that keep it under these keys of the metadata, one in the other. */
export function roomAt(...keys: readonly string[]): TextRoom {
  return {
    put: (text) => keys.reduceRight<Value>((inner, key) => ({ [key]: inner }), text) as Readonly<Record<string, Value>>,
    read: (metadata) => {
      let found: Value | undefined = metadata;
      for (const key of keys) {
        if (typeof found !== "object" || found === null || ArrayBuffer.isView(found)) return undefined;
        found = (found as { readonly [key: string]: Value })[key];
      }
      return found;
    },
  };
}

/** Of a format without traits. */
export const NO_TRAITS: Traits = {};
