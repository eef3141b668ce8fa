import type { SixFaces, StateSkin } from "../../blocks/skins.ts";

/** A file of a pack as JSON, by its path below `assets`; null: it is missing, or no JSON. */
export type ReadJson = (path: string) => Promise<unknown>;

type Textures = ReadonlyMap<string, string>;
type Members = Readonly<Record<string, unknown>>;

/** Models that have others as their parent, deepest. */
const MOST_PARENTS = 16;
/** The game's own models: which variable is on which face, in the order of `SixFaces`. Packs need not have them. */
const TEMPLATES: Readonly<Record<string, SixFaces>> = (() => {
  const all = (name: string): SixFaces => [name, name, name, name, name, name];
  const column = (side: string, end: string): SixFaces => [side, side, end, end, side, side];
  const layered: SixFaces = ["side", "side", "bottom", "top", "side", "side"];
  return {
    cube_all: all("all"),
    cube_mirrored_all: all("all"),
    cube_north_west_mirrored_all: all("all"),
    leaves: all("all"),
    cube_column: column("side", "end"),
    cube_column_horizontal: column("side", "end"),
    cube_column_mirrored: column("side", "end"),
    cube_bottom_top: layered,
    slab: layered,
    slab_top: layered,
    stairs: layered,
    inner_stairs: layered,
    outer_stairs: layered,
    cube_top: ["side", "side", "side", "top", "side", "side"],
    cube: ["west", "east", "down", "up", "north", "south"],
    cube_directional: ["west", "east", "down", "up", "north", "south"],
    orientable: ["side", "side", "top", "top", "front", "side"],
    orientable_with_bottom: ["side", "side", "bottom", "top", "front", "side"],
    orientable_vertical: ["side", "side", "side", "front", "side", "side"],
    carpet: all("wool"),
  };
})();
const CROSSES = ["cross", "tinted_cross", "flower_pot_cross", "tinted_flower_pot_cross"];
const FACES = ["west", "east", "down", "up", "north", "south"] as const;
/** Where a face goes when its block is turned by a quarter: about x, then about y, as the game turns models. */
const ABOUT_X = [0, 1, 5, 4, 2, 3] as const;
const ABOUT_Y = [4, 5, 2, 3, 1, 0] as const;

/** What the states of a block wear, from its `blockstates` file; null: none of it is understood. */
export async function statesIn(document: unknown, space: string, read: ReadJson): Promise<StateSkin[] | null> {
  const { variants, multipart } = membersOf(document);
  const found: StateSkin[] = [];
  if (Array.isArray(multipart)) {
    // one texture stands for all its parts
    for (const part of multipart) {
      const skin = await skinOf([], membersOf(part)["apply"], space, read);
      if (skin !== null) return [skin];
    }
    return null;
  }
  for (const [state, model] of Object.entries(membersOf(variants))) {
    const when = state === "" ? [] : state.split(",").map((pair) => pair.split("=") as [string, string]);
    const skin = await skinOf(when, model, space, read);
    if (skin !== null) found.push(skin);
  }
  return found.length === 0 ? null : found;
}

/** Of several models that the game chooses from, the first. */
async function skinOf(
  when: StateSkin["when"],
  choice: unknown,
  space: string,
  read: ReadJson,
): Promise<StateSkin | null> {
  const { model, x, y } = membersOf(Array.isArray(choice) ? choice[0] : choice);
  if (typeof model !== "string") return null;
  const worn = await wornOf(identified(model, space), read);
  if (worn === null) return null;
  if (typeof worn === "string") return { when, faces: null, cross: worn };
  return { when, faces: turned(worn, quarters(x), quarters(y)), cross: null };
}

/** The textures of a model: of six faces, or of two squares that cross; null: it is not understood. */
async function wornOf(model: string, read: ReadJson): Promise<SixFaces | string | null> {
  const textures = new Map<string, string>();
  let id = model;
  for (let depth = 0; depth < MOST_PARENTS; depth++) {
    const [space = "", path = ""] = id.split(":");
    const name = path.replace(/^block\//, "");
    const isOwn = space === "minecraft" && path.startsWith("block/");
    if (isOwn && depth > 0 && CROSSES.includes(name)) return resolved("#cross", textures);
    const template = isOwn && depth > 0 ? TEMPLATES[name] : undefined;
    if (template !== undefined)
      return sixOf(
        template.map((variable) => `#${variable}`),
        textures,
      );
    const { parent, textures: own, elements } = membersOf(await read(`${space}/models/${path}.json`));
    for (const [variable, texture] of Object.entries(membersOf(own)))
      if (typeof texture === "string" && !textures.has(variable))
        textures.set(variable, texture.startsWith("#") ? texture : identified(texture, space));
    if (Array.isArray(elements)) return wornOfBox(membersOf(elements[0]), textures) ?? onlyOf(textures);
    if (typeof parent !== "string") break;
    id = identified(parent, "minecraft");
  }
  return onlyOf(textures);
}

/** Of the first of its boxes. */
function wornOfBox({ faces }: Members, textures: Textures): SixFaces | null {
  const own = membersOf(faces);
  return sixOf(
    FACES.map((face) => membersOf(own[face])["texture"]),
    textures,
  );
}

/** What a model wears that has one texture alone. */
function onlyOf(textures: Textures): SixFaces | null {
  const all = [...textures].flatMap(([variable, texture]) => {
    const found = variable === "particle" ? null : resolved(texture, textures);
    return found === null ? [] : [found];
  });
  const [first] = all;
  if (first === undefined || new Set(all).size > 1) return null;
  return [first, first, first, first, first, first];
}

/** Null: a face has none. */
function sixOf(given: readonly unknown[], textures: Textures): SixFaces | null {
  const faces = given.map((texture) => (typeof texture === "string" ? resolved(texture, textures) : null));
  return faces.includes(null) ? null : (faces as unknown as SixFaces);
}

/** Follows variables to a texture; null: it leads to none. */
function resolved(texture: string, textures: Textures): string | null {
  let found: string | undefined = texture;
  for (let depth = 0; found?.startsWith("#") === true; depth++)
    found = depth === MOST_PARENTS ? undefined : textures.get(found.slice(1));
  return found ?? null;
}

function turned(faces: SixFaces, x: number, y: number): SixFaces {
  let now: readonly string[] = faces;
  for (let i = 0; i < x; i++) now = moved(now, ABOUT_X);
  for (let i = 0; i < y; i++) now = moved(now, ABOUT_Y);
  return now as SixFaces;
}

/** The face at `i` goes to `to[i]`. */
function moved(faces: readonly string[], to: readonly number[]): readonly string[] {
  const next = [...faces];
  for (const [i, face] of faces.entries()) next[to[i]!] = face;
  return next;
}

function quarters(degrees: unknown): number {
  return typeof degrees === "number" && Number.isFinite(degrees) ? ((Math.round(degrees / 90) % 4) + 4) % 4 : 0;
}

function identified(name: string, space: string): string {
  return name.includes(":") ? name : `${space}:${name}`;
}

function membersOf(value: unknown): Members {
  return typeof value === "object" && value !== null ? (value as Members) : {};
}
