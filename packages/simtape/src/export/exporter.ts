import type { SinkBundle } from "../io/sink/sink.ts";
import type { SourceBundle } from "../io/source/source.ts";
import type { TableOptions } from "../model/query/table.ts";
import type { Recording } from "../model/recording.ts";
import type { Lost } from "../model/writer.ts";

/** What of a recording is exported, and how. Everything is optional. */
export interface ExportOptions extends TableOptions {
  /** A set of the state; absent: the sets that the target fits, those that the recording is about. */
  readonly set?: string | undefined;
  /** A channel, for targets of rows. Not together with `set`. */
  readonly channel?: string | undefined;
  /** Names of sets that recordings of other formats are about: one that was converted may have them. */
  readonly things?: (() => Promise<readonly string[]>) | undefined;
  /** Units in headers or metadata of columns; true by default. */
  readonly units?: boolean | undefined;
  /** What a column of time is in; "s" by default, where the target has no time of its own. */
  readonly time?: "ns" | "s" | undefined;
  /** The files of the recording, to be carried inside byte for byte where the target can; absent and null: they are not. */
  readonly original?: OriginalFiles | null | undefined;
  /** Called now and then with the time reached. */
  readonly onProgress?: ((time: number) => void) | undefined;
}

/** An option that not every target has a use for. A set, times and an interval are for all. */
export type TargetOption = "channel" | "columns" | "ids" | "axes" | "origin" | "units" | "time" | "original";

/** Where the files of a recording are. */
export interface OriginalFiles {
  readonly bundle: SourceBundle;
  /** Bytes of all files up to which they are carried; absent: however many there are. */
  readonly limit?: number | undefined;
}

/** What an export wrote. */
export interface ExportReport {
  /** Sets or channels that were carried. */
  readonly of: readonly string[];
  /** Rows, fixes, frames or messages: see `unit`. */
  readonly count: number;
  /** What `count` counts, in the singular: "row", "frame", "fix". */
  readonly unit: string;
  /** What the target cannot hold, with a reason and a count. */
  readonly lost: readonly Lost[];
  /** Sentences for people: that a new model begins where the atoms change. */
  readonly notes: readonly string[];
}

/**
 * A target that other programs read. An exporter reads a recording once, from the start of the range to its end, and
 * its memory grows with a moment, never with the recording, unless its docstring says otherwise.
 */
export interface Exporter {
  /** As after `--to`: "kml". */
  readonly id: string;
  /** For people: "KML, for Google Earth". */
  readonly name: string;
  /** Endings of file names, without the dot; the first is the usual one. */
  readonly extensions: readonly string[];
  readonly mediaType: string;
  /** What it can carry, for the message about a recording that has none of it: "things with a place on the earth". */
  readonly carries: string;
  /** Options that it has a use for. Others, when they are given, are refused with `TypeError`. */
  readonly takes: readonly TargetOption[];
  /** Sets (and channels, of targets of rows) of the recording that fit, those that it is about first; empty: none. */
  fitting(recording: Recording): Promise<readonly string[]>;
  /**
   * Writes the main file, and others beside it where the target needs several. The caller holds the files until all is
   * written, and throws them away when this rejects: with `RangeError` or `TypeError` for options that do not fit the
   * recording or the target.
   */
  write(recording: Recording, to: SinkBundle, options: ExportOptions): Promise<ExportReport>;
}

/** A target by its name and endings; the rest is loaded when it is used. */
export interface ExportTarget extends Pick<Exporter, "id" | "name" | "extensions" | "mediaType" | "carries" | "takes"> {
  readonly load: () => Promise<Exporter>;
}
