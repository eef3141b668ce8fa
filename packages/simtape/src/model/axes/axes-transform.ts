import { fromEuler, multiply, type Numbers, toEuler } from "./rotation.ts";
import { completeAxes } from "./standard-axes.ts";
import type { Direction, Axes } from "./axes.ts";

/**
 * Turns what a set with these axes holds to standard axes, and back. The same object each time for the same axes. Throws
 * `RangeError` for axes that contradict themselves.
 */
export function transformOf(axes: Axes | null): AxesTransform {
  const key = axes ?? UNSTATED;
  const known = TRANSFORMS.get(key);
  if (known !== undefined) return known;
  const made = new AxesTransform(axes);
  TRANSFORMS.set(key, made);
  return made;
}

const UNSTATED = completeAxes(null);
const TRANSFORMS = new WeakMap<Axes, AxesTransform>();
const [ROLL, PITCH, YAW] = [0, 1, 2] as const;

/**
 * Standard axes are right-handed with z up; a thing's own are x forward, y left, z up; a quaternion is x, y, z, w. Of a
 * geodetic set, x is east and y is north where the thing is. Lengths stay in their unit (`metresPer`, `metresPerSecond`).
 * Each call writes to `out` from `at` on, which may be where its numbers come from, and allocates nothing. What is not
 * known is NaN, before and behind. Made by `transformOf`.
 */
export class AxesTransform {
  /** All that the set means, stated or not. */
  readonly axes: Axes;
  readonly #set: Basis;
  readonly #own: Basis;
  /** What turns standard own axes to those that the things have; null when they are the same. */
  readonly #between: Float64Array | null;
  /** Roll, pitch and yaw are called as the axes that they are about; these are they in the order of turning. */
  readonly #first: number;
  readonly #middle: number;
  readonly #last: number;
  /** -1: that order is a mirror image of yaw, pitch, roll. */
  readonly #mirror: number;
  /** Yaw, pitch, roll, as in all formats. */
  readonly #isUsual: boolean;
  /** -1: the angle grows against the right hand. */
  readonly #rollSense: number;
  readonly #pitchSense: number;
  readonly #yawSense: number;
  /** Where a thing looks whose angles are 0: radians from x to the left, and as a quaternion. */
  readonly #zero: number;
  readonly #ahead: Float64Array = new Float64Array(4);
  readonly #scratch: Float64Array = new Float64Array(8);

  constructor(axes: Axes | null) {
    this.axes = completeAxes(axes);
    const { handed, up, kind, own } = this.axes;
    const { order, roll, pitch, yaw, zero } = this.axes.angles!;
    this.#set = new Basis(up === "x" || up === "-x" ? "y" : "x", up, handed);
    this.#own = own === undefined ? this.#set : new Basis(own.forward, own.up, handed);
    this.#between = turnBetween(this.#set, this.#own);
    [this.#first, this.#middle, this.#last] = turnsOf(order, kind);
    this.#mirror = this.#middle === (this.#last + 1) % 3 ? 1 : -1;
    this.#isUsual = this.#first === YAW && this.#middle === PITCH;
    this.#rollSense = sign(roll, "right", "left");
    this.#pitchSense = sign(pitch, "down", "up");
    this.#yawSense = sign(yaw, "left", "right");
    this.#zero = kind === "geodetic" ? bearingOf(zero) : headingOf(zero, this.#set);
    fromEuler(0, 0, this.#zero, this.#ahead, 0);
    const { velocities, tickRate = 1 } = this.axes;
    if (!(tickRate > 0 && tickRate < Number.POSITIVE_INFINITY)) throw new RangeError(`no rate of ticks: ${tickRate}`);
    if (velocities !== "own" && velocities !== "set") throw new RangeError(`no axes of velocities: ${velocities}`);
  }

  /** A position, a velocity or another vector along the axes of the set: 3 numbers. */
  vector(a: number, b: number, c: number, out: Numbers, at: number): void {
    this.#set.along(a, b, c, out, at);
  }

  /** Back from `vector`: 3 numbers along the axes of the set. */
  vectorBack(x: number, y: number, z: number, out: Numbers, at: number): void {
    this.#set.against(x, y, z, out, at);
  }

  /** A vector along a thing's own axes, to forward, left, up: 3 numbers. */
  ownVector(a: number, b: number, c: number, out: Numbers, at: number): void {
    this.#own.along(a, b, c, out, at);
  }

  /** Back from `ownVector`: 3 numbers along the thing's own axes, as the set has them. */
  ownVectorBack(forward: number, left: number, up: number, out: Numbers, at: number): void {
    this.#own.against(forward, left, up, out, at);
  }

  /** A row of an `orientation` column, a unit quaternion: 4 numbers. */
  orientation(x: number, y: number, z: number, w: number, out: Numbers, at: number): void {
    const { hand } = this.#set;
    const b = this.#between;
    if (b === null) {
      this.#set.along(hand * x, hand * y, hand * z, out, at);
      out[at + 3] = w;
      return;
    }
    const s = this.#scratch;
    this.#set.along(hand * x, hand * y, hand * z, s, 0);
    multiply(s[0]!, s[1]!, s[2]!, w, b[0]!, b[1]!, b[2]!, b[3]!, out, at);
  }

  /** Back from `orientation`: 4 numbers. */
  orientationBack(x: number, y: number, z: number, w: number, out: Numbers, at: number): void {
    const { hand } = this.#set;
    const s = this.#scratch;
    const b = this.#between;
    if (b !== null) multiply(x, y, z, w, -b[0]!, -b[1]!, -b[2]!, b[3]!, s, 0);
    else copy(x, y, z, w, s, 0);
    this.#set.against(hand * s[0]!, hand * s[1]!, hand * s[2]!, out, at);
    out[at + 3] = s[3]!;
  }

  /**
   * A row of a `rotation` column to a quaternion: 4 numbers. `radians` are those in one of the column's unit
   * (`radiansPer`).
   */
  angles(roll: number, pitch: number, yaw: number, radians: number, out: Numbers, at: number): void {
    const a = this.#rollSense * (roll * radians);
    const b = this.#pitchSense * (pitch * radians);
    const c = this.#yawSense * (yaw * radians);
    const zero = this.#zero;
    // Adding a zero would take the sign of another.
    if (this.#isUsual) fromEuler(a, b, zero === 0 ? c : c + zero, out, at);
    else this.#inOrder(a, b, c, out, at);
  }

  #inOrder(roll: number, pitch: number, yaw: number, out: Numbers, at: number): void {
    const s = this.#scratch;
    const isLevel = this.#zero === 0;
    const isYawFirst = this.#first === YAW;
    s[ROLL] = roll;
    s[PITCH] = pitch;
    s[YAW] = isYawFirst && !isLevel ? yaw + this.#zero : yaw;
    const mirror = this.#mirror;
    // An order is yaw, pitch, roll of axes that have changed places, and where that mirrors them, of angles the other way.
    fromEuler(mirror * s[this.#last]!, mirror * s[this.#middle]!, mirror * s[this.#first]!, s, 4);
    s[this.#last] = mirror * s[4]!;
    s[this.#middle] = mirror * s[5]!;
    s[this.#first] = mirror * s[6]!;
    const a = this.#ahead;
    if (isYawFirst || isLevel) copy(s[0]!, s[1]!, s[2]!, s[7]!, out, at);
    else multiply(a[0]!, a[1]!, a[2]!, a[3]!, s[0]!, s[1]!, s[2]!, s[7]!, out, at);
  }

  /**
   * A unit quaternion to roll, pitch and yaw: 3 numbers, the one in the middle of the order within a quarter turn. Where
   * that is a quarter turn, the other two are about one axis, and what each gets of them is rounding.
   */
  anglesBack(x: number, y: number, z: number, w: number, radians: number, out: Numbers, at: number): void {
    const s = this.#scratch;
    const isLevel = this.#zero === 0;
    const isYawFirst = this.#first === YAW;
    const a = this.#ahead;
    if (isYawFirst || isLevel) copy(x, y, z, w, s, 0);
    else multiply(-a[0]!, -a[1]!, -a[2]!, a[3]!, x, y, z, w, s, 0);
    const mirror = this.#mirror;
    toEuler(mirror * s[this.#last]!, mirror * s[this.#middle]!, mirror * s[this.#first]!, s[3]!, s, 4);
    s[this.#last] = mirror * s[4]!;
    s[this.#middle] = mirror * s[5]!;
    s[this.#first] = mirror * s[6]!;
    const per = 1 / radians;
    out[at] = this.#rollSense * (s[ROLL]! * per);
    out[at + 1] = this.#pitchSense * (s[PITCH]! * per);
    const turned = this.#yawSense * (s[YAW]! * per);
    out[at + 2] = isYawFirst && !isLevel ? turned - this.#yawSense * (this.#zero * per) : turned;
  }
}

/** Which coordinate forward, left and up are, and whether they are its opposite (-1). */
class Basis {
  readonly axis: readonly [number, number, number];
  readonly sign: readonly [number, number, number];
  /** -1: left-handed. */
  readonly hand: number;
  readonly #x: number;
  readonly #y: number;
  readonly #z: number;
  readonly #signX: number;
  readonly #signY: number;
  readonly #signZ: number;
  readonly #given: Float64Array = new Float64Array(3);

  constructor(forward: Direction, up: Direction, handed: Axes["handed"]) {
    const [x, signX] = unitOf(forward);
    const [z, signZ] = unitOf(up);
    if (x === z) throw new RangeError(`forward and up are the same axis: ${forward}, ${up}`);
    this.hand = handed === "left" ? -1 : 1;
    [this.#x, this.#y, this.#z] = [x, 3 - x - z, z];
    // Up × forward, by the hand of the axes.
    const signY = signX * signZ * this.hand * (x === (z + 1) % 3 ? 1 : -1);
    [this.#signX, this.#signY, this.#signZ] = [signX, signY, signZ];
    this.axis = [this.#x, this.#y, this.#z];
    this.sign = [signX, signY, signZ];
  }

  along(a: number, b: number, c: number, out: Numbers, at: number): void {
    const given = this.#given;
    given[0] = a;
    given[1] = b;
    given[2] = c;
    out[at] = this.#signX * given[this.#x]!;
    out[at + 1] = this.#signY * given[this.#y]!;
    out[at + 2] = this.#signZ * given[this.#z]!;
  }

  against(x: number, y: number, z: number, out: Numbers, at: number): void {
    out[at + this.#x] = this.#signX * x;
    out[at + this.#y] = this.#signY * y;
    out[at + this.#z] = this.#signZ * z;
  }
}

const NAMES: readonly string[] = ["roll", "pitch", "yaw"];

function turnsOf(order: string, kind: Axes["kind"]): [number, number, number] {
  const turns = order.split("-").map((name) => NAMES.indexOf(name));
  if (turns.length !== 3 || new Set(turns).size !== 3 || turns.includes(-1))
    throw new RangeError(`no order of yaw, pitch and roll: ${order}`);
  if (kind === "geodetic" && turns[0] !== YAW)
    throw new RangeError(`the heading of a geodetic set is turned first, not as in ${order}`);
  return turns as [number, number, number];
}

function sign(given: string, plus: string, minus: string): number {
  if (given !== plus && given !== minus) throw new RangeError(`an angle grows to ${plus} or ${minus}, not ${given}`);
  return given === plus ? 1 : -1;
}

const LETTERS = "xyz";

function unitOf(direction: string): readonly [axis: number, sign: number] {
  const axis = LETTERS.indexOf(direction.at(-1)!);
  if (axis < 0 || !/^-?.$/.test(direction)) throw new RangeError(`no direction along an axis: ${direction}`);
  return [axis, direction.startsWith("-") ? -1 : 1];
}

function copy(x: number, y: number, z: number, w: number, out: Numbers, at: number): void {
  out[at] = x;
  out[at + 1] = y;
  out[at + 2] = z;
  out[at + 3] = w;
}

/** The quaternion that turns forward, left and up to where `set` has what `own` calls so; null when they lie there. */
function turnBetween(set: Basis, own: Basis): Float64Array | null {
  const m = (row: number, column: number): number =>
    set.axis[row] === own.axis[column] ? set.sign[row]! * own.sign[column]! : 0;
  const [xx, yy, zz] = [m(0, 0), m(1, 1), m(2, 2)];
  if (xx === 1 && yy === 1) return null;
  const [xy, xz, yz] = [m(0, 1) + m(1, 0), m(0, 2) + m(2, 0), m(1, 2) + m(2, 1)];
  const [xw, yw, zw] = [m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1)];
  // Four times each product of two of x, y, z, w: a row is the quaternion, but for its length.
  const rows = [
    [1 + xx - yy - zz, xy, xz, xw],
    [xy, 1 - xx + yy - zz, yz, yw],
    [xz, yz, 1 - xx - yy + zz, zw],
    [xw, yw, zw, 1 + xx + yy + zz],
  ];
  const row = rows.reduce((best, one, i) => (one[i]! > best[rows.indexOf(best)]! ? one : best));
  return Float64Array.from(row, (cell) => cell / Math.hypot(...row));
}

/** To which side of x a direction lies, radians. */
function headingOf(zero: string, set: Basis): number {
  const [axis, sign] = unitOf(zero);
  const [x, y] = [0, 1].map((k) => (set.axis[k] === axis ? set.sign[k]! * sign : 0));
  if (x === 0 && y === 0) throw new RangeError(`a thing that is level cannot look up or down: ${zero}`);
  return Math.atan2(y!, x!);
}

/** The same of a quarter of the compass, where x is east. */
function bearingOf(zero: string): number {
  const quarters = ["south", "east", "north", "west"].indexOf(zero) - 1;
  if (quarters < -1) throw new RangeError(`in a geodetic set a thing looks to a quarter of the compass: ${zero}`);
  return (quarters * Math.PI) / 2;
}
