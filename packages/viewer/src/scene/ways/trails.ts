import { Group, Vector3 } from "three";
import type { Cast } from "../cast.ts";
import { colorOf } from "../drawing/look.ts";
import { placeOf } from "../things/pick.ts";
import type { Crowd } from "../presenters/presenter.ts";
import { Ribbon } from "./ribbon.ts";
import { keyOf, type Ways } from "./ways.ts";

/** Points of one trail, and how many things have one. */
const POINTS = 160;
const MOST = 48;
/** A move of so many radii at once is none: the trail begins again. */
const LEAP = 30;
/** Radii between two points that are seen, and how long a trail is of a way that is known. */
const APART = 0.25;
const LENGTH = APART * POINTS;

/**
 * Where things have just been: the end of their way, where that is known, else as it was seen, and then a jump in time
 * begins again. Fades towards its end.
 */
export class Trails {
  readonly object: Group = new Group();
  /** By cast, set and id; those not updated for a while are used again for others. */
  readonly #trails = new Map<string, Trail>();
  readonly #ways: Ways;
  readonly #areSeen: boolean;

  /** `areSeen`: those whose way is not known have one, too, which is not the same however a time is come to. */
  constructor(ways: Ways, areSeen: boolean) {
    this.#ways = ways;
    this.#areSeen = areSeen;
  }

  clear(): void {
    for (const trail of this.#trails.values()) trail.clear();
  }

  update(cast: Cast): void {
    for (const crowd of cast.crowds) {
      if (!crowd.travels || crowd.poses.count > MOST) continue;
      for (let row = 0; row < crowd.poses.count; row++) {
        if (!crowd.poses.isKnown(row)) continue;
        const id = crowd.poses.ids[row]!;
        const key = keyOf(cast.look.ghost + 1, crowd.set, id);
        const way = this.#ways.pastOf(key, cast.state!.time);
        if (way !== null) this.#trailOf(key, id, cast)?.follow(way, crowd, row);
        else if (this.#areSeen) this.#trailOf(key, id, cast)?.add(crowd, row);
      }
    }
  }

  dispose(): void {
    for (const trail of this.#trails.values()) trail.dispose();
  }

  #trailOf(key: string, id: number | string, cast: Cast): Trail | null {
    const found = this.#trails.get(key);
    if (found !== undefined) return found;
    if (this.#trails.size >= 2 * MOST) return null;
    const trail = new Trail(id, cast);
    this.#trails.set(key, trail);
    this.object.add(trail.ribbon.object);
    return trail;
  }
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

  /** Shows the end of a way, up to where it is now. */
  follow(way: Float32Array, crowd: Crowd, row: number): void {
    const places = this.#places;
    const lift = this.#stand(crowd, row);
    PLACE.toArray(places, 3 * (POINTS - 1));
    this.#count = 1;
    let left = LENGTH * crowd.radius;
    for (let at = way.length - 3; at >= 0 && left > 0 && this.#count < POINTS; at -= 3) {
      BEFORE.fromArray(way, at).y += lift;
      const step = BEFORE.distanceTo(PLACE);
      if (step < APART * crowd.radius && at > 0) continue;
      PLACE.lerp(BEFORE, Math.min(1, left / step));
      left -= step;
      this.#count++;
      PLACE.toArray(places, 3 * (POINTS - this.#count));
    }
    this.ribbon.touch(POINTS - this.#count);
  }

  /** The newest is always last; one that has hardly moved takes the place of the one before. */
  add(crowd: Crowd, row: number): void {
    this.#stand(crowd, row);
    const places = this.#places;
    const last = 3 * (POINTS - 1);
    const before = last - 3;
    const away = Math.hypot(PLACE.x - places[last]!, PLACE.y - places[last + 1]!, PLACE.z - places[last + 2]!);
    if (this.#count > 0 && away > LEAP * crowd.radius) this.#count = 0;
    const isNear =
      this.#count > 1 &&
      Math.hypot(PLACE.x - places[before]!, PLACE.y - places[before + 1]!, PLACE.z - places[before + 2]!) <
        APART * crowd.radius;
    if (!isNear) {
      places.copyWithin(0, 3);
      this.#count = Math.min(POINTS, this.#count + 1);
    }
    PLACE.toArray(places, last);
    this.ribbon.touch(POINTS - this.#count);
  }

  /** `PLACE` gets where it is, a little above its feet: by so much. */
  #stand(crowd: Crowd, row: number): number {
    const lift = 0.05 * crowd.radius;
    placeOf(crowd, row, PLACE).y += lift;
    return lift;
  }

  dispose(): void {
    this.ribbon.dispose();
  }
}

const PLACE = new Vector3();
const BEFORE = new Vector3();
