import type { Recording, Traits } from "simtape";
import { holds } from "simtape/serving";
import { subjectsIn } from "../../people/subjects.ts";
import { type ExtentFact, extentsOf } from "./extents.ts";
import type { State } from "simtape";
import { clean } from "../../database/clean.ts";
import { type EntityFact, type Moments, momentsOf } from "./moments.ts";
import { type Pictures, picturesOf } from "./thumbnail.ts";

/** Most events of a recording that are counted, most findings that are kept, and most letters of names. */
const MOST_EVENTS = 1_000_000;
const MOST_FINDINGS = 100;
const MOST_LETTERS = 20_000;

/** The facts of a recording in the catalog. */
export interface Facts {
  readonly recording: {
    readonly format: string;
    readonly started: Date | null;
    readonly first: number;
    readonly last: number;
    readonly seconds: number;
    readonly metadata: string;
    readonly channels: string;
    readonly findings: string;
    readonly summary: string;
    readonly names: string;
    readonly thing_extents: string;
    readonly version: string;
    readonly epoch: number | null;
  };
  readonly entities: readonly EntityFact[];
  readonly events: readonly { readonly kind: string; readonly title: string; readonly count: number }[];
  readonly extents: readonly ExtentFact[];
  readonly thumbnail: Pictures;
  readonly subjects: readonly string[];
}

/** Reads a recording. Rejects with the error of the reader when the recording cannot be read. */
export async function factsOf(recording: Recording, signal: AbortSignal): Promise<Facts> {
  const { start, end, epoch } = await recording.timeline();
  const statistics = await recording.statistics(signal);
  const channels = recording.channels
    .map(({ id, name }) => ({ name, count: statistics[id]!.messages }))
    .filter(({ count }) => count > 0);
  const moments = await momentsOf(recording, start, end, clean, signal);
  const summary = clean(await holds(recording));
  const events = await eventKindsIn(recording, signal);
  const extents = await extentsOf(recording, moments.states, signal, clean);
  const { format, version, metadata } = recording.info;
  return {
    recording: {
      format,
      started: dateOf(epoch),
      first: start / 1e9,
      last: end / 1e9,
      seconds: (end - start) / 1e9,
      metadata: json(metadata),
      channels: json(channels),
      // read the findings last: reading adds to them
      findings: json(findingsOf(recording)),
      summary,
      names: namesOf(moments, metadata),
      thing_extents: json(extents.ofThings),
      version: clean(version),
      epoch: epoch === null ? null : Number(epoch / 1000n),
    },
    entities: moments.entities,
    events,
    extents: extents.all,
    thumbnail: picturesOf(moments),
    subjects: subjectsIn(metadata).map(clean),
  };
}

/** Each kind of finding once, with its number. */
function findingsOf({ findings }: Recording): readonly { readonly code: string; readonly count: number }[] {
  const found = new Map<string, { code: string; severity: string; message: string; count: number }>();
  for (const { code, severity, message } of findings) {
    const key = `${code}\n${severity}`;
    const known = found.get(key);
    if (known !== undefined) known.count++;
    else if (found.size < MOST_FINDINGS) found.set(key, { code, severity, message, count: 1 });
  }
  return [...found.values()];
}

/**
 * Returns each name once, and the texts of the metadata and of the state, such as residues; a thing whose only name is
 * a number cannot be searched by it.
 */
function namesOf({ entities, states }: Moments, metadata: Readonly<Record<string, unknown>>): string {
  const names = new Set(entities.flatMap(({ name, label, kind }) => (label === name ? [kind] : [label, kind])));
  for (const value of Object.values(metadata))
    if (typeof value === "string" && value.length <= LONGEST) names.add(clean(value));
  for (const state of new Set([states[0], states.at(-1)]))
    if (state !== undefined) for (const text of textsOf(state)) names.add(clean(text));
  return [...names].join(" ").slice(0, MOST_LETTERS);
}

/** Most letters of a text that can be searched, and most texts of one list. */
const LONGEST = 200;
const MOST_TEXTS = 200;

/** The texts among the values of a state, also those in lists: residues, chains, the name of a simulation. */
function* textsOf({ values }: State): Generator<string> {
  for (const value of values.values()) {
    const texts: unknown[] = Array.isArray(value) ? [...new Set(value as readonly unknown[])] : [value];
    if (texts.length > MOST_TEXTS) continue;
    for (const text of texts)
      if (typeof text === "string" && text.trim() !== "" && text.length <= LONGEST) yield text.trim();
  }
}

async function eventKindsIn(recording: Recording, signal: AbortSignal): Promise<Facts["events"]> {
  const counts = new Map<string, number>();
  let total = 0;
  for await (const events of recording.events({ signal })) {
    for (const { kind } of events) counts.set(clean(kind), (counts.get(clean(kind)) ?? 0) + 1);
    total += events.length;
    if (total >= MOST_EVENTS) break;
  }
  const { words } = await recording.traits();
  return [...counts].map(([kind, count]) => ({ kind, title: titleOf(kind, words), count }));
}

/** The format's own word: `Traffic light`; otherwise the name of the kind. */
function titleOf(kind: string, words: Traits["words"]): string {
  const word = words?.events?.[kind]?.[0] ?? kind.replaceAll(/[-_]+/g, " ");
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

function dateOf(epoch: bigint | null): Date | null {
  if (epoch === null) return null;
  const milliseconds = Number(epoch / 1_000_000n);
  // text that PostgreSQL can store
  return Math.abs(milliseconds) < 8.64e15 && milliseconds > -2e14 ? new Date(milliseconds) : null;
}

/** Numbers that JSON cannot write, and integers above 2^53, become text. */
function json(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner === "bigint") return inner.toString();
    if (typeof inner === "string") return clean(inner);
    if (inner instanceof Uint8Array) return `${inner.length} bytes`;
    if (inner instanceof Map) return Object.fromEntries(inner as Map<string, unknown>);
    return typeof inner === "number" && !Number.isFinite(inner) ? String(inner) : inner;
  }).replaceAll("\\u0000", "");
}
