import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Group, Line, LineBasicMaterial, Vector3 } from "three";
import type { Cast } from "./cast.ts";
import { colorOf } from "./look.ts";
import { placeOf } from "./pick.ts";
import type { Crowd } from "./presenters/presenter.ts";

/** Points of one trail, and how many things have one. */
const POINTS = 160;
const MOST = 48;
/** A move of so many radii at once is none: the trail begins anew. */
const LEAP = 30;

/** Where things have just been, as it was seen: a jump in time begins anew. Fades towards its end. */
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
    this.object.add(trail.line);
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
  readonly line: Line<BufferGeometry, LineBasicMaterial>;
  readonly #places = new Float32Array(3 * POINTS);
  #count = 0;

  constructor(id: number | string, { look }: Cast) {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(this.#places, 3).setUsage(DynamicDrawUsage));
    geometry.setAttribute("color", fading(look.paint(colorOf(typeof id === "string" ? (id.split("/")[1] ?? id) : id))));
    this.line = new Line(geometry, new LineBasicMaterial({ vertexColors: true, transparent: true }));
    this.line.frustumCulled = false;
    this.clear();
  }

  clear(): void {
    this.#count = 0;
    this.line.geometry.setDrawRange(0, 0);
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
    this.line.geometry.getAttribute("position").needsUpdate = true;
    this.line.geometry.setDrawRange(POINTS - this.#count, this.#count);
  }

  dispose(): void {
    this.line.geometry.dispose();
    this.line.material.dispose();
  }
}

function fading({ r, g, b }: { readonly r: number; readonly g: number; readonly b: number }): BufferAttribute {
  const colors = new Float32Array(4 * POINTS);
  for (let i = 0; i < POINTS; i++) colors.set([r, g, b, (i / POINTS) ** 1.5], 4 * i);
  return new BufferAttribute(colors, 4);
}

const PLACE = new Vector3();
