import type { CompanionKind } from "./companion.ts";

/** All kinds of files that show a world; each is a folder here, loaded on use. */
export const KINDS: readonly CompanionKind[] = [
  {
    id: "opendrive",
    name: "road net (OpenDRIVE)",
    endings: [".xodr"],
    isOfMaps: true,
    whole: {
      mostBytes: 64 << 20,
      recognizes: (first) => /^\s*<(\?xml|!--|!doctype|opendrive)/i.test(new TextDecoder().decode(first)),
      reader: async () => (await import("./opendrive/read.ts")).read,
    },
    paints: async () => (await import("./opendrive/paints.ts")).PAINTS,
  },
  {
    id: "heights",
    name: "field of heights (GeoTIFF)",
    endings: [".tif", ".tiff"],
    isOfMaps: true,
    whole: {
      mostBytes: 256 << 20,
      // "II" or "MM", then 42, or 43 for files of more than 4 GiB
      recognizes: ([a, b, c, d]) =>
        (a === 0x49 && b === 0x49 && (c === 42 || c === 43) && d === 0) ||
        (a === 0x4d && b === 0x4d && c === 0 && (d === 42 || d === 43)),
      reader: async () => (await import("./heights/read.ts")).read,
    },
    paints: async () => (await import("./heights/paints.ts")).PAINTS,
  },
  {
    id: "airports",
    name: "set of airports (apt.dat)",
    endings: [".apt.dat", ".apt.dat.gz"],
    whole: null,
    stream: {
      mostBytes: 1 << 30,
      // "I" or "A", then a version; or gzip
      recognizes: (first) =>
        (first[0] === 0x1f && first[1] === 0x8b) ||
        /^\uFEFF?\s*[IA]\s+\d{3,4}\b/.test(new TextDecoder("latin1").decode(first)),
      reader: async () => (await import("./airports/read.ts")).read,
    },
    paints: async () => (await import("./airports/paints.ts")).PAINTS,
  },
  {
    id: "map",
    name: "map of a robot (ROS map_server)",
    endings: [".yaml", ".yml"],
    parts: [".pgm", ".png"],
    whole: {
      mostBytes: 1 << 20,
      recognizes: (first) => /^\s*(resolution|image|origin|mode|negate)\s*:/m.test(new TextDecoder().decode(first)),
      reader: async () => (await import("./map/read.ts")).read,
    },
    paints: async () => (await import("./map/paints.ts")).PAINTS,
  },
  {
    id: "urdf",
    name: "robot (URDF)",
    endings: [".urdf"],
    parts: [".stl", ".obj", ".mtl", ".dae", ".glb", ".gltf"],
    whole: {
      mostBytes: 16 << 20,
      recognizes: (first) => /^\uFEFF?\s*<(\?xml|!--|!doctype|robot)/i.test(new TextDecoder().decode(first)),
      reader: async () => (await import("./urdf/read.ts")).read,
    },
    paints: async () => ({}),
  },
  {
    id: "pdb",
    name: "structure (PDB)",
    endings: [".pdb"],
    whole: {
      mostBytes: 64 << 20,
      // all records begin with capital letters
      recognizes: (first) => /^[A-Z\d]{3,6}\b/.test(new TextDecoder().decode(first)),
      reader: async () => (await import("./pdb/read.ts")).read,
    },
    paints: async () => ({}),
  },
  {
    id: "models",
    name: "set of models",
    endings: [".models.json"],
    parts: [".glb", ".gltf"],
    whole: {
      mostBytes: 1 << 20,
      recognizes: (first) => /^\s*\{/.test(new TextDecoder().decode(first)),
      reader: async () => (await import("./models/read.ts")).read,
    },
    paints: async () => ({}),
  },
  {
    id: "gltf",
    name: "scene (glTF)",
    endings: [".glb", ".gltf"],
    whole: {
      mostBytes: 256 << 20,
      // "glTF", or JSON
      recognizes: (first) => /^(glTF|\s*\{)/.test(new TextDecoder("latin1").decode(first)),
      reader: async () => (await import("./gltf/read.ts")).read,
    },
    paints: async () => ({}),
  },
  {
    id: "regions",
    name: "world of blocks (Anvil)",
    endings: [".mca", ".region", ".region.zip"],
    folders: [".region/", "/region/", ".region.zip"],
    whole: null,
    paints: async () => ({}),
  },
  {
    id: "textures",
    name: "resource pack of Minecraft",
    endings: [".zip", ".jar"],
    whole: {
      mostBytes: 256 << 20,
      // a member's header
      recognizes: ([a, b, c, d]) => a === 0x50 && b === 0x4b && c === 3 && d === 4,
      reader: async () => (await import("./textures/read.ts")).read,
    },
    paints: async () => ({}),
  },
];

/**
 * The kind that claims a file of that name, or a folder; undefined: it is no companion of its own. A name may be an ending
 * alone: `apt.dat`, `region`.
 */
export function kindOf(name: string): CompanionKind | undefined {
  const lower = `.${name.toLowerCase().split("/").at(-1)!}`;
  return KINDS.find(({ endings }) => endings.some((ending) => lower.endsWith(ending)));
}

/**
 * Of files that lie together, by their names: those that are companions of their own, and those that others need. Zips may be
 * recordings: only those that `isPack` says are resource packs count.
 */
export function companionsAmong(
  names: readonly string[],
  isPack: (name: string) => boolean = () => false,
): {
  readonly own: readonly string[];
  readonly parts: readonly string[];
} {
  const kindAmong = (name: string): CompanionKind | undefined => {
    const kind = kindOf(name);
    return kind?.id === "textures" && !isPack(name) ? undefined : kind;
  };
  const endings = new Set(names.flatMap((name) => kindAmong(name)?.parts ?? []));
  const isPart = (name: string): boolean => [...endings].some((ending) => name.toLowerCase().endsWith(ending));
  return {
    own: names.filter((name) => kindAmong(name) !== undefined && !isPart(name)),
    parts: names.filter(isPart),
  };
}
