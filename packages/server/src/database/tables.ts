import type { ColumnType, Generated } from "kysely";
import type { Lost } from "simtape";

/** A time that the database sets when none is given. */
type Made = ColumnType<Date, Date | undefined, Date>;
type Json<T> = ColumnType<T, string, string>;

/** Roles of users; each role includes the rights of the roles before it. `recorder`: only writes live recordings. */
export type Role = "recorder" | "viewer" | "player" | "staff" | "admin";

/** `gone`: its file no longer exists. `live`: it is being recorded. */
export type RecordingState = "new" | "indexed" | "failed" | "live" | "gone";

/** What users below staff may read: nothing, their own recordings, all recordings. */
export type PublicPolicy = "off" | "own" | "all";

export interface FileFact {
  readonly name: string;
  readonly bytes: number;
  readonly etag: string;
}

export interface FindingFact {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
  readonly count: number;
}

/** A recording of the library. Facts from the file can be read again; decisions of users cannot. */
export interface RecordingsTable {
  id: string;
  /** Key of the main file in the store, or of the folder. */
  key: string;
  name: string;
  files: Json<readonly FileFact[]>;
  bytes: number;
  /** Made of the sizes and etags of all files: changes when any file changes. */
  stamp: string;
  state: RecordingState;
  error: string | null;
  format: string | null;
  /** SHA-256 of its file; when there are several, of their digests. */
  digest: string | null;
  /** The digests of its files, and `digest`. */
  file_digests: ColumnType<readonly string[], readonly string[] | undefined, readonly string[]>;
  /** Another recording that exists has the same digest. */
  twin: Generated<boolean>;
  /** Wall clock of t = 0; null: not recorded. */
  started: Date | null;
  /** Seconds of the first and last moment. */
  first: number | null;
  last: number | null;
  seconds: number | null;
  metadata: Json<Readonly<Record<string, unknown>>>;
  channels: Json<readonly { readonly name: string; readonly count: number }[]>;
  findings: Json<readonly FindingFact[]>;
  has_findings: Generated<boolean>;
  /** The content in words: "2 vehicles, 36 traffic lights". */
  summary: string;
  /** Names of the things and persons in the recording, for the search. */
  names: string;
  /** By path of a number of a thing: least, most, unit; only of things that were followed. */
  thing_extents: ColumnType<unknown, string | undefined, string>;
  /** Version of the format; null: not known. */
  version: string | null;
  /** Microseconds since 1970 at t = 0; null: not recorded, or not known. */
  epoch: number | null;
  owner: string | null;
  collection: string | null;
  added: Made;
  changed: Made;
  indexed: Date | null;
  /** Made by the database from the columns above and the names. */
  words: Generated<string>;
  /** Made by the database from the metadata; null: they name no map. */
  map: ColumnType<string | null, never, never>;
}

export interface EntitiesTable {
  recording: string;
  set: string;
  name: string;
  label: string;
  kind: string;
}

// a star stands for all things of a set: `vehicles/*/position.x`
/** A number of recordings, by its path. */
export interface ExtentPathsTable {
  id: Generated<number>;
  path: string;
  /** Its short names in small letters: the part after the last slash, and the part of that after the last dot. */
  leaf: string;
  tail: string;
  /** Empty: the unit is not known. */
  unit: string;
}

export interface ExtentsTable {
  recording: string;
  path: number;
  least: number;
  most: number;
}

export interface EventKindsTable {
  recording: string;
  kind: string;
  title: string;
  count: number;
}

export interface ThumbnailsTable {
  recording: string;
  svg: string;
  /** The same picture, in which things move; null: it was made by an earlier release. */
  moving: string | null;
  /** The `DRAWING` that they are of; 0: it was made by an earlier release. */
  drawing: Generated<number>;
}

/** A file that shows the world of a recording. */
export interface CompanionsTable {
  recording: string;
  name: string;
  /** Its name in the folder `companions` of the data. */
  file: string;
  bytes: number;
  /** SHA-256 of its bytes; null: an earlier release took it. */
  digest: string | null;
  added: Made;
}

/** A recording that is being deleted, and its files when that was asked for. */
export interface DeletionsTable {
  recording: string;
  key: string;
  files: Json<readonly FileFact[]>;
}

export interface TagsTable {
  recording: string;
  tag: string;
}

export interface CollectionsTable {
  id: string;
  name: string;
  public: PublicPolicy;
  made: Made;
}

export interface SearchesTable {
  id: string;
  owner: string;
  name: string;
  /** Filters, as the page has them in its address. */
  query: string;
  /** Only recordings in which it is ever true; null: all that the filters find. */
  expression: string | null;
  /** New recordings are looked at since then; null: none are. */
  watched: Date | null;
  made: Made;
}

/** A recording that the watched searches are to be asked about, with the digest of its bytes. */
export interface NewsTable {
  recording: string;
  digest: string;
}

/** A recording that a watched search has found; there is one for the same bytes. */
export interface AlertsTable {
  id: string;
  search: string;
  recording: string;
  digest: string;
  /** How often the expression is true; null: the search has none, or it has no answer. */
  count: number | null;
  /** How long it is true in all, and when first. */
  seconds: number | null;
  first: number | null;
  /** Why the expression has no answer. */
  trouble: string | null;
  made: Made;
  read: Date | null;
}

export interface UsersTable {
  id: string;
  name: string;
  role: Role;
  /** argon2id; null: the user signs in elsewhere. */
  password: string | null;
  /** Issuer and subject of OpenID Connect. */
  subject: string | null;
  /** Ids by which recordings name this user: a player's UUID. */
  identities: Json<readonly string[]>;
  disabled: boolean;
  made: Made;
}

export interface SessionsTable {
  /** SHA-256 of the cookie. */
  hash: string;
  user: string;
  /** The session ends at this time, even when it is used. */
  expires: Date;
  used: Made;
  made: Made;
}

export interface TokensTable {
  id: string;
  /** SHA-256 of the token. */
  hash: string;
  name: string;
  owner: string;
  scopes: Json<readonly string[]>;
  expires: Date | null;
  revoked: Date | null;
  used: Date | null;
  made: Made;
}

export interface SharesTable {
  id: string;
  hash: string;
  /** Null: the recording is gone, and its share ends. */
  recording: string | null;
  /** Seconds; null: from the beginning, to the end. */
  first: number | null;
  last: number | null;
  owner: string;
  expires: Date;
  revoked: Date | null;
  /** State of the cut copy; a share of a whole recording is ready at once. */
  state: Generated<"making" | "ready" | "failed">;
  error: string | null;
  /** Key of the main file of the cut copy, in the data folder; null: the share shows the recording itself. */
  key: string | null;
  files: ColumnType<readonly FileFact[], string | undefined, string>;
  made: Made;
}

/** The people in a recording, by the ids that it has for them: UUIDs in small letters. */
export interface SubjectsTable {
  recording: string;
  identity: string;
}

/** Rows are added, never changed: the database refuses changes. */
export interface AuditTable {
  id: Generated<number>;
  at: Made;
  /** Id of the user; null: the user was not signed in. */
  who: string | null;
  role: string;
  action: string;
  recording: string | null;
  request: string | null;
  address: string | null;
  details: Json<Readonly<Record<string, unknown>>>;
}

export type JobState = "waiting" | "running" | "done" | "failed" | "cancelled";

export interface JobsTable {
  id: Generated<number>;
  kind: string;
  /** At most one job of a kind that is not over has this subject. */
  subject: string;
  input: Json<Readonly<Record<string, unknown>>>;
  state: Generated<JobState>;
  attempts: Generated<number>;
  /** The job belongs to the worker that claimed it until this time. */
  lease: Date | null;
  /** From 0 to 1. */
  progress: Generated<number>;
  error: string | null;
  result: Json<unknown> | null;
  due: Made;
  made: Made;
  ended: Date | null;
}

export interface NotesTable {
  id: string;
  recording: string;
  author: string;
  /** Seconds. */
  time: number;
  thing: string | null;
  text: string;
  made: Made;
}

/** A live recording. */
export interface LiveTable {
  recording: string;
  /** Name of the sender. */
  sender: string;
  /** `lines`: a node records lines; `segments`: a recorder on another machine writes files. */
  via: "lines" | "segments";
  /** The node that records it until the lease ends; null: none. */
  node: string | null;
  lease: Date;
  begun: Made;
  /** When the sender was last connected. */
  heard: Made;
}

export interface RoomsTable {
  id: string;
  name: string;
  recordings: Json<readonly string[]>;
  /** See `rooms/clock.ts`. */
  clock: Json<unknown>;
  generation: number;
  leader: string | null;
  owner: string | null;
  made: Made;
  changed: Made;
}

export type ReviewState = "open" | "assigned" | "closed";

export interface ReviewsTable {
  id: string;
  recording: string | null;
  /** The reported subject: an id or name in the recording. */
  subject: string;
  reporter: string | null;
  text: string;
  /** Seconds of the range that is kept. */
  first: number | null;
  last: number | null;
  /** How sure a detector is; the queue is sorted by it. */
  score: number;
  flags: Json<readonly string[]>;
  state: ReviewState;
  assignee: string | null;
  verdict: string | null;
  remark: string | null;
  made: Made;
  closed: Date | null;
  /** When the clip of a live recording is cut. */
  until: Date | null;
  /** The clip. */
  clip: string | null;
  /** Second of the recording at which the clip begins. */
  clip_first: number | null;
  clip_error: string | null;
  /** What the clip does not have of the recording. */
  clip_lost: ColumnType<readonly Lost[], string | undefined, string>;
  /** When the verdict was written into the recording. */
  written: Date | null;
  written_error: string | null;
  /** The user who closed the review. */
  judge: string | null;
}

export interface ReviewMarksTable {
  id: string;
  review: string;
  author: string;
  /** Seconds, in the reported recording. */
  time: number;
  thing: string | null;
  label: string;
  /** 0 to 127. */
  severity: number;
  made: Made;
}

/** A recording that retention and erasure must not delete. */
export interface HoldsTable {
  id: string;
  recording: string;
  reason: string;
  made: Made;
  /** The review that the hold is for. */
  review: string | null;
}

/** A recording of a completed run, and the track of its first subject. */
export interface RunsTable {
  recording: string;
  /** Digest of the recording that the track was made of. */
  digest: string;
  map: string | null;
  world: string | null;
  milliseconds: number;
  uuid: string;
  name: string;
  /** Seconds between two places of the track. */
  step: number | null;
  track: Json<{ readonly x: number[]; readonly y: number[]; readonly z: number[]; readonly yaw: number[] }> | null;
}

export interface RetentionPlansTable {
  id: string;
  /** SHA-256 of the policy that the plan follows. */
  policy: string;
  state: Generated<"making" | "ready" | "applying" | "applied" | "failed">;
  content: Json<unknown> | null;
  error: string | null;
  made: Made;
  ended: Date | null;
}

/** A request about a subject: to export all their data, or to erase them. */
export interface SubjectRequestsTable {
  id: string;
  kind: "export" | "erase";
  /** Null once the subject is erased. */
  who: Json<unknown> | null;
  state: Generated<"waiting" | "done" | "failed">;
  report: Json<unknown> | null;
  /** Key of the zip in the library. */
  key: string | null;
  error: string | null;
  made: Made;
  ended: Date | null;
}

export interface AnalysesTable {
  /** Digest of what was asked. */
  id: string;
  kind: "stats" | "compare";
  recording: string;
  /** The recording that it is compared with; null: none is. */
  other: string | null;
  options: Json<Readonly<Record<string, unknown>>>;
  /** Those of the recording and of the other one, when they were read. */
  stamps: readonly string[];
  /** Of a comparison: whether nothing differs. */
  same: boolean | null;
  result: Json<unknown>;
  made: Made;
}

export interface Tables {
  recordings: RecordingsTable;
  entities: EntitiesTable;
  extents: ExtentsTable;
  extent_paths: ExtentPathsTable;
  event_kinds: EventKindsTable;
  thumbnails: ThumbnailsTable;
  companions: CompanionsTable;
  deletions: DeletionsTable;
  tags: TagsTable;
  collections: CollectionsTable;
  searches: SearchesTable;
  news: NewsTable;
  alerts: AlertsTable;
  users: UsersTable;
  sessions: SessionsTable;
  tokens: TokensTable;
  shares: SharesTable;
  subjects: SubjectsTable;
  audit: AuditTable;
  jobs: JobsTable;
  notes: NotesTable;
  live: LiveTable;
  rooms: RoomsTable;
  reviews: ReviewsTable;
  holds: HoldsTable;
  review_marks: ReviewMarksTable;
  runs: RunsTable;
  retention_plans: RetentionPlansTable;
  subject_requests: SubjectRequestsTable;
  analyses: AnalysesTable;
}
