import { expect } from "vitest";
import type { EntitySet, Recording } from "../../src/index.ts";

/** What accepted lines say, in the plainest way; it shares nothing with the recorder. */
interface Thing {
  readonly entity: number;
  readonly type: string;
  at: readonly number[];
  look: readonly number[];
  pose: number;
  flags: number;
  slot: number;
  vitals: { readonly health: number; readonly food: number; readonly xp: number } | null;
  /** An exact place was reported, of whatever: where it is is not for lines of moves to say. */
  isExact: boolean;
}

/** As it is at the end of a tick. */
interface Moment {
  readonly things: readonly Readonly<Thing>[];
  readonly blocks: ReadonlyMap<string, string>;
  readonly values: ReadonlyMap<string, string>;
  readonly sets: ReadonlyMap<string, ReadonlyMap<string, ReadonlyMap<string, unknown>>>;
}

/** What lines say behind their key; each has some of it. */
interface Reported {
  readonly id: unknown;
  readonly type: string;
  readonly at: readonly number[];
  readonly look?: readonly number[];
  readonly pose?: number;
  readonly flags?: number;
  readonly slot: number;
  readonly health: number;
  readonly food: number;
  readonly xp: number;
  readonly state: string;
  readonly time?: number;
  readonly weather?: number;
  readonly text: string;
  readonly label: string;
}

type Things = Readonly<Record<string, Readonly<Record<string, unknown>> | null>> | null;

export class SessionModel {
  tick = 0;
  readonly moments = new Map<number, Moment>();
  readonly chats: [tick: number, text: string][] = [];
  readonly events: [tick: number, name: string, payload: string][] = [];
  readonly marks: [tick: number, label: string][] = [];
  #rate = 20;
  #offset: number | null = null;
  #entities = 0;
  #things = new Map<unknown, Thing>();
  #blocks = new Map<string, string>();
  #values = new Map<string, string>();
  #sets = new Map<string, Map<string, Map<string, unknown>>>();

  /** A line that was accepted, in order. */
  take(text: string): void {
    if (text.trim() === "") return;
    const line = JSON.parse(text) as Readonly<Record<string, unknown>>;
    if ("simtape" in line) this.#rate = (line["rate"] as number | undefined) ?? 20;
    else if ("event" in line) {
      const { event, base64, value } = line as { event: string; base64?: string; value?: unknown };
      this.events.push([this.tick, event, base64 === undefined ? utf8(JSON.stringify(value) ?? "") : atob(base64)]);
    } else {
      const [key, value] = Object.entries(line)[0]!;
      if (key === "tick") this.#goTo(Math.ceil(((value as number) * 20) / this.#rate - 1e-4));
      else if (key === "time") this.#goTo(Math.ceil((value as number) * 20 - 1e-4));
      else this.#change(key, value as Reported);
    }
    this.moments.set(this.tick, this.#now());
  }

  #goTo(reported: number): void {
    this.#offset ??= this.tick - reported;
    expect(reported + this.#offset).toBeGreaterThanOrEqual(this.tick - 1);
    this.tick = Math.max(this.tick, reported + this.#offset);
  }

  #change(key: string, value: Reported): void {
    const thing = this.#things.get(value.id);
    switch (key) {
      case "spawn":
      case "join":
        this.#things.set(value.id, {
          entity: ++this.#entities,
          type: key === "join" ? "minecraft:player" : value.type,
          at: value.at,
          look: value.look ?? [0, 0],
          pose: 0,
          flags: 0,
          slot: 0,
          vitals: null,
          isExact: false,
        });
        break;
      case "leave":
      case "remove":
        this.#things.delete(value.id);
        break;
      case "move":
      case "teleport":
        thing!.at = value.at ?? thing!.at;
        thing!.look = value.look ?? thing!.look;
        break;
      case "exact":
        thing!.isExact = true;
        break;
      case "state":
        thing!.pose = value.pose ?? thing!.pose;
        thing!.flags = value.flags ?? thing!.flags;
        break;
      case "heldSlot":
        thing!.slot = value.slot;
        break;
      case "vitals":
        thing!.vitals = { health: value.health, food: value.food, xp: value.xp };
        break;
      case "block":
        this.#blocks.set(value.at.map((one: number) => one + 0).join(), value.state);
        break;
      case "clearBlocks":
        this.#blocks.clear();
        break;
      case "dimension":
        this.#values.set("world/dimension", canonical(value));
        break;
      case "world":
        if ("time" in value) this.#values.set("world/time", canonical(value.time));
        if ("weather" in value) this.#values.set("world/weather", canonical(value.weather));
        break;
      case "chat":
        this.chats.push([this.tick, value.text]);
        break;
      case "mark":
        this.marks.push([this.tick, value.label]);
        break;
      case "reset":
        this.#things.clear();
        this.#blocks.clear();
        this.#sets.clear();
        for (const path of [...this.#values.keys()]) if (!path.startsWith("world/")) this.#values.delete(path);
        break;
      case "set":
        for (const [path, one] of Object.entries(value)) {
          if (one === null) this.#values.delete(path);
          else this.#values.set(path, canonical(one));
        }
        break;
      case "entities":
        for (const [name, things] of Object.entries(value)) this.#tell(name, things as Things);
        break;
      default:
    }
  }

  #tell(name: string, things: Things): void {
    if (things === null) {
      this.#sets.delete(name);
      return;
    }
    const set = this.#sets.get(name) ?? new Map<string, Map<string, unknown>>();
    this.#sets.set(name, set);
    for (const [id, cells] of Object.entries(things)) {
      if (cells === null) {
        set.delete(id);
        continue;
      }
      const row = set.get(id) ?? new Map<string, unknown>();
      set.set(id, row);
      for (const [key, cell] of Object.entries(cells)) row.set(key, cell);
    }
  }

  #now(): Moment {
    const sets = new Map<string, Map<string, Map<string, unknown>>>();
    for (const [name, set] of this.#sets)
      sets.set(name, new Map(Array.from(set, ([id, cells]) => [id, new Map(cells)] as const)));
    return {
      things: Array.from(this.#things.values(), (thing) => ({ ...thing })),
      blocks: new Map(this.#blocks),
      values: new Map(this.#values),
      sets,
    };
  }
}

/** Holds a recording against the model, at every tick before `until` that lines were reported of. */
export async function expectSame(
  recording: Recording,
  model: SessionModel,
  kind: "world" | "states",
  until: number,
): Promise<void> {
  let last: Moment | null = null;
  for (const [tick, moment] of model.moments) {
    if (tick >= until) continue;
    last = moment;
    const state = await recording.state(tick * 50e6);
    const where = `tick ${tick}`;
    if (kind === "world") expectWorld(moment, state.sets, where);
    else {
      for (const [name, set] of moment.sets) expectSet(set, state.sets.get(name), `${where} ${name}`);
      for (const [name, set] of state.sets)
        if (!moment.sets.has(name)) expect([...set.ids], `${where} ${name}`).toEqual([]);
    }
    for (const [path, value] of moment.values)
      expect(canonical(state.values.get(path)), `${where} ${path}`).toBe(value);
    for (const path of kind === "states" ? state.values.keys() : [])
      expect(moment.values.has(path), `${where} ${path}`).toBe(true);
  }
  expect(await reported(recording, ["chat"], (value) => (value as { line: string }).line)).toEqual(
    kind === "world"
      ? model.chats.filter(([tick]) => tick < until).map(([tick, text]) => [tick, "chat", wellFormed(text)])
      : [],
  );
  const own = recording.channels
    .map(({ name }) => name)
    .filter((name) => name.includes(":") && !name.startsWith("simtape:"));
  const events = await reported(recording, own, (_, payload) => String.fromCharCode(...payload));
  expect(events).toEqual(model.events.filter(([tick]) => tick < until));
  if (last === null) return;
  if (until <= model.tick) return;
  const { hcrp } = recording.info.metadata["metadata"] as { hcrp: { marks?: { tick: number; label: string }[] } };
  expect((hcrp.marks ?? []).map(({ tick, label }) => [tick, label])).toEqual(model.marks);
}

function expectWorld({ things, blocks }: Moment, sets: ReadonlyMap<string, EntitySet>, where: string): void {
  const found = new Map<number, Record<string, number>>();
  for (const name of ["players", "entities"]) {
    const set = sets.get(name);
    for (const [row, id] of (set?.ids ?? []).entries()) {
      const cells: Record<string, number> = {};
      for (const [column, { data, width }] of set!.columns)
        for (let k = 0; k < width; k++) cells[width === 1 ? column : `${column}${k}`] = data[row * width + k] as number;
      found.set(id as number, cells);
    }
  }
  expect(
    [...found.keys()].sort((a, b) => a - b),
    where,
  ).toEqual(things.map(({ entity }) => entity).sort((a, b) => a - b));
  for (const { entity, at, look, pose, flags, slot, vitals, isExact } of things) {
    const cells = found.get(entity)!;
    const what = `${where}, entity ${entity}`;
    for (const [k, value] of isExact ? [] : at.entries())
      expect(Math.abs(cells[`position${k}`]! - value), what).toBeLessThanOrEqual(1 / 8192 + Math.abs(value) * 1e-15);
    const turned = Math.abs(((((cells["rotation2"]! - look[0]!) % 360) + 540) % 360) - 180);
    if (!isExact) expect(turned, `${what}: ${cells["rotation2"]} is not ${look[0]}`).toBeLessThanOrEqual(0.00276);
    expect([cells["pose"], cells["flags"], cells["held-slot"]], what).toEqual([pose, flags, slot]);
    if (vitals === null) continue;
    const health = Math.max(0, Math.min(255, Math.round(vitals.health * 6))) / 6;
    expect([cells["health"], cells["food"], cells["xp"]], what).toEqual([health, vitals.food, vitals.xp]);
  }
  const edits = sets.get("blocks");
  const kinds = edits?.columns.get("kind")?.data as readonly string[] | undefined;
  expect(new Map(Array.from(edits?.ids ?? [], (id, row) => [id, kinds![row]])), where).toEqual(blocks);
}

function expectSet(
  set: ReadonlyMap<string, ReadonlyMap<string, unknown>>,
  found: EntitySet | undefined,
  where: string,
): void {
  const ids = [...(found?.ids ?? [])].map(String);
  expect([...ids].sort(), where).toEqual([...set.keys()].map(wellFormed).sort());
  for (const [id, cells] of set) {
    const row = ids.indexOf(wellFormed(id));
    for (const [key, cell] of cells) {
      const column = found!.columns.get(key);
      if (column === undefined) {
        expect(cell, `${where} ${id} ${key}`).toBeNull();
        continue;
      }
      const { data, width } = column;
      const list = Array.isArray(cell) ? cell : Array.from({ length: width }, () => cell);
      for (let k = 0; k < width; k++) {
        const one = data[row * width + k];
        const expected = list[k] as unknown;
        if (typeof one === "string")
          expect(one, `${where} ${id} ${key}`).toBe(wellFormed((expected as string | null) ?? ""));
        else if (expected === null) expect(one === 0 || Number.isNaN(one), `${where} ${id} ${key}`).toBe(true);
        else expect(one! + 0, `${where} ${id} ${key}`).toBe(Number(expected) + 0);
      }
    }
  }
}

/** What messages of some channels say, with their ticks, in order. */
async function reported(
  recording: Recording,
  names: readonly string[],
  say: (value: unknown, payload: Uint8Array) => string,
): Promise<[number, string, string][]> {
  const channels = recording.channels.filter(({ name }) => names.includes(name));
  const found: [number, string, string][] = [];
  if (channels.length === 0) return found;
  for await (const batch of recording.batches({ channels })) {
    for (let i = 0; i < batch.length; i++) {
      const { name, schema } = recording.channels[batch.channel[i]!]!;
      const payload = batch.payload(i);
      found.push([batch.time[i]! / 50e6, name, say(schema.decode(payload, batch.context), payload)]);
    }
  }
  return found;
}

function canonical(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "number") return JSON.stringify(value + 0);
  if (typeof value === "string") return JSON.stringify(wellFormed(value));
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  const entries = Object.entries(value).map(([key, one]) => `${JSON.stringify(wellFormed(key))}:${canonical(one)}`);
  return `{${entries.sort().join()}}`;
}

/** As UTF-8 has it: half a pair of surrogates is U+FFFD. */
function wellFormed(text: string): string {
  return new TextDecoder().decode(new TextEncoder().encode(text));
}

function utf8(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}
