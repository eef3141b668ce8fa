import type { LiveEvent, LiveEvents } from "simtape/record";
import type { GameData } from "../game/data.ts";
import type { Body } from "./body.ts";

/** State of a thing that it has from its beginning. */
export type Kind = Pick<LiveEvents["spawn"], "id" | "type" | "uuid" | "name">;

/** Number of packets of one name with each outcome. */
export interface Tally {
  /** All their content is in the recording. */
  carried: number;
  /** None of their content, or not all of it, is in the recording, which has no place for the rest. */
  left: number;
  /** They name a thing that the client does not have, or no longer has. The client ignores them, too. */
  unknown: number;
}

export type Outcome = keyof Tally;

/** A packet's fields, as minecraft-data names them. */
// biome-ignore lint/suspicious/noExplicitAny: each packet has fields of its own, which no type of the library names
export type Params = any;

/** The state of a client that the handlers of one kind of packet need: a `Capture`. */
export interface Shown {
  readonly data: GameData;
  body(id: number): Body | undefined;
  appear(id: number, body: Body, born: Kind, events: LiveEvent[]): Outcome;
}

/** Adds the content of a packet to `events`. */
export type Carry<C extends Shown = Shown> = (capture: C, params: Params, events: LiveEvent[]) => Outcome;
