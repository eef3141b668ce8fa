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
];

/** The kind that claims a file of that name; undefined: it is no companion. */
export function kindOf(name: string): CompanionKind | undefined {
  const lower = name.toLowerCase();
  return KINDS.find(({ endings }) => endings.some((ending) => lower.endsWith(ending)));
}
