import type { Origin } from "../../model/axes/geodesy.ts";
import { type Place, placesOf } from "../../model/poses/place.ts";
import type { Recording } from "../../model/recording.ts";
import type { State } from "../../model/state/state.ts";
import type { Value } from "../../model/values/value.ts";
import type { Shown } from "./shown.ts";

/** The longest side of a box that is laid around things, nm, about: two metres in the room. */
const BOX = 10;
const ROOM = 0.2;
/** Moments of a recording at which its extent is taken. */
const MOMENTS = 5;
/** ps in 1 ns. */
const PICOSECONDS = 1000;

/** Elements that clients draw in colours that differ: C, N, O, F, Na, P, S, Cl, Fe, Br. */
const ELEMENTS: readonly number[] = [6, 8, 7, 16, 15, 9, 17, 11, 26, 35];
/** RGBA, of the same kinds. */
const COLORS: readonly (readonly [number, number, number])[] = [
  [
    [78, 121, 167],
    [242, 142, 43],
    [89, 161, 79],
    [225, 87, 89],
    [118, 183, 178],
  ],
  [
    [237, 201, 72],
    [176, 122, 161],
    [255, 157, 167],
    [156, 117, 95],
    [186, 176, 172],
  ],
].flat() as [number, number, number][];

/** How things of another format lie in the box: nm for each metre, and where its corner is in metres. */
export interface Layout {
  readonly scale: number;
  readonly corner: readonly [number, number, number];
  /** Of the box, nm. */
  readonly sides: readonly [number, number, number];
}

/**
 * A box around the things of a recording. Its longest side is about 10 nm, so that a particle is as large as a car is
 * in a town; the scale is 1, 2 or 5 times a power of ten, unless it is given.
 */
export async function layoutOf(recording: Recording, origin: Origin, given: number | null): Promise<Layout> {
  const { start, end } = await recording.timeline();
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < MOMENTS; i++) {
    const time = Math.round(start + ((end - start) * i) / (MOMENTS - 1));
    for (const { x, y, z } of placesOf(await recording.state(time), origin)) {
      for (const [axis, value] of [x, y, z].entries()) {
        low[axis] = Math.min(low[axis]!, value);
        high[axis] = Math.max(high[axis]!, value);
      }
    }
  }
  if (low[0] === Infinity) return { scale: given ?? 1, corner: [0, 0, 0], sides: [1, 1, 1] };
  const longest = Math.max(...high.map((value, axis) => value - low[axis]!));
  const scale = given ?? (longest === 0 ? 1 : rounded(BOX / longest));
  const sides = high.map((value, axis) => Math.max(1, (value - low[axis]!) * scale));
  return { scale, corner: low as [number, number, number], sides: sides as [number, number, number] };
}

/** The pose of such a box: a fifth of its size, and its z upwards, as the room's y is (NanoVer spec §3.4). */
export const STANDING: readonly number[] = [0, 0, 0, -Math.SQRT1_2, 0, 0, Math.SQRT1_2, ROOM, ROOM, ROOM];

/** Things of any format as particles. Kinds get elements and colours in the order in which they appear. */
export class Particles {
  readonly #layout: Layout;
  readonly #origin: Origin;
  readonly #kinds = new Map<string, number>();
  #before: readonly Place[] = [];
  #names: ReadonlyMap<string, Value> = new Map();

  constructor(layout: Layout, origin: Origin) {
    this.#layout = layout;
    this.#origin = origin;
  }

  /** `isOther`: things have come or gone since the state before. */
  of(state: State): { readonly shown: Shown; readonly isOther: boolean } {
    const places = placesOf(state, this.#origin);
    const isOther = !areSame(places, this.#before);
    if (
      isOther ||
      places.some(({ label, kind }, i) => label !== this.#before[i]!.label || kind !== this.#before[i]!.kind)
    )
      this.#names = this.#named(places);
    this.#before = places;
    const { scale, corner } = this.#layout;
    const positions = new Float32Array(3 * places.length);
    for (const [i, { x, y, z }] of places.entries()) {
      positions[3 * i] = (x - corner[0]) * scale;
      positions[3 * i + 1] = (y - corner[1]) * scale;
      positions[3 * i + 2] = (z - corner[2]) * scale;
    }
    const frame = new Map<string, Value>(this.#names);
    frame.set("particle.positions", positions);
    frame.set("system.simulation.time", state.time * PICOSECONDS);
    return { shown: { frame, shared: new Map() }, isOther };
  }

  #named(places: readonly Place[]): Map<string, Value> {
    const sets = [...new Set(places.map(({ set }) => set))];
    const kinds = places.map(({ set, kind }) => this.#kindOf(kind === "" ? set : kind));
    const [x, y, z] = this.#layout.sides;
    const frame = new Map<string, Value>();
    frame.set("particle.count", places.length);
    frame.set(
      "particle.names",
      places.map(({ label, id }) => (label === "" ? String(id) : label)),
    );
    frame.set(
      "particle.types",
      places.map(({ kind, set }) => (kind === "" ? set : kind)),
    );
    frame.set(
      "particle.elements",
      Uint8Array.from(kinds, (kind) => ELEMENTS[kind % ELEMENTS.length]!),
    );
    frame.set("particle.colors", Uint8Array.from(kinds.flatMap((kind) => [...COLORS[kind % COLORS.length]!, 255])));
    frame.set(
      "particle.residues",
      Uint32Array.from(places, ({ set }) => sets.indexOf(set)),
    );
    frame.set("residue.count", sets.length);
    frame.set("residue.names", sets);
    frame.set(
      "residue.ids",
      sets.map((_, i) => String(i + 1)),
    );
    frame.set("residue.chains", new Uint32Array(sets.length));
    frame.set("chain.count", 1);
    frame.set("chain.names", ["A"]);
    frame.set("bond.pairs", new Uint32Array(0));
    frame.set("system.box.vectors", Float32Array.of(x, 0, 0, 0, y, 0, 0, 0, z));
    return frame;
  }

  #kindOf(kind: string): number {
    const known = this.#kinds.get(kind);
    if (known !== undefined) return known;
    const next = this.#kinds.size;
    this.#kinds.set(kind, next);
    return next;
  }
}

function areSame(a: readonly Place[], b: readonly Place[]): boolean {
  return a.length === b.length && a.every(({ set, id }, i) => set === b[i]!.set && id === b[i]!.id);
}

/** 1, 2 or 5 times a power of ten, at most the number. */
function rounded(number: number): number {
  const power = 10 ** Math.floor(Math.log10(number));
  const part = number / power;
  return (part >= 5 ? 5 : part >= 2 ? 2 : 1) * power;
}
