import type { Format } from "../../model/format.ts";
import type { Recording } from "../../model/recording.ts";
import type { WritingFormat } from "../../model/writer.ts";
import { UsageError } from "../run/failure.ts";
import { allFormats } from "./formats.ts";

/** The format of an open recording. */
export function formatOf({ info }: Recording): Format {
  return allFormats().find(({ id }) => id === info.format)!;
}

/** The writing side of a format; a dialect that it does not have is a `UsageError`, and so is a format without one. */
export async function writingOf(format: Format): Promise<WritingFormat> {
  if (format.writing === undefined) throw new UsageError(`simtape cannot write this format: ${format.name}`);
  const writing = await format.writing();
  return {
    ...writing,
    create: (to, options) =>
      writing.create(to, options).catch((error: unknown) => {
        throw error instanceof RangeError ? new UsageError(error.message) : error;
      }),
  };
}

/** The format asked for by name, or the one a file of this name would be. */
export function formatFor(name: string | undefined, path: string): Format {
  const found = name === undefined ? formatNamed(path) : formatCalled(name);
  if (found !== null) return found;
  throw new UsageError(
    `cannot tell the format from the name ${path}: say --to ${allFormats()
      .map(({ id }) => id)
      .join("|")}`,
  );
}

/** Throws `UsageError` when there is no format of that name. */
export function formatCalled(name: string): Format {
  const wanted = name.toLowerCase();
  const found = allFormats().find((format) => format.id === wanted || format.name.toLowerCase() === wanted);
  if (found !== undefined) return found;
  throw new UsageError(
    `no format ${JSON.stringify(name)}; there are ${allFormats()
      .map(({ id }) => id)
      .join(", ")}`,
  );
}

/** The format that a file of this name would be; null where the name does not tell. */
export function formatNamed(path: string): Format | null {
  const ending = endingOf(path).slice(1).toLowerCase();
  return allFormats().find(({ extensions }) => extensions.includes(ending)) ?? null;
}

/** The ending of a name with its point, when a format has it; else nothing: any other point is part of the name. */
export function endingOf(name: string): string {
  const lower = name.toLowerCase();
  const endings = allFormats().flatMap(({ extensions }) => extensions.map((extension) => `.${extension}`));
  const ending = endings.find((one) => lower.endsWith(one)) ?? "";
  return name.slice(name.length - ending.length);
}

/** The ending that the main file of a recording has, or would have were it called after what it is. */
export function endingFor(recording: Recording, name: string | null): string {
  const own = endingOf(name ?? "");
  return own !== "" ? own : (formatOf(recording).files?.endingFor?.(recording.info) ?? "");
}
