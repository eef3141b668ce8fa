import type { Recording } from "simtape";
import type { Property } from "./adapter.ts";

/** Facts of a recording about the game, and about its players. */
export interface Profiles {
  /** Version of the recorded game; null: not known. */
  readonly dataVersion: number | null;
  /** Profiles of players, by UUID: their skins. */
  readonly skins: ReadonlyMap<string, readonly Property[]>;
}

export function profilesOf(recording: Recording): Profiles {
  return { dataVersion: dataVersionOf(recording), skins: skinsOf(recording) };
}

interface Metadata {
  readonly dataVersion?: unknown;
  readonly metadata?: { readonly hcrp?: { readonly subjects?: unknown } };
}

/** Data version of the recorded game; null: not known. */
function dataVersionOf({ info }: Recording): number | null {
  const { dataVersion } = info.metadata as Metadata;
  return typeof dataVersion === "number" && dataVersion > 0 ? dataVersion : null;
}

/** UUIDs of its players. */
export function subjectsOf(recording: Recording): ReadonlySet<string> {
  return new Set(subjectsIn(recording).flatMap(({ uuid }) => uuidOf(uuid) ?? []));
}

/** The first subject among the players; without one all texts are empty, and the number is -1. */
export function subjectIn(recording: Recording): {
  readonly entity: number;
  readonly uuid: string;
  readonly name: string;
} {
  const { entity, uuid, name } = (subjectsIn(recording)[0] ?? {}) as Readonly<Record<string, unknown>>;
  return { entity: Number(entity ?? -1), uuid: uuidOf(uuid) ?? "", name: typeof name === "string" ? name : "" };
}

/** By UUID. */
function skinsOf(recording: Recording): ReadonlyMap<string, readonly Property[]> {
  const skins = new Map<string, readonly Property[]>();
  for (const { uuid, properties } of subjectsIn(recording)) {
    const text = uuidOf(uuid);
    if (text !== null && Array.isArray(properties)) skins.set(text, properties.filter(isProperty));
  }
  return skins;
}

function subjectsIn({ info }: Recording): readonly { readonly uuid?: unknown; readonly properties?: unknown }[] {
  const subjects = (info.metadata as Metadata).metadata?.hcrp?.subjects;
  return Array.isArray(subjects) ? subjects.filter((one) => typeof one === "object" && one !== null) : [];
}

function isProperty(value: unknown): value is Property {
  const { name, value: text } = (value ?? {}) as Record<string, unknown>;
  return typeof name === "string" && typeof text === "string";
}

/** Four numbers of 32 bits, as NBT has it, or a text. */
function uuidOf(value: unknown): string | null {
  if (typeof value === "string") return value;
  const words = value as ArrayLike<number> | undefined;
  if (typeof words !== "object" || words?.length !== 4) return null;
  const hex = Array.from(words, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
