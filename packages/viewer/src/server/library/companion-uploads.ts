import { ask, Refusal } from "../api.ts";
import { companionsAmong } from "../../world/registry.ts";
import { locatorsOf } from "../../open/grouping.ts";
import type { Locator } from "../../protocol.ts";

/** Milliseconds within which a file that arrived is listed, and between two looks. */
const LISTED_WITHIN = 60_000;
const LOOK_EVERY = 300;

/** Files of one drop: those of recordings, and those that show a world, each with the files of its recordings. */
export interface Sorted {
  readonly files: readonly File[];
  readonly companions: readonly { readonly file: File; readonly of: readonly File[] }[];
}

/**
 * Sorts what was dropped. A companion belongs to the recording whose name it has, `town.log` and `town.xodr`, otherwise to
 * the only one; `of` is empty where none or several may be meant.
 */
export function sorted(dropped: readonly File[]): Sorted {
  const { own, parts } = companionsAmong(dropped.map(({ name }) => name));
  const isCompanion = ({ name }: File): boolean => own.includes(name) || parts.includes(name);
  const files = dropped.filter((file) => !isCompanion(file));
  const recordings = locatorsOf(files).map(filesOf);
  return {
    files,
    companions: dropped.filter(isCompanion).map((file) => {
      const named = recordings.find((all) => all.some(({ name }) => isCalledAs(name, file.name)));
      return { file, of: named ?? (recordings.length === 1 ? recordings[0]! : []) };
    }),
  };
}

/** The recording that files were sent as, by the addresses of their uploads, when it is listed. Rejects with `Refusal`. */
export async function recordingAt(uploads: readonly string[], signal: AbortSignal): Promise<string> {
  for (const end = Date.now() + LISTED_WITHIN; Date.now() < end; await pause(signal)) {
    for (const upload of uploads) {
      const { key } = await ask("GET /api/uploads/{id}", { params: { id: upload.split("/").at(-1)! }, signal });
      if (key === null) continue;
      const { recordings } = await ask("GET /api/recordings", { query: { key, limit: 1 }, signal });
      if (recordings[0] !== undefined) return recordings[0].id;
    }
  }
  throw new Refusal(0, "The recording that it belongs to is not in the library yet: add it on its page");
}

/** Sends a file that shows the world of a recording. Rejects with `Refusal`. */
export async function sendCompanion(recording: string, file: File, signal: AbortSignal): Promise<void> {
  await ask("PUT /api/recordings/{id}/companions/{name}", {
    params: { id: recording, name: file.name },
    body: file,
    signal,
  });
}

function filesOf(place: Locator): readonly File[] {
  return place.kind === "files" ? place.files : [];
}

function isCalledAs(recording: string, companion: string): boolean {
  return companion.startsWith(recording.replace(/\.[^.]*$/, "."));
}

function pause(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  return new Promise((resolve) => setTimeout(resolve, LOOK_EVERY));
}
