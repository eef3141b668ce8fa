import { parse } from "yaml";

/** What the YAML of a map says (wiki.ros.org/map_server; nav2_map_server's README). */
export interface MapSettings {
  /** Name of the picture. */
  readonly image: string;
  /** Metres of a pixel. */
  readonly resolution: number;
  /** Where the lower left corner of the picture is, metres, and how it is turned, radians anticlockwise. */
  readonly origin: readonly [x: number, y: number, yaw: number];
  /** Above the first part a cell is occupied, below the second it is free; 0 to 1. */
  readonly occupied: number;
  readonly free: number;
  /** Whether white is occupied. */
  readonly isNegated: boolean;
  readonly mode: "trinary" | "scale" | "raw";
}

/** Throws `Error`, in words, for what is no such file. */
export function settingsOf(text: string): MapSettings {
  const value: unknown = parse(text, { maxAliasCount: 0 });
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("it has no members");
  const members = value as Readonly<Record<string, unknown>>;
  const number = (name: string, least: number, most: number, usual?: number): number => {
    const found = members[name] ?? usual;
    if (typeof found === "number" && found >= least && found <= most) return found;
    throw new Error(`${name} is to be a number from ${least} to ${most}, not ${JSON.stringify(found) ?? "nothing"}`);
  };
  const { image, origin, mode = "trinary" } = members;
  if (typeof image !== "string" || image === "") throw new Error("image is to be the name of a picture");
  if (
    !Array.isArray(origin) ||
    origin.length < 2 ||
    !origin.every((each) => typeof each === "number" && Number.isFinite(each))
  )
    throw new Error("origin is to be [x, y, yaw]");
  if (mode !== "trinary" && mode !== "scale" && mode !== "raw")
    throw new Error(`mode is trinary, scale or raw, not ${JSON.stringify(mode)}`);
  const [x, y, yaw = 0] = origin as number[];
  return {
    // a path is of the machine that made it: the picture lies beside
    image: image.split(/[/\\]/).at(-1)!,
    resolution: number("resolution", 1e-6, 1e4),
    origin: [x!, y!, yaw],
    occupied: number("occupied_thresh", 0, 1, 0.65),
    free: number("free_thresh", 0, 1, 0.196),
    isNegated: members["negate"] === 1 || members["negate"] === true,
    mode,
  };
}
