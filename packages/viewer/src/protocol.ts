import type {
  ChannelStatistics,
  FieldRole,
  Finding,
  GhostOptions,
  Lost,
  RecordingInfo,
  Series,
  SeriesPath,
  Showing,
  State,
  TargetOption,
  Time,
  Timeline,
  TimeRange,
} from "simtape";
import type { Alignment, Comparison } from "simtape/compare";
import type { Race, RaceOptions } from "simtape/race";
import type { RecordingStatistics } from "simtape/stats";
import type { ChunkMesh } from "./blocks/chunk-mesh.ts";
import type { BlockSkins } from "./blocks/skins.ts";

/**
 * What page and worker say to each other, beside the frames: those go over a port of their own, by simtape's protocol.
 */

/** Where a recording is: files the user gave, the main one first or named, or an address. */
export type Locator =
  | { readonly kind: "files"; readonly name: string; readonly files: readonly File[]; readonly main?: string }
  | {
      readonly kind: "url";
      readonly name: string;
      readonly url: string;
      /** Where a server has a page of its own for it. */
      readonly page?: string;
    };

export interface ChannelFacts {
  /** Dense, from 0. */
  readonly id: number;
  readonly name: string;
  readonly schema: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** All that is known of a recording when it is open. */
export interface Opened {
  /** Names the recording in queries. */
  readonly recording: number;
  /** Only the head of it is open, while the rest is read: its length, events and findings are not known yet. */
  readonly isHead: boolean;
  readonly info: RecordingInfo;
  /** What its format tells of how to show it. */
  readonly showing: Showing;
  readonly timeline: Timeline;
  /** The first moment at which what it is about has places; null: nothing in it is anywhere. */
  readonly placed: Time | null;
  readonly channels: readonly ChannelFacts[];
  /** Id of the channel whose messages carry motion. */
  readonly motion: number | null;
  readonly findings: readonly Finding[];
}

/** How a ghost lies beside the recording; see simtape's `GhostOptions`. */
export type Placement = Pick<GhostOptions, "align" | "offset" | "rate">;

/** Messages as columns, in the order asked for. */
export interface MessageRows {
  readonly time: Float64Array;
  readonly channel: Uint16Array;
  readonly sequence: Float64Array;
  /** Payload bytes. */
  readonly size: Uint32Array;
  /** The value in one line. */
  readonly preview: readonly string[];
  /** Whether the range ended before the limit did. */
  readonly isEnd: boolean;
}

/** Records as columns. */
export interface Outline {
  readonly kind: readonly string[];
  /** In the file, or in its inflated stream. */
  readonly offset: Float64Array;
  readonly length: Uint32Array;
  /** Whether the file ended before the limit did. */
  readonly isEnd: boolean;
}

/** A part of some bytes that means something, as a page shows it. */
export interface NamedField {
  /** The way to it: `[3].location.x`. */
  readonly name: string;
  /** Bytes `[start, end)`. */
  readonly start: number;
  readonly end: number;
  readonly role: FieldRole;
  /** What it says, in one line. */
  readonly text: string;
  /** A unit, or what a number stands for. */
  readonly note: string | null;
  /** Numbers that have the field's bytes in equal parts. */
  readonly items: ArrayLike<number> | null;
}

/** Bytes, of long ones the beginning, and what they mean: fields ascending and without gaps. */
export interface NamedBytes {
  readonly bytes: Uint8Array;
  /** Of all of them. */
  readonly length: number;
  readonly fields: readonly NamedField[];
}

export interface RecordBytes extends NamedBytes {
  readonly kind: string;
  readonly offset: number;
  /** What is compressed in it. */
  readonly contents: (NamedBytes & { readonly note: string }) | null;
}

/** An event worth a mark on the timeline. */
export interface Mark {
  readonly time: Time;
  /** `collision`, `checkpoint`, `chat`, … */
  readonly kind: string;
  readonly label: string;
}

/** Events by time. */
export interface Marks {
  readonly marks: readonly Mark[];
  /** Some were left out, as others of their kind are too near. */
  readonly isThinned: boolean;
  /** Ids of the channels whose messages are lists of events, mostly empty ones. */
  readonly lists: readonly number[];
}

/** A part of the file that is damaged or lost, where it lies in time: exactly where its finding says so, else about. */
export interface Damage {
  readonly start: Time;
  readonly end: Time;
  readonly message: string;
}

/** An event in a list. */
export interface EventRow {
  readonly time: Time;
  readonly kind: string;
  readonly text: string;
  /** Names of those it is about, with commas between them. */
  readonly who: string;
  /** The first of them that is in a set. */
  readonly thing: { readonly set: string; readonly id: number | string } | null;
}

/** Events by time. */
export interface Events {
  readonly events: readonly EventRow[];
  /** Whether the recording ended before the limit did. */
  readonly isEnd: boolean;
}

/** A player passes a checkpoint of a block world. */
export interface Passing {
  readonly time: Time;
  /** Id in the set of players. */
  readonly entity: number;
  /** "checkpoint 3", "finish" */
  readonly checkpoint: string;
  /** Where, in the axes of the set of players; null: a player passed the same one before. */
  readonly place: readonly number[] | null;
}

/** A chunk of the world that a recording was made in, and what of it is not to be seen. */
export interface ChunkAsk {
  /** As `minecraft:overworld`. */
  readonly dimension: string;
  /** Of its blocks, divided by 16. */
  readonly x: number;
  readonly z: number;
  /** Three numbers for each block that is left out: x and z in the chunk or one beyond it, -1 to 16, y in the world. */
  readonly edits: Int32Array;
  /** From this height on nothing is shown; null: all is. */
  readonly top: number | null;
}

/** What is seen of a chunk. */
export interface ChunkSight {
  /** Null: there is none, or nothing. */
  readonly mesh: ChunkMesh | null;
  /** Why a companion's chunk is not shown; null: nothing is wrong with it. */
  readonly problem: string | null;
}

/** What of a recording an export carries. */
export interface ExportFits {
  readonly kind: "set" | "channel";
  readonly name: string;
}

/** A target of an export, with what of the recording it can carry. */
export interface TargetFacts {
  readonly id: string;
  /** For people: "KML, for Google Earth". */
  readonly name: string;
  /** What of any recording it can carry. */
  readonly carries: string;
  /** Options that it has a use for. */
  readonly takes: readonly TargetOption[];
  /** What the recording is about comes first. */
  readonly fits: readonly ExportFits[];
}

/** Axes to turn to, by what they are: the hand, and the axis that points up. */
export type ExportAxes = readonly [handed: "right" | "left", up: "y" | "z"];

/** A column that the rows of a set or channel have. */
export interface ExportColumn {
  /** `position.x` */
  readonly name: string;
  readonly unit: string | null;
}

/** Files that an export made. */
export interface Exported {
  /** The main one first. */
  readonly files: readonly { readonly name: string; readonly blob: Blob }[];
  /** Sets or channels that are in them. */
  readonly of: readonly string[];
  /** Rows, fixes, frames: `unit` says in the singular what. */
  readonly count: number;
  readonly unit: string;
  readonly lost: readonly Lost[];
  readonly notes: readonly string[];
}

/** A time at which an expression is true. */
export interface Span {
  readonly from: Time;
  /** Exclusive; of an instant the same as `from`. */
  readonly until: Time;
  /** Of the number that is measured, the extreme inside; null: there is none, or it is unknown. */
  readonly extreme: number | null;
  /** When it was so first. */
  readonly at: Time | null;
  /** `set/id` of what it is about. */
  readonly thing: string | null;
}

/** When an expression is true. */
export interface Answered {
  readonly spans: readonly Span[];
  /** Of which number spans have the extreme. */
  readonly measure: { readonly how: "min" | "max"; readonly unit: string } | null;
  /** It is true at moments only. */
  readonly isInstant: boolean;
  /** Whether the recording ended before the limit did. */
  readonly isEnd: boolean;
}

/** An expression that cannot be answered. */
export interface Wrong {
  readonly message: string;
  /** The line that is wrong, and below it carets under the part. */
  readonly pointed: string;
  /** It gives numbers, which are never true or false, but can be drawn. */
  readonly isNumber: boolean;
}

interface Of {
  readonly recording: number;
}

/** Queries by name: what is asked, and what is answered. Everything can be cloned; arrays are the page's own. */
export interface Queries {
  /**
   * With the files at hand that a recording may need beside it, and the addresses of format modules. `isOffered`: the
   * server may have its seek index, too. Progress is the head of it, once, where reading it takes long: the page closes
   * that, too.
   */
  open: {
    ask: {
      readonly place: Locator;
      readonly given: readonly File[];
      readonly modules: readonly string[];
      readonly isOffered: boolean;
    };
    answer: Opened;
  };
  close: { ask: Of; answer: null };
  /**
   * Plays over the port; a player played before is closed, unless this one plays beside it, for a video: then seeks
   * begin at once. The ghosts are in the order given.
   */
  play: {
    ask: Of & {
      readonly port: MessagePort;
      readonly ghosts: readonly (Of & Placement)[];
      readonly at: Time | null;
      readonly rate: number;
      readonly loop: TimeRange | null;
      readonly isBeside?: boolean;
    };
    answer: null;
  };
  findings: { ask: Of; answer: readonly Finding[] };
  /** Of the findings there are by now, those with a place in the file or a time, ascending by start. */
  damage: { ask: Of; answer: readonly Damage[] };
  /** By channel id; reads the whole recording where opening it did not. */
  statistics: { ask: Of; answer: readonly ChannelStatistics[] };
  /**
   * Messages per column of `[start, end)`, channel by channel: `counts[channel * columns + column]`. Progress is
   * partial counts.
   */
  density: {
    ask: Of & { readonly start: Time; readonly end: Time; readonly columns: number };
    answer: Uint32Array;
  };
  /** Bytes per column of `[start, end)`, without reading; null: nothing is known. */
  spread: {
    ask: Of & { readonly start: Time; readonly end: Time; readonly columns: number };
    answer: Float64Array | null;
  };
  /** Events of `[start, end)` by the format's own kinds, one of each in a column. Progress is those found so far. */
  marks: {
    ask: Of & {
      readonly start: Time;
      readonly end: Time;
      readonly columns: number;
      /** Else only those that are known without. */
      readonly isReading: boolean;
    };
    answer: Marks;
  };
  /** The first `limit` events. Progress and answer are those since the last progress. */
  events: {
    ask: Of & { readonly limit: number /** Else only those that are known without. */; readonly isReading: boolean };
    answer: Events;
  };
  /**
   * Whether the world that it was made in is beside it, where its things are at that time; null: it names none. `base` is
   * the address that keys of the store are relative to.
   */
  world: { ask: Of & { readonly base: string; readonly time: Time }; answer: { readonly isThere: boolean } | null };
  /**
   * Takes folders of region files that show the world of a recording, and textures of its blocks. Gives the number that
   * `chunk` is asked with.
   */
  accompany: { ask: { readonly places: readonly Locator[]; readonly skins: BlockSkins | null }; answer: number };
  /** What is seen of a chunk: of that world, if there is one (`base`), else of the folders of that number (`beside`). */
  chunk: {
    ask: Of & ChunkAsk & { readonly base: string | null; readonly beside: number | null };
    answer: ChunkSight;
  };
  /** When an expression is true. Progress and answer are the spans since the last progress, by their ends. */
  when: { ask: Of & { readonly text: string; readonly limit: number }; answer: Answered | Wrong };
  /** Words that can stand at the cursor of an expression, and the place from which on they take that of what is there. */
  complete: {
    ask: Of & { readonly text: string; readonly cursor: number };
    answer: { readonly words: readonly string[]; readonly from: number };
  };
  /** Where the recording differs from another one that is open: its times are those of the first. */
  compare: {
    ask: Of & {
      readonly other: number;
      readonly align: Alignment;
      /** `vehicles/*` + `.position: 0.01 m` */
      readonly rules: readonly string[];
    };
    answer: Comparison;
  };
  /** Laps of the recording and of others that are open against each other. Progress is recordings. */
  race: {
    ask: Of & { readonly others: readonly number[] } & Pick<RaceOptions, "things" | "line" | "mark" | "sectors">;
    answer: Race;
  };
  /** What all numbers of the recording are: it is read as a whole. */
  stats: { ask: Of; answer: RecordingStatistics };
  /** All passings of checkpoints, by time. */
  passings: {
    ask: Of & { /** Else only those that are known without. */ readonly isReading: boolean };
    answer: readonly Passing[];
  };
  /** Progress is the rows found so far. */
  messages: {
    ask: Of &
      TimeRange & {
        readonly channels: readonly number[] | null;
        readonly reverse: boolean;
        readonly limit: number;
        /** So many are passed over first, when no text is looked for. */
        readonly skip?: number;
        /** Only those whose preview contains it, whatever the case. */
        readonly text: string;
        /** Previews are made, which decodes every message. */
        readonly preview: boolean;
      };
    answer: MessageRows;
  };
  message: {
    ask: Of & { readonly time: Time; readonly sequence: number };
    answer: NamedBytes | null;
  };
  /**
   * The units of the file's own framing: `limit` at most, that begin before `end`. Progress is those since the last
   * one.
   */
  outline: { ask: Of & { readonly limit: number; readonly end: number }; answer: Outline };
  record: { ask: Of & { readonly index: number }; answer: RecordBytes | null };
  state: { ask: Of & { readonly time: Time; readonly interpolate: boolean }; answer: State };
  /** Units of values by their names, in the order asked for; null: the format does not tell. */
  units: { ask: Of & { readonly values: readonly string[] }; answer: readonly (string | null)[] };
  /**
   * Lines to draw, also of what an expression gives, `= EXPRESSION` in place of a value's name: at most four points for each column, and one on either side of the range. Progress is the lines as far
   * as they are known.
   */
  series: {
    ask: Of & {
      readonly paths: readonly SeriesPath[];
      readonly start: Time;
      readonly end: Time;
      readonly columns: number;
    };
    answer: readonly Series[];
  };
  /** The numbers to draw at first: those that the format names and that vary; none of one moment. */
  charts: {
    ask: Of & {
      readonly from: Time /** Else only what is there at that time is looked at. */;
      readonly isReading: boolean;
    };
    answer: readonly SeriesPath[];
  };
  /** CSV: a row for each moment of `[start, end)`. */
  table: {
    ask: Of & { readonly paths: readonly SeriesPath[]; readonly start: Time; readonly end: Time };
    answer: Blob;
  };
  /** The targets of an export that fit. */
  targets: { ask: Of; answer: readonly TargetFacts[] };
  /** The columns that rows of a set or channel have besides their time and id. A channel is read for them. */
  columns: { ask: Of & { readonly of: ExportFits }; answer: readonly ExportColumn[] };
  /** Files for other programs. Progress is nanoseconds of the range. */
  export: {
    ask: Of & {
      /** Id of the target. */
      readonly to: string;
      /** Null: all that the target carries of what the recording is about. */
      readonly of: ExportFits | null;
      /** Null: the whole recording. */
      readonly range: TimeRange | null;
      /** Nanoseconds between two moments; null: each recorded moment. */
      readonly every: Time | null;
      /** Where a local plane touches the earth: degrees, metres, degrees from north; null: the recording says it. */
      readonly origin: readonly [latitude: number, longitude: number, altitude?: number, heading?: number] | null;
      /** Null: all. `position` stands for all below it. */
      readonly columns: readonly string[] | null;
      /** Null: all things. */
      readonly ids: readonly string[] | null;
      /** Null: as recorded. */
      readonly axes: ExportAxes | null;
      /** Whether headers name units. */
      readonly units: boolean;
      /** What a column of time is in. */
      readonly time: "ns" | "s";
      /** The files of the recording are carried inside: however large they are, where they are not large, or not. */
      readonly original: "always" | "small" | "never";
      /** Of the recording: files are called after it. */
      readonly name: string;
    };
    answer: Exported;
  };
}

export type QueryName = keyof Queries;
export type Ask<K extends QueryName> = Queries[K]["ask"];
export type Answer<K extends QueryName> = Queries[K]["answer"];

/** How far a query is, in units of its own: bytes read, for `open`. */
export interface Progress {
  readonly done: number;
  readonly total: number | null;
  /** What is known so far, of queries that tell it. */
  readonly partial?: unknown;
}

export type PageMessage =
  | { readonly type: "ask"; readonly id: number; readonly name: QueryName; readonly ask: unknown }
  | { readonly type: "cancel"; readonly id: number };

export type WorkerMessage =
  | { readonly type: "answer"; readonly id: number; readonly answer: unknown }
  | { readonly type: "failed"; readonly id: number; readonly code: string | null; readonly message: string }
  | { readonly type: "progress"; readonly id: number; readonly progress: Progress };
