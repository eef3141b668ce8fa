import { ForwardSource, type Producer } from "../../io/source/forward.ts";
import { fileSpool } from "../../io/node/index.ts";
import type { ByteSource, SourceBundle } from "../../io/source/source.ts";
import { RecordingError } from "../../model/error.ts";
import { recognize } from "../../model/open.ts";
import type { Original } from "../../model/original.ts";
import type { Format } from "../../model/format.ts";
import type { Recording } from "../../model/recording.ts";
import { whenOver } from "../run/ending.ts";
import { allFormats } from "./formats.ts";
import { unclosed } from "./recordings.ts";

/** The recording that another carries inside, as if its files lay there. Their names choose nothing but one another. */
export interface CarriedRecording {
  readonly format: Format;
  readonly bundle: SourceBundle;
  /** The files that were not asked for: they are none of the recording's. */
  rest(): readonly Original[];
}

/** Null when nothing is carried, or nothing that a format knows. */
export async function carriedIn(recording: Recording): Promise<CarriedRecording | null> {
  const originals = await originalsOf(recording);
  const [first] = originals;
  if (first === undefined) return null;
  const sources = originals.map(sourceOf);
  whenOver(async () => {
    for (const source of sources) await source.close();
  });
  const asked = new Set<Original>([first]);
  const main = unclosed(sources[0]!);
  const format = await formatOf(first, main);
  if (format === null) return null;
  return {
    format,
    bundle: {
      name: first.name,
      open: async (name = first.name) => {
        if (name === first.name) return main;
        // the other file of a pair, however it was called
        const at = originals.length === 2 ? 1 : originals.findIndex((original) => original.name === name);
        if (at <= 0) return null;
        asked.add(originals[at]!);
        return unclosed(sources[at]!);
      },
    },
    rest: () => originals.filter((original) => !asked.has(original)),
  };
}

/** The files that a recording carries inside. */
export async function originalsOf(recording: Recording): Promise<readonly Original[]> {
  return (await (await recording.traits()).originals?.(recording.reader)) ?? [];
}

/** As it says, or by its content. */
async function formatOf({ name, format }: Original, main: ByteSource): Promise<Format | null> {
  if (format !== null) return allFormats().find(({ id }) => id === format) ?? null;
  return recognize(main, name, allFormats()).catch((error: unknown) => {
    if (RecordingError.is(error)) return null;
    throw error;
  });
}

/** Ranges of a file that comes in order: what has come is in a temporary file. */
function sourceOf(original: Original): ByteSource {
  const pieces = original.bytes()[Symbol.asyncIterator]();
  const producer: Producer = {
    next: async () => {
      const { value, done } = await pieces.next();
      return done === true ? null : [value];
    },
    close: async () => {
      await pieces.return?.();
    },
  };
  const source = new ForwardSource(original.name, producer, fileSpool());
  return {
    name: original.name,
    size: async () => original.byteLength,
    read: (offset, length, signal) => source.read(offset, length, signal),
    close: () => source.close(),
  };
}
