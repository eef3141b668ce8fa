import { Group, Vector3 } from "three";
import type { Cast } from "./cast.ts";
import { colorOf } from "./look.ts";
import { placeOf } from "./pick.ts";
import type { Crowd } from "./presenters/presenter.ts";
import { Ribbon } from "./ribbon.ts";

/** Points of one trail, and how many things have one. */
const POINTS = 160;
const MOST = 48;
/** A move of so many radii at once is none: the trail begins again. */
const LEAP = 30;

/** Where things have just been, as it was seen: a jump in time begins again. Fades towards its end. */
export class Trails {
  readonly object: Group = new Group();
  /** By cast, set and id; those not updated for a while are used again for others. */
  readonly #trails = new Map<string, Trail>();
  readonly #keys = new WeakMap<Crowd, string[]>();

  clear(): void {
    for (const trail of this.#trails.values()) trail.clear();
  }

  update(cast: Cast): void {
    for (const crowd of cast.crowds) {
      if (!crowd.travels || crowd.poses.count > MOST) continue;
      for (let row = 0; row < crowd.poses.count; row++) {
        if (crowd.poses.isKnown(row)) this.#trailOf(cast, crowd, row)?.add(crowd, row);
      }
    }
  }

  dispose(): void {
    for (const trail of this.#trails.values()) trail.dispose();
  }

  #trailOf(cast: Cast, crowd: Crowd, row: number): Trail | null {
    const key = this.#keyOf(cast, crowd, row);
    const found = this.#trails.get(key);
    if (found !== undefined) return found;
    if (this.#trails.size >= 2 * MOST) return null;
    const trail = new Trail(crowd.poses.ids[row]!, cast);
    this.#trails.set(key, trail);
    this.object.add(trail.ribbon.object);
    return trail;
  }

  /** Made once for each thing, as rows and ids do not change for most frames. */
  #keyOf(cast: Cast, crowd: Crowd, row: number): string {
    let keys = this.#keys.get(crowd);
    const { ids } = crowd.poses;
    if (keys === undefined || keys.length !== ids.length || this.#idsOf.get(crowd) !== ids) {
      keys = ids.map((id) => `${cast.look.ghost} ${crowd.set} ${typeof id} ${id}`);
      this.#keys.set(crowd, keys);
      this.#idsOf.set(crowd, ids);
    }
    return keys[row]!;
  }

  readonly #idsOf = new WeakMap<Crowd, Crowd["poses"]["ids"]>();
}

class Trail {
  readonly ribbon: Ribbon;
  readonly #places = new Float32Array(3 * POINTS);
  #count = 0;

  constructor(id: number | string, { look }: Cast) {
    const color = look.paint(colorOf(typeof id === "string" ? (id.split("/")[1] ?? id) : id));
    this.ribbon = new Ribbon(this.#places, { color, width: 3.5, opacity: 0.9, isFading: true });
    this.clear();
  }

  clear(): void {
    this.#count = 0;
    this.ribbon.touch(POINTS);
  }

  /** The newest is always last; one that has hardly moved takes the place of the one before. */
  add(crowd: Crowd, row: number): void {
    placeOf(crowd, row, PLACE);
    PLACE.y += 0.05 * crowd.radius;
    const places = this.#places;
    const last = 3 * (POINTS - 1);
    const before = last - 3;
    const away = Math.hypot(PLACE.x - places[last]!, PLACE.y - places[last + 1]!, PLACE.z - places[last + 2]!);
    if (this.#count > 0 && away > LEAP * crowd.radius) this.#count = 0;
    const isNear =
      this.#count > 1 &&
      Math.hypot(PLACE.x - places[before]!, PLACE.y - places[before + 1]!, PLACE.z - places[before + 2]!) <
        0.25 * crowd.radius;
    if (!isNear) {
      places.copyWithin(0, 3);
      this.#count = Math.min(POINTS, this.#count + 1);
    }
    PLACE.toArray(places, last);
    this.ribbon.touch(POINTS - this.#count);
  }

  dispose(): void {
    this.ribbon.dispose();
  }
}

const PLACE = new Vector3();
