import type { FrameLayout, TapeLayout } from "../layout/frame-table.ts";
import type { TapeHeader } from "../layout/header.ts";
import type { Reader } from "../../../model/reader.ts";
import type { TapeShape } from "./shape.ts";

/** Kinds of tapes that can be written. */
export const DIALECTS = [
  "continuous",
  "continuous-compressed",
  "recovery",
  "normal",
  "normal-2020",
  "normal-2024",
  "continuous-2020",
  "normal-2019",
] as const;
export type Dialect = (typeof DIALECTS)[number];

/** What the options name; throws `RangeError` for a name that is none. */
export function dialectNamed(name: string): Dialect {
  const found = DIALECTS.find((dialect) => dialect === name);
  if (found === undefined)
    throw new RangeError(`no FlightGear dialect ${JSON.stringify(name)}: ${DIALECTS.join(", ")}`);
  return found;
}

/** What tells the dialect of a tape. */
export interface DialectFacts extends Pick<Reader, "info"> {
  readonly header: TapeHeader;
  readonly shape: TapeShape;
  readonly layout: TapeLayout;
}

/** The dialect that a tape is in. */
export function dialectOf({ header, layout, shape, info }: DialectFacts): Dialect {
  if (header.layout === "first") return "continuous-2020";
  if (header.layout === "normal") {
    if (shape.generation === 1) return "normal-2019";
    if (layout.frames === "listed") return "normal-2024";
    return header.data.length > 0 ? "normal" : "normal-2020";
  }
  if (info.metadata["kind"] === "recovery") return "recovery";
  return layout.frames === "deflate" ? "continuous-compressed" : "continuous";
}

export function isNormal(dialect: Dialect): boolean {
  return dialect.startsWith("normal");
}

/** How frames are laid out; those of Normal tapes also depend on whether they hold packets (spec §3.3). */
export function framesOf(dialect: Dialect, hasPackets: boolean): FrameLayout {
  switch (dialect) {
    case "continuous":
    case "recovery":
      return "plain";
    case "continuous-compressed":
      return "deflate";
    case "continuous-2020":
      return "first";
    case "normal-2024":
      return hasPackets ? "listed" : "fixed";
    case "normal":
    case "normal-2020":
      return hasPackets ? "counted" : "fixed";
    case "normal-2019":
      return "fixed";
    default:
      return dialect satisfies never;
  }
}

/**
 * Which releases of FlightGear play such a tape (spec §3.3, §4; both proven in 2020.3.16 and 2024.1.5): what a
 * Continuous tape is, 2020.3 does not know; the list of packets in a Normal tape neither.
 */
export function playsIn(frames: FrameLayout, generation: 1 | 2 | 3): string {
  switch (frames) {
    case "plain":
    case "deflate":
    case "listed":
      return "FlightGear 2024.1 or later";
    case "counted":
      return "FlightGear 2020.2 or later";
    case "fixed":
      return generation === 1 ? "FlightGear 2020.1 or earlier" : "FlightGear 2020.2 or later";
    case "first":
      return "no release of FlightGear";
    default:
      return frames satisfies never;
  }
}

/** Which releases play tapes of a dialect; `hasPackets` as in `framesOf`. */
export function dialectPlaysIn(dialect: Dialect, hasPackets: boolean): string {
  return playsIn(framesOf(dialect, hasPackets), dialect === "normal-2019" ? 1 : 3);
}
