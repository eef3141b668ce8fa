import { Box3, Group, Vector3 } from "three";
import type { Cast } from "../cast.ts";
import { type Course, runsOf } from "./course.ts";
import { Curtain } from "./curtain.ts";
import { Lane } from "./lane.ts";
import { colorOf, ghostColor } from "../drawing/look.ts";
import type { Spot } from "../things/pick.ts";
import { Ribbon } from "./ribbon.ts";

/** The way of a thing, drawn. */
interface Way {
  readonly course: Course;
  readonly runs: ReturnType<typeof runsOf>;
  readonly object: Group;
  readonly parts: readonly (Ribbon | Lane | Curtain)[];
}

/** The ways that things of recordings take, as ribbons; lanes of what drives, and curtains below what flies. */
export class Ways {
  readonly object: Group = new Group();
  readonly #ways = new Map<string, Way>();

  /** Draws the way of a thing in place of the one before: of recording 0 or of a ghost; `floor` is the height of the ground. */
  set(index: number, cast: Cast | undefined, set: string, id: number | string, course: Course, floor: number): void {
    const key = keyOf(index, set, id);
    this.#forget(key);
    const isMain = index === 0;
    const color = isMain ? colorOf(typeof id === "string" ? (id.split("/")[1] ?? id) : id) : ghostColor(index - 1);
    const style = { color, width: 1.5, opacity: 0.4, isFading: false };
    const { lane = 0, bottom = 0, flies = false } = cast?.crowds.find((one) => one.set === set) ?? {};
    const runs = runsOf(course);
    const parts = runs.flatMap(([first, last]): (Ribbon | Lane | Curtain)[] => {
      const places = course.places.subarray(3 * first, 3 * last + 3);
      const ribbon = new Ribbon(places, style);
      if (isMain && flies) return [ribbon, new Curtain(places, color, floor)];
      return lane > 0 && isMain ? [ribbon, new Lane(places, lane, bottom)] : [ribbon];
    });
    const object = new Group();
    object.add(...parts.map((part) => part.object));
    this.#ways.set(key, { course, runs, object, parts });
    this.object.add(object);
  }

  /** Of a thing in recording 0 or in a ghost; null: it is not known. */
  courseOf(index: number, { crowd, row }: Spot): Course | null {
    return this.#ways.get(keyOf(index, crowd.set, crowd.poses.ids[row]!))?.course ?? null;
  }

  /** The places of the way that leads to where a thing is at a time without a leap, the newest last; null: it is not known. */
  pastOf(key: string, time: number): Float32Array | null {
    const way = this.#ways.get(key);
    if (way === undefined) return null;
    const { times, places } = way.course;
    const [first = 0, last = -1] = way.runs.find(([from, to]) => times[from]! <= time && time <= times[to]!) ?? [];
    let count = first;
    while (count <= last && times[count]! < time) count++;
    return places.subarray(3 * first, 3 * count);
  }

  /** Whether a thing of what plays is known to go further than it is large; null: no way of its set is known. */
  moves(spot: Spot): boolean | null {
    const { set, radius, frame } = spot.crowd;
    const { places } = this.courseOf(0, spot) ?? {};
    if (places === undefined) return [...this.#ways.keys()].some((key) => key.startsWith(`0 ${set} `)) ? false : null;
    WAY.makeEmpty();
    for (let at = 0; at < places.length; at += 3) WAY.expandByPoint(FEET.fromArray(places, at));
    return WAY.min.distanceTo(WAY.max) > 2 * radius * frame.matrixWorld.getMaxScaleOnAxis();
  }

  /** Widens the box by the ways of what plays, seen from above. */
  frame(box: Box3): void {
    for (const [key, { course }] of this.#ways) {
      if (!key.startsWith("0 ")) continue;
      const { places } = course;
      for (let at = 0; at < places.length; at += 3) box.expandByPoint(FEET.set(places[at]!, 0, places[at + 2]!));
    }
  }

  clear(): void {
    for (const key of [...this.#ways.keys()]) this.#forget(key);
  }

  #forget(key: string): void {
    const way = this.#ways.get(key);
    if (way === undefined) return;
    this.object.remove(way.object);
    for (const part of way.parts) part.dispose();
    this.#ways.delete(key);
  }
}

const FEET = new Vector3();
const WAY = new Box3();

/** Of a thing in recording 0 or in a ghost. */
export function keyOf(index: number, set: string, id: number | string): string {
  return `${index} ${set} ${typeof id} ${id}`;
}
