import type { Clock, Move } from "./clock.ts";

/** Who is in a room. */
export interface Member {
  readonly id: string;
  readonly name: string;
  /** Looks around alone; else follows the leader. */
  readonly isFree: boolean;
  /** Server's time at which it came first, Unix milliseconds. */
  readonly since: number;
}

/** Where a member points, and from where it looks. */
export interface Pointer {
  /**
   * In the recording: metres with z up, or degrees north, degrees east and metres above the ellipsoid where it is
   * geodetic. Null: at nothing.
   */
  readonly at: readonly [number, number, number] | null;
  /** The selected thing, `set/id`. */
  readonly thing: string | null;
  /** Position and target of the camera, likewise. */
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

/** A clock and who moves it; a higher generation replaces every lower one. */
export interface Lead {
  readonly clock: Clock;
  readonly generation: number;
  /** Id of a member; null: the one who takes it first. */
  readonly leader: string | null;
}

/** What the server says. Members it does not know are left out by who reads it. */
export type FromServer =
  | {
      readonly type: "welcome";
      readonly room: { readonly id: string; readonly name: string; readonly recordings: readonly string[] };
      /** Id of this member. */
      readonly you: string;
      readonly lead: Lead;
      /** Some of those who are there, this member included, and how many there are. */
      readonly members: readonly Member[];
      readonly count: number;
      readonly notes: readonly Note[];
    }
  | { readonly type: "clock"; readonly lead: Lead }
  /** New ones, and those of whom something has changed. */
  | { readonly type: "joined"; readonly members: readonly Member[]; readonly count: number }
  | { readonly type: "left"; readonly members: readonly string[]; readonly count: number }
  /** The newest of each member, ten times a second at most. */
  | { readonly type: "pointer"; readonly pointers: readonly (Pointer & { readonly member: string })[] }
  | {
      readonly type: "chat";
      readonly member: string;
      readonly name: string;
      readonly text: string;
      readonly at: number;
    }
  | { readonly type: "note"; readonly note: Note }
  /** Answer to a ping: the same `sent`, and the server's time. */
  | { readonly type: "pong"; readonly sent: number; readonly time: number }
  /** Something was refused. */
  | { readonly type: "refused"; readonly what: string; readonly why: string };

/** What a client says. */
export type FromClient =
  /** The first message. With the same secret it is the same member as before, on every node. */
  | { readonly type: "hello"; readonly name: string; readonly secret: string }
  | { readonly type: "ping"; readonly sent: number }
  | { readonly type: "control"; readonly move: Move }
  /** `take`: when there is no leader, or as staff; `give`, `release`: the leader alone. */
  | { readonly type: "lead"; readonly lead: "take" | "release" }
  | { readonly type: "lead"; readonly lead: "give"; readonly to: string }
  | ({ readonly type: "pointer" } & Pointer)
  | { readonly type: "chat"; readonly text: string }
  | {
      readonly type: "note";
      /** Absent: the first of the room. */
      readonly recording?: string;
      readonly time: number;
      readonly thing: string | null;
      readonly text: string;
    }
  | { readonly type: "follow" }
  | { readonly type: "free" };

/** Bytes of a message of a client. */
export const LONGEST_WORD = 8192;
/** Letters of a name, a chat line, a note, a thing. */
export const LONGEST = { name: 64, chat: 500, note: 1000, thing: 200 } as const;
/** Closing code of a socket whose room is gone: a client does not come again. */
export const ROOM_GONE = 4404;
