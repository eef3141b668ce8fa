import type { Clock, Move } from "./clock.ts";

/** A member of a room. */
export interface Member {
  readonly id: string;
  readonly name: string;
  /** True: the member moves alone; false: the member follows the leader. */
  readonly isFree: boolean;
  /** Server's time of the member's first connection, Unix milliseconds. */
  readonly since: number;
}

/** Where a member points, and where the member's camera is. */
export interface Pointer {
  /**
   * A place in the recording: metres with z up, or, where the recording is geodetic, degrees north, degrees east and
   * metres above the ellipsoid. Null: the member points at nothing.
   */
  readonly at: readonly [number, number, number] | null;
  /** The selected thing, `set/id`. */
  readonly thing: string | null;
  /** Position and target of the camera, in the same coordinates. */
  readonly camera: readonly [number, number, number, number, number, number] | null;
}

/** A remark about a moment of a recording. */
export interface Note {
  readonly id: string;
  readonly recording: string;
  readonly author: string;
  /** Seconds. */
  readonly time: number;
  readonly thing: string | null;
  readonly text: string;
  /** ISO 8601. */
  readonly made: string;
}

/** A clock and the member who moves it; a higher generation replaces every lower one. */
export interface Lead {
  readonly clock: Clock;
  readonly generation: number;
  /** Id of a member; null: the first member who moves it becomes the leader. */
  readonly leader: string | null;
}

/** A message of the server. A reader ignores properties that it does not know. */
export type FromServer =
  | {
      readonly type: "welcome";
      readonly room: { readonly id: string; readonly name: string; readonly recordings: readonly string[] };
      /** Id of this member. */
      readonly you: string;
      readonly lead: Lead;
      /** Some of the members, this one included, and the number of all members. */
      readonly members: readonly Member[];
      readonly count: number;
      readonly notes: readonly Note[];
    }
  | { readonly type: "clock"; readonly lead: Lead }
  /** New members, and members that have changed. */
  | { readonly type: "joined"; readonly members: readonly Member[]; readonly count: number }
  | { readonly type: "left"; readonly members: readonly string[]; readonly count: number }
  /** The newest pointer of each member, ten times a second at most. */
  | { readonly type: "pointer"; readonly pointers: readonly (Pointer & { readonly member: string })[] }
  | {
      readonly type: "chat";
      readonly member: string;
      readonly name: string;
      readonly text: string;
      readonly at: number;
    }
  | { readonly type: "note"; readonly note: Note }
  /** Answer to a ping: the `sent` of the ping, and the server's time. */
  | { readonly type: "pong"; readonly sent: number; readonly time: number }
  /** A message was refused. */
  | { readonly type: "refused"; readonly what: string; readonly why: string };

/** A message of a client. */
export type FromClient =
  /** The first message. A client with the same secret is the same member as before, on every node. */
  | { readonly type: "hello"; readonly name: string; readonly secret: string }
  | { readonly type: "ping"; readonly sent: number }
  | { readonly type: "control"; readonly move: Move }
  /** `take`: any member when there is no leader, or the staff; `give`, `release`: only the leader. */
  | { readonly type: "lead"; readonly lead: "take" | "release" }
  | { readonly type: "lead"; readonly lead: "give"; readonly to: string }
  | ({ readonly type: "pointer" } & Pointer)
  | { readonly type: "chat"; readonly text: string }
  | {
      readonly type: "note";
      /** Absent: the first recording of the room. */
      readonly recording?: string;
      readonly time: number;
      readonly thing: string | null;
      readonly text: string;
    }
  | { readonly type: "follow" }
  | { readonly type: "free" };

/** Most bytes of a message of a client. */
export const LONGEST_WORD = 8192;
/** Most letters of a name, a chat line, a note, and the id of a thing. */
export const LONGEST = { name: 64, chat: 500, note: 1000, thing: 200 } as const;
/** Closing code of a socket whose room is gone: the client must not connect again. */
export const ROOM_GONE = 4404;
