import type { StateSkin } from "../../blocks/skins.ts";
import { type CompanionFinding, NOTHING, type Scenery } from "../companion.ts";
import { statesIn } from "./models.ts";
import { Pack } from "./pack.ts";
import { commonSide, mostLayers, Pictures, sizeOf } from "./pictures.ts";

/** Bytes of a file of JSON, and of a picture. */
const MOST_JSON = 1 << 20;
const MOST_PNG = 4 << 20;
const TEXTURE = /^assets\/([a-z0-9_.-]+)\/textures\/(block\/[a-z0-9_./-]+)\.png$/;
const STATES = /^assets\/([a-z0-9_.-]+)\/blockstates\/([a-z0-9_./-]+)\.json$/;

/** A resource pack of the game, or the game's own: a zip with `assets/minecraft/textures/block`. */
export async function read(bytes: Uint8Array): Promise<Scenery> {
  const pack = await Pack.open(bytes);
  if (pack === null) throw new Error("this is no zip");
  const findings: CompanionFinding[] = [];
  const note = (code: string, message: string): number => findings.push({ severity: "warning", code, message });
  const { states, strange } = await statesOf(pack);
  if (strange > 0)
    note("block-not-understood", `${strange} of ${strange + states.size} blocks are not understood: they stay plain`);
  const { pictures, layers, holed, bad, left } = await picturesOf(pack, mostLayers());
  if (layers.size === 0) throw new Error("it has no textures of blocks (assets/minecraft/textures/block)");
  if (bad > 0) note("picture-not-read", `${bad} textures cannot be read`);
  if (left > 0)
    note("too-many-pictures", `${left} textures are left out: the graphics card has room for ${layers.size}`);
  for (const message of pack.damage) findings.push({ severity: "damage", code: "zip", message });
  return {
    ...NOTHING,
    findings,
    facts: [
      ["textures", `${layers.size} of blocks, ${pictures.side} pixels wide`],
      ["block states", String(states.size)],
    ],
    skins: { pictures, blocks: { layers, holed, states } },
  };
}

async function statesOf(pack: Pack): Promise<{ states: Map<string, readonly StateSkin[]>; strange: number }> {
  const known = new Map<string, Promise<unknown>>();
  const text = new TextDecoder();
  const json = (path: string): Promise<unknown> => {
    let document = known.get(path);
    if (document === undefined) {
      document = pack
        .read(`assets/${path}`, MOST_JSON)
        .then((bytes) => (bytes === null ? null : parsed(text.decode(bytes))));
      known.set(path, document);
    }
    return document;
  };
  const states = new Map<string, readonly StateSkin[]>();
  let strange = 0;
  for (const name of pack.names) {
    const [, space, block] = STATES.exec(name) ?? [];
    if (space === undefined) continue;
    const found = await statesIn(await json(name.slice("assets/".length)), space, json);
    if (found === null) strange++;
    else states.set(`${space}:${block}`, found);
  }
  return { states, strange };
}

async function picturesOf(pack: Pack, most: number) {
  const found: { readonly name: string; readonly png: Uint8Array; readonly width: number; readonly height: number }[] =
    [];
  let [bad, left] = [0, 0];
  for (const name of pack.names) {
    const [, space, path] = TEXTURE.exec(name) ?? [];
    if (space === undefined) continue;
    if (found.length === most) {
      left++;
      continue;
    }
    const png = await pack.read(name, MOST_PNG);
    const size = png === null ? null : sizeOf(png);
    if (png === null || size === null) bad++;
    else found.push({ name: `${space}:${path}`, png, ...size });
  }
  const pictures = new Pictures(commonSide(found.map(({ width, height }) => Math.min(width, height))), found.length);
  const layers = new Map<string, number>();
  const holed = new Set<string>();
  for (const { name, png, width, height } of found) {
    const added = await pictures.add(png, width, height).catch(() => null);
    if (added === null) bad++;
    else layers.set(name, added.layer);
    if (added?.isHoled === true) holed.add(name);
  }
  return { pictures: pictures.take(), layers, holed, bad, left };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
