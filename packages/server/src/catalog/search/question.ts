import { FORMATS } from "simtape";
import { Problem } from "../../problem.ts";
import { isUnit, type Measure, measureOf, secondsOf } from "./measure.ts";

/** A number that is above or below a limit at some time. */
export interface ExtentFilter {
  readonly path: string;
  readonly above: Measure | null;
  readonly below: Measure | null;
}

/** The filters in the words of a search. */
export interface Question {
  /** The other words: they are searched as words. */
  readonly words: string;
  readonly extents: readonly ExtentFilter[];
  /** Filters by name, with their values. */
  readonly filters: ReadonlyMap<QuestionKey, readonly string[]>;
  /** Seconds; null: no filter. */
  readonly longer: number | null;
  readonly shorter: number | null;
}

/** Names that may stand before a colon, each with an example. */
export const QUESTION_KEYS = {
  format: "format:carla",
  tag: "tag:night",
  event: "event:collision",
  with: 'with:"Amaya"',
  collection: "collection:races",
  state: "state:live",
  findings: "findings:yes",
} as const;
export type QuestionKey = keyof typeof QUESTION_KEYS;

/** Separates the filters from the words that a person has typed. Throws `Problem` for a filter without a value. */
export function questionIn(text: string): Question {
  const filters = new Map<QuestionKey, readonly string[]>();
  const extents: ExtentFilter[] = [];
  const bounds: { longer: number | null; shorter: number | null } = { longer: null, shorter: null };
  let words = text.replace(KEY, (_, before: string, key: string, quoted?: string, plain?: string) => {
    const name = key.toLowerCase() as QuestionKey;
    const value = (quoted ?? plain ?? "").trim();
    if (value === "") throw new Problem(400, `${name}: needs a value, as ${QUESTION_KEYS[name]}`);
    filters.set(name, [...(filters.get(name) ?? []), value]);
    return before;
  });
  words = words.replace(LENGTH, (whole, before: string, how: string, number: string, unit: string | undefined) => {
    const seconds = secondsOf(number, unit ?? "s");
    if (seconds === null) return whole;
    bounds[how.toLowerCase() === "longer" ? "longer" : "shorter"] = seconds;
    return before;
  });
  words = words.replace(SENTENCE, (whole, path: string, how: string, number: string, unit: string | undefined) => {
    const isKnown = unit !== undefined && isUnit(unit);
    const measure = measureOf(isKnown ? `${number} ${unit}` : number);
    if (measure === null) return whole;
    const isAbove = how === ">" || how.toLowerCase() === "above";
    extents.push({ path, above: isAbove ? measure : null, below: isAbove ? null : measure });
    return unit === undefined || isKnown ? " " : ` ${unit}`;
  });
  // the summary of a recording has the number of things in this form: "2 vehicles"
  words = words.replace(COUNT, (_, before: string, number: string, thing: string) => {
    const count = NUMBERS.indexOf(number.toLowerCase());
    return `${before}"${count < 0 ? number : count} ${thing.toLowerCase()}"`;
  });
  return { words: words.trim(), extents, filters, ...bounds };
}

const NUMBERS = "no one two three four five six seven eight nine ten eleven twelve".split(" ");

/** Kinds of things in recordings, in the words of their summaries: vehicles, players, atoms. */
const THINGS: readonly string[] = [
  ...new Set(
    (await Promise.all(FORMATS.map(async (format) => format.traits?.()))).flatMap((traits) =>
      Object.values({ ...traits?.words?.sets, ...traits?.words?.within, ...traits?.words?.events }).flat(),
    ),
  ),
];

const KEY = new RegExp(`(^|\\s)(${Object.keys(QUESTION_KEYS).join("|")}):(?:"([^"]*)"?|(\\S*))`, "giu");
const LENGTH = /(^|\s)(longer|shorter)\s+than\s+(\d[\d.,]*)\s?(\p{L}+)?/giu;
const COUNT = new RegExp(`(^|\\s)(${NUMBERS.slice(1).join("|")}|\\d+)\\s+(${THINGS.join("|")})(?=\\s|$)`, "giu");
const SENTENCE = /([\p{L}/][^\s"<>]*)\s*(>|<|\babove\b|\bbelow\b)\s*([+-]?\d[\d,.]*)\s?([\p{L}°][\p{L}/°]*)?/giu;
