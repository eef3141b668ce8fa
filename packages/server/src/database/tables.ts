import type { ColumnType, Generated } from "kysely";

/** A time that the database sets when none is given. */
type Made = ColumnType<Date, Date | undefined, Date>;
type Json<T> = ColumnType<T, string, string>;

/** What a user may do; each may what the one before may. `recorder`: only writes live recordings. */
export type Role = "recorder" | "viewer" | "player" | "staff" | "admin";

/** `gone`: its file is no longer there. `live`: it is being recorded. */
export type RecordingState = "new" | "indexed" | "failed" | "live" | "gone";

/** What may be read without being staff: nothing, one's own recordings, all. */
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

/** A recording of the library. What a file says can be found out again; what users decided cannot. */
export interface RecordingsTable {
  id: string;
  /** Key of the main file in the store, or of the folder. */
  key: string;
  name: string;
  files: Json<readonly FileFact[]>;
  bytes: number;
  /** Of all files, by size and etag: changes with any of them. */
  stamp: string;
  state: RecordingState;
  error: string | null;
  format: string | null;
  /** SHA-256 of its file; of several, of their digests. */
  digest: string | null;
  /** Each of its files, and `digest`. */
  file_digests: ColumnType<readonly string[], readonly string[] | undefined, readonly string[]>;
  /** Another recording that is there has the same digest. */
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
  /** What it holds, for people: "2 vehicles, 36 traffic lights". */
  summary: string;
  /** Of who and what is in it, to be found by. */
  names: string;
  owner: string | null;
  collection: string | null;
  added: Made;
  changed: Made;
  indexed: Date | null;
  /** Made from the columns above and from who is in it. */
  words: Generated<string>;
}

export interface EntitiesTable {
  recording: string;
  set: string;
  name: string;
  label: string;
  kind: string;
}

// a star stands for all things of a set: `vehicles/*/position.x`
/** A number that recordings have, by its path. */
export interface ExtentPathsTable {
  id: Generated<number>;
  path: string;
  /** What it is called, in small letters: behind the last stroke, and behind the last point of that. */
  leaf: string;
  tail: string;
  /** Empty: not known. */
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
  query: string;
  made: Made;
}

export interface UsersTable {
  id: string;
  name: string;
  role: Role;
  /** argon2id; null: signs in elsewhere. */
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
  /** However much it is used. */
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
  /** Null: it is gone, and its share with it. */
  recording: string | null;
  /** Seconds; null: from the beginning, to the end. */
  first: number | null;
  last: number | null;
  owner: string;
  expires: Date;
  revoked: Date | null;
  /** Of the cut copy; that of a whole recording is ready at once. */
  state: Generated<"making" | "ready" | "failed">;
  error: string | null;
  /** Of the main file of the cut copy, in the data; null: the recording itself. */
  key: string | null;
  files: ColumnType<readonly FileFact[], string | undefined, string>;
  made: Made;
}

/** Whom a recording is of, by the ids that it names them by: UUIDs in small letters. */
export interface SubjectsTable {
  recording: string;
  identity: string;
}

/** Rows are added, never changed: the database refuses it. */
export interface AuditTable {
  id: Generated<number>;
  at: Made;
  /** Id of the user; null: none was signed in. */
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
  /** At most one job of a kind that is not over has it. */
  subject: string;
  input: Json<Readonly<Record<string, unknown>>>;
  state: Generated<JobState>;
  attempts: Generated<number>;
  /** Until then it belongs to the worker that claimed it. */
  lease: Date | null;
  /** 0 to 1. */
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

/** A recording that is being made. */
export interface LiveTable {
  recording: string;
  /** Name of who sends it. */
  sender: string;
  /** By lines, which a node records, or as the files of a recorder elsewhere. */
  via: "lines" | "segments";
  /** The node that records it until the end of the lease; null: none. */
  node: string | null;
  lease: Date;
  begun: Made;
  /** When the sender was there last. */
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
  /** Who is reported: an id or name in the recording. */
  subject: string;
  reporter: string | null;
  text: string;
  /** Seconds of the range that is kept. */
  first: number | null;
  last: number | null;
  /** How sure a detector is; sorts the queue. */
  score: number;
  flags: Json<readonly string[]>;
  state: ReviewState;
  assignee: string | null;
  verdict: string | null;
  remark: string | null;
  made: Made;
  closed: Date | null;
  /** Of a recording that goes on: when its clip is cut. */
  until: Date | null;
  /** The recording that was cut. */
  clip: string | null;
  /** Second of the recording at which the clip begins. */
  clip_first: number | null;
  clip_error: string | null;
  /** When the verdict went into the recording. */
  written: Date | null;
  written_error: string | null;
  /** Who has closed it. */
  judge: string | null;
}

export interface ReviewMarksTable {
  id: string;
  review: string;
  author: string;
  /** Seconds, in the recording that was reported. */
  time: number;
  thing: string | null;
  label: string;
  /** 0 to 127. */
  severity: number;
  made: Made;
}

/** A recording that retention and erasure leave alone. */
export interface HoldsTable {
  id: string;
  recording: string;
  reason: string;
  made: Made;
  /** The review that it is for. */
  review: string | null;
}

/** A recording that is a completed run, and where its first subject was. */
export interface RunsTable {
  recording: string;
  /** Of the recording that the track was made of. */
  digest: string;
  map: string | null;
  world: string | null;
  milliseconds: number;
  uuid: string;
  name: string;
  /** Seconds from one place of the track to the next. */
  step: number | null;
  track: Json<{ readonly x: number[]; readonly y: number[]; readonly z: number[]; readonly yaw: number[] }> | null;
}

export interface RetentionPlansTable {
  id: string;
  /** SHA-256 of the policy that it follows. */
  policy: string;
  state: Generated<"making" | "ready" | "applying" | "applied" | "failed">;
  content: Json<unknown> | null;
  error: string | null;
  made: Made;
  ended: Date | null;
}

/** What was asked for about a subject: all of theirs to download, or that it is erased. */
export interface SubjectRequestsTable {
  id: string;
  kind: "export" | "erase";
  /** Null once it is erased. */
  who: Json<unknown> | null;
  state: Generated<"waiting" | "done" | "failed">;
  report: Json<unknown> | null;
  /** Of what is to be downloaded, in the library. */
  key: string | null;
  error: string | null;
  made: Made;
  ended: Date | null;
}

export interface Tables {
  recordings: RecordingsTable;
  entities: EntitiesTable;
  extents: ExtentsTable;
  extent_paths: ExtentPathsTable;
  event_kinds: EventKindsTable;
  thumbnails: ThumbnailsTable;
  tags: TagsTable;
  collections: CollectionsTable;
  searches: SearchesTable;
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
}
