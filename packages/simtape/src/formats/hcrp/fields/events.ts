import {
  as,
  bits,
  f32be,
  f64be,
  noted,
  oneOf,
  type Part,
  part,
  raw,
  remaining,
  struct,
  text,
  u16be,
  u8,
} from "../../../bytes/field-parts.ts";
import type { Fields } from "../../../bytes/fields.ts";
import { readVarint } from "../../../bytes/varint.ts";
import type { Palettes } from "../chunk/context.ts";
import { patchFields } from "./own.ts";
import { counted, grid, lowVector, optional, paletteEntry, sized, turn, uuid, varInt, xyz, zigzag } from "./values.ts";
import { PALETTE, PALETTE_NAMES, readEntities, SECTION } from "../layout/chunk.ts";
import type { EventName } from "../layout/events.ts";
import { STATE_NAMESPACE } from "../layout/own.ts";

/** Fields of what one chunk holds: of events by kind, and of its snapshot; members are called as in decoded values. */
export interface EventParts {
  readonly events: Readonly<Record<EventName, Part>>;
  readonly snapshot: Part;
}

const SECTION_NAMES = [
  "palettes",
  "entities",
  "blocks",
  "inventories",
  "world",
  "interface",
  "host",
  "metadata",
] as const;
const MOVE_BITS = ["x", "y", "z", "yaw", "pitch", "on ground", "head yaw"];
const STATE_BITS = ["fire", "sneak", "riptide", "sprint", "swim", "invisible", "glow", "elytra"];
const PLACE_BITS = ["on ground", "teleport"];
const HANDS = ["main hand", "off hand"];
const USES = ["none", ...HANDS];

/** Layouts of events §2 and of the sections of a snapshot; indices come with what the palettes say of them. */
export function eventParts(palettes: Palettes): EventParts {
  const entry = (kind: number): Part<number> => noted(varInt, (index) => palettes.name(kind, index));
  const angle = turn(u16be);
  const place: Readonly<Record<string, Part>> = { q: grid, yaw: angle, pitch: angle, flags: bits(u8, PLACE_BITS) };
  const identity = identityPart(entry(PALETTE.profile));
  const setBlock = struct({ delta: xyz(zigzag), block: entry(PALETTE.block) });
  const packedBlock = noted(varInt, (packed) => {
    const [x, y, z] = [packed & 15, (packed >> 8) & 15, (packed >> 4) & 15];
    return `${palettes.name(PALETTE.block, packed >>> 12) ?? "?"} at ${x} ${y} ${z} of the section`;
  });
  const setItems = struct({ entity: varInt, items: counted(struct({ slot: varInt, item: entry(PALETTE.item) })) });
  const metadata = struct({
    entity: varInt,
    entries: counted(struct({ index: u8, bytes: sized((fields, name) => as("payload", remaining)(fields, name)) })),
  });
  const position = (scale: number): Part => xyz(noted(zigzag, (steps) => `${steps / scale} blocks`));
  const scaled = (scale: number): Part => noted(u8, (value) => String(value / scale));
  const events: Readonly<Record<EventName, Part>> = {
    move,
    place: struct({ entity: varInt, ...place }),
    state: struct({ entity: varInt, pose: u8, flags: bits(u8, STATE_BITS) }),
    swing: struct({ entity: varInt, hand: oneOf(u8, HANDS) }),
    "item-use": struct({ entity: varInt, use: oneOf(u8, USES) }),
    "set-items": setItems,
    "held-slot": struct({ entity: varInt, slot: u8 }),
    "set-block": setBlock,
    "set-blocks": struct({ section: xyz(zigzag), blocks: counted(packedBlock) }),
    spawn: all(struct({ entity: varInt, type: entry(PALETTE.entityType), ...place }), identity),
    remove: struct({ entities: counted(varInt) }),
    velocity: struct({ entity: varInt, velocity: lowVector }),
    "palette-add": struct({ kind: oneOf(u8, PALETTE_NAMES), entry: sized(paletteEntry) }),
    metadata,
    join: struct({ entity: varInt, uuid, profile: entry(PALETTE.profile) }),
    leave: struct({ entity: varInt }),
    chat: struct({ kind: u8, sender: noted(optional, "entity"), text: entry(PALETTE.text) }),
    sound: struct({
      sound: entry(PALETTE.sound),
      position: position(8),
      category: u8,
      volume: scaled(64),
      pitch: scaled(64),
    }),
    particles: struct({
      particle: entry(PALETTE.particle),
      position: position(16),
      count: varInt,
      spread: noted(raw(3), "1/16 block each"),
    }),
    effect: struct({ entity: varInt, effect: entry(PALETTE.text), amplifier: u8, ticks: noted(varInt, "ticks") }),
    vitals: struct({ entity: varInt, health: scaled(6), food: u8, xp: varInt }),
    world,
    view: struct({ entity: varInt, gameMode: u8, camera: noted(optional, "entity") }),
    mount: struct({ vehicle: varInt, passengers: counted(varInt) }),
    hurt: struct({ entity: varInt, attacker: noted(optional, "entity"), yaw: u8 }),
    "exact-place": struct({
      entity: varInt,
      position: xyz(noted(f64be, "blocks")),
      yaw: noted(f32be, "°"),
      pitch: noted(f32be, "°"),
      velocity: xyz(noted(f64be, "blocks per tick")),
    }),
    "clear-blocks": () => undefined,
    mark: struct({ kind: u8, entity: noted(optional, "entity"), text: entry(PALETTE.text), severity: u8 }),
  };
  const short = struct({ entity: varInt, ...place });
  const { flags: placeFlags, ...placed } = place;
  const details = { pose: u8, flags: bits(u8, STATE_BITS), heldSlot: u8, itemUse: oneOf(u8, USES) };
  const long = all(
    struct({ entity: varInt, type: entry(PALETTE.entityType), ...placed, placeFlags: placeFlags!, ...details }),
    identity,
  );
  const sections: Readonly<Record<number, Part>> = {
    [SECTION.palettes]: palettesSection,
    [SECTION.entities]: (fields, name) => {
      const { bytes, position: at, end } = fields.cursor;
      const isLong = readEntities(bytes.subarray(at, end)).some(({ details }) => details !== null);
      counted(isLong ? long : short)(fields, name);
    },
    [SECTION.blocks]: counted(setBlock),
    [SECTION.inventories]: counted(setItems),
    [SECTION.world]: world,
    [SECTION.interface]: as("payload", remaining),
    [SECTION.host]: (fields, name) => hostSection(fields, name, palettes),
    [SECTION.metadata]: counted(metadata),
  };
  const snapshot: Part = (fields, path) => {
    while (fields.left > 0) {
      const type = fields.as("frame", () => varInt(fields, inPath(path, "section")));
      const name = SECTION_NAMES[type] ?? `section${type}`;
      fields.note(name);
      sized((into, own) => sections[type]?.(into, own))(fields, inPath(path, name));
    }
  };
  return { events, snapshot };
}

function inPath(path: string, member: string): string {
  return path === "" ? member : `${path}.${member}`;
}

/** The members of several structures under one name. */
function all(...parts: readonly Part[]): Part {
  return (fields, name) => {
    for (const one of parts) one(fields, name);
  };
}

/** Event 0: the mask says what follows. */
function move(fields: Fields, name: string): void {
  varInt(fields, inPath(name, "entity"));
  const mask = bits(u8, MOVE_BITS)(fields, inPath(name, "mask"));
  const steps = noted(zigzag, "residual, 1/4096 block");
  const angle = noted(zigzag, "1/65536 turn");
  const members: readonly (readonly [string, Part])[] = [
    ["residual.x", steps],
    ["residual.y", steps],
    ["residual.z", steps],
    ["yaw", angle],
    ["pitch", angle],
    ["", () => undefined],
    ["headYaw", angle],
  ];
  members.forEach(([member, of], bit) => {
    if ((mask & (1 << bit)) !== 0) of(fields, inPath(name, member));
  });
}

function identityPart(profile: Part<number>): Part {
  return (fields, name) => {
    const has = as("frame", bits(u8, ["uuid", "profile"]))(fields, inPath(name, "identity"));
    if ((has & 1) !== 0) uuid(fields, inPath(name, "uuid"));
    if ((has & 2) !== 0) profile(fields, inPath(name, "profile"));
  };
}

/** Event 21, and section 4. */
const world: Part = (fields, name) => {
  const has = as("frame", bits(u8, ["time", "weather"]))(fields, inPath(name, "has"));
  if ((has & 1) !== 0) part((cursor) => readVarint(cursor))(fields, inPath(name, "time"));
  if ((has & 2) !== 0) u8(fields, inPath(name, "weather"));
};

/** Section 0: entries by kind, as many kinds as there are. */
const palettesSection: Part = (fields, name) => {
  for (let kind = 0; fields.left > 0; kind++) {
    counted(sized(paletteEntry))(fields, inPath(name, PALETTE_NAMES[kind] ?? `kind${kind}`));
  }
};

/** Section 6: what a host keeps; simtape's own are changes of state. */
function hostSection(fields: Fields, name: string, palettes: Palettes): void {
  const length = as("frame", varInt)(fields, inPath(name, "namespace.length"));
  const namespace = text(length)(fields, inPath(name, "namespace"));
  if (namespace === STATE_NAMESPACE) patchFields(fields, inPath(name, "bytes"), palettes);
  else as("payload", remaining)(fields, inPath(name, "bytes"));
}
