import type { Value } from "simtape/making";
import type { Molecules, Pull } from "./nanover-molecules.ts";

/**
 * Metres in the room for 1 nm, and the place of the box's corner: the middle of the box is in front of the user's
 * chest.
 */
const SCALE = 0.4;
/** Speed at which a hand approaches its aim: an exponent for a second. */
const QUICKNESS = 6;
/** Least and most seconds that the user watches, reaches out, and pulls. */
const LOOKING = [1.5, 5] as const;
const REACHING = [0.5, 1] as const;
const PULLING = [1, 3.5] as const;
/** How far the user pulls an atom, nm, and how strongly. */
const REACH = 0.5;
const STRENGTH = 100;

type Vector = [number, number, number];

/** A user in the room who watches, walks a little, and pulls at a particle now and then. Room: left-handed, y up, m. */
export class User {
  /** UUIDs. */
  readonly id: string;
  interaction: string;
  readonly #random: () => number;
  readonly #molecules: Molecules;
  readonly #phase: Vector;
  readonly #hands: [Vector, Vector] = [
    [-0.25, 1.05, -0.5],
    [0.25, 1.05, -0.5],
  ];
  #isPulling = false;
  #particle = -1;
  #until: number;
  #direction: Vector = [0, 0, 0];
  #since = 0;

  constructor(molecules: Molecules, random: () => number) {
    this.#molecules = molecules;
    this.#random = random;
    this.id = uuid(random);
    this.interaction = uuid(random);
    this.#phase = [6 * random(), 6 * random(), 6 * random()];
    this.#until = between(LOOKING, random);
  }

  /** Pose of the simulation in the room, where its x is mirrored. */
  get scene(): number[] {
    const half = (this.#molecules.box / 2) * SCALE;
    return [half, 1.2 - half, -half, 0, 0, 0, 1, SCALE, SCALE, SCALE];
  }

  /** The present pull; null when there is none. */
  get pull(): Pull | null {
    if (!this.#isPulling) return null;
    const [x, y, z] = this.#toSimulation(this.#hands[1]);
    return { particle: this.#particle, x, y, z, scale: STRENGTH };
  }

  /** Advances to `seconds`, `elapsed` after the last time. */
  step(seconds: number, elapsed: number): void {
    if (seconds >= this.#until) this.#decide(seconds);
    const rest: Vector = [0.25 + 0.05 * Math.sin(seconds * 0.9), 1.05 + 0.04 * Math.sin(seconds * 1.3), -0.5];
    let aim = rest;
    if (this.#particle >= 0) {
      const at = 3 * this.#particle;
      const { positions } = this.#molecules;
      const away = this.#isPulling ? Math.min(1, (seconds - this.#since) / 0.8) * REACH : 0;
      const [dx, dy, dz] = this.#direction;
      const from: Vector = this.#isPulling ? this.#start : [positions[at]!, positions[at + 1]!, positions[at + 2]!];
      aim = this.#toRoom([from[0] + dx * away, from[1] + dy * away, from[2] + dz * away]);
    }
    const part = 1 - Math.exp(-QUICKNESS * elapsed);
    for (let k = 0; k < 3; k++) this.#hands[1][k] = this.#hands[1][k]! + (aim[k]! - this.#hands[1][k]!) * part;
    this.#hands[0] = [-0.25 + 0.04 * Math.sin(seconds * 0.7), 1.05 + 0.05 * Math.sin(seconds), -0.5];
  }

  avatar(seconds: number): Value {
    const sway = seconds * 0.4 + this.#phase[0]!;
    const turn = 0.15 * Math.sin(sway);
    return {
      playerid: this.id,
      name: "Ada",
      color: [0.05, 0.71, 0.88, 1],
      components: [
        component("headset", [0.1 * Math.sin(sway), 1.62 + 0.01 * Math.sin(seconds * 2), -0.9], turn),
        component("hand.left", this.#hands[0], 0.4),
        component("hand.right", this.#hands[1], -0.4),
      ],
    };
  }

  /** The pull, as it is shared while it lasts. */
  shared(pull: Pull): Value {
    return {
      position: [pull.x, pull.y, pull.z],
      particles: [pull.particle],
      interaction_type: "spring",
      scale: pull.scale,
      mass_weighted: true,
      reset_velocities: false,
      max_force: Number.POSITIVE_INFINITY,
      "owner.id": this.id,
      label: "hand.right",
    };
  }

  #start: Vector = [0, 0, 0];

  #decide(seconds: number): void {
    const random = this.#random;
    this.#since = seconds;
    if (this.#isPulling) {
      this.#isPulling = false;
      this.#particle = -1;
      this.interaction = uuid(random);
      this.#until = seconds + between(LOOKING, random);
    } else if (this.#particle < 0) {
      this.#particle = Math.floor(random() * this.#molecules.count);
      this.#until = seconds + between(REACHING, random);
    } else {
      this.#isPulling = true;
      const at = 3 * this.#particle;
      const { positions } = this.#molecules;
      this.#start = [positions[at]!, positions[at + 1]!, positions[at + 2]!];
      const [height, turn] = [2 * random() - 1, 2 * Math.PI * random()];
      const flat = Math.sqrt(1 - height * height);
      this.#direction = [flat * Math.cos(turn), flat * Math.sin(turn), height];
      this.#until = seconds + between(PULLING, random);
    }
  }

  #toRoom([x, y, z]: Vector): Vector {
    const [px, py, pz] = this.scene as Vector;
    return [px - x * SCALE, py + y * SCALE, pz + z * SCALE];
  }

  #toSimulation([x, y, z]: Vector): Vector {
    const [px, py, pz] = this.scene as Vector;
    return [(px - x) / SCALE, (y - py) / SCALE, (z - pz) / SCALE];
  }
}

function component(name: string, position: readonly number[], turn: number): Value {
  return { name, position: [...position], rotation: [0, Math.sin(turn / 2), 0, Math.cos(turn / 2)] };
}

function between([least, most]: readonly [number, number], random: () => number): number {
  return least + (most - least) * random();
}

/** Version 4, of the numbers given. */
function uuid(random: () => number): string {
  const digits = Array.from({ length: 32 }, () => Math.floor(random() * 16));
  digits[12] = 4;
  digits[16] = 8 + (digits[16]! & 3);
  const text = digits.map((digit) => digit.toString(16)).join("");
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join("-");
}
