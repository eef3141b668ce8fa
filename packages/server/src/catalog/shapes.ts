import { type Static, Type } from "typebox";

/** A recording in a list. Times in seconds since the start, dates as ISO 8601. */
export const RECORDING = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    key: Type.String({ description: "path of its main file in the library" }),
    state: Type.Enum(["new", "indexed", "failed", "live", "gone"]),
    error: Type.Union([Type.String(), Type.Null()]),
    format: Type.Union([Type.String(), Type.Null()]),
    bytes: Type.Number(),
    started: Type.Union([Type.String(), Type.Null()], { description: "wall clock of t = 0" }),
    seconds: Type.Union([Type.Number(), Type.Null()]),
    summary: Type.String(),
    findings: Type.Number({ description: "number of findings" }),
    owner: Type.Union([Type.String(), Type.Null()]),
    collection: Type.Union([Type.String(), Type.Null()]),
    tags: Type.Array(Type.String()),
    added: Type.String(),
    duplicate: Type.Boolean({ description: "another recording has the same content" }),
    thumbnail: Type.String({ description: "URL of its picture, once it is indexed" }),
    url: Type.String({ description: "URL of its main file; the other files have URLs beside it" }),
    page: Type.String(),
  },
  {
    $id: "Recording",
    examples: [
      {
        id: "06f2x6q8h7nq",
        name: "town.log",
        key: "monday/town.log",
        state: "indexed",
        error: null,
        format: "carla",
        bytes: 182_044,
        started: "2026-02-01T12:00:00.000Z",
        seconds: 60,
        summary: "12 vehicles, 3 walkers; 2 collisions",
        findings: 0,
        owner: null,
        collection: null,
        tags: ["night"],
        added: "2026-02-01T12:05:11.000Z",
        duplicate: false,
        thumbnail: "/api/recordings/06f2x6q8h7nq/thumbnail",
        url: "/api/recordings/06f2x6q8h7nq/files/town.log",
        page: "/r/06f2x6q8h7nq",
      },
    ],
  },
);
export type RecordingItem = Static<typeof RECORDING>;

const FILE = Type.Object({ name: Type.String(), bytes: Type.Number(), etag: Type.String() });
const SECONDS = Type.Union([Type.Number(), Type.Null()]);

/** A file that shows the world of a recording. */
export const COMPANION = Type.Object({
  name: Type.String(),
  bytes: Type.Number(),
  digest: Type.Union([Type.String(), Type.Null()], {
    description: "SHA-256 of its bytes, in hex; null: an earlier release added the recording",
  }),
});

/** Everything that the catalog knows of a recording. */
export const DETAILS = Type.Object(
  {
    ...RECORDING.properties,
    files: Type.Array(FILE),
    companions: Type.Array(COMPANION, {
      description: "files that show its world; `files/{name}` gives their bytes",
    }),
    metadata: Type.Record(Type.String(), Type.Unknown()),
    channels: Type.Array(
      Type.Object({ name: Type.String(), count: Type.Number({ description: "number of messages" }) }),
    ),
    digest: Type.Union([Type.String(), Type.Null()], { description: "SHA-256 of all files" }),
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
      { description: "things and persons in the recording" },
    ),
    events: Type.Array(Type.Object({ kind: Type.String(), title: Type.String(), count: Type.Number() })),
    extents: Type.Array(
      Type.Object({
        path: Type.String(),
        unit: Type.Union([Type.String(), Type.Null()]),
        least: Type.Number(),
        most: Type.Number(),
      }),
      { description: "the least and the greatest value of each number" },
    ),
    duplicates: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
  },
  { $id: "RecordingDetails" },
);

export const PAGE = Type.Object(
  {
    recordings: Type.Array(Type.Ref("Recording")),
    cursor: Type.Union([Type.String(), Type.Null()], { description: "leads to the next page; null on the last page" }),
  },
  { $id: "RecordingPage" },
);

export const ID = Type.Object({ id: Type.String({ maxLength: 64 }) });
