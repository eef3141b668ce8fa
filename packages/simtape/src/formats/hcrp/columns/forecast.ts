import { MOVE_ON_GROUND } from "../layout/motion.ts";

/**
 * Which fields of an entity's moves are stored as differences from a forecast, as bits; the writer takes those that make
 * an entity's numbers smaller. What is not forecast stands as it is in the chunk.
 */
export const FORECAST = { across: 1, up: 2, turn: 4 } as const;
export const FORECAST_ALL: number = FORECAST.across | FORECAST.up | FORECAST.turn;

/** Grid steps and angle steps that a forecast field has at most, either way: what three bytes of a VarInt hold. */
export const FORECAST_MOST: number = (1 << 20) - 1;

/** What is left of a displacement across after a tick: on the ground, and in the air (the game's own law of motion). */
const GROUND_DRAG = 0.546;
const AIR_DRAG = 0.91;
/** Of one upwards: grid steps less, and what is left of that. */
const GRAVITY = 327.68;
const FALL_DRAG = 0.98;
/** Grid steps of the first tick of a jump. */
const JUMP = 1720;
const RADIANS = Math.PI / 32_768;

/** A push below it has no direction worth following. */
const FAINT = 20;

/**
 * What the next move of one entity is likely to be, from those before it. Who runs keeps what friction leaves, pushes the
 * way the last push went, turned as the eyes have turned, and as hard as in the last such step: a jump, a landing, a step
 * on the ground or in the air. Who is in the air falls. Only sums, products, quotients, square roots and roundings of
 * doubles, which are the same everywhere.
 */
export class Forecast {
  /** The next residuals and the next change of yaw. Call `look` before x, y and z are asked for. */
  x = 0;
  y = 0;
  z = 0;
  yaw = 0;
  /** The last displacement. */
  #dx = 0;
  #dy = 0;
  #dz = 0;
  /** What the last displacement across had beside what was left of the one before. */
  #pushX = 0;
  #pushZ = 0;
  /** How long it is. */
  #last = 0;
  /** How long the last push of each kind of step was; below 0: there was none. */
  readonly #strength = new Float64Array(4);
  /** Whether the last two moves ended on the ground. Friction takes a step to take hold. */
  #wasOnGround = false;
  #drag = AIR_DRAG;

  /** At the first move of an entity: nothing is on its way. */
  begin(): void {
    this.yaw = 0;
    this.#dx = this.#dy = this.#dz = 0;
    this.#pushX = this.#pushZ = this.#last = 0;
    this.#strength.fill(-1);
    this.#wasOnGround = false;
    this.#drag = AIR_DRAG;
  }

  /** Expects x, y and z of a move of this mask that turns by `yaw` steps. */
  look(mask: number, yaw: number): void {
    const isOnGround = (mask & MOVE_ON_GROUND) !== 0;
    const angle = yaw * RADIANS;
    const square = angle * angle;
    // as near as matters, up to half a turn
    const sine = angle * (1 - (square / 6) * (1 - (square / 20) * (1 - (square / 42) * (1 - square / 72))));
    const cosine = 1 - (square / 2) * (1 - (square / 12) * (1 - (square / 30) * (1 - square / 56)));
    const pushX = this.#pushX;
    const pushZ = this.#pushZ;
    const strength = this.#strength[kindOf(this.#wasOnGround, isOnGround)]!;
    const scale = this.#last > FAINT && strength >= 0 ? strength / this.#last : 1;
    const less = 1 - this.#drag;
    this.x = limited((pushX * cosine - pushZ * sine) * scale - less * this.#dx);
    this.z = limited((pushX * sine + pushZ * cosine) * scale - less * this.#dz);
    const up = isOnGround ? 0 : this.#wasOnGround ? JUMP : (this.#dy - GRAVITY) * FALL_DRAG;
    this.y = limited(up - this.#dy);
  }

  /** Takes the move as it is. */
  follow(mask: number, x: number, y: number, z: number, yaw: number): void {
    const isOnGround = (mask & MOVE_ON_GROUND) !== 0;
    const dx = this.#dx + x;
    const dz = this.#dz + z;
    const pushX = dx - this.#drag * this.#dx;
    const pushZ = dz - this.#drag * this.#dz;
    this.#last = Math.sqrt(pushX * pushX + pushZ * pushZ);
    this.#strength[kindOf(this.#wasOnGround, isOnGround)] = this.#last;
    this.#pushX = pushX;
    this.#pushZ = pushZ;
    this.#dx = dx;
    this.#dy += y;
    this.#dz = dz;
    this.#drag = this.#wasOnGround ? GROUND_DRAG : AIR_DRAG;
    this.#wasOnGround = isOnGround;
    this.yaw = yaw;
  }
}

function kindOf(wasOnGround: boolean, isOnGround: boolean): number {
  return (wasOnGround ? 2 : 0) + (isOnGround ? 1 : 0);
}

function limited(value: number): number {
  const whole = Math.floor(value + 0.5);
  if (whole < -FORECAST_MOST) return -FORECAST_MOST;
  return whole > FORECAST_MOST ? FORECAST_MOST : whole;
}
