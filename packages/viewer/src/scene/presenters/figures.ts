import { type BufferGeometry, CapsuleGeometry, type Color, Group } from "three";
import { rotate } from "../compose.ts";
import { Instances } from "../instances.ts";
import { color, type Look } from "../look.ts";
import { ball, box, merged, shaded } from "./shapes.ts";

/** Measures of a figure that is 1 high: where its joints are, and what hangs on them. */
interface Build {
  readonly hip: number;
  readonly shoulder: number;
  readonly neck: number;
  /** From the middle to a leg and to an arm. */
  readonly legs: number;
  readonly arms: number;
  trunk(): BufferGeometry;
  head(): BufferGeometry;
  /** Downwards from zero. */
  arm(): BufferGeometry;
  leg(): BufferGeometry;
}

const SKIN = [0.79, 0.57, 0.44] as const;
const HAIR = [0.2, 0.13, 0.09] as const;
const EYE = [0.08, 0.08, 0.1] as const;

/** Of boxes, as players of a block game are: 32 pixels high. */
export const BLOCKY: Build = (() => {
  const pixel = 1 / 32;
  const cube = (x: number, y: number, z: number, length: number, height: number, width: number): BufferGeometry =>
    box(x * pixel, y * pixel, z * pixel, length * pixel, height * pixel, width * pixel);
  return {
    hip: 12 * pixel,
    shoulder: 23.5 * pixel,
    neck: 24 * pixel,
    legs: 2 * pixel,
    arms: 6 * pixel,
    trunk: () => merged([shaded(cube(0, 18, 0, 4, 12, 8), 1), shaded(cube(0, 12.6, 0, 4.1, 1.2, 8.1), 0.2)]),
    head: () =>
      merged([
        shaded(cube(0, 4, 0, 8, 8, 8), ...SKIN),
        shaded(cube(-0.1, 7.2, 0, 8.4, 2, 8.4), ...HAIR),
        shaded(cube(-2.6, 4.4, 0, 3.4, 5, 8.4), ...HAIR),
        ...[-1, 1].flatMap((side) => [
          shaded(cube(4, 4.4, side * 1.9, 0.2, 1.2, 1.8), 0.95, 0.95, 0.95),
          shaded(cube(4.05, 4.4, side * 1.5, 0.2, 1.2, 1), ...EYE),
        ]),
      ]),
    arm: () => merged([shaded(cube(0, -3, 0, 4, 7, 4), 0.92), shaded(cube(0, -9, 0, 3.9, 5, 3.9), ...SKIN)]),
    leg: () =>
      merged([
        shaded(cube(0, -5, 0, 4, 10, 3.95), 0.3, 0.34, 0.48),
        shaded(cube(0.2, -11, 0, 4.5, 2, 4.1), 0.2, 0.15, 0.12),
      ]),
  };
})();

/** Rounder, as people in the street are. */
export const ROUND: Build = {
  hip: 0.5,
  shoulder: 0.79,
  neck: 0.85,
  legs: 0.055,
  arms: 0.125,
  trunk: () =>
    merged([
      shaded(new CapsuleGeometry(0.075, 0.2, 4, 12).scale(0.85, 1, 1.35).translate(0, 0.67, 0), 1),
      shaded(new CapsuleGeometry(0.07, 0.04, 4, 12).scale(0.85, 1, 1.25).translate(0, 0.53, 0), 0.24, 0.27, 0.36),
    ]),
  head: () =>
    merged([
      shaded(ball(0.005, 0.07, 0, 0.068).scale(1, 1.15, 0.92), ...SKIN),
      shaded(ball(-0.012, 0.098, 0, 0.07).scale(1, 1, 0.98), ...HAIR),
      shaded(new CapsuleGeometry(0.03, 0.03, 3, 8), ...SKIN),
    ]),
  arm: () =>
    merged([
      shaded(new CapsuleGeometry(0.03, 0.2, 4, 8).translate(0, -0.13, 0), 0.95),
      shaded(ball(0, -0.31, 0, 0.03), ...SKIN),
    ]),
  leg: () =>
    merged([
      shaded(new CapsuleGeometry(0.042, 0.36, 4, 10).translate(0, -0.24, 0), 0.24, 0.27, 0.36),
      shaded(box(0.03, -0.48, 0, 0.13, 0.04, 0.07), 0.12),
    ]),
};

const WHITE = color("#ffffff");
const PLACE = new Float64Array(3);
const BENT = new Float32Array(4);

/** People with arms and legs that swing, in one draw for each of their parts. */
export class Figures {
  readonly object: Group = new Group();
  readonly #look: Look;
  readonly #build: Build;
  readonly #trunks: Instances;
  readonly #heads: Instances;
  readonly #arms: Instances;
  readonly #legs: Instances;

  constructor(look: Look, build: Build) {
    this.#look = look;
    this.#build = build;
    const of = (geometry: BufferGeometry): Instances => new Instances(geometry, look.material({ vertexColors: true }));
    this.#trunks = of(build.trunk());
    this.#heads = of(build.head());
    this.#arms = of(build.arm());
    this.#legs = of(build.leg());
    for (const part of this.#parts) this.object.add(part.object);
  }

  get #parts(): readonly Instances[] {
    return [this.#trunks, this.#heads, this.#arms, this.#legs];
  }

  begin(): void {
    for (const part of this.#parts) part.begin();
  }

  /** Someone with the feet at a place, turned as the body and the head are; `swing` is the angle of the left leg, `lean` that of the trunk. */
  put(
    x: number,
    y: number,
    z: number,
    body: Float32Array,
    at: number,
    head: Float32Array,
    headAt: number,
    height: number,
    swing: number,
    lean: number,
    shirt: Color,
  ): void {
    const build = this.#build;
    const shade = this.#look.paint(shirt);
    bend(body, at, -lean);
    this.#part(this.#trunks, x, y, z, body, at, 0, 0, 0, BENT, 0, height, shade);
    const ahead = Math.sin(lean) * build.neck;
    for (const side of SIDES) {
      bend(body, at, swing * side);
      this.#part(this.#arms, x, y, z, body, at, ahead, build.shoulder, side * build.arms, BENT, 0, height, shade);
    }
    const plain = this.#look.paint(WHITE);
    for (const side of SIDES) {
      bend(body, at, -swing * side);
      this.#part(this.#legs, x, y, z, body, at, 0, build.hip, side * build.legs, BENT, 0, height, plain);
    }
    this.#part(this.#heads, x, y, z, body, at, ahead, build.neck, 0, head, headAt, height, plain);
  }

  end(): void {
    for (const part of this.#parts) part.end();
  }

  dispose(): void {
    for (const part of this.#parts) part.dispose();
  }

  #part(
    part: Instances,
    x: number,
    y: number,
    z: number,
    body: Float32Array,
    at: number,
    ahead: number,
    up: number,
    right: number,
    turn: Float32Array,
    from: number,
    size: number,
    shade: Color,
  ): void {
    rotate(body, at, ahead * size, up * size, right * size, PLACE, 0);
    part.put(
      x + PLACE[0]!,
      y + PLACE[1]!,
      z + PLACE[2]!,
      turn[from]!,
      turn[from + 1]!,
      turn[from + 2]!,
      turn[from + 3]!,
      size,
      size,
      size,
      shade,
    );
  }
}

const SIDES: readonly number[] = [-1, 1];

/** `BENT` gets the orientation turned about the thing's own axis to the right: ahead is positive. */
function bend(of: Float32Array, at: number, angle: number): void {
  const s = Math.sin(angle / 2);
  const c = Math.cos(angle / 2);
  const [x, y, z, w] = [of[at]!, of[at + 1]!, of[at + 2]!, of[at + 3]!];
  BENT[0] = x * c + y * s;
  BENT[1] = y * c - x * s;
  BENT[2] = z * c + w * s;
  BENT[3] = w * c - z * s;
}
