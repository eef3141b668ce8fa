/** What the server says, as far as the pages show it: see docs/server.md and `GET /openapi.json`. Times in seconds. */

export interface Item {
  readonly id: string;
  readonly name: string;
  readonly key: string;
  readonly state: "new" | "indexed" | "failed" | "live" | "gone";
  readonly error: string | null;
  readonly format: string | null;
  readonly bytes: number;
  readonly started: string | null;
  readonly seconds: number | null;
  readonly summary: string;
  readonly findings: number;
  readonly owner: string | null;
  readonly collection: string | null;
  readonly tags: readonly string[];
  readonly added: string;
  /** Of its main file; its other files lie beside it. */
  readonly url: string;
}

export interface ItemPage {
  readonly recordings: readonly Item[];
  readonly cursor: string | null;
}

export interface Details extends Item {
  readonly files: readonly { readonly name: string; readonly bytes: number }[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly channels: readonly { readonly name: string; readonly count: number }[];
  readonly digest: string | null;
  readonly findingList: readonly { readonly code: string; readonly severity: string; readonly message: string }[];
  readonly entities: readonly {
    readonly set: string;
    readonly name: string;
    readonly label: string;
    readonly kind: string;
  }[];
  readonly events: readonly { readonly kind: string; readonly title: string; readonly count: number }[];
}

export type Role = "recorder" | "viewer" | "player" | "staff" | "admin";

/** Who is signed in. */
export interface Me {
  readonly id: string | null;
  readonly name: string;
  readonly role: Role | "none";
  readonly via: string;
  /** Ways to sign in, while none is. */
  readonly oidc?: boolean;
}

const RANK: Readonly<Record<string, number>> = { recorder: 1, viewer: 2, player: 2, staff: 3, admin: 4 };

export function hasRole(me: Me, least: Role): boolean {
  return (RANK[me.role] ?? 0) >= RANK[least]!;
}

/** A thing noted at a moment of a recording. */
export interface Note {
  readonly id: string;
  readonly author: string;
  readonly time: number;
  readonly thing: string | null;
  readonly text: string;
  readonly made: string;
}

/** Where people watch recordings together: the first is played, the others are its ghosts. */
export interface Room {
  readonly id: string;
  readonly name: string;
  readonly recordings: readonly string[];
}

/** What a link shows. Seconds; null: as far as it goes. */
export interface SharedRecording {
  readonly name: string;
  readonly first: number | null;
  readonly last: number | null;
  readonly state: "making" | "ready" | "failed";
  readonly expires: string;
  /** Null: it is not there yet. */
  readonly url: string | null;
}

/** A link that was made. */
export interface Share {
  readonly id: string;
  readonly first: number | null;
  readonly last: number | null;
  readonly expires: string;
}

/** A report of something in a recording, and what became of it. */
export interface Review {
  readonly id: string;
  /** Null: the recording is gone. */
  readonly recording: string | null;
  readonly name: string | null;
  readonly subject: string;
  readonly reporter: string | null;
  readonly text: string;
  readonly first: number | null;
  readonly last: number | null;
  /** How sure a detector is; 0: none is. */
  readonly score: number;
  readonly flags: readonly string[];
  readonly state: "open" | "assigned" | "closed";
  readonly assignee: string | null;
  readonly verdict: string | null;
  readonly remark: string | null;
  readonly judge: string | null;
  readonly clipPage: string | null;
  readonly clipError: string | null;
  readonly writtenError: string | null;
  readonly made: string;
  readonly closed: string | null;
}

export interface ReviewWithMarks extends Review {
  readonly marks: readonly {
    readonly id: string;
    readonly time: number;
    readonly thing: string | null;
    readonly label: string;
    readonly severity: number;
  }[];
}
