import type { FrameLayout } from "./frame-table.ts";
import type { FlightGearReader } from "./reader.ts";

/** Kinds of tapes that can be written. */
export const DIALECTS = [
  "continuous",
  "continuous-compressed",
  "recovery",
  "normal",
  "normal-2020",
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

/** The dialect that a tape is in. */
export function dialectOf({ header, layout, shape, info }: FlightGearReader): Dialect {
  if (header.layout === "first") return "continuous-2020";
  if (header.layout === "normal") {
    return shape.generation === 1 ? "normal-2019" : shape.generation === 2 ? "normal-2020" : "normal";
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
    case "normal":
      return hasPackets ? "listed" : "fixed";
    case "normal-2020":
      return hasPackets ? "counted" : "fixed";
    case "normal-2019":
      return "fixed";
    default:
      return dialect satisfies never;
  }
}
