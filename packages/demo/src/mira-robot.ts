import type { Disc, Room } from "./mira-room.ts";

/** Length of a step of the simulation, s. */
export const STEP: number = 0.01;
/** Beams of the scanner, counterclockwise over 270 degrees. */
export const BEAMS: number = 181;
export const FIELD: number = 1.5 * Math.PI;
/** m */
export const MAX_RANGE: number = 8;
export const MIN_RANGE: number = 0.05;
/** Standard deviation of a range, m. */
export const RANGE_NOISE: number = 0.01;

export const RADIUS = 0.25;
/** Distance between the wheels, m. */
export const TRACK = 0.36;
const SPEED = 0.6;
/** m/s² */
const ACCELERATION = 0.9;
/** Pulses of a wheel's encoder in a metre. */
const TICKS = 3000;
/** Seconds after which the robot gives up a goal. */
const GIVE_UP = 30;
/** Battery: capacity in watt hours, power of the electronics, and additional power of driving for each m/s. */
const CAPACITY = 12;
const IDLE_POWER = 14;
const DRIVE_POWER = 40;
const CHARGE_POWER = 900;
const DOCK = { x: 0, y: 0 };

/** The robot's task; a change of it is an event. */
type Task = "PlanAndDrive" | "Bumped" | "GoalReached" | "Replan" | "BatteryLow" | "Charging";

/** A robot with two driven wheels, their encoders, a bumper, a laser scanner and a pilot that knows only these. */
export class Robot implements Disc {
  readonly radius: number = RADIUS;
  x: number;
  y: number;
  phi: number;
  isBumped = false;
  task: Task = "PlanAndDrive";
  /** Pose and speeds, computed from the encoders. */
  readonly odometry = { x: 0, y: 0, phi: 0, speed: 0, turn: 0 };
  /** m driven, computed from the encoders. */
  mileage = 0;
  /** Watt hours left. */
  charge: number;
  readonly ranges: Float32Array = new Float32Array(BEAMS);
  readonly #room: Room;
  readonly #random: () => number;
  #left = 0;
  #right = 0;
  #leftWanted = 0;
  #rightWanted = 0;
  /** Fractions of pulses that are not counted yet. */
  #leftTicks = 0;
  #rightTicks = 0;
  /** How much larger each wheel is than the odometry assumes. */
  readonly #wheelErrors: readonly [number, number];
  #goal: { readonly x: number; readonly y: number };
  /** Seconds in the present task. */
  #since = 0;
  #turnSide = 1;

  constructor(room: Room, random: () => number, x: number, y: number) {
    this.#room = room;
    this.#random = random;
    this.x = x;
    this.y = y;
    this.phi = 2 * Math.PI * random();
    this.charge = CAPACITY * (0.6 + 0.4 * random());
    this.#wheelErrors = [1 + 0.004 * gauss(random), 1 + 0.004 * gauss(random)];
    this.#goal = room.freePoint(random);
    this.ranges.fill(MAX_RANGE);
  }

  /** Volts of a lead battery of 24 V: falls with its charge and under load. */
  get voltage(): number {
    const load = Math.abs(this.#left) + Math.abs(this.#right);
    return 22.8 + 3.4 * (this.charge / CAPACITY) - 0.5 * load + (this.task === "Charging" ? 1.6 : 0);
  }

  /** Percent. */
  get level(): number {
    return Math.max(0, Math.min(100, Math.round((100 * this.charge) / CAPACITY)));
  }

  /** Advances by one step, among other robots. */
  step(others: readonly Disc[]): void {
    this.#since += STEP;
    this.#pilot();
    const change = ACCELERATION * STEP;
    this.#left += Math.max(-change, Math.min(change, this.#leftWanted - this.#left));
    this.#right += Math.max(-change, Math.min(change, this.#rightWanted - this.#right));
    const speed = (this.#left + this.#right) / 2;
    const turn = (this.#right - this.#left) / TRACK;
    const middle = this.phi + (turn * STEP) / 2;
    const x = this.x + speed * STEP * Math.cos(middle);
    const y = this.y + speed * STEP * Math.sin(middle);
    const isBlocked =
      this.#clearance(x, y, others) < RADIUS && this.#clearance(x, y, others) < this.#clearance(this.x, this.y, others);
    this.isBumped = isBlocked;
    if (isBlocked) {
      this.#left = 0;
      this.#right = 0;
    } else {
      this.x = x;
      this.y = y;
      this.phi += turn * STEP;
    }
    this.#count();
    const power = IDLE_POWER + DRIVE_POWER * (Math.abs(this.#left) + Math.abs(this.#right));
    this.charge += ((this.task === "Charging" ? CHARGE_POWER : -power) * STEP) / 3600;
    this.charge = Math.max(0, Math.min(CAPACITY, this.charge));
  }

  /** Fills `ranges`, in m; `MAX_RANGE` beyond the scanner's reach. */
  scan(others: readonly Disc[]): void {
    for (let beam = 0; beam < BEAMS; beam++) {
      const direction = this.phi - FIELD / 2 + (beam * FIELD) / (BEAMS - 1);
      const range = this.#room.range(this.x, this.y, direction, others, MAX_RANGE);
      const measured = range + RANGE_NOISE * gauss(this.#random);
      this.ranges[beam] =
        range >= MAX_RANGE ? MAX_RANGE : Math.max(MIN_RANGE, Math.min(MAX_RANGE, Math.round(measured * 1000) / 1000));
    }
  }

  #clearance(x: number, y: number, others: readonly Disc[]): number {
    let nearest = this.#room.clearance(x, y);
    for (const other of others) nearest = Math.min(nearest, Math.hypot(other.x - x, other.y - y) - other.radius);
    return nearest;
  }

  /** Counts whole pulses of the encoders since the last step, and updates pose and speeds. */
  #count(): void {
    const slip = 1 + 0.01 * gauss(this.#random);
    this.#leftTicks += this.#left * STEP * TICKS * this.#wheelErrors[0] * slip;
    this.#rightTicks += this.#right * STEP * TICKS * this.#wheelErrors[1] * slip;
    const left = Math.trunc(this.#leftTicks);
    const right = Math.trunc(this.#rightTicks);
    this.#leftTicks -= left;
    this.#rightTicks -= right;
    const way = (left + right) / 2 / TICKS;
    const turned = (right - left) / TICKS / TRACK;
    const { odometry } = this;
    const middle = odometry.phi + turned / 2;
    odometry.x += way * Math.cos(middle);
    odometry.y += way * Math.sin(middle);
    odometry.phi = Math.atan2(Math.sin(odometry.phi + turned), Math.cos(odometry.phi + turned));
    odometry.speed += 0.2 * (way / STEP - odometry.speed);
    odometry.turn += 0.2 * (turned / STEP - odometry.turn);
    this.mileage += Math.abs(way);
  }

  #pilot(): void {
    switch (this.task) {
      case "Bumped":
        this.#drive(this.#since < 0.9 ? -0.25 : 0, this.#since < 0.9 ? 0 : 1.2 * this.#turnSide);
        if (this.#since > 1.9) this.#replan();
        return;
      case "GoalReached":
        this.#drive(0, 0);
        if (this.#since > 1.5) this.#replan();
        return;
      case "Charging":
        this.#drive(0, 0);
        if (this.charge > 0.95 * CAPACITY) this.#replan();
        return;
      case "Replan":
        this.#begin("PlanAndDrive");
        return;
      case "PlanAndDrive":
      case "BatteryLow":
        this.#driveToGoal();
        return;
      default:
        this.task satisfies never;
    }
  }

  #driveToGoal(): void {
    if (this.isBumped) {
      this.#turnSide = this.#random() < 0.5 ? -1 : 1;
      this.#begin("Bumped");
      return;
    }
    if (this.task === "PlanAndDrive" && this.charge < 0.15 * CAPACITY) {
      this.#goal = DOCK;
      this.#begin("BatteryLow");
    }
    const away = Math.hypot(this.#goal.x - this.x, this.#goal.y - this.y);
    if (away < (this.#goal === DOCK ? 0.8 : 0.3)) {
      this.#begin(this.#goal === DOCK ? "Charging" : "GoalReached");
      return;
    }
    if (this.#since > GIVE_UP) {
      this.#replan();
      return;
    }
    const wish = Math.atan2(this.#goal.y - this.y, this.#goal.x - this.x) - this.phi;
    const direction = this.#passable(Math.atan2(Math.sin(wish), Math.cos(wish)), away);
    const turn = Math.max(-1.4, Math.min(1.4, 2.2 * direction));
    const speed = SPEED * Math.max(0, Math.cos(direction)) ** 2 * Math.min(1, 0.3 + away);
    this.#drive(speed, turn);
  }

  /** The direction nearest to the wanted one in which the last scan shows free space, measured from straight ahead. */
  #passable(wish: number, away: number): number {
    const reach = Math.min(1.1, away + RADIUS);
    let best = wish;
    let cost = Number.POSITIVE_INFINITY;
    for (let direction = -2; direction <= 2; direction += 0.1) {
      const room = this.#roomTowards(direction);
      const own = Math.abs(direction - wish) + (room < reach ? 3 * (reach - room) + 1 : 0);
      if (own >= cost) continue;
      cost = own;
      best = direction;
    }
    return best;
  }

  /** How far the robot, with its width, can go in a direction. */
  #roomTowards(direction: number): number {
    let room = MAX_RANGE;
    for (let beam = 0; beam < BEAMS; beam += 3) {
      const off = -FIELD / 2 + (beam * FIELD) / (BEAMS - 1) - direction;
      if (Math.abs(off) > Math.PI / 2) continue;
      const range = this.ranges[beam]!;
      if (Math.abs(range * Math.sin(off)) < RADIUS + 0.08) room = Math.min(room, range * Math.cos(off) - RADIUS);
    }
    return room;
  }

  #replan(): void {
    this.#goal = this.#room.freePoint(this.#random);
    this.#begin("Replan");
  }

  #begin(task: Task): void {
    this.task = task;
    this.#since = 0;
  }

  #drive(speed: number, turn: number): void {
    this.#leftWanted = speed - (turn * TRACK) / 2;
    this.#rightWanted = speed + (turn * TRACK) / 2;
  }
}

/** A random number with normal distribution around 0, by Box and Muller. */
function gauss(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
