import type { Budget } from "../bytes/budget.ts";
import type { ByteSource, SourceBundle } from "../io/source/source.ts";
import type { SpoolFactory } from "../io/source/spool.ts";
import type { Reporter } from "./error.ts";
import type { FileNames } from "./format-files.ts";
import type { Scans } from "./kept/scans.ts";
import type { Traits } from "./traits.ts";
import type { WritingFormat } from "./writer.ts";
import type { Reader } from "./reader.ts";

/** Stands for the channels of a format in its type; nothing has this member. */
declare const CHANNELS: unique symbol;

/** How a recording is opened. */
export interface OpenOptions {
  readonly signal?: AbortSignal | undefined;
  /** Where inflated content of a gzip stream is stored; absent: in memory, up to a limit. */
  readonly spool?: SpoolFactory | undefined;
  /**
   * Bytes of memory that the recording may take while it is open, about; 256 MiB by default. For each MiB of file as
   * much may be inflated or read over again, and twice that in any case. What needs more throws `over-budget`.
   */
  readonly budget?: Budget | number | undefined;
  /**
   * The side-car of the recording (docs/index-file.md): its bytes; `"beside"`, the file of its name beside the recording;
   * or false, none. Absent: the one that the bundle knows of, as `fromFile` does. One that does not fit is not used, and a
   * finding says why.
   */
  readonly seekIndex?: ByteSource | "beside" | false | undefined;
  /** What scans of another opening learned, and what those of this one do: `open` makes it, formats only ask it. */
  readonly scans?: Scans | undefined;
  /** Called while a file without an index is scanned, with the bytes done and the bytes in all. */
  readonly onProgress?: ((bytes: number, total: number | null) => void) | undefined;
}

/**
 * A recording format, as a value. `Channels` says what the payloads of its channels decode to, by their names; it is a
 * type only.
 */
export interface Format<out Channels extends object = object, out Id extends string = string> {
  readonly id: Id;
  readonly [CHANNELS]?: Channels;
  readonly name: string;
  readonly extensions: readonly string[];
  /**
   * Which options it was made with, where they change what is read of a file: a side-car is used only where it was made
   * with the same. Null: no text tells that, and none is used. Absent: it has no such options.
   */
  readonly variant?: string | null | undefined;
  /** How the files of its recordings are called, where that is more than one of `extensions`. */
  readonly files?: FileNames | undefined;
  /** Looks at the first bytes, never past them. `size` is that of the file. */
  sniff(head: Uint8Array, hint: SniffHint): "certain" | "possible" | null;
  /**
   * What to do with a file of another kind that becomes one of this format: a sentence that ends with a command, for the
   * error that the file cannot be opened. Looks at the first bytes; null: it is none.
   */
  readonly advice?: ((head: Uint8Array) => string | null) | undefined;
  /**
   * Opens a recording; scans a file without an index once. Damage goes to `report`, and reading goes on after it;
   * throws `LayoutError`, `SourceError` or `RecordingError` when nothing can be read.
   */
  open(from: SourceBundle, report: Reporter, options: OpenOptions): Promise<Reader>;
  /** Extra files that a recording may need; commands take each as an option. */
  readonly options?: readonly FormatOption[];
  /** Traits of the format, for programs that show recordings of any format; loaded on use. */
  traits?(): Promise<Traits>;
  /** The writing side, when there is one. */
  writing?(): Promise<WritingFormat>;
}

/** What the channels of a format decode to, by name; of one of several formats, of any of them. */
export type ChannelsOf<F extends Format> = F extends Format<infer Channels> ? Channels : never;

/**
 * A file that recordings of a format may need, and that is not always beside them. The caller of `open` gives it with
 * the recording: `withFiles(bundle, files)`.
 */
export interface FormatOption {
  /** `--name FILE` of commands: a word. */
  readonly name: string;
  /** What the file is, as `zstd dictionary`. */
  readonly what: string;
  /** A phrase for the help text. */
  readonly help: string;
  /** How the names end that the format looks for: `.dict`. */
  readonly ending: string;
  /** The name that the format looks for beside a recording; null: the content is no such file. */
  fileName(content: Uint8Array): Promise<string | null>;
}

/** What is known of a file beside its first bytes. */
export interface SniffHint {
  readonly name: string | null;
  readonly size: number | null;
}
