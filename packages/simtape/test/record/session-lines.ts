/** Random sessions of the line protocol: lines that are right, and lines that are made to do harm. */

export type Kind = "world" | "states" | "mixed";

export interface Session {
  readonly kind: Kind;
  /** Each without its end; bytes, as some are no text. */
  readonly lines: readonly Uint8Array[];
}

/** mulberry32: the same numbers for the same seed, everywhere. */
export class Dice {
  #seed: number;

  constructor(seed: number) {
    this.#seed = seed | 0;
  }

  /** From 0 to below 1. */
  next(): number {
    this.#seed = (this.#seed + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#seed ^ (this.#seed >>> 15), 1 | this.#seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  below(n: number): number {
    return Math.floor(this.next() * n);
  }

  is(chance: number): boolean {
    return this.next() < chance;
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }
}

const IDS = ["steve", "a", "7", 7, "é", "__proto__", 0] as const;
const NAMES = ["minecraft:stone", "minecraft:oak_log[axis=y]", "x:y", "é", "constructor", "😀"] as const;
const TYPES = ["minecraft:player", "minecraft:pig", "x:car"] as const;
const SETS = ["balls", "cars", "constructor", "b/c"] as const;
const PATHS = ["a", "b/c", "__proto__", "weather/rain", "é"] as const;
const UUID = "069a79f4-44e9-4726-a5be-fca90e38aaf5";
const WILD = [0, -0, 1, -1, 0.5, 1e308, -1e308, 5e-324, 2 ** 31, 2 ** 53, -(2 ** 31) - 1, 255, 256, 1e21] as const;

export function session(seed: number, length: number): Session {
  const dice = new Dice(seed);
  const kind = dice.of(["world", "world", "states", "states", "mixed"] as const);
  const lines: Uint8Array[] = [];
  const clock = { tick: dice.is(0.2) ? dice.below(1e6) : 0 };
  if (dice.is(0.7)) lines.push(reported(dice, header(dice)));
  if (dice.is(0.7)) lines.push(reported(dice, { tick: clock.tick }));
  while (lines.length < length) lines.push(reported(dice, line(dice, kind, clock)));
  if (dice.is(0.3)) lines.push(reported(dice, { end: dice.of(["completed", "reset", "abandoned", "crashed"]) }));
  return { kind, lines };
}

function header(dice: Dice): object {
  return {
    simtape: 1,
    ...(dice.is(0.3) ? { rate: dice.of([20, 1, 50, 60, 0.5, 1e-320, 0, 1e9, 1e-4, 1e300, 144]) } : {}),
    ...(dice.is(0.3) ? { server: "demo 1" } : {}),
    ...(dice.is(0.3) ? { dataVersion: dice.of([3947, 1278, 0, 2 ** 31 - 1]) } : {}),
    ...(dice.is(0.2) ? { metadata: { note: json(dice, 3), [dice.of(PATHS)]: json(dice, 2) } } : {}),
    ...(dice.is(0.1)
      ? { startedAt: dice.of(["2026-02-01T12:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T00:00:00Z"]) }
      : {}),
    ...(dice.is(0.1) ? { metadata: { long: "x".repeat(70_000) } } : {}),
  };
}

function line(dice: Dice, kind: Kind, clock: { tick: number }): object {
  const roll = dice.next();
  if (roll < 0.2) {
    clock.tick += dice.is(0.9) ? dice.below(4) : dice.of([200, 1300, 12_500, 2_000_000, -3]);
    return dice.is(0.9) ? { tick: clock.tick } : { time: dice.is(0.8) ? clock.tick / 20 : dice.of(WILD) };
  }
  if (roll < 0.36) return control(dice);
  if (roll < 0.44) return event(dice);
  const isWorld = kind === "world" || (kind === "mixed" && dice.is(0.5));
  return isWorld ? worldLine(dice) : stateLine(dice);
}

function control(dice: Dice): object {
  return dice.of([
    { commit: true },
    { commit: true },
    { snapshot: true },
    { snapshot: true },
    { versions: { dataVersion: dice.of([3947, 1278, 100]) } },
    { versions: { server: dice.of(["one", "two"]), protocol: dice.below(900) } },
    { session: dice.of(["pause", "resume", "é"]) },
    { reset: true },
    { subject: { id: dice.of(IDS), uuid: UUID, name: "N" } },
  ]);
}

function event(dice: Dice): object {
  const name = dice.of(["my:log", "my:score", "é:1", "simtape:no", "x"]);
  return dice.is(0.6)
    ? { event: name, value: json(dice, 3), ...(dice.is(0.2) ? { version: dice.below(4) } : {}) }
    : { event: name, base64: dice.of(["AQID", "", "AAAA////", "A"]) };
}

function number(dice: Dice): number {
  return dice.is(0.92) ? (dice.next() - 0.5) * 200 : dice.of(WILD);
}

function point(dice: Dice): number[] {
  return [number(dice), number(dice), number(dice)];
}

function stance(dice: Dice): object {
  return {
    ...(dice.is(0.5) ? { look: [number(dice) * 3, number(dice)] } : {}),
    ...(dice.is(0.2) ? { head: number(dice) } : {}),
    ...(dice.is(0.3) ? { onGround: dice.is(0.5) } : {}),
  };
}

function worldLine(dice: Dice): object {
  const id = dice.of(IDS);
  const other = dice.of(IDS);
  const roll = dice.next();
  if (roll < 0.22) return { spawn: { id, type: dice.of(TYPES), at: point(dice), ...stance(dice) } };
  if (roll < 0.3) return { join: { id, uuid: UUID, name: dice.of(["N", "Ö"]), at: point(dice), ...stance(dice) } };
  if (roll < 0.5) return { move: { id, ...(dice.is(0.9) ? { at: point(dice) } : {}), ...stance(dice) } };
  return dice.of([
    { leave: { id } },
    { remove: { id } },
    { teleport: { id, at: point(dice), ...stance(dice) } },
    { velocity: { id, velocity: point(dice) } },
    { exact: { id, at: point(dice), look: [number(dice), 0], velocity: point(dice) } },
    { mount: { id, passengers: dice.is(0.5) ? [other] : [] } },
    { state: { id, pose: dice.below(8), ...(dice.is(0.5) ? { flags: dice.below(256) } : {}) } },
    { equipment: { id, items: { [dice.below(6)]: dice.is(0.7) ? dice.of(NAMES) : null } } },
    { heldSlot: { id, slot: dice.below(9) } },
    { itemUse: { id, use: dice.below(3) } },
    { swing: { id } },
    { hurt: { id, attacker: other, yaw: number(dice) } },
    { metadata: { id, entries: { [dice.of([0, 7, 152, 254, 255])]: "AAAA" } } },
    { effect: { id, name: dice.of(NAMES), ticks: dice.of([0, 5, 1000, 2 ** 31 - 1]) } },
    { vitals: { id, health: number(dice), food: dice.below(21), xp: dice.below(100) } },
    { view: { id, gameMode: dice.below(4), ...(dice.is(0.5) ? { camera: other } : {}) } },
    { block: { at: point(dice).map(Math.round), state: dice.of(NAMES) } },
    { block: { at: [dice.below(3), 0, 0], state: dice.of(NAMES) } },
    { clearBlocks: true },
    { dimension: dice.of(["minecraft:the_nether", "minecraft:overworld", "x"]) },
    { world: { ...(dice.is(0.7) ? { time: dice.of([0, 6000, 652_846_677_461]) } : {}), weather: dice.below(3) } },
    { chat: { text: dice.of(["hello", "é😀", "", "\u0000\u001b[2J"]), ...(dice.is(0.5) ? { from: id } : {}) } },
    { sound: { name: dice.of(NAMES), at: point(dice), volume: number(dice), pitch: number(dice) } },
    { particles: { name: dice.of(NAMES), at: point(dice), count: dice.below(1e6), spread: point(dice) } },
    { mark: { label: dice.of(["first", "é"]), ...(dice.is(0.5) ? { id } : {}), severity: dice.below(128) } },
  ]);
}

function stateLine(dice: Dice): object {
  const set = dice.of(SETS);
  const roll = dice.next();
  if (roll < 0.3) return { set: { [dice.of(PATHS)]: dice.is(0.2) ? null : json(dice, 3) } };
  if (roll < 0.4)
    return {
      sets: {
        [set]: {
          ...(dice.is(0.5) ? { axes: { handed: "right", up: dice.of(["y", "z"]) } } : {}),
          columns: {
            [dice.of(["position", "n", "kind"])]: dice.of(["m", { width: 3 }, { kind: "i32" }, { kind: "string" }]),
          },
        },
      },
    };
  if (roll < 0.45) return { entities: { [set]: null } };
  const things: Record<string, object | null> = {};
  for (let n = dice.below(3); n >= 0; n--) {
    const id = String(dice.of(IDS));
    const cells = {
      ...(dice.is(0.7) ? { position: point(dice) } : {}),
      ...(dice.is(0.4) ? { n: dice.is(0.8) ? number(dice) : dice.of([null, true, 7]) } : {}),
      ...(dice.is(0.3) ? { kind: dice.of(["sedan", "é", "", null, 4]) } : {}),
    };
    Object.defineProperty(things, id, { value: dice.is(0.15) ? null : cells, enumerable: true, configurable: true });
  }
  return { entities: { [set]: things } };
}

function json(dice: Dice, depth: number): unknown {
  const roll = depth === 0 ? dice.next() * 0.7 : dice.next();
  if (roll < 0.35) return number(dice);
  if (roll < 0.5) return dice.of(["", "text", "é😀", "\u0000"]);
  if (roll < 0.7) return dice.of([true, false, null, 7]);
  if (roll < 0.85) return Array.from({ length: dice.below(4) }, () => json(dice, depth - 1));
  return Object.fromEntries(Array.from({ length: dice.below(3) }, () => [dice.of(PATHS), json(dice, depth - 1)]));
}

/** A line as bytes; one in eight is spoiled. */
function reported(dice: Dice, value: object): Uint8Array {
  const text = JSON.stringify(value);
  const bytes = new TextEncoder().encode(text);
  if (!dice.is(0.12)) return bytes;
  const roll = dice.below(9);
  if (roll === 0) return bytes.subarray(0, dice.below(bytes.length));
  if (roll === 1)
    return bytesOf(text.replace(/-?\d+(\.\d+)?/, dice.of(["1e999", "-1", "[]", '"x"', "{}", "null", "1e400"])));
  if (roll === 2) return bytesOf(text.replace(/:(.)/, `:${"[".repeat(dice.of([3, 90, 10_000]))}$1`));
  if (roll === 3) {
    const depth = dice.of([60, 101, 8000]);
    return bytesOf(`{"tick":${"[".repeat(depth)}${"]".repeat(depth)}}`);
  }
  if (roll === 4) return bytesOf(`${text.slice(0, -1)},"tick":1}`);
  if (roll === 5) return bytesOf(dice.of(["", " ", "null", "[]", "7", '"tick"', "{}", '{"nothing":1}', "\ufeff{}"]));
  if (roll === 6) return bytesOf(text.replace(/"/g, dice.of(["'", '"', ""])));
  if (roll === 7 && dice.is(0.02)) return new Uint8Array((1 << 20) + 1).fill(0x20);
  const flipped = bytes.slice();
  for (let n = dice.below(3); n >= 0; n--) flipped[dice.below(flipped.length)] = dice.below(256);
  // a line ends where it ends
  return flipped.map((byte) => (byte === 0x0a ? 0x20 : byte));
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
