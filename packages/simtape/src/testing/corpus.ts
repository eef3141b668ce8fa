import type { CorruptionStep } from "./damage.ts";
import { sha256 } from "./digest.ts";

/** What `cases/index.json` of the package simtape-corpus holds. */
export interface CorpusIndex {
  /** Of this shape. */
  readonly version: 1;
  readonly cases: readonly ConformanceCase[];
}

/** One recording, and everything that must come of it. */
export interface ConformanceCase {
  /** `"carla/0.9.15"`, damaged `"carla/0.9.15/cut"`: also the folder of its files. */
  readonly id: string;
  /** Id of the format that must recognise it. */
  readonly format: string;
  /** What the case shows, in a sentence. */
  readonly about: string;
  /** Versions, containers and parts of the format that it needs a reader to know. */
  readonly features: readonly string[];
  /** The main one first. */
  readonly files: readonly CaseFile[];
  /** How it came out of another case; null for one as its own program leaves it: sound, or interrupted. */
  readonly damage: Damage | null;
  readonly expect: Expectation;
}

/** A file of a case, as the index lists it. */
export interface CaseFile {
  /** Name in the recording; it lies at `id/name` in the corpus. */
  readonly name: string;
  readonly bytes: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

/** How a damaged case was made from a sound one, and what repair cannot bring back. */
export interface Damage {
  /** Id of the case it was before. */
  readonly of: string;
  /** The file that was damaged. */
  readonly file: string;
  readonly steps: readonly CorruptionStep[];
  /**
   * Messages of the sound case that repair does not give back, messages that it gives and that were not in it, and
   * those that it gives at another time, as channel and payload tell them apart.
   */
  readonly missing: number;
  readonly foreign: number;
  readonly retimed: number;
}

/** Parts of an expectation; also the order in which they are checked. */
export const PARTS = ["reading", "states", "records", "ranges", "writing", "repair"] as const;
/** What of a recording a case has an expectation for. */
export type Part = (typeof PARTS)[number];

/** What must come of a recording. A part that is null is not checked. */
export interface Expectation {
  /** Code of the `RecordingError` that opening throws; then every other part is null. */
  readonly refused: string | null;
  readonly reading: ReadingExpectation | null;
  readonly states: readonly StateExpectation[] | null;
  readonly records: ContentExpectation | null;
  /** Ranges, channels and the reverse give what a filtered scan gives: messages compared at least. */
  readonly ranges: number | null;
  readonly writing: WritingExpectation | null;
  readonly repair: RepairExpectation | null;
}

/** What reading all messages must give. */
export interface ReadingExpectation {
  readonly status: "sound" | "damaged";
  /** Those with messages, by id; how many. */
  readonly channels: readonly (readonly [name: string, schema: string, messages: number])[];
  readonly timeline: {
    readonly start: number;
    readonly end: number;
    /** Unix nanoseconds at time 0, decimal. */
    readonly epoch: string | null;
    readonly tick: { readonly name: string; readonly count: number; readonly duration: number | null } | null;
  };
  /** Digest of all messages: see `messagesDigest`. */
  readonly messages: string;
  /** Damage and loss by code, how often each; notes and warnings are left out. */
  readonly findings: Readonly<Record<string, number>>;
}

/** What must hold at a time, in nanoseconds since the start. */
export interface StateExpectation {
  readonly time: number;
  /** Values, and things in each set that is not empty. */
  readonly values: number;
  readonly sets: Readonly<Record<string, number>>;
  /** See `stateDigest`. */
  readonly sha256: string;
}

/** Bytes that must come out: how many, and their SHA-256 in lower-case hexadecimal. */
export interface ContentExpectation {
  readonly bytes: number;
  readonly sha256: string;
}

/** What must stay the same when the recording is written again. */
export interface WritingExpectation {
  /**
   * What stays the same when the messages are written again: every byte of the files, every byte inside their
   * compression, or the messages alone. A writer that keeps more than is expected passes.
   */
  readonly keeps: "files" | "content" | "messages";
}

/** What repair must give. */
export interface RepairExpectation {
  readonly status: "sound" | "repaired";
  readonly messagesKept: number;
  readonly bytesLost: number;
  /** What was left out; null where it has no place or no length. */
  readonly lost: readonly (readonly [code: string, offset: number | null, length: number | null])[];
  /** What was written again. */
  readonly rebuilt: readonly string[];
  /** Digest of the messages of the result. */
  readonly messages: string;
}

/** Files by name, the main one first. */
export type CaseFiles = Readonly<Record<string, Uint8Array>>;

/** A case with its files, ready to be run. */
export interface LoadedCase {
  readonly case: ConformanceCase;
  readonly files: CaseFiles;
}

/**
 * The cases of `index` with their files, one after the other. `read` gets paths below the folder of the corpus.
 * Throws `RangeError` for an index of another version, and for a file that is not the one the index tells of.
 */
export async function* loadCorpus(
  read: (path: string) => Promise<Uint8Array>,
  index: CorpusIndex,
): AsyncGenerator<LoadedCase> {
  const { version }: { readonly version: number } = index;
  if (version !== 1) throw new RangeError(`the index is of version ${version}, this runner knows 1`);
  for (const of of index.cases) {
    const files: Record<string, Uint8Array> = {};
    for (const { name, bytes, sha256: expected } of of.files) {
      const path = `${of.id}/${name}`;
      const found = await read(path);
      const digest = await sha256(found);
      if (digest !== expected) {
        throw new RangeError(
          `expected ${bytes} bytes with sha256 ${expected}, found ${found.length}, ${digest}: ${path}`,
        );
      }
      files[name] = found;
    }
    yield { case: of, files };
  }
}
