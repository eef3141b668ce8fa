import { type Static, Type } from "typebox";

/** A recording in a list. Times in seconds since the start, dates as ISO 8601. */
export const RECORDING = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    key: Type.String({ description: "where its main file lies in the library" }),
    state: Type.String({ description: "new, indexed, failed or live" }),
    error: Type.Union([Type.String(), Type.Null()]),
    format: Type.Union([Type.String(), Type.Null()]),
    bytes: Type.Number(),
    started: Type.Union([Type.String(), Type.Null()], { description: "wall clock of t = 0" }),
    seconds: Type.Union([Type.Number(), Type.Null()]),
    summary: Type.String(),
    findings: Type.Number({ description: "how many" }),
    owner: Type.Union([Type.String(), Type.Null()]),
    collection: Type.Union([Type.String(), Type.Null()]),
    tags: Type.Array(Type.String()),
    added: Type.String(),
    duplicate: Type.Boolean({ description: "another one has the same content" }),
    thumbnail: Type.String({ description: "URL of a picture of it, once it is indexed" }),
    url: Type.String({ description: "of its main file, its other files beside it" }),
    page: Type.String(),
  },
  { $id: "Recording" },
);
export type RecordingItem = Static<typeof RECORDING>;

const FILE = Type.Object({ name: Type.String(), bytes: Type.Number(), etag: Type.String() });
const SECONDS = Type.Union([Type.Number(), Type.Null()]);

/** All that is known of a recording. */
export const DETAILS = Type.Object(
  {
    ...RECORDING.properties,
    files: Type.Array(FILE),
    metadata: Type.Record(Type.String(), Type.Unknown()),
    channels: Type.Array(Type.Object({ name: Type.String(), count: Type.Number({ description: "messages" }) })),
    digest: Type.Union([Type.String(), Type.Null()], { description: "of all files, as sha256" }),
    first: SECONDS,
    last: SECONDS,
    findingList: Type.Array(
      Type.Object({
        code: Type.String(),
        severity: Type.String(),
        message: Type.String(),
        count: Type.Number(),
      }),
    ),
    entities: Type.Array(
      Type.Object({
        set: Type.String(),
        name: Type.String(),
        label: Type.String(),
        kind: Type.Union([Type.String(), Type.Null()]),
      }),
      { description: "things and persons in it" },
    ),
    events: Type.Array(Type.Object({ kind: Type.String(), title: Type.String(), count: Type.Number() })),
    extents: Type.Array(
      Type.Object({
        path: Type.String(),
        unit: Type.Union([Type.String(), Type.Null()]),
        least: Type.Number(),
        most: Type.Number(),
      }),
      { description: "the least and the most of its numbers" },
    ),
    duplicates: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
  },
  { $id: "RecordingDetails" },
);

export const PAGE = Type.Object(
  {
    recordings: Type.Array(Type.Ref("Recording")),
    cursor: Type.Union([Type.String(), Type.Null()], { description: "for the next page; null: this is the last" }),
  },
  { $id: "RecordingPage" },
);

export const ID = Type.Object({ id: Type.String({ maxLength: 64 }) });
