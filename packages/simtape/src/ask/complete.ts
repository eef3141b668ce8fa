import type { IToken } from "./chevrotain.ts";
import type { Recording } from "../model/recording.ts";
import { after } from "../model/values/time.ts";
import { Catalog } from "./catalog.ts";
import { AskError } from "./error.ts";
import { FUNCTIONS } from "./functions.ts";
import { nextOf, tokensOf } from "./parser.ts";
import * as t from "./tokens.ts";
import { UNIT_NAMES } from "./units.ts";

/** What can stand at a place of an expression. */
export interface Completion {
  /** The words that can stand there, most specific first; at most 200. */
  readonly words: readonly string[];
  /** What they take the place of: from here to the cursor. Index of a UTF-16 unit. */
  readonly from: number;
}

const MOST = 200;
/** Units of two parts that are usual in recordings; others can be typed. */
const RATES = ["m/s", "km/h", "m/s²", "ft/s", "ft/min", "nm/ps", "deg/s", "rad/s"];

/**
 * What can stand at `cursor` in a text, by the grammar and by what the recording has at its start: sets, things, columns,
 * values, functions, units, kinds of events. Where the text before the cursor is no expression, there is nothing.
 */
export async function completeExpression(
  recording: Recording,
  text: string,
  cursor: number = text.length,
): Promise<Completion> {
  const before = text.slice(0, cursor);
  const begun = /[^\s()[\],<>=!+*"'`.]*$/.exec(before)![0];
  const from = cursor - begun.length;
  let tokens: readonly IToken[];
  try {
    tokens = tokensOf(before.slice(0, from));
  } catch (error) {
    if (!AskError.is(error)) throw error;
    return { words: [], from };
  }
  const { start, end } = await recording.timeline();
  const catalog = await Catalog.of(recording, { start, end: after(end) });
  const words = (await found(recording, catalog, tokens)).filter((word) => word.startsWith(begun) && word !== begun);
  return { words: [...new Set(words)].slice(0, MOST), from };
}

async function found(recording: Recording, catalog: Catalog, tokens: readonly IToken[]): Promise<readonly string[]> {
  const last = tokens.at(-1);
  const types = [last?.tokenType, tokens.at(-2)?.tokenType];
  if (types[0] === t.Dot) return columnsOf(catalog, tokens);
  if (types[0] === t.OpenIndex) return [...catalog.idsOf(tokens.at(-2)?.image ?? "")].map(idText);
  if (types[0] === t.Open && tokens.at(-2)?.image === "event") {
    const { eventKinds } = await import("../model/query/events.ts");
    return (await eventKinds(recording)).map((kind) => (/^[A-Za-z][\w-]*$/.test(kind) ? kind : JSON.stringify(kind)));
  }
  const words: string[] = [];
  const next = nextOf(tokens);
  const sets = [...catalog.sets.keys()];
  if (types[0] !== undefined && [t.Any, t.All, t.Each, t.Count, t.Most].includes(types[0])) return sets;
  if (next.includes(t.UnitToken)) words.push(...RATES, ...UNIT_NAMES);
  if (next.includes(t.Name)) {
    words.push(...boundColumns(catalog, tokens), ...sets);
    for (const [path] of catalog.values()) words.push(spelled(path));
    words.push(...FUNCTIONS.map(({ name }) => `${name}(`), "event(");
  }
  for (const type of next) if (type.LABEL !== undefined && /^[a-z]+$/.test(type.LABEL)) words.push(type.LABEL);
  return words;
}

/** Columns of the thing before a point: `vehicles[24].`, `it.`. */
function columnsOf(catalog: Catalog, tokens: readonly IToken[]): readonly string[] {
  let at = tokens.length - 2;
  if (tokens[at]?.tokenType === t.CloseIndex) {
    while (at > 0 && tokens[at]!.tokenType !== t.OpenIndex) at--;
    at--;
  }
  const image = tokens[at]?.image ?? "";
  const set = catalog.sets.get(image) ?? catalog.sets.get(image.split("/")[0]!);
  if (set !== undefined) return [...set.columns.keys(), "speed", "acceleration"];
  return image === "it" ? boundColumns(catalog, tokens) : ["x", "y", "z", "length"];
}

/** Columns of the set that the nearest open parenthesis goes through. */
function boundColumns(catalog: Catalog, tokens: readonly IToken[]): readonly string[] {
  let depth = 0;
  for (let i = tokens.length - 1; i > 0; i--) {
    const { tokenType } = tokens[i]!;
    if (tokenType === t.Close) depth++;
    if (tokenType === t.Open && --depth < 0) {
      const set = catalog.sets.get(tokens[i - 1]!.image);
      return set === undefined ? [] : [...set.columns.keys(), "speed", "acceleration", "it"];
    }
  }
  return [];
}

function idText(id: number | string): string {
  return typeof id === "number" ? `${id}` : JSON.stringify(id);
}

function spelled(path: string): string {
  return /^\/?[A-Za-z_][\w/-]*(?:\.[A-Za-z_]\w*)*$/.test(path) ? path : `\`${path}\``;
}
