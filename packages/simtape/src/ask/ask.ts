import type { Recording } from "../model/recording.ts";
import { type ColumnExtent, columnExtentsOf, type NameFacts, type Outline } from "../model/query/name-facts.ts";
import { pathText } from "../model/state/path.ts";
import { after, type Time, type TimeRange } from "../model/values/time.ts";
import type { OnProgress } from "../model/query/walk.ts";
import { type Answer, AnswerMaker } from "./answers.ts";
import type { Ast } from "./ast.ts";
import { canBeTrue, extentsIn, type Known } from "./bounds.ts";
import { Catalog } from "./catalog.ts";
import { check, type Checked, conditionOf } from "./check.ts";
import { compile } from "./compile.ts";
import { AskError } from "./error.ts";
import { KeptVocabulary, NotKept } from "./kept-vocabulary.ts";
import { Machine } from "./machine.ts";
import type { Node, NodeType, Thing } from "./node.ts";
import { parse } from "./parser.ts";
import type { Program, SpanSource } from "./program.ts";
import { RowMaker, type Rows } from "./rows.ts";
import { instantsAt, lasting, SpanList, type Spans, widened } from "./spans.ts";

/** Of which part of a recording is asked, and how. Everything is optional. */
export interface AskOptions extends TimeRange {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: OnProgress | undefined;
}

/** Values of a derived number or text, some rows of it. */
export interface DerivedBatch {
  /** Nanoseconds, ascending: the moments of what it is made of. The arrays are the caller's own. */
  readonly time: Float64Array;
  /** NaN: unknown. Of a text its place in `texts`; a boolean is 0 or 1. */
  readonly value: Float64Array;
  readonly texts: readonly string[] | null;
}

/** Values of one thing of an `each`. Those of all things at the same moments share `time`. */
export interface EachValues extends DerivedBatch {
  /** `vehicles/24` */
  readonly thing: string;
}

/**
 * Checks an expression against a recording. Rejects with `AskError` for what is no expression, does not fit together, or
 * names what the recording does not have. docs/ask.md says what expressions mean.
 */
export async function ask(recording: Recording, text: string, options: AskOptions = {}): Promise<Question> {
  return questionOf(await checkedIn(recording, parse(text), text, options));
}

/** Throws `AskError` for what is no expression of any recording. It needs none: names and units are not looked at. */
export function checkExpression(text: string): void {
  parse(text);
}

/**
 * As `ask`; null in `question`: it is never true, as `Question.canBeTrue` says. Then nothing was done but to look the names
 * up: no thing was listed, and no program made.
 */
export async function askUnlessNever(
  recording: Recording,
  text: string,
  options: AskOptions = {},
): Promise<{ readonly question: Question | null; readonly measure: Question["measure"] }> {
  const found = await checkedIn(recording, parse(text), text, options);
  const isPossible = await mayBeTrue(recording, found.checked, options.signal);
  return { question: isPossible ? await questionOf(found) : null, measure: measureOf(found.checked) };
}

/**
 * Says of sound recordings what `askUnlessNever` would, by what a side-car keeps of the names alone: none is opened. "never":
 * it is never true there; an `AskError`: it does not fit; null: that is not known. Throws `AskError` for what is no
 * expression of any recording.
 */
export function decidedBy(text: string): (names: NameFacts) => "never" | AskError | null {
  const ast = parse(text);
  return (names) => {
    if (!names.isSound) return null;
    try {
      return isNever(ast, text, names) ? "never" : null;
    } catch (error) {
      if (AskError.is(error)) return error;
      if (error instanceof NotKept) return null;
      throw error;
    }
  };
}

function isNever(ast: Ast, text: string, names: NameFacts): boolean {
  const checked = check(ast, text, new KeptVocabulary(names));
  mustHaveKinds(checked, names.possibleKinds, text);
  const kinds = names.kinds === null ? null : new Set(names.kinds);
  return !mayBe(checked, {
    ...knownBy(names),
    extentsOf: extentsIn(names.named?.values ?? [], () => columnExtentsOf(names)),
    kinds,
  });
}

/**
 * Checks an expression about each thing of a set, which is what stands in the parentheses of `each vehicles (…)`. `ids`:
 * only these things. Rejects as `ask` does.
 */
export async function askEach(
  recording: Recording,
  set: string,
  text: string,
  { ids, ...options }: AskOptions & { readonly ids?: readonly (number | string)[] | undefined } = {},
): Promise<Question> {
  const place = { offset: 0, length: text.length };
  const name = { kind: "name", text: set, isQuoted: false, ...place } as const;
  const of = ids === undefined ? name : ({ kind: "index", of: name, ids, ...place } as const);
  const body = parse(text);
  const ast = { kind: "each", quantifier: "each", of, name: null, body, ...place } as const;
  return questionOf(await checkedIn(recording, ast, text, options));
}

/** An expression whose names were found. */
interface Found {
  readonly recording: Recording;
  readonly checked: Checked;
  readonly catalog: Catalog;
  readonly range: { readonly start: Time; readonly end: Time };
  readonly text: string;
  readonly options: AskOptions;
}

async function checkedIn(recording: Recording, ast: Ast, text: string, options: AskOptions): Promise<Found> {
  const timeline = await recording.timeline();
  const start = Math.max(options.start ?? timeline.start, timeline.start);
  const end = Math.min(options.end ?? after(timeline.end), after(timeline.end));
  const catalog = await Catalog.of(recording, { start, end }, options.signal);
  const checked = await checkedBy(ast, text, catalog);
  if (checked.kinds.size > 0) {
    const { eventKinds } = await import("../model/query/events.ts");
    const kinds = await eventKinds(recording);
    mustHaveKinds(checked, kinds, text);
  }
  return { recording, checked, catalog, range: { start, end }, text, options };
}

/** Throws `AskError`, code `event`, for a kind that is none of `kinds`. */
function mustHaveKinds(checked: Checked, kinds: readonly string[], text: string): void {
  for (const kind of checked.kinds) {
    if (kinds.includes(kind)) continue;
    const offset = Math.max(0, text.indexOf(kind));
    const there = kinds.length === 0 ? "this recording has none" : `there are: ${kinds.join(", ")}`;
    throw new AskError("event", `no events are called ${JSON.stringify(kind)}; ${there}`, {
      offset,
      length: kind.length,
    });
  }
}

async function questionOf({ recording, checked, catalog, range, text, options }: Found): Promise<Question> {
  if (hasCrowd(checked)) await catalog.things();
  const condition = conditionOf(checked.node);
  const programs = compile(checked, catalog, true);
  const isSame = condition === null || (condition === checked.node && condition.op !== "for");
  const forAnswers = isSame ? programs : compile({ ...checked, node: condition }, catalog);
  return new Question(recording, checked, catalog, { asked: forAnswers, programs }, range, text, options);
}

/** Looks further into the recording as long as something is missing. */
async function checkedBy(ast: Ast, text: string, catalog: Catalog): Promise<Checked> {
  for (;;) {
    try {
      return check(ast, text, catalog);
    } catch (error) {
      if (!AskError.is(error) || error.code !== "path" || !(await catalog.more())) throw error;
    }
  }
}

/** An expression that fits a recording. */
export class Question {
  /** Its text. */
  readonly text: string;
  /** What it is: an answer has intervals if it is a boolean, and moments if it is an instant. */
  readonly type: NodeType;
  /** Of a number, `"cm/s"`; "" if it has none. */
  readonly unit: string;
  /** The number of which answers have the extreme; null: none. Its unit is "" if it has none. */
  readonly measure: { readonly how: "min" | "max"; readonly unit: string } | null;
  /** Whether each thing is answered for. */
  readonly isEach: boolean;
  /** The recorded paths that are read, as texts: they say what `speed` and `distance` are made of. */
  readonly paths: readonly string[];
  /** How often it goes through the recording. */
  readonly passes: number;
  readonly #recording: Recording;
  readonly #checked: Checked;
  readonly #catalog: Catalog;
  /** Of its values. */
  readonly #programs: readonly Program[];
  /** Of its answers: a whole number is a boolean there. */
  readonly #asked: readonly Program[];
  readonly #range: { readonly start: Time; readonly end: Time };
  readonly #options: AskOptions;

  /** Made by `ask`. */
  constructor(
    recording: Recording,
    checked: Checked,
    catalog: Catalog,
    { asked, programs }: { readonly asked: readonly Program[]; readonly programs: readonly Program[] },
    range: { readonly start: Time; readonly end: Time },
    text: string,
    options: AskOptions,
  ) {
    const { node, each } = checked;
    this.text = text;
    this.type = node.type;
    this.unit = node.unit.text;
    this.measure = measureOf(checked);
    this.isEach = each !== null;
    this.paths = [...new Set(asked.flatMap(({ paths }) => paths.map(pathText)))];
    this.passes = asked.filter(({ paths }) => paths.length > 0).length;
    this.#recording = recording;
    this.#checked = checked;
    this.#catalog = catalog;
    this.#programs = programs;
    this.#asked = asked;
    this.#range = range;
    this.#options = options;
  }

  /**
   * When it is true, in pieces. Answers come as they end: in order of time, but with `each` those of several things are in
   * the order of their ends. Throws `AskError`, code `type`, for a number or a text.
   */
  async *answers(): AsyncGenerator<readonly Answer[]> {
    this.#mustBeBoolean();
    const before = await this.#before(this.#asked);
    const last = this.#asked.at(-1);
    if (last === undefined) return;
    const makers = await this.#makers(last);
    for await (const { machine, rows } of this.#run(last, before)) {
      const found: Answer[] = [];
      for (const maker of makers) maker.take(machine, rows, found);
      yield makers.length > 1 ? found.sort((a, b) => a.until - b.until) : found;
    }
    const found: Answer[] = [];
    for (const maker of makers) maker.finish(found);
    yield found;
  }

  /**
   * Whether it is true at any time: whether there is an answer. Reads no further than to the first that is known. Rejects as
   * `answers` throws.
   */
  async isEverTrue(): Promise<boolean> {
    this.#mustBeBoolean();
    if (!(await this.canBeTrue())) return false;
    const before = await this.#before(this.#asked);
    const last = this.#asked.at(-1);
    if (last === undefined) return false;
    const makers = await this.#makers(last);
    const found: Answer[] = [];
    for await (const { machine, rows } of this.#run(last, before, FEW_ROWS)) {
      for (const maker of makers) {
        maker.take(machine, rows, found);
        if (found.length > 0 || maker.isOpen(rows.time[rows.length - 1]!)) return true;
      }
    }
    for (const maker of makers) maker.finish(found);
    return found.length > 0;
  }

  /** Its values over time, in pieces: of a number, a text or a boolean. Throws `AskError`, code `type`, for `each`. */
  async *values(): AsyncGenerator<DerivedBatch> {
    if (this.isEach)
      throw new AskError("type", `"each" has a value for every thing: ask for one of them`, { offset: 0, length: 4 });
    for await (const [values] of this.#values()) {
      const { time, value, texts } = values!;
      yield { time, value, texts };
    }
  }

  /** Values of each thing over time, in pieces: of an expression that begins with `each`. */
  async *eachValues(): AsyncGenerator<readonly EachValues[]> {
    if (this.isEach) yield* this.#values();
  }

  async *#values(): AsyncGenerator<readonly EachValues[]> {
    const before = await this.#before(this.#programs);
    const last = this.#programs.at(-1);
    if (last === undefined) return;
    for await (const { machine, rows } of this.#run(last, before)) {
      const time = rows.time.slice(0, rows.length);
      yield last.roots.map(({ register, label }) => {
        const thing = label ?? "";
        const value = machine.register(register).slice(0, rows.length);
        return this.type === "words"
          ? { thing, time, ...ownTexts(machine, value) }
          : { thing, time, value, texts: null };
      });
    }
  }

  /**
   * Whether it can be true at all, as far as that is known without reading messages: by the extents of paths and by the
   * events that the side-car has. False is certain.
   */
  async canBeTrue(): Promise<boolean> {
    return mayBeTrue(this.#recording, this.#checked, this.#options.signal);
  }

  /** Throws `AskError`, code `type`, for what is not true or false. */
  #mustBeBoolean(): void {
    const { node } = this.#checked;
    if (conditionOf(node) !== null) return;
    const what = node.type === "number" ? "a number" : "a text";
    throw new AskError("type", `it is ${what}, and nothing that is true or false: compare it with something`, {
      offset: 0,
      length: this.text.length,
    });
  }

  async #makers({ roots }: Program): Promise<readonly AnswerMaker[]> {
    // what is true with the last message ends with it
    const { end: lastTime } = await this.#recording.timeline();
    const end = Math.min(this.#range.end, Math.max(lastTime, this.#range.start));
    return roots.map((root) => new AnswerMaker(root, end));
  }

  /** Spans that the last program needs, of programs that run before. */
  async #before(programs: readonly Program[]): Promise<Spans[][]> {
    const found: Spans[][] = [];
    for (const program of programs.slice(0, -1)) {
      const lists = program.roots.map(({ isInstant }) => new SpanList(isInstant));
      const makers = program.roots.map((root) => new AnswerMaker(root, this.#range.end));
      const take = (answers: readonly Answer[], k: number): void => {
        for (const { from, until } of answers) lists[k]!.push(from, until);
        this.#recording.reader.budget?.fit(
          "the times at which a part of the expression is true",
          lists.reduce((sum, { length }) => sum + 16 * length, 0),
        );
      };
      for await (const { machine, rows } of this.#run(program, found)) {
        for (const [k, maker] of makers.entries()) {
          const answers: Answer[] = [];
          maker.take(machine, rows, answers);
          take(answers, k);
        }
      }
      for (const [k, maker] of makers.entries()) {
        const answers: Answer[] = [];
        maker.finish(answers);
        take(answers, k);
      }
      found.push(lists.map((list) => list.take()));
    }
    return found;
  }

  async *#run(
    program: Program,
    before: readonly (readonly Spans[])[],
    most?: number,
  ): AsyncGenerator<{ readonly machine: Machine; readonly rows: Rows }> {
    const { start, end } = this.#range;
    const { signal, onProgress } = this.#options;
    if (start >= end) return;
    const spans: Spans[] = [];
    for (const source of program.spans) spans.push(await this.#spans(source, before));
    const machine = new Machine(program, spans, this.#catalog.first);
    const maker = new RowMaker(spans, start, end);
    if (program.paths.length > 0) {
      for await (const series of this.#recording.seriesBatches(program.paths, {
        start,
        end,
        signal,
        onProgress,
        mode: "all",
        ...(most === undefined ? {} : { rows: most }),
      })) {
        const rows = maker.make(series, null);
        if (rows === null) continue;
        machine.run(rows, series);
        yield { machine, rows };
      }
    }
    const none = program.paths.map(() => NO_SERIES);
    const rows = maker.make(none, end);
    if (rows === null) return;
    machine.run(rows, none);
    yield { machine, rows };
  }

  async #spans(source: SpanSource, before: readonly (readonly Spans[])[]): Promise<Spans> {
    if (source.kind === "event") return this.#events(source.name, source.who);
    const found = before[source.program]![source.root]!;
    return source.how === "for" ? lasting(found, source.time) : widened(found, source.ahead, source.behind);
  }

  async #events(name: string | null, who: Thing | string | null): Promise<Spans> {
    const { start, end } = this.#range;
    const { signal } = this.#options;
    const times: Time[] = [];
    const kinds = name === null ? undefined : [name];
    const text = typeof who === "string" ? who : undefined;
    for await (const events of this.#recording.events({ start, end, kinds, signal, who: text })) {
      for (const event of events) {
        const isAbout =
          who === null || typeof who === "string" || event.who.some(({ set, id }) => set === who.set && id === who.id);
        if (isAbout) times.push(event.time);
      }
      this.#recording.reader.budget?.fit("the times of events", 16 * times.length);
    }
    return instantsAt(times);
  }
}

function measureOf({ measure }: Checked): Question["measure"] {
  return measure === null ? null : { how: measure.how, unit: measure.unit.text };
}

/** Whether it can be true as far as the side-car knows. */
async function mayBeTrue(recording: Recording, checked: Checked, signal: AbortSignal | undefined): Promise<boolean> {
  const { sideCar } = recording;
  if (sideCar === null) return true;
  const outline = await sideCar.outline(signal);
  const columns = (): readonly ColumnExtent[] => (outline === null ? [] : columnExtentsOf(outline));
  const known = { ...knownBy(outline), kinds: await keptKinds(recording, signal) };
  // things one by one only where their sets do not decide: there are many
  return (
    mayBe(checked, { ...known, extentsOf: extentsIn((await sideCar.namedValues(signal))?.values ?? [], columns) }) &&
    mayBe(checked, { ...known, extentsOf: extentsIn((await sideCar.paths(signal)) ?? [], columns) })
  );
}

/** Whether it is a boolean that can be one. What is none is wrong, and never `false`. */
function mayBe({ node, each }: Checked, known: Known): boolean {
  const condition = conditionOf(node);
  if (condition === null) return true;
  if (each !== null && "set" in each.crowd && known.empty.has(each.crowd.set)) return false;
  return canBeTrue(condition, known);
}

function knownBy(outline: Outline | null): Pick<Known, "empty"> {
  return { empty: new Set(outline?.sets.flatMap(({ set, hasThings }) => (hasThings ? [] : [set]))) };
}

/** Kinds of the events that there are; null: that takes reading. */
async function keptKinds(recording: Recording, signal: AbortSignal | undefined): Promise<ReadonlySet<string> | null> {
  if (recording.sideCar?.hasEvents !== true) return null;
  const kinds = new Set<string>();
  for await (const events of recording.events({ signal })) for (const { kind } of events) kinds.add(kind);
  return kinds;
}

function ownTexts(machine: Machine, value: Float64Array): Pick<DerivedBatch, "value" | "texts"> {
  const texts = new Map<number, number>();
  for (let i = 0; i < value.length; i++) {
    const place = value[i]!;
    if (Number.isNaN(place)) continue;
    if (!texts.has(place)) texts.set(place, texts.size);
    value[i] = texts.get(place)!;
  }
  return { value, texts: [...texts.keys()].map((place) => machine.text(place)) };
}

function hasCrowd({ each, node, measure }: Checked): boolean {
  const met = new Set<Node>();
  return each !== null || containsCrowd(node, met) || (measure !== null && containsCrowd(measure.node, met));
}

/** Parts can be shared: each is looked into once. */
function containsCrowd(node: Node, met: Set<Node>): boolean {
  if (met.has(node)) return false;
  met.add(node);
  switch (node.op) {
    case "over":
      return "set" in node.crowd || containsCrowd(node.body, met);
    case "apply":
      return node.inputs.some((input) => containsCrowd(input, met));
    case "for":
    case "near":
      return containsCrowd(node.input, met);
    default:
      return false;
  }
}

/** Rows of a batch where reading may stop behind it. */
const FEW_ROWS = 4096;
const NO_TIMES = new Float64Array(0);
const NO_SERIES = {
  path: { value: "", keys: [] },
  text: "",
  unit: null,
  kind: "number",
  interpolation: "hold",
  time: NO_TIMES,
  value: new Float64Array(0),
  valid: new Uint8Array(0),
  texts: null,
  moments: 0,
} as const;
