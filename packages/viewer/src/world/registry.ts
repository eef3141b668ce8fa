import type { CompanionKind } from "./companion.ts";

/** All kinds of files that show a world; each is a folder here, loaded on use. */
export const KINDS: readonly CompanionKind[] = [
  {
    id: "opendrive",
    name: "road net (OpenDRIVE)",
    endings: [".xodr"],
    mostBytes: 64 << 20,
    recognizes: (first) => /^\s*<(\?xml|!--|!doctype|opendrive)/i.test(new TextDecoder().decode(first)),
    reader: async () => (await import("./opendrive/read.ts")).read,
    paints: async () => (await import("./opendrive/paints.ts")).PAINTS,
  },
  {
    id: "heights",
    name: "heights (GeoTIFF)",
    endings: [".tif", ".tiff"],
    mostBytes: 256 << 20,
    // "II" or "MM", then 42, or 43 for files of more than 4 GiB
    recognizes: ([a, b, c, d]) =>
      (a === 0x49 && b === 0x49 && (c === 42 || c === 43) && d === 0) ||
      (a === 0x4d && b === 0x4d && c === 0 && (d === 42 || d === 43)),
    reader: async () => (await import("./heights/read.ts")).read,
    paints: async () => (await import("./heights/paints.ts")).PAINTS,
  },
];

/** The kind that claims a file of that name; undefined: it is no companion. */
export function kindOf(name: string): CompanionKind | undefined {
  const lower = name.toLowerCase();
  return KINDS.find(({ endings }) => endings.some((ending) => lower.endsWith(ending)));
}
