import { TangentPlane } from "simtape";
import type { Gaze } from "../gaze.ts";
import { type CameraPath, type Keyframe, USUAL_FIELD } from "./path.ts";
import { Curve, type Point, Progress } from "./spline.ts";

type Place = [number, number, number];

/**
 * So near to what it looks at, of the distance that it has to it at keyframes, the camera does not look at it any more:
 * it would turn round in no time. It turns from one keyframe's direction to the next then.
 */
const NEAR = { from: 0.15, to: 0.5 } as const;
/** Likewise so near to straight up or down, sine of the angle: there a small step turns all of the picture. */
const STEEP = { from: 0.05, to: 0.3 } as const;

/** Runs along a path: where it is at which time. */
export class PathRun {
  readonly #keyframes: readonly Keyframe[];
  readonly #plane: TangentPlane | null;
  readonly #positions: Curve;
  readonly #targets: Curve;
  /** Of the look at keyframes: radians about the vertical and above the level, and metres to the target. */
  readonly #yaws: Progress;
  readonly #pitches: Progress;
  readonly #lengths: Progress;
  readonly #fields: Progress;

  /** One keyframe at least. `isGeodetic`: places are degrees north, degrees east and metres. */
  constructor({ keyframes }: CameraPath, isGeodetic = false) {
    this.#keyframes = keyframes;
    const [latitude, longitude] = keyframes[0]!.position;
    this.#plane = isGeodetic ? new TangentPlane({ latitude, longitude, altitude: 0, heading: 0 }) : null;
    const times = keyframes.map(({ time }) => time);
    const rests = keyframes.map(({ ease = false }) => ease);
    const positions = keyframes.map(({ position }) => this.#inMetres(position));
    const targets = keyframes.map(({ target }) => this.#inMetres(target));
    const looks = looksOf(positions, targets);
    const progress = (values: readonly number[]): Progress => new Progress(times, values, rests);
    this.#positions = new Curve(times, positions, rests);
    this.#targets = new Curve(times, targets, rests);
    this.#yaws = progress(looks.map(({ yaw }) => yaw));
    this.#pitches = progress(looks.map(({ pitch }) => pitch));
    this.#lengths = progress(looks.map(({ length }) => length));
    this.#fields = progress(keyframes.map(({ field = USUAL_FIELD }) => field));
  }

  /** At the first keyframe before it, at the last one behind it. */
  at(time: number): Gaze {
    const { index, value: field } = this.#fields.at(time);
    const things = this.#thingsAt(time, index);
    const here = this.#keyframes[index]!;
    if (time === here.time) return { position: here.position, target: here.target, field, things };
    const position = this.#positions.at(time) as Place;
    return { position: this.#back(position), target: this.#back(this.#targetAt(time, position)), field, things };
  }

  #targetAt(time: number, position: Point): Place {
    const target = this.#targets.at(time);
    const length = this.#lengths.at(time).value;
    const way = target.map((value, k) => value - position[k]!);
    const distance = Math.hypot(...way);
    const level = distance === 0 ? 0 : Math.hypot(way[0]!, way[1]!) / distance;
    const share = length === 0 ? 1 : step(distance / length, NEAR) * step(level, STEEP);
    if (share === 1) return target as Place;
    const turned = directionOf(this.#yaws.at(time).value, this.#pitches.at(time).value);
    const mixed = turned.map((value, k) => (1 - share) * value + (distance === 0 ? 0 : (share * way[k]!) / distance));
    const away = ((1 - share) * length + share * distance) / (Math.hypot(...mixed) || 1);
    return position.map((value, k) => value + away * mixed[k]!) as Place;
  }

  /** From one thing to the next, or to a place, the look turns over all the time between their keyframes. */
  #thingsAt(time: number, index: number): Gaze["things"] & object {
    const [from, to] = [this.#keyframes[index]!, this.#keyframes[index + 1]];
    if (to === undefined) return from.lookAt === undefined ? [] : [{ ...from.lookAt, weight: 1 }];
    if (from.lookAt !== undefined && isSame(from.lookAt, to.lookAt)) return [{ ...from.lookAt, weight: 1 }];
    const part = Math.min(1, Math.max(0, (time - from.time) / (to.time - from.time)));
    const turned = part * part * (3 - 2 * part);
    const looked = [
      ...(from.lookAt === undefined ? [] : [{ ...from.lookAt, weight: 1 - turned }]),
      ...(to.lookAt === undefined ? [] : [{ ...to.lookAt, weight: turned }]),
    ];
    return looked.filter(({ weight }) => weight > 0);
  }

  /** Metres with z up. */
  #inMetres(place: readonly [number, number, number]): Place {
    const out: Place = [...place];
    this.#plane?.fromGeodetic(...place, out, 0);
    return out;
  }

  #back(place: Place): Place {
    this.#plane?.toGeodetic(...place, place, 0);
    return place;
  }
}

interface Look {
  readonly yaw: number;
  readonly pitch: number;
  readonly length: number;
}

/** From one to the next it turns the shorter way. What looks nowhere looks as the one before it. */
function looksOf(positions: readonly Point[], targets: readonly Point[]): readonly Look[] {
  let before: Look = { yaw: 0, pitch: 0, length: 0 };
  return positions.map((position, i) => {
    const [x, y, z] = targets[i]!.map((value, k) => value - position[k]!) as Place;
    const length = Math.hypot(x, y, z);
    const yaw = x === 0 && y === 0 ? before.yaw : Math.atan2(y, x);
    const turns = i === 0 ? 0 : Math.round((before.yaw - yaw) / (2 * Math.PI));
    const pitch = length === 0 ? before.pitch : Math.asin(Math.max(-1, Math.min(1, z / length)));
    before = { yaw: yaw + 2 * Math.PI * turns, pitch, length };
    return before;
  });
}

function directionOf(yaw: number, pitch: number): Place {
  const level = Math.cos(pitch);
  return [level * Math.cos(yaw), level * Math.sin(yaw), Math.sin(pitch)];
}

/** 0 up to `from`, 1 from `to` on, smooth between them. */
function step(value: number, { from, to }: { readonly from: number; readonly to: number }): number {
  const part = Math.min(1, Math.max(0, (value - from) / (to - from)));
  return part * part * (3 - 2 * part);
}

function isSame(a: NonNullable<Keyframe["lookAt"]>, b: Keyframe["lookAt"]): boolean {
  return a.set === b?.set && a.id === b.id;
}
