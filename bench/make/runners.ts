/** Players that run and jump all the time, by the game's own laws of motion. No other players cost a recorder more. */

import type { Stance } from "../../packages/simtape/dist/record/index.js";

/** Degrees that one count of the mouse turns a player, with the game's sensitivity of 0.5. */
const MOUSE = 0.15;
const GRAVITY = 0.08;
const DRAG = 0.98;
const JUMP = 0.42;
/** Share of the horizontal speed that remains after a tick, on the ground and in the air. */
const GROUND = 0.546;
const AIR = 0.91;
/** Horizontal speed that a sprinter adds in a tick on the ground, in a tick in the air, and by a jump. */
const STRIDE = 0.13;
const GLIDE = 0.026;
const LEAP = 0.2;
const RADIANS = Math.PI / 180;

/** Numbers of 0 to 1 that look random, the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Height of the ground: terraces of whole blocks and slabs. */
function groundAt(x: number, z: number): number {
  const [u, v] = [Math.floor(x), Math.floor(z)];
  return 64 + Math.round(2 * (Math.sin(u / 5) + Math.cos(v / 6) + Math.sin((u + v) / 9))) / 2;
}

/**
 * One player: it turns to where it wants to go with a hand that is never still, sprints there, and jumps on the way.
 */
export class Runner {
  readonly #random: () => number;
  #x: number;
  #y: number;
  #z: number;
  #vx = 0;
  #vy = 0;
  #vz = 0;
  #yaw: number;
  #pitch = 10;
  #turning = 0;
  #nodding = 0;
  #goal: number;
  #pause = 0;
  #onGround = true;

  constructor(seed: number) {
    this.#random = randomOf(seed * 7919);
    this.#x = seed * 24 + this.#random() * 8;
    this.#z = this.#random() * 64;
    this.#y = groundAt(this.#x, this.#z);
    this.#goal = this.#yaw = Math.floor(this.#random() * 2400) * MOUSE;
  }

  get stance(): Stance {
    return { x: this.#x, y: this.#y, z: this.#z, yaw: this.#yaw, pitch: this.#pitch, onGround: this.#onGround };
  }

  /** The next tick; false: the player did not move. */
  step(): boolean {
    const random = this.#random;
    if (this.#pause > 0) {
      this.#pause--;
      return false;
    }
    if (random() < 0.0005) this.#pause = 10;
    this.#look();
    const wasOnGround = this.#onGround;
    const isJumping = wasOnGround && random() < 0.6;
    const heading = this.#yaw * RADIANS;
    const push = wasOnGround ? STRIDE : GLIDE;
    if (isJumping) {
      this.#vy = JUMP;
      this.#vx -= Math.sin(heading) * LEAP;
      this.#vz += Math.cos(heading) * LEAP;
    }
    this.#vx -= Math.sin(heading) * push;
    this.#vz += Math.cos(heading) * push;
    this.#walk();
    const friction = wasOnGround ? GROUND : AIR;
    this.#vx *= friction;
    this.#vz *= friction;
    this.#vy = (this.#vy - GRAVITY) * DRAG;
    return true;
  }

  /** A hand turns the mouse with a speed that changes little, in whole counts; now and then it aims elsewhere. */
  #look(): void {
    const random = this.#random;
    if (random() < 0.03) this.#goal = this.#yaw + (random() - 0.5) * 180;
    const wish = Math.max(-60, Math.min(60, (this.#goal - this.#yaw) / MOUSE / 5));
    this.#turning = 0.7 * this.#turning + 0.3 * wish + (random() - 0.5) * 8;
    this.#nodding = 0.8 * this.#nodding + (random() - 0.5) * 6 + (10 - this.#pitch) / 20;
    this.#yaw += Math.round(this.#turning) * MOUSE;
    this.#pitch = Math.max(-90, Math.min(90, this.#pitch + Math.round(this.#nodding) * MOUSE));
  }

  /** Moves as far as the ground allows: floors carry, walls stop, half a block is a step. */
  #walk(): void {
    const floor = groundAt(this.#x, this.#z);
    const y = this.#y + this.#vy;
    this.#onGround = y <= floor;
    if (this.#onGround) this.#vy = 0;
    this.#y = Math.max(y, floor);
    const reach = this.#y + (this.#onGround ? 0.6 : 0);
    const [x, z] = [this.#x + this.#vx, this.#z + this.#vz];
    if (groundAt(x, this.#z) <= reach) this.#x = x;
    else this.#vx = 0;
    if (groundAt(this.#x, z) <= reach) this.#z = z;
    else this.#vz = 0;
    if (this.#onGround) this.#y = Math.max(this.#y, groundAt(this.#x, this.#z));
  }
}
