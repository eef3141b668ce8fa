/** Threshold of runway 30 at Half Moon Bay, California: metres above the ellipsoid, degrees. */
export const AIRPORT = { id: "KHAF", latitude: 37.5107, longitude: -122.4942, altitude: 20.1 } as const;

const DEGREE = Math.PI / 180;
const KNOT = 0.514444;
const GRAVITY = 9.80665;
/** A Cessna 172P: kg, m², and the dependence of lift and drag on the angle of attack (radians). */
const MASS = 1043;
const WING_AREA = 16.2;
const LIFT_0 = 0.3;
const LIFT_SLOPE = 4.9;
const FLAP_LIFT = 0.55;
const STALL = 0.27;
const DRAG_0 = 0.031;
const DRAG_INDUCED = 0.054;
const FLAP_DRAG = 0.045;
/** Thrust in newtons at full power and standstill, and the speed at which the propeller has no thrust, m/s. */
const THRUST = 3100;
const THRUST_END = 80;
/** Gallons per hour at full power, and gallons in each tank at the start. */
const FUEL_FLOW = 9.5;
const FUEL = 20;
const ROLLING = 0.03;
const BRAKING = 0.35;

/** Heading of the runway, and the size of the circuit to its left: metres along it, beside it, and above it. */
const RUNWAY = 317 * DEGREE;
const UPWIND_END = 2700;
const CIRCUIT_WIDTH = 1500;
const BASE_AT = -2000;
const CIRCUIT_HEIGHT = 300;
const AIM = 180;
const GLIDE = 3 * DEGREE;
const FLARE = 9;

const ROTATE = 55 * KNOT;
const CLIMB = 74 * KNOT;
const CRUISE = 95 * KNOT;
const APPROACH = 64 * KNOT;
const BANK = 24 * DEGREE;

export type Phase =
  | "line-up"
  | "take-off"
  | "climb-out"
  | "crosswind"
  | "downwind"
  | "base"
  | "final"
  | "flare"
  | "roll-out";

/** The air over the airport: a steady wind, air that gets thinner with height, and gusts. */
export class Air {
  /** Direction that the wind comes from, radians; m/s. */
  readonly from: number;
  readonly speed: number;
  readonly gusts: number;

  constructor(random: () => number) {
    this.from = RUNWAY + (random() - 0.5) * 0.9;
    this.speed = 2 + 4 * random();
    this.gusts = 0.3 + 0.9 * random();
  }

  /** Wind in metres per second to the east and to the north. */
  get east(): number {
    return -this.speed * Math.sin(this.from);
  }
  get north(): number {
    return -this.speed * Math.cos(this.from);
  }

  /** Density in kg/m³ at a height in metres. */
  density(height: number): number {
    return 1.225 * Math.exp(-(height + AIRPORT.altitude) / 10_400);
  }
}

/**
 * A light aircraft as a point mass with lift, drag, thrust and weight, whose pilot flies circuits: take-off, climb,
 * four turns, landing, and take-off again. Lengths in metres, angles in radians, heading clockwise from north.
 */
export class Aircraft {
  /** Metres to the east, to the north and above the threshold. */
  x = 0;
  y = 0;
  z = 0;
  /** Speed through the air, the angle of the path to the horizon, and its course. */
  speed: number;
  climb = 0;
  heading: number = RUNWAY;
  bank = 0;
  /** Angle of attack. */
  attack = 0.03;
  rollRate = 0;
  pitchRate = 0;
  yawRate = 0;
  throttle = 0;
  flaps = 0;
  aileron = 0;
  elevator = 0;
  rudder = 0;
  brakes = 1;
  rpm = 700;
  fuel: number = FUEL;
  isOnGround = true;
  /** Compression of the wheels, 0 to 1. */
  compression = 0.2;
  phase: Phase = "line-up";
  /** Acceleration by the air: along, across and down, m/s². */
  load: [along: number, across: number, down: number] = [0, 0, -GRAVITY];
  readonly #air: Air;
  readonly #random: () => number;
  #inPhase = 0;
  #gust = 0;
  #gustRoll = 0;

  constructor(air: Air, random: () => number) {
    this.#air = air;
    this.#random = random;
    this.speed = this.#headwind;
  }

  /** Puts the aircraft at a place on the downwind leg. */
  joinDownwind(): void {
    const along = UPWIND_END - 500 - this.#random() * (UPWIND_END - BASE_AT - 1200);
    const beside = CIRCUIT_WIDTH + (this.#random() - 0.5) * 300;
    [this.x, this.y] = fromRunway(along, beside);
    this.z = CIRCUIT_HEIGHT + (this.#random() - 0.5) * 60;
    this.heading = wrapped(RUNWAY + Math.PI);
    this.speed = CRUISE;
    this.isOnGround = false;
    this.brakes = 0;
    this.compression = 0;
    this.throttle = 0.6;
    this.rpm = 2200;
    this.#enter("downwind");
  }

  get pitch(): number {
    return this.climb + this.attack * Math.cos(this.bank);
  }
  get isStalling(): boolean {
    return !this.isOnGround && this.attack > STALL - 0.04;
  }
  get isRunning(): boolean {
    return this.fuel > 0;
  }
  get wind(): Air {
    return this.#air;
  }

  /** Speed over the ground, m/s: east, north, up. */
  get velocity(): [east: number, north: number, up: number] {
    const along = this.speed * Math.cos(this.climb);
    if (this.isOnGround) {
      const rolling = Math.max(0, along - this.#headwind);
      return [rolling * Math.sin(this.heading), rolling * Math.cos(this.heading), 0];
    }
    return [
      along * Math.sin(this.heading) + this.#air.east,
      along * Math.cos(this.heading) + this.#air.north,
      this.speed * Math.sin(this.climb),
    ];
  }

  step(seconds: number): void {
    this.#inPhase += seconds;
    this.#blow(seconds);
    const [attack, bank] = this.#fly();
    this.#control(attack, bank, seconds);
    const speed = Math.max(this.speed, 0.1);
    const pressure = 0.5 * this.#air.density(this.z) * speed * speed * WING_AREA;
    const angle = this.attack + this.#gust / Math.max(speed, 10);
    const stalled = Math.max(0, angle - STALL);
    const coefficient = LIFT_0 + LIFT_SLOPE * (angle - 2 * stalled) + FLAP_LIFT * this.flaps;
    const ground = this.z < 8 ? 0.7 : 1;
    const lift = pressure * coefficient;
    const drag =
      pressure * (DRAG_0 + ground * DRAG_INDUCED * coefficient ** 2 + FLAP_DRAG * this.flaps + 4 * stalled ** 2);
    const power = this.isRunning ? this.throttle ** 1.2 : 0;
    const thrust = THRUST * power * Math.max(0, 1 - speed / THRUST_END);
    if (this.isOnGround) this.#roll(lift, drag, thrust, seconds);
    else this.#soar(lift, drag, thrust, seconds);
    const target = this.isRunning ? 650 + 1650 * this.throttle ** 0.8 + 6 * speed * this.throttle : 0;
    this.rpm += (target - this.rpm) * Math.min(1, seconds * 2);
    this.fuel = Math.max(0, this.fuel - ((FUEL_FLOW * (0.15 + 0.85 * power)) / 3600 / 2) * seconds);
  }

  /** Gusts are noise that is smoothed over seconds. */
  #blow(seconds: number): void {
    const strength = this.#air.gusts * (this.isOnGround ? 0.2 : 1);
    const noise = (): number => this.#random() + this.#random() + this.#random() - 1.5;
    this.#gust += -this.#gust * seconds * 0.6 + strength * noise() * Math.sqrt(seconds) * 1.6;
    this.#gustRoll += -this.#gustRoll * seconds * 1.2 + strength * noise() * Math.sqrt(seconds) * 0.05;
  }

  /** The pilot's aims: angle of attack and bank. This also sets engine, flaps and brakes. */
  #fly(): [attack: number, bank: number] {
    const [along, beside] = toRunway(this.x, this.y);
    switch (this.phase) {
      case "line-up":
        this.#set(0, 0, 1);
        if (this.#inPhase > 2) this.#enter("take-off");
        return [0.03, 0];
      case "take-off":
        this.#set(1, 0, 0);
        if (!this.isOnGround && this.z > 5) this.#enter("climb-out");
        return [this.speed > ROTATE ? 0.16 : 0.03, 0];
      case "climb-out":
        if (along > UPWIND_END) this.#enter("crosswind");
        return [this.#climbing(), this.#along(RUNWAY, beside)];
      case "crosswind":
        if (beside > CIRCUIT_WIDTH - 380) this.#enter("downwind");
        return [this.#climbing(), this.#along(RUNWAY - Math.PI / 2, UPWIND_END + 350 - along)];
      case "downwind": {
        const isAbeam = along < 0;
        this.#set(this.#power(isAbeam ? 80 * KNOT : CRUISE, isAbeam ? 0.4 : 0.55), isAbeam ? 0.33 : 0, 0);
        if (along < BASE_AT + 300) this.#enter("base");
        return [this.#level(), this.#along(RUNWAY + Math.PI, CIRCUIT_WIDTH - beside)];
      }
      case "base":
        this.#set(this.#power(72 * KNOT, 0.25), 0.67, 0);
        if (beside < 330) this.#enter("final");
        return [this.#gliding(-4 * DEGREE), this.#along(RUNWAY + Math.PI / 2, along - BASE_AT)];
      case "final": {
        const height = Math.max(0, AIM - along) * Math.tan(GLIDE);
        this.#set(this.#power(APPROACH, 0.3), 1, 0);
        if (this.z < FLARE) this.#enter("flare");
        const path = -GLIDE - Math.max(-0.06, Math.min(0.06, (this.z - height) / 150));
        return [this.#gliding(path), this.#along(RUNWAY, beside)];
      }
      case "flare":
        this.#set(0, 1, 0);
        if (this.isOnGround) this.#enter("roll-out");
        return [this.#gliding(-0.6 * DEGREE - 0.005 * this.z, 1.6), this.#along(RUNWAY, beside) * 0.3];
      case "roll-out":
        this.#set(0, 0, 0.3);
        if (this.speed - this.#headwind < 15) this.#enter("take-off");
        return [0.02, 0];
      default:
        return this.phase satisfies never;
    }
  }

  #enter(phase: Phase): void {
    this.phase = phase;
    this.#inPhase = 0;
  }

  #set(throttle: number, flaps: number, brakes: number): void {
    this.throttle += Math.max(-0.02, Math.min(0.02, throttle - this.throttle));
    this.flaps += Math.max(-0.002, Math.min(0.002, flaps - this.flaps));
    this.brakes = brakes;
  }

  /** Full power; the pitch keeps the speed. */
  #climbing(): number {
    if (this.z > CIRCUIT_HEIGHT - 15) {
      this.#set(this.#power(CRUISE, 0.6), 0, 0);
      return this.#level();
    }
    this.#set(1, 0, 0);
    return this.#gliding(Math.max(0, Math.min(0.13, 0.08 + 0.02 * (this.speed - CLIMB))));
  }

  #level(): number {
    return this.#gliding(Math.max(-0.08, Math.min(0.08, (CIRCUIT_HEIGHT - this.z) / 250)));
  }

  /** Throttle that keeps a speed; `trim` is about right for the wanted speed. */
  #power(speed: number, trim: number): number {
    return Math.max(0, Math.min(1, trim + 0.08 * (speed - this.speed)));
  }

  /**
   * Angle of attack for a path of that slope: enough to carry the weight in this bank, and `firmness` to reach the
   * slope.
   */
  #gliding(slope: number, firmness = 0.8): number {
    const pressure = 0.5 * this.#air.density(this.z) * Math.max(this.speed, 15) ** 2 * WING_AREA;
    const needed = (MASS * GRAVITY * Math.cos(this.climb)) / Math.cos(this.bank) / pressure;
    const trim = (needed - LIFT_0 - FLAP_LIFT * this.flaps) / LIFT_SLOPE;
    return Math.max(-0.06, Math.min(STALL - 0.05, trim + firmness * (slope - this.climb)));
  }

  /** Bank that leads onto a line of that course; `right`: metres by which the line lies to the right. */
  #along(course: number, right: number): number {
    const [east, north] = this.velocity;
    const track = Math.atan2(east, north);
    const wanted = course + Math.max(-0.6, Math.min(0.6, right / 500));
    return Math.max(-BANK, Math.min(BANK, 1.4 * wrapped(wanted - track)));
  }

  /** The surfaces move toward their aims, and the aircraft follows them. */
  #control(attack: number, bank: number, seconds: number): void {
    const lively = Math.min(1, this.speed / 25);
    this.elevator = Math.max(-1, Math.min(1, -6 * (attack - this.attack)));
    this.aileron = Math.max(-1, Math.min(1, 1.8 * (bank - this.bank) - 0.6 * this.rollRate));
    const pitchBefore = this.pitch;
    this.attack += (attack - this.attack) * Math.min(1, 2.2 * lively * seconds);
    if (this.isOnGround) {
      this.bank = 0;
      this.rollRate = 0;
    } else {
      this.rollRate += (1.1 * this.aileron * lively + this.#gustRoll - 1.6 * this.rollRate) * seconds;
      this.bank += this.rollRate * seconds;
    }
    this.rudder = this.isOnGround ? Math.max(-1, Math.min(1, 4 * wrapped(RUNWAY - this.heading))) : 0.15 * this.aileron;
    this.pitchRate = (this.pitch - pitchBefore) / seconds;
  }

  #roll(lift: number, drag: number, thrust: number, seconds: number): void {
    const weight = MASS * GRAVITY;
    const press = Math.max(0, weight - lift);
    const rolling = this.speed - this.#headwind;
    const friction = rolling > 0.05 || thrust > weight * ROLLING ? press * (ROLLING + BRAKING * this.brakes) : thrust;
    const along = (thrust - drag - friction) / MASS;
    this.speed = Math.max(this.#headwind, this.speed + along * seconds);
    this.compression = 0.2 * (press / weight);
    this.yawRate = wrapped(RUNWAY - this.heading) * Math.min(0.5, rolling / 40);
    this.heading = wrapped(this.heading + this.yawRate * seconds);
    this.load = [along, 0, -GRAVITY];
    this.#move(seconds);
    if (lift > weight && this.phase === "take-off") {
      this.isOnGround = false;
      this.compression = 0;
      this.climb = 0.01;
    }
  }

  #soar(lift: number, drag: number, thrust: number, seconds: number): void {
    const speed = Math.max(this.speed, 10);
    const along = (thrust * Math.cos(this.attack) - drag) / MASS;
    const up = (lift + thrust * Math.sin(this.attack)) / MASS;
    this.speed = Math.max(5, this.speed + (along - GRAVITY * Math.sin(this.climb)) * seconds);
    this.climb += ((up * Math.cos(this.bank) - GRAVITY * Math.cos(this.climb)) / speed) * seconds;
    this.yawRate = (up * Math.sin(this.bank)) / (speed * Math.cos(this.climb));
    this.heading = wrapped(this.heading + this.yawRate * seconds);
    this.load = [along, 0, -up];
    this.#move(seconds);
    if (this.z > 0) return;
    this.z = 0;
    this.isOnGround = true;
    this.compression = Math.min(1, 0.2 + 0.3 * -this.speed * Math.sin(this.climb));
    this.climb = 0;
    if (this.phase !== "flare") this.#enter("roll-out");
  }

  #move(seconds: number): void {
    const [east, north, up] = this.velocity;
    this.x += east * seconds;
    this.y += north * seconds;
    this.z = Math.max(0, this.z + up * seconds);
  }

  get #headwind(): number {
    return Math.max(0, this.#air.speed * Math.cos(this.#air.from - RUNWAY));
  }
}

/** Metres along the runway from its threshold, and to its left. */
export function toRunway(x: number, y: number): [along: number, beside: number] {
  const [sin, cos] = [Math.sin(RUNWAY), Math.cos(RUNWAY)];
  return [x * sin + y * cos, -x * cos + y * sin];
}

export function fromRunway(along: number, beside: number): [x: number, y: number] {
  const [sin, cos] = [Math.sin(RUNWAY), Math.cos(RUNWAY)];
  return [along * sin - beside * cos, along * cos + beside * sin];
}

/** Between -π and π. */
function wrapped(angle: number): number {
  return angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));
}
