import { RecordingError } from "../../model/error.ts";
import type { Recording } from "../../model/recording.ts";
import type { State } from "../../model/state/state.ts";
import type { Word, Words } from "../../model/traits.ts";
import { counted } from "../run/terminal.ts";

/** Bytes of a recording up to which all of it may be read to say what it holds; of a larger one the beginning is. */
const SMALL = 8 << 20;
/** How far the beginning goes, in nanoseconds. */
const BEGINNING = 1e9;

/** What a recording is of, in words: "2 vehicles, 1 walker, 3 collisions", "65 atoms in 8 residues"; "" where it has nothing. */
export async function holds(recording: Recording): Promise<string> {
  const { words } = await recording.traits();
  try {
    const { start, end } = await recording.timeline();
    const { bytes } = recording.info;
    const isSmall = bytes !== null && bytes <= SMALL;
    const times = isSmall ? [start, (start + end) / 2, end] : [start, Math.min(end, start + BEGINNING)];
    let things: readonly string[] = [];
    let most = 0;
    for (const time of times) {
      const state = await recording.state(time);
      const count = setsOf(state, words).reduce((sum, { length }) => sum + length, 0);
      if (count > most) things = thingsIn(state, words);
      most = Math.max(most, count);
    }
    return [...things, ...(isSmall ? await eventsIn(recording, words?.events ?? {}) : [])].join(", ");
  } catch (error) {
    // what cannot be read is among the findings
    if (RecordingError.is(error)) return "";
    throw error;
  }
}

/** The sets that are worth saying, with something in them, in the order of the words. */
function setsOf(state: State, words: Words | undefined): readonly { readonly word: Word; readonly length: number }[] {
  const known: Readonly<Record<string, Word>> =
    words?.sets ?? Object.fromEntries([...state.sets.keys()].map((name) => [name, [name, name]]));
  return Object.entries(known)
    .map(([name, word]) => ({ word, length: state.sets.get(name)?.ids.length ?? 0 }))
    .filter(({ length }) => length > 0);
}

function thingsIn(state: State, words: Words | undefined): string[] {
  const [first, ...rest] = setsOf(state, words).map(({ word, length }) => counted(length, ...word));
  if (first === undefined) return [];
  const within = Object.entries(words?.within ?? {}).flatMap(([path, word]) => {
    const count = state.values.get(path);
    return typeof count === "number" ? [` in ${counted(count, ...word)}`] : [];
  });
  return [`${first}${within.join("")}`, ...rest];
}

async function eventsIn(recording: Recording, words: Readonly<Record<string, Word>>): Promise<string[]> {
  const kinds = Object.keys(words);
  if (kinds.length === 0) return [];
  const counts = new Map<string, number>();
  for await (const events of recording.events({ kinds }))
    for (const { kind } of events) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return kinds.flatMap((kind) => (counts.has(kind) ? [counted(counts.get(kind)!, ...words[kind]!)] : []));
}
