/** A file of models, checked. */
export interface ModelsDocument {
  readonly models: readonly ModelEntry[];
  readonly scenery: readonly SceneryEntry[];
}

/** How things look whose names fit. */
export interface ModelEntry {
  readonly things: string;
  readonly file: string;
  readonly scale: number;
  readonly turn: number;
  readonly offset: readonly [number, number, number];
}

/** What stands in the world. */
export interface SceneryEntry {
  readonly file: string;
  readonly at: readonly [number, number, number];
  readonly isGeodetic: boolean;
  readonly scale: number;
  readonly turn: number;
}

/** Entries at most. */
const MOST = 256;

/** Throws `Error`, in words, for what is no such document: the place in it, what was wanted, what is there. */
export function documentOf(text: string): ModelsDocument {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`it is no JSON: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  const top = membersOf(value, "it", ["models", "scenery"]);
  const models = listOf(top["models"], "models").map((each, i): ModelEntry => {
    const at = `models[${i}]`;
    const entry = membersOf(each, at, ["things", "file", "scale", "turn", "offset"]);
    return {
      things: textOf(entry["things"], `${at}.things`),
      file: textOf(entry["file"], `${at}.file`),
      scale: scaleOf(entry["scale"], `${at}.scale`),
      turn: numberOf(entry["turn"] ?? 0, `${at}.turn`),
      offset: threeOf(entry["offset"] ?? [0, 0, 0], `${at}.offset`),
    };
  });
  const scenery = listOf(top["scenery"], "scenery").map((each, i): SceneryEntry => {
    const at = `scenery[${i}]`;
    const entry = membersOf(each, at, ["file", "at", "geodetic", "scale", "turn"]);
    if (entry["at"] !== undefined && entry["geodetic"] !== undefined)
      throw new Error(`${at} has at and geodetic: one of them says where it is`);
    return {
      file: textOf(entry["file"], `${at}.file`),
      at: threeOf(
        entry["geodetic"] ?? entry["at"] ?? [0, 0, 0],
        entry["geodetic"] === undefined ? `${at}.at` : `${at}.geodetic`,
      ),
      isGeodetic: entry["geodetic"] !== undefined,
      scale: scaleOf(entry["scale"], `${at}.scale`),
      turn: numberOf(entry["turn"] ?? 0, `${at}.turn`),
    };
  });
  if (models.length + scenery.length === 0) throw new Error("it has neither models nor scenery");
  return { models, scenery };
}

function membersOf(value: unknown, at: string, known: readonly string[]): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw wrong(at, "an object", value);
  const other = Object.keys(value).find((name) => !known.includes(name));
  if (other !== undefined) throw new Error(`${at} has ${JSON.stringify(other)}; known are ${known.join(", ")}`);
  return value as Readonly<Record<string, unknown>>;
}

function listOf(value: unknown, at: string): readonly unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw wrong(at, "a list", value);
  if (value.length > MOST) throw new Error(`${at} has ${value.length} entries; at most ${MOST} are read`);
  return value;
}

function textOf(value: unknown, at: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw wrong(at, "a text", value);
}

function numberOf(value: unknown, at: string): number {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw wrong(at, "a number", value);
}

function scaleOf(value: unknown, at: string): number {
  const scale = numberOf(value ?? 1, at);
  if (scale > 0) return scale;
  throw wrong(at, "a number above 0", value);
}

function threeOf(value: unknown, at: string): readonly [number, number, number] {
  if (!Array.isArray(value) || value.length !== 3) throw wrong(at, "three numbers", value);
  return value.map((each, i) => numberOf(each, `${at}[${i}]`)) as [number, number, number];
}

function wrong(at: string, wanted: string, found: unknown): Error {
  const text = JSON.stringify(found) ?? "nothing";
  return new Error(`${at} is to be ${wanted}, not ${text.length > 40 ? `${text.slice(0, 40)} …` : text}`);
}
