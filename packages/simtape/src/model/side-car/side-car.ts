import { LayoutError } from "../../bytes/error.ts";
import { Budget } from "../../bytes/budget.ts";
import type { ByteSource, SourceBundle } from "../../io/source/source.ts";
import type { Reporter } from "../error.ts";
import type { RecordingEvent } from "../query/event.ts";
import { type NamedValues, namedValuesIn, type NameFacts, type Outline, outlineIn } from "../query/name-facts.ts";
import { chartIn, type KeptChart } from "../query/kept-chart.ts";
import type { PathInfo } from "../query/listing.ts";
import { type ThingIds, thingsIn } from "../query/thing-ids.ts";
import type { Reader } from "../reader.ts";
import type { Format } from "../format.ts";
import { differenceOf, type FileKey, keptKeys, keysOf, plainKeys } from "./key.ts";
import { KeptStates } from "./kept-states.ts";
import { SideCarFile } from "./layout.ts";
import { isMisfit } from "./misfit.ts";
import { Scans } from "../kept/scans.ts";
import { listOf, type Members, membersOf, numbersOf, textIn } from "../kept/shapes.ts";
import type { Value } from "../values/value.ts";

/** What a side-car says of itself before anything of it is used. */
export interface About {
  readonly format: string;
  readonly variant: string | null;
  readonly keys: readonly FileKey[];
  readonly channels: readonly string[];
  /** Times of the states, ascending. */
  readonly times: Float64Array;
}

export function plainAbout({ format, variant, keys, channels, times }: About): Value {
  return { format, variant, files: plainKeys(keys), channels, times };
}

/** What a side-car says that it was made of. */
export interface MadeOf {
  readonly format: string;
  /** A text, where its format has one. */
  readonly variant: Value;
  readonly files: readonly FileKey[];
}

/** Of which recording a side-car must be. */
export interface Owner {
  readonly format: Format;
  readonly bundle: SourceBundle;
  readonly main: ByteSource;
  /** A file beside the main one. */
  readonly open: (name: string) => Promise<ByteSource | null>;
}

/** A side-car that fits its recording: what an opening, a fold and queries take from it in place of reading the file. */
export class SideCar {
  /** Bytes that it has in all. */
  readonly bytes: number;
  readonly scans: Scans;
  readonly states: KeptStates;
  readonly #file: SideCarFile;
  readonly #siblings: readonly (string | null)[];
  readonly #channels: readonly string[];
  readonly #report: Reporter;
  readonly #read = new Map<string, unknown>();

  private constructor(file: SideCarFile, about: Members, scans: Scans, report: Reporter) {
    this.bytes = file.bytes;
    this.scans = scans;
    this.#file = file;
    this.#report = report;
    this.#siblings = listOf(about["files"]).map((key) => membersOf(key)["name"] as string | null);
    this.#channels = listOf(about["channels"]) as readonly string[];
    this.states = new KeptStates(file, timesIn(about), (why) => tellIgnored(why, report));
  }

  /** Takes over `source`. Null: it does not fit, which is reported, and it is closed. Rejects for what `owner` throws. */
  static async open(
    source: ByteSource,
    owner: Owner,
    budget: Budget,
    report: Reporter,
    signal?: AbortSignal,
  ): Promise<SideCar | null> {
    try {
      const file = await SideCarFile.open(source, budget, signal);
      const about = membersOf(file.about);
      const why = await misfitOf(about, owner, signal);
      if (why !== null) throw new Misfit(why);
      const scans = file.has("scans") ? membersOf((await file.section("scans", signal)) ?? null) : null;
      return new SideCar(file, about, new Scans(scans), report);
    } catch (error) {
      await source.close().catch(() => undefined);
      if (!isMisfit(error) && !(error instanceof Misfit)) throw error;
      tellIgnored(error.message, report);
      return null;
    }
  }

  /** Whether a side-car was made of the files of a bundle as they are now. Closes `source`. */
  static async fits(source: ByteSource, bundle: SourceBundle): Promise<boolean> {
    const opened: ByteSource[] = [source];
    const open = async (name?: string): Promise<ByteSource | null> => {
      const found = await bundle.open(name);
      if (found !== null) opened.push(found);
      return found;
    };
    try {
      const { about } = await SideCarFile.open(source, new Budget());
      const main = await open();
      if (main === null) return false;
      const files = membersOf(about)["files"];
      return differenceOf(files, await keysOf(main, bundle, siblingsIn(files), open)) === null;
    } catch (error) {
      if (!isMisfit(error)) throw error;
      return false;
    } finally {
      for (const one of opened) await one.close().catch(() => undefined);
    }
  }

  /**
   * What expressions can name in a recording that is not opened: at first without what is in values, which are read when
   * that was not enough, then with it. Nothing where that is not known, or not of the recording as it is now. `isOf` says
   * whether it is of that one. Closes `source`.
   */
  static async *namesIn(
    source: ByteSource,
    isOf: (made: MadeOf) => Promise<boolean>,
    budget: Budget,
  ): AsyncGenerator<NameFacts, void> {
    try {
      const file = await SideCarFile.open(source, budget);
      const { format, variant, files } = membersOf(file.about);
      const made = { format: textIn(format), variant: variant ?? null, files: keptKeys(files) };
      if (!file.has("names") || !(await isOf(made))) return;
      const outline = outlineIn((await file.section("names")) ?? null);
      yield { ...outline, named: null };
      if (file.has("values")) yield { ...outline, named: namedValuesIn((await file.section("values")) ?? null) };
    } catch (error) {
      if (!isMisfit(error)) throw error;
    } finally {
      await source.close().catch(() => undefined);
    }
  }

  /** Why it does not fit what was read with it; null: it does. */
  misfit({ siblings = [], channels }: Reader): string | null {
    const files = this.#siblings.slice(1);
    if (files.join("/") !== siblings.join("/")) return "it was made from other files";
    const isSame =
      channels.length === this.#channels.length && channels.every(({ name }, id) => name === this.#channels[id]);
    return isSame ? null : "it has other channels";
  }

  get hasEvents(): boolean {
    return this.#file.has("events");
  }

  get hasPaths(): boolean {
    return this.#file.has("paths");
  }

  get hasChart(): boolean {
    return this.#file.has("chart");
  }

  /** All events of the recording, in order; null: they are not kept, or cannot be read. */
  async events(signal?: AbortSignal): Promise<readonly RecordingEvent[] | null> {
    return this.#kept("events", eventsIn, signal);
  }

  /** All paths of the recording; null likewise. */
  async paths(signal?: AbortSignal): Promise<readonly PathInfo[] | null> {
    return this.#kept("paths", pathsIn, signal);
  }

  /** What expressions can name beside values, also where there was no room for all paths; null likewise. */
  async outline(signal?: AbortSignal): Promise<Outline | null> {
    return this.#kept("names", outlineIn, signal);
  }

  /** What expressions can name in values; null likewise. */
  async namedValues(signal?: AbortSignal): Promise<NamedValues | null> {
    return this.#kept("values", namedValuesIn, signal);
  }

  /** The first chart of the recording; null likewise. */
  async chart(signal?: AbortSignal): Promise<KeptChart | null> {
    return this.#kept("chart", chartIn, signal);
  }

  /** Ids of all things of the recording, by set; null likewise. */
  async things(signal?: AbortSignal): Promise<ThingIds | null> {
    return this.#kept("things", thingsIn, signal);
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  /** Read once, and kept: they are asked for often. */
  async #kept<T>(name: string, read: (value: Value) => T, signal: AbortSignal | undefined): Promise<T | null> {
    const known = this.#read.get(name);
    if (known !== undefined) return known as T | null;
    if (!this.#file.has(name)) return null;
    try {
      const found = read((await this.#file.section(name, signal)) ?? null);
      this.#read.set(name, found);
      return found;
    } catch (error) {
      if (!isMisfit(error)) throw error;
      tellIgnored(error.message, this.#report);
      this.#read.set(name, null);
      return null;
    }
  }
}

/** Says that a side-car is not used. */
export function tellIgnored(why: string, report: Reporter): void {
  const message = `its seek index was not used: ${why}; simtape index makes it again`;
  report.report({ code: "seek-index-ignored", severity: "note", message });
}

class Misfit extends Error {}

async function misfitOf(about: Members, owner: Owner, signal: AbortSignal | undefined): Promise<string | null> {
  const { format, main, bundle, open } = owner;
  if (about["format"] !== format.id) return `it is of the format ${textIn(about["format"])}`;
  if (format.variant === null)
    return "an option of the format, which no seek index can have, changes how files are read";
  if ((about["variant"] ?? null) !== (format.variant ?? null)) return "it was made with other options of the format";
  const { files } = about;
  return differenceOf(files, await keysOf(main, bundle, siblingsIn(files), open, signal));
}

/** Throws `LayoutError`. */
function eventsIn(value: Value): readonly RecordingEvent[] {
  return listOf(value).map((item) => {
    const { time, kind, text, who } = membersOf(item);
    if (typeof time !== "number") throw new LayoutError("malformed", "an event without a time", 0);
    textIn(kind);
    textIn(text);
    for (const one of listOf(who)) membersOf(one);
    return item as unknown as RecordingEvent;
  });
}

/** Throws `LayoutError`. */
function pathsIn(value: Value): readonly PathInfo[] {
  return listOf(value).map((item) => {
    const { path, text, kind, interpolation, extent } = membersOf(item);
    membersOf(path);
    if (extent !== null && ![membersOf(extent)["least"], membersOf(extent)["most"]].every(Number.isFinite))
      throw new LayoutError("malformed", "an extent without numbers", 0);
    for (const one of [text, kind, interpolation]) textIn(one);
    return item as unknown as PathInfo;
  });
}

function siblingsIn(files: Value | undefined): string[] {
  return listOf(files)
    .slice(1)
    .map((key) => textIn(membersOf(key)["name"]));
}

function timesIn(about: Members): Float64Array {
  const times = numbersOf(about["times"], Float64Array);
  for (let i = 0; i < times.length; i++) {
    if (!(times[i]! > (times[i - 1] ?? Number.NEGATIVE_INFINITY)))
      throw new LayoutError("malformed", "its states are not in order", 0);
  }
  return times;
}
