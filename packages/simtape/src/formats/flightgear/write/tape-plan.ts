import { type PropertyNode, propertyNode } from "../../../codec/properties.ts";
import type { Reader } from "../../../model/reader.ts";
import type { Time } from "../../../model/values/time.ts";
import type { Value } from "../../../model/values/value.ts";
import type { CreateOptions } from "../../../model/writer.ts";
import { DEFAULT_SIGNALS } from "./default-signals.ts";
import { type Dialect, dialectNamed, dialectOf, isNormal } from "../read/dialects.ts";
import type { TapeHeader } from "../layout/header.ts";
import { makeHeader } from "./make-header.ts";
import { FlightGearReader } from "../read/reader.ts";
import { readSignalList, SIGNAL_TYPES, type Signal, type SignalList, writeSignalList } from "../layout/signals.ts";
import { isEpoch } from "../layout/times.ts";
import type { NormalEnding } from "./normal-body.ts";

/** Items of a Continuous tape by default, in the order in which FlightGear writes them. */
const ITEMS = ["signals", "multiplayer", "extra-properties"] as const;
/** Native time of the first moment, when nothing says which: above 0, where FlightGear cannot seek to (spec §8). */
export const FIRST = 1;
/** Native times that differ by less are the same: half a nanosecond. */
export const SAME = 5e-10;

/** As `WritingFormat.restate` and others take a reader: the tape under whatever was laid over it. */
export function tapeUnder(reader: Reader): FlightGearReader | null {
  const base = reader.base ?? reader;
  return base instanceof FlightGearReader ? base : null;
}

/** What is recorded without a tape to take after. */
export interface Recorded {
  /** Of the recorder. */
  readonly name: string;
  readonly signals: readonly Signal[];
  /** Type of the aircraft; empty: not known. */
  readonly aircraft: string;
}

/** What a tape is to be, by the options and by the tape that it takes after. */
export class TapePlan {
  readonly dialect: Dialect;
  readonly options: CreateOptions;
  /** The tape to take after. */
  readonly like: FlightGearReader | null;
  /** The header of `like`, or what it was repaired to. */
  readonly #likeHeader: TapeHeader | null;
  #signals: SignalList;
  #config: readonly PropertyNode[];
  #aircraft = "";

  /** `header` takes the place of that of `options.like`. */
  constructor(options: CreateOptions, header?: TapeHeader) {
    const { like, metadata = {} } = options;
    this.options = options;
    this.like = like === undefined ? null : tapeUnder(like);
    this.#likeHeader = header ?? this.like?.header ?? null;
    const fallback = options.compression === "store" ? "continuous" : "continuous-compressed";
    this.dialect =
      options.dialect !== undefined
        ? dialectNamed(options.dialect)
        : this.like !== null
          ? dialectOf(this.like)
          : fallback;
    const list = signalsIn(metadata["signalList"]);
    const name = typeof metadata["recorder"] === "string" ? metadata["recorder"] : "simtape";
    if (list === null && this.#likeHeader !== null) {
      this.#config = this.#likeHeader.config.children;
      this.#signals = this.#likeHeader.signals;
    } else {
      this.#config = writeSignalList(name, list ?? DEFAULT_SIGNALS);
      this.#signals = listOf(this.#config);
    }
  }

  /** Signals of each record, in byte order. */
  get signals(): SignalList {
    return this.#signals;
  }

  /** Records this instead of the default; what the options say stays. */
  record({ name, signals, aircraft }: Recorded): void {
    if (this.like !== null) return;
    this.#aircraft = aircraft;
    if (this.options.metadata?.["signalList"] !== undefined) return;
    this.#config = writeSignalList(name, signals);
    this.#signals = listOf(this.#config);
  }

  /** Whether the items are given by the dialect. */
  get isFixedSet(): boolean {
    return isNormal(this.dialect) || this.dialect === "recovery" || this.dialect === "continuous-2020";
  }

  /** Items of a frame to begin with; all there are in a fixed set. */
  get items(): readonly string[] {
    if (this.isFixedSet) {
      // One that holds more than FlightGear puts into it keeps that.
      if (this.dialect === "recovery" && this.like !== null && dialectOf(this.like) === "recovery") {
        return this.like.layout.data;
      }
      return this.dialect === "recovery" || this.dialect === "normal-2019" ? ["signals"] : ["signals", "multiplayer"];
    }
    const data = this.options.metadata?.["data"];
    return Array.isArray(data) ? [...new Set(data.map(String))] : (this.like?.layout.data ?? ITEMS);
  }

  /** How hard to compress; null: as the dialect does. */
  get level(): 0 | 1 | 9 | null {
    switch (this.options.compression) {
      case "store":
        return 0;
      case "fast":
        return 1;
      case "small":
        return 9;
      default:
        return null;
    }
  }

  /**
   * Native time at time 0 for messages that come from a tape where it is `source`: so that native times of a source whose
   * times are shifted stay as they are, as long as nothing says otherwise.
   */
  zeroFor(source: number | null, shift: Time): number {
    const { epoch, metadata } = this.options;
    const like = this.like?.layout.zero ?? source;
    if (typeof epoch === "bigint") {
      const seconds = Number(epoch / 1_000_000_000n) + Number(epoch % 1_000_000_000n) / 1e9;
      const shifted = like === null ? seconds : like - shift / 1e9;
      // What a double holds of Unix time is coarser than the epoch.
      if (isEpoch(seconds)) return Math.abs(shifted - seconds) < 1e-6 ? shifted : seconds;
    }
    const start = metadata?.["timeOrigin"];
    if (typeof start === "number" && Number.isFinite(start)) return start;
    return like === null ? FIRST : (source ?? like) - shift / 1e9;
  }

  /** The header of a Continuous or Recovery tape whose frames have these items. */
  continuousHeader(data: readonly string[]): Uint8Array {
    const like = this.#alike;
    const isKept = like !== null && sameNames(data, like.layout.data) && !this.#hasOverrides && !this.#isRepaired;
    return isKept ? like.header.bytes : this.#header(data, 0, false);
  }

  /** What a Normal tape is finished with; `zero` is the native time from which its duration counts, null: the oldest. */
  normalEnding(zero: number | null, isRepairing: boolean): NormalEnding {
    const like = this.#alike;
    const { frames, recordBytes } = like?.layout ?? {};
    const { compression } = this.options;
    const isOld = this.dialect === "normal-2019";
    const ownSize = this.#signals.declaredSize ?? this.#signals.recordSize;
    const ownBytes = isOld ? ownSize - 8 : ownSize;
    const likePackets = frames === "counted" || frames === "listed" ? frames : null;
    const ownPackets = isOld ? null : this.dialect === "normal-2024" ? "listed" : "counted";
    const isPlain =
      compression === "store" ||
      (compression === undefined && like !== null && like.info.metadata["compression"] === "none");
    return {
      header: (duration, hasPackets, hasSignals) => {
        const isKept =
          like !== null &&
          hasSignals &&
          !this.#hasOverrides &&
          !this.#isRepaired &&
          hasPackets === (likePackets !== null) &&
          Math.abs(duration - ((like.bounds?.[1] ?? 0) - (like.bounds?.[0] ?? 0))) < SAME;
        return isKept ? like.header.bytes : this.#header([], duration, hasPackets, hasSignals);
      },
      hasPackets: likePackets !== null,
      recordBytes: this.#isRepaired ? ownBytes : (recordBytes ?? ownBytes),
      recordSize: this.#isRepaired ? ownSize : (like?.shape.recordSize ?? ownSize),
      packets: likePackets ?? ownPackets,
      level: isPlain ? null : (this.level ?? 9),
      zero,
      isRepairing,
    };
  }

  /** The tape to take after, when it is of this dialect. */
  get #alike(): FlightGearReader | null {
    return this.like !== null && dialectOf(this.like) === this.dialect ? this.like : null;
  }

  get #isRepaired(): boolean {
    return this.#likeHeader?.isRepaired === true;
  }

  get #hasOverrides(): boolean {
    return Object.keys(this.options.metadata ?? {}).length > 0;
  }

  #header(data: readonly string[], duration: number, hasPackets: boolean, hasSignals = true): Uint8Array {
    const like = this.like;
    return makeHeader({
      dialect: this.dialect,
      like: like === null ? null : { header: this.#likeHeader!, dialect: dialectOf(like) },
      metadata: { ...(this.#aircraft === "" ? {} : { aircraft: this.#aircraft }), ...this.options.metadata },
      data,
      config: hasSignals ? this.#config : writeSignalList("simtape", []),
      duration,
      hasPackets,
    });
  }
}

function listOf(config: readonly PropertyNode[]): SignalList {
  return readSignalList(propertyNode("signals", { children: config }));
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, i) => name === b[i]);
}

/** Signals given as `[{ property, type, interpolation }]`; throws `RangeError` for what is none. */
function signalsIn(value: Value | undefined): Signal[] | null {
  if (value === undefined || value === null) return null;
  if (!Array.isArray(value)) throw new RangeError("signalList is a list of { property, type, interpolation }");
  return value.map((entry: { [key: string]: Value }) => {
    const { property, type, interpolation = "linear" } = entry;
    const isType = SIGNAL_TYPES.some((known) => known === type);
    if (typeof property !== "string" || !isType) throw new RangeError(`no signal: ${JSON.stringify(entry)}`);
    return { property, type: type as Signal["type"], interpolation: interpolation as Signal["interpolation"] };
  });
}
