/** What the pages call the shapes of the server. Times in seconds. */
import type { AnswerOf, Shapes } from "simtape-client";

export type Item = Shapes["Recording"];
export type Details = Shapes["RecordingDetails"];
export type Me = Shapes["Me"];
/** A search that the user has named. */
export type SavedSearch = Shapes["SavedSearch"];
/** A recording that a watched search has found. */
export type Alert = Shapes["Alert"];
export type Note = Shapes["Note"];
/** Where people watch recordings together: the first is played, the others are its ghosts. */
export type Room = Shapes["Room"];
/** What a link shows. */
export type SharedRecording = Shapes["SharedRecording"];
/** A link that was made. */
export type Share = Shapes["Share"];
/** Where clients of another program watch recordings. */
export type Outlet = Shapes["Outlet"];
/** A report of something in a recording, and what became of it. */
export type Review = AnswerOf<"GET /api/reviews">["reviews"][number];
export type ReviewWithMarks = Shapes["Review"];
/** The answer to a statement of SQL, and the tables that statements can name. */
export type SqlAnswer = Shapes["SqlAnswer"];
export type SqlTables = Shapes["SqlTables"];
export type Role = Shapes["User"]["role"];

const RANK: Readonly<Record<string, number>> = { recorder: 1, viewer: 2, player: 2, staff: 3, admin: 4 };

export function hasRole(me: Pick<Me, "role">, least: Role): boolean {
  return (RANK[me.role] ?? 0) >= RANK[least]!;
}
