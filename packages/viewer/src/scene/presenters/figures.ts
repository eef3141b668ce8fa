import { type BufferGeometry, Color, Group } from "three";
import { rotate } from "../drawing/compose.ts";
import { Instances } from "../drawing/instances.ts";
import { color, type Look } from "../drawing/look.ts";
import { FarFigures } from "./far-figures.ts";
import type { Build } from "./figure-shapes.ts";
import type { Eye } from "./presenter.ts";
import { cornered } from "./shapes.ts";

/** Pixels: who is drawn lower than this is drawn in one simple shape. */
export const LOW = 28;

const WHITE = color("#ffffff");
const PLACE = new Float64Array(3);
const BENT = new Float32Array(4);
const SHADE = new Color();
/** Numbers kept of a figure: place, body, head, height, swing, lean, colour and how it sits, from these on. */
const [BODY, HEAD, HEIGHT, SWING, LEAN, SHIRT, SIT, KEPT] = [3, 7, 11, 12, 13, 14, 17, 18] as const;
/** From the shoulder down to the hand, of a figure that is 1 high. */
const ARM = 10.5 / 32;

/** People with arms and legs that swing, in one draw for each of their parts; those who are far, in one for all. */
export class Figures {
  readonly object: Group = new Group();
  readonly #look: Look;
  readonly #build: Build;
  readonly #trunks: Instances;
  readonly #heads: Instances;
  readonly #arms: Instances;
  readonly #legs: Instances;
  readonly #far: FarFigures;
  /** As they were put: from where they are seen may change without them. */
  #people = new Float32Array(KEPT * 16);
  #areFar = new Uint8Array(16);
  #count = 0;
  /** Whether others were put since they were made. */
  #isStale = false;

  constructor(look: Look, build: Build) {
    this.#look = look;
    this.#build = build;
    const of = (geometry: BufferGeometry): Instances =>
      new Instances(
        build.isFlat ? cornered(geometry) : geometry,
        look.material({ vertexColors: true, flatShading: build.isFlat }),
      );
    this.#trunks = of(build.trunk());
    this.#heads = of(build.head());
    this.#arms = of(build.arm());
    this.#legs = of(build.leg());
    this.#far = new FarFigures(look, build);
    for (const part of this.#parts) this.object.add(part.object);
  }

  get #parts(): readonly (Instances | FarFigures)[] {
    return [this.#trunks, this.#heads, this.#arms, this.#legs, this.#far];
  }

  begin(): void {
    this.#count = 0;
  }

  /**
   * A figure with the feet at a place, turned as the body and the head are; `swing` is the angle of the left leg,
   * `lean` that of the trunk, `sit` that of both legs ahead.
   */
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
    sit = 0,
  ): void {
    const i = this.#count++;
    if (i === this.#areFar.length) this.#grow();
    const people = this.#people;
    const from = KEPT * i;
    people[from] = x;
    people[from + 1] = y;
    people[from + 2] = z;
    for (let k = 0; k < 4; k++) {
      people[from + BODY + k] = body[at + k]!;
      people[from + HEAD + k] = head[headAt + k]!;
    }
    people[from + HEIGHT] = height;
    people[from + SWING] = swing;
    people[from + LEAN] = lean;
    people[from + SIT] = sit;
    this.#look.paint(shirt).toArray(people, from + SHIRT);
  }

  /** Where a hand of such a figure is, and how it is turned: what it holds looks ahead. `side`: 1 right, -1 left. */
  hand(
    x: number,
    y: number,
    z: number,
    body: Float32Array,
    height: number,
    swing: number,
    lean: number,
    side: number,
    place: Float64Array,
    turn: Float32Array,
  ): void {
    const { neck, shoulder, arms } = this.#build;
    bend(body, 0, swing * side, turn);
    rotate(body, 0, Math.sin(lean) * neck * height, shoulder * height, side * arms * height, PLACE, 0);
    rotate(turn, 0, 0, -ARM * height, 0, place, 0);
    place[0]! += x + PLACE[0]!;
    place[1]! += y + PLACE[1]!;
    place[2]! += z + PLACE[2]!;
  }

  /** All have been put: they are made when they are seen. */
  end(): void {
    this.#isStale = true;
  }

  /** Makes them, as they look from there. */
  see(eye: Eye): void {
    let isOther = this.#isStale;
    for (let i = 0; i < this.#count; i++) {
      const isFar = this.#isFar(KEPT * i, eye);
      if (isFar === this.#areFar[i]) continue;
      this.#areFar[i] = isFar;
      isOther = true;
    }
    if (isOther) this.#fill();
    this.#isStale = false;
  }

  dispose(): void {
    for (const part of this.#parts) part.dispose();
  }

  #isFar(from: number, { position: { x, y, z }, pixels }: Eye): 0 | 1 {
    const people = this.#people;
    const [dx, dy, dz] = [people[from]! - x, people[from + 1]! - y, people[from + 2]! - z];
    const reach = (people[from + HEIGHT]! * pixels) / LOW;
    return dx * dx + dy * dy + dz * dz > reach * reach ? 1 : 0;
  }

  #fill(): void {
    for (const part of this.#parts) part.begin();
    for (let i = 0; i < this.#count; i++) {
      if (this.#areFar[i] === 1) this.#putFar(KEPT * i);
      else this.#putNear(KEPT * i);
    }
    for (const part of this.#parts) part.end();
  }

  #putFar(from: number): void {
    const p = this.#people;
    SHADE.fromArray(p, from + SHIRT);
    const [x, y, z, height] = [p[from]!, p[from + 1]!, p[from + 2]!, p[from + HEIGHT]!];
    this.#far.put(x, y, z, p, from + BODY, height, p[from + SWING]!, p[from + LEAN]!, SHADE);
  }

  #putNear(from: number): void {
    const build = this.#build;
    const people = this.#people;
    const body = from + BODY;
    const [swing, lean] = [people[from + SWING]!, people[from + LEAN]!];
    SHADE.fromArray(people, from + SHIRT);
    bend(people, body, -lean);
    this.#part(this.#trunks, from, 0, 0, 0, BENT, 0, SHADE);
    const ahead = Math.sin(lean) * build.neck;
    for (const side of SIDES) {
      bend(people, body, swing * side);
      this.#part(this.#arms, from, ahead, build.shoulder, side * build.arms, BENT, 0, SHADE);
    }
    const plain = this.#look.paint(WHITE);
    for (const side of SIDES) {
      bend(people, body, people[from + SIT]! - swing * side);
      this.#part(this.#legs, from, 0, build.hip, side * build.legs, BENT, 0, plain);
    }
    this.#part(this.#heads, from, ahead, build.neck, 0, people, from + HEAD, plain);
  }

  #part(
    part: Instances,
    from: number,
    ahead: number,
    up: number,
    right: number,
    turn: Float32Array,
    at: number,
    shade: Color,
  ): void {
    const people = this.#people;
    const size = people[from + HEIGHT]!;
    rotate(people, from + BODY, ahead * size, up * size, right * size, PLACE, 0);
    part.put(
      people[from]! + PLACE[0]!,
      people[from + 1]! + PLACE[1]!,
      people[from + 2]! + PLACE[2]!,
      turn[at]!,
      turn[at + 1]!,
      turn[at + 2]!,
      turn[at + 3]!,
      size,
      size,
      size,
      shade,
    );
  }

  #grow(): void {
    const people = new Float32Array(2 * this.#people.length);
    people.set(this.#people);
    this.#people = people;
    const areFar = new Uint8Array(2 * this.#areFar.length);
    areFar.set(this.#areFar);
    this.#areFar = areFar;
  }
}

const SIDES: readonly number[] = [-1, 1];

/** `into` gets the orientation turned about the thing's own axis to the right: what hangs goes ahead, what stands back. */
export function bend(of: Float32Array, at: number, angle: number, into: Float32Array = BENT): void {
  const s = Math.sin(angle / 2);
  const c = Math.cos(angle / 2);
  const [x, y, z, w] = [of[at]!, of[at + 1]!, of[at + 2]!, of[at + 3]!];
  into[0] = x * c + y * s;
  into[1] = y * c - x * s;
  into[2] = z * c + w * s;
  into[3] = w * c - z * s;
}
