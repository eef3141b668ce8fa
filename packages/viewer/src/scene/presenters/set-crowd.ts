import { type Box3, type Object3D, Vector3 } from "three";
import type { Axes, EntitySet, State } from "simtape";
import { Poses } from "../things/poses.ts";
import type { Crowd, Setting } from "./presenter.ts";
import { nameOf, numberAt } from "./cells.ts";
import type { Reading } from "./readings.ts";

export interface Traits {
  readonly radius: number;
  readonly eye: number;
  readonly top: number;
  readonly distance?: number;
  readonly rise?: number;
  readonly steers?: boolean;
  readonly ahead?: "x" | "-z";
  readonly isMain?: boolean;
  readonly isNamed?: boolean;
  readonly travels?: boolean;
  readonly lane?: number;
  readonly hasDots?: boolean;
  readonly flies?: boolean;
  readonly label?: (set: EntitySet, row: number) => string;
  readonly weight?: (set: EntitySet, row: number) => number;
  readonly readings?: (state: State, set: EntitySet, row: number) => readonly Reading[];
  /** Its positions are as the set has them, in this many metres, and `frame` turns them into the scene. */
  readonly metres?: number;
}

/** The things of one set, as it is now. */
export class SetCrowd implements Crowd {
  readonly set: string;
  readonly poses: Poses;
  readonly frame: Object3D;
  readonly metres: number | null;
  readonly rise: number;
  readonly steers: boolean;
  readonly ahead: "x" | "-z";
  readonly isMain: boolean;
  readonly isNamed: boolean;
  readonly travels: boolean;
  readonly lane: number;
  /** Written by what knows how large its things are. */
  bottom = 0;
  readonly hasDots: boolean;
  readonly flies: boolean;
  /** How large its things are, of what the traits say, and how much larger they are drawn, so that they can be seen. */
  #scale = 1;
  #larger = 1;
  readonly #distance: number;
  readonly #eye: number;
  readonly #radius: number;
  readonly #top: number;
  /** As it was shown last. */
  entities: EntitySet | undefined;
  #drawn: readonly unknown[] = [];
  /** Whether another thing is hidden than when it was updated last. */
  #isStale = false;
  readonly #readings: Traits["readings"];
  readonly #label: ((set: EntitySet, row: number) => string) | undefined;
  readonly #weight: ((set: EntitySet, row: number) => number) | undefined;

  constructor(set: string, frame: Object3D, { origin }: Setting, traits: Traits) {
    this.set = set;
    this.frame = frame;
    this.metres = traits.metres ?? null;
    this.poses = traits.metres === undefined ? new Poses(origin) : new Poses(null, traits.metres);
    this.#radius = traits.radius;
    this.#eye = traits.eye;
    this.#top = traits.top;
    this.#distance = traits.distance ?? 5 * traits.radius;
    this.rise = traits.rise ?? 0.42;
    this.steers = traits.steers ?? false;
    this.ahead = traits.ahead ?? "x";
    this.isMain = traits.isMain ?? true;
    this.isNamed = traits.isNamed ?? this.isMain;
    this.travels = traits.travels ?? this.isMain;
    this.lane = traits.lane ?? 0;
    this.hasDots = traits.hasDots ?? true;
    this.flies = traits.flies ?? false;
    this.#label = traits.label;
    this.#weight = traits.weight;
    this.#readings = traits.readings;
  }

  get radius(): number {
    return this.#radius * this.#scale * this.#larger;
  }

  get top(): number {
    return this.#top * this.#scale * this.#larger;
  }

  get eye(): number {
    return this.#eye * this.#scale;
  }

  get distance(): number {
    return this.#distance * this.#scale;
  }

  /** Its largest thing is so large, of what the traits say. */
  resize(scale: number): void {
    this.#scale = scale;
  }

  /** Its things are drawn so many times as large as they are. */
  enlarge(larger: number): void {
    this.#larger = larger;
  }

  /** Whether anything in the set is other than before. */
  update(state: State): boolean {
    const entities = state.sets.get(this.set);
    if (entities === this.entities && !this.#isStale) return false;
    this.#isStale = false;
    this.entities = entities;
    this.poses.update(entities);
    return true;
  }

  hide(ids: ReadonlySet<number | string>): boolean {
    const { hidden } = this.poses;
    if (ids.size === hidden.size && [...ids].every((id) => hidden.has(id))) return false;
    this.poses.hidden = ids;
    this.#isStale = true;
    return true;
  }

  /** Whether who is there, or any of these columns, is other than when this was asked last. */
  hasNew(...columns: readonly string[]): boolean {
    const drawn = [this.entities?.ids, this.poses.hidden, ...columns.map((name) => this.entities?.columns.get(name))];
    const isNew = drawn.some((part, i) => part !== this.#drawn[i]);
    this.#drawn = drawn;
    return isNew;
  }

  get axes(): Axes | null {
    return this.entities?.axes ?? null;
  }

  label(row: number): string {
    const { entities } = this;
    if (entities === undefined) return "";
    return this.#label?.(entities, row) ?? nameOf(entities, this.set, row);
  }

  weight(row: number): number {
    const { entities } = this;
    if (this.#weight !== undefined && entities !== undefined) return this.#weight(entities, row);
    return [0, 1, 2].reduce((volume, item) => volume * numberAt(entities, "size", row, item), 1) || 0;
  }

  readings(row: number, recorded: State): readonly Reading[] {
    const entities = recorded.sets.get(this.set);
    return entities === undefined ? [] : (this.#readings?.(recorded, entities, row) ?? []);
  }

  /** Widens the box by every thing that is not far from the others, and what is so far around it; upwards, by its height. */
  widen(box: Box3, around: number): void {
    const { count } = this.poses;
    const isNear = nearOthers(this.poses);
    for (let row = 0; row < count; row++) if (this.poses.isKnown(row) && isNear(row)) this.widenBy(box, row, around);
  }

  widenBy(box: Box3, row: number, around: number): void {
    POINT.fromArray(this.poses.positions, 3 * row).applyMatrix4(this.frame.matrixWorld);
    const { x, y, z } = POINT;
    for (const aside of [-around, around])
      for (const ahead of [-around, around]) box.expandByPoint(POINT.set(x + aside, y, z + ahead));
    box.expandByPoint(POINT.set(x, y + this.top * this.frame.matrixWorld.getMaxScaleOnAxis(), z));
  }

  /** Height of the lowest thing; null when there is none. */
  get floor(): number | null {
    let lowest = Number.POSITIVE_INFINITY;
    for (let row = 0; row < this.poses.count; row++) {
      if (this.poses.isKnown(row)) lowest = Math.min(lowest, this.poses.positions[3 * row + 1]!);
    }
    return Number.isFinite(lowest) ? lowest : null;
  }
}

/** A thing farther from the middle than so many times what half of them are is left out of what is seen at first. */
const FAR = 8;
/** Things that are looked at for the middle. */
const MEASURED = 2000;
const FEW = 5;

/** Tells who is among others from who strays. Of a few, none strays. */
function nearOthers(poses: Poses): (row: number) => boolean {
  const { positions, count } = poses;
  const step = Math.max(1, Math.floor(count / MEASURED));
  const rows: number[] = [];
  for (let row = 0; row < count; row += step) if (poses.isKnown(row)) rows.push(row);
  if (rows.length < FEW) return () => true;
  const middle = [0, 1, 2].map((axis) => medianOf(rows.map((row) => positions[3 * row + axis]!)));
  const far = (row: number): number => Math.hypot(...middle.map((center, axis) => positions[3 * row + axis]! - center));
  const limit = FAR * medianOf(rows.map(far));
  return (row) => limit === 0 || far(row) <= limit;
}

function medianOf(numbers: readonly number[]): number {
  return Float64Array.from(numbers).sort()[numbers.length >> 1]!;
}

const POINT = new Vector3();
