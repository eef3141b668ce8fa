import type { Point, Stance } from "simtape/making";

/** The game's own motion, in blocks and ticks: the speed of a jump, gravity, and the drag of the air. */
const JUMP = 0.42;
const GRAVITY = 0.08;
const DRAG = 0.98;
/** Speed of sprinting on the ground, and the largest speed of a sprinting jump. */
const SPRINT = 0.2806;
const LEAP = 0.36;
/** Half of a platform, and the player's own half width. */
const PLATFORM = 1.5;
const HALF_WIDTH = 0.3;
/** A fall ends this far below the last checkpoint. */
const LOST_BELOW = 9;

/** The part of a course that a runner needs. */
export interface Course {
  readonly platforms: readonly Point[];
  isCheckpoint(platform: number): boolean;
}

/** An event of a runner. */
export type News = "jump" | "land" | "checkpoint" | "finish" | "fell" | null;

/** A player on a parkour course: runs to the edge, jumps, aims with small errors, and sometimes misses. */
export class Runner {
  readonly entity: number;
  readonly name: string;
  readonly uuid: string;
  readonly #course: Course;
  readonly #random: () => number;
  /** Skill in jumping, see `#jump`; and speed of running. */
  readonly #error: number;
  readonly #pace: number;
  /** Blocks to the side of the middle of the platforms. */
  readonly #lane: number;
  stance: Stance;
  /** The last checkpoint, and the platform that the runner stands on or has jumped from. */
  checkpoint = 0;
  platform = 0;
  isDone = false;
  falls = 0;
  #isInAir = false;
  #velocity: [number, number, number] = [0, 0, 0];
  #wait = 0;
  #yaw = 0;

  constructor(entity: number, name: string, uuid: string, course: Course, random: () => number) {
    this.entity = entity;
    this.name = name;
    this.uuid = uuid;
    this.#course = course;
    this.#random = random;
    const skill = random();
    this.#error = 0.75 + 0.5 * (1 - skill);
    this.#pace = 0.9 + 0.12 * random();
    this.#lane = 0.9 * (random() - 0.5);
    const [x, y, z] = this.#spot(0, 0);
    this.stance = { x, y, z, yaw: 0, pitch: 5, onGround: true };
  }

  /** Returns to the start, for another race. */
  restart(): void {
    this.checkpoint = 0;
    this.platform = 0;
    this.isDone = false;
    this.falls = 0;
    this.#settle(0);
  }

  /** Returns to the last checkpoint. */
  reset(): void {
    this.#settle(this.checkpoint);
  }

  /** Waits and looks around. */
  idle(tick: number): void {
    const phase = tick / 17 + this.entity * 1.7;
    const hop = this.isDone ? Math.max(0, Math.sin(phase * 2.3)) * 0.9 : 0;
    const [, floor] = this.#spot(this.platform, 0);
    this.#yaw += this.isDone ? 5 : 1.4 * Math.sin(phase);
    const { x, z } = this.stance;
    this.stance = { x, y: floor + hop, z, yaw: this.#yaw, pitch: 7 * Math.sin(phase / 2), onGround: hop === 0 };
  }

  /** One tick of the race. */
  step(): News {
    if (this.#isInAir) return this.#fly();
    if (this.#wait > 0) {
      this.#wait--;
      return null;
    }
    const { platforms } = this.#course;
    const [tx, , tz] = this.#spot(this.platform, 0.95);
    const { x, z } = this.stance;
    const [dx, dz] = [tx - x, tz - z];
    const distance = Math.hypot(dx, dz);
    const speed = SPRINT * this.#pace;
    if (distance > speed) {
      this.#look(this.platform);
      this.stance = { ...this.stance, x: x + (dx / distance) * speed, z: z + (dz / distance) * speed, yaw: this.#yaw };
      return null;
    }
    if (this.platform === platforms.length - 1) return null;
    this.#jump();
    return "jump";
  }

  /** Aims at the next platform: at its distance, in the duration of the jump, with a small error. */
  #jump(): void {
    const { x, y, z } = this.stance;
    const [ax, ay, az] = this.#spot(this.platform + 1, -0.55);
    const ticks = ticksOfJump(ay - y);
    const [ex, ez] = [this.#gauss() * this.#error, this.#gauss() * this.#error];
    let vx = (ax + ex - x) / ticks;
    let vz = (az + ez - z) / ticks;
    const speed = Math.hypot(vx, vz);
    if (speed > LEAP) {
      vx *= LEAP / speed;
      vz *= LEAP / speed;
    }
    this.#velocity = [vx, JUMP, vz];
    this.#isInAir = true;
    this.#fly();
  }

  #fly(): News {
    const [vx, vy, vz] = this.#velocity;
    const { x, y, z, pitch } = this.stance;
    const next: [number, number, number] = [x + vx, y + vy, z + vz];
    this.#velocity = [vx, (vy - GRAVITY) * DRAG, vz];
    this.#look(this.platform);
    const landed = vy < 0 ? this.#landing(y, next) : null;
    if (landed === null) {
      const down = Math.min(75, pitch + (vy < -0.6 ? 3 : 0));
      this.stance = { x: next[0], y: next[1], z: next[2], yaw: this.#yaw, pitch: down, onGround: false };
      const [, floor] = this.#spot(this.checkpoint, 0);
      return next[1] < floor - LOST_BELOW ? this.#lose() : null;
    }
    const [, floor] = this.#spot(landed, 0);
    this.#isInAir = false;
    this.#wait = 1 + Math.floor(this.#random() * 4);
    this.platform = landed;
    this.stance = { x: next[0], y: floor, z: next[2], yaw: this.#yaw, pitch: 20 + 4 * this.#random(), onGround: true };
    if (landed === this.#course.platforms.length - 1) {
      this.isDone = true;
      return "finish";
    }
    if (!this.#course.isCheckpoint(landed) || landed <= this.checkpoint) return "land";
    this.checkpoint = landed;
    return "checkpoint";
  }

  /** The platform under the feet whose top the runner has passed in this tick. */
  #landing(before: number, [x, y, z]: Point): number | null {
    for (const candidate of [this.platform + 1, this.platform]) {
      const at = this.#course.platforms[candidate];
      if (at === undefined) continue;
      const top = at[1] + 1;
      if (before < top || y > top) continue;
      const reach = PLATFORM + HALF_WIDTH;
      if (Math.abs(x - at[0] - 0.5) <= reach && Math.abs(z - at[2] - 0.5) <= reach) return candidate;
    }
    return null;
  }

  #lose(): News {
    this.falls++;
    return "fell";
  }

  #settle(platform: number): void {
    this.platform = platform;
    this.#isInAir = false;
    this.#wait = 6 + Math.floor(this.#random() * 8);
    const [x, y, z] = this.#spot(platform, platform === 0 ? 0 : -0.3);
    this.stance = { x, y, z, yaw: this.#yaw, pitch: 15, onGround: true };
  }

  /** Turns towards the next platform, a part of the angle in each tick. */
  #look(platform: number): void {
    const { platforms } = this.#course;
    const [bx, , bz] = platforms[Math.min(platforms.length - 1, platform + 1)]!;
    const { x, z } = this.stance;
    const wanted = (Math.atan2(-(bx + 0.5 - x), bz + 0.5 - z) * 180) / Math.PI;
    const turn = ((((wanted - this.#yaw) % 360) + 540) % 360) - 180;
    this.#yaw += turn * 0.35 + 1.5 * (this.#random() - 0.5);
  }

  /** A point `along` blocks past the middle of a platform on the way to the next, on the runner's lane. */
  #spot(platform: number, along: number): Point {
    const { platforms } = this.#course;
    const [x, y, z] = platforms[platform]!;
    const isLast = platform === platforms.length - 1;
    const [fx, , fz] = platforms[isLast ? platform - 1 : platform]!;
    const [tx, , tz] = platforms[isLast ? platform : platform + 1]!;
    const length = Math.hypot(tx - fx, tz - fz);
    const [ux, uz] = [(tx - fx) / length, (tz - fz) / length];
    return [x + 0.5 + ux * along - uz * this.#lane, y + 1, z + 0.5 + uz * along + ux * this.#lane];
  }

  #gauss(): number {
    return this.#random() + this.#random() + this.#random() + this.#random() - 2;
  }
}

/** Ticks until a jump reaches a height on its way down. */
function ticksOfJump(height: number): number {
  let y = 0;
  let velocity = JUMP;
  for (let tick = 1; tick < 60; tick++) {
    y += velocity;
    velocity = (velocity - GRAVITY) * DRAG;
    if (velocity < 0 && y <= height) return tick;
  }
  return 12;
}
