import { RecordingError, SourceError, StoreError } from "simtape";

/**
 * Whether the recording itself cannot be read. False for all other errors: when storage is away or a file changed
 * meanwhile, the recording may be sound, and is tried again.
 */
export function isUnreadable(error: unknown): error is RecordingError {
  return RecordingError.is(error) && !isOfSource(error) && error.code !== "closed";
}

/** Recordings of other programs, by the ending of their names, and how to use them. */
const ELSEWHERE: readonly (readonly [ending: string, advice: string])[] = [
  [
    ".mcpr",
    "a recording of ReplayMod or ServerReplay: simtape-mc import FILE.mcpr FILE.hcrp makes one that can be read",
  ],
];
const ADVICE = "look at it with simtape info FILE; simtape repair FILE keeps what is sound of a damaged one";

/** How to use a file of another program, by its name; null: the program is not known. */
export function adviceOn(key: string): string | null {
  return ELSEWHERE.find(([ending]) => key.toLowerCase().endsWith(ending))?.[1] ?? null;
}

/** Describes what is wrong with a recording that cannot be read, and what the user can do. */
export function tellUnreadable(library: { readonly name: string }, key: string, { message }: RecordingError): string {
  // do not show the folder of the library: not all readers may know it
  const shortMessage = message.replaceAll(`${library.name}/`, "");
  return (adviceOn(key) ?? `${shortMessage}; ${ADVICE}`).slice(0, 2000);
}

/** Whether storage could not be reached: it may work again at any time. */
export function isStorageAway(error: unknown): boolean {
  if (RecordingError.is(error)) return error.code === "source-failed";
  if (error instanceof SourceError) return error.reason === "failed";
  return error instanceof StoreError && error.code === "unavailable";
}

function isOfSource({ code }: RecordingError): boolean {
  return code === "source-failed" || code === "source-changed";
}
