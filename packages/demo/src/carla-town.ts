/** A place in metres; `heading` in radians from x towards y; y is to the right of x. */
export interface Pose {
  readonly x: number;
  readonly y: number;
  readonly heading: number;
}

/**
 * Metres between two crossings, from the middle of a crossing to the ends of lanes, and from the middle of a road to
 * its lanes.
 */
export const BLOCK = 90;
export const HALF_CROSSING = 13;
export const LANE = 1.75;
/** Metres from the middle of a road to where people walk. */
const WALKWAY = 5.5;
/** Points along a turn. */
const TURN_POINTS = 17;

/** Seconds. Each road into a crossing has its own green phase, so that no two paths cross. */
export const GREEN = 8;
export const YELLOW = 3;
const CLEAR = 1.5;
const PHASE: number = GREEN + YELLOW + CLEAR;

/** Colours of a traffic light, by the numbers of CARLA. */
export type LightColor = 0 | 1 | 2;
const [RED, YELLOW_LIGHT, GREEN_LIGHT] = [0, 1, 2] as const;

/** m/s, m/s², s, m: drivers of the intelligent driver model (Treiber, Hennecke, Helbing 2000). */
const CITY_SPEED = 13.9;
const TURN_SPEED = 6;
const ACCELERATION = 1.8;
const COMFORTABLE_BRAKING = 2.5;
const HARDEST_BRAKING = 8;
const HEADWAY = 1.3;
const STANDSTILL = 2.5;
export const CAR_LENGTH = 4.7;
export const CAR_WIDTH = 1.9;
/** Metres that a driver looks ahead. */
const SIGHT = 70;
/** Seconds that a car stands after a collision, and most seconds that a driver looks away. */
const STUNNED = 5;
const DISTRACTION = 10;
/** Metres by which a collision throws a car back. */
const REBOUND = 0.3;
/** Average seconds until another driver looks away. */
const BETWEEN_DISTRACTIONS = 14;

/** A path that cars follow, as points with the distance to each; and the cars on it, the foremost first. */
class Way {
  readonly xs: Float64Array;
  readonly ys: Float64Array;
  readonly distances: Float64Array;
  /** Heading at each point, continuous. */
  readonly headings: Float64Array;
  readonly cars: Car[] = [];
  /** For a lane: the light at its end, and the turns that it leads to. */
  light: Light | null = null;
  readonly turns: Way[] = [];
  /** For a turn: the lane that it leads to, and 1 for a right turn, -1 for a left turn, 0 for straight on. */
  readonly to: Way | null;
  readonly side: number;

  constructor(points: readonly (readonly [number, number])[], to: Way | null = null, side = 0) {
    this.to = to;
    this.side = side;
    this.xs = Float64Array.from(points, ([x]) => x);
    this.ys = Float64Array.from(points, ([, y]) => y);
    this.distances = new Float64Array(points.length);
    for (let i = 1; i < points.length; i++) {
      const step = Math.hypot(this.xs[i]! - this.xs[i - 1]!, this.ys[i]! - this.ys[i - 1]!);
      this.distances[i] = this.distances[i - 1]! + step;
    }
    const last = points.length - 1;
    this.headings = Float64Array.from(points, (_, i) => {
      const [a, b] = [Math.max(0, i - 1), Math.min(last, i + 1)];
      return Math.atan2(this.ys[b]! - this.ys[a]!, this.xs[b]! - this.xs[a]!);
    });
    for (let i = 1; i <= last; i++) {
      this.headings[i] = this.headings[i - 1]! + angleBetween(this.headings[i - 1]!, this.headings[i]!);
    }
  }

  get length(): number {
    return this.distances.at(-1)!;
  }

  at(distance: number): Pose {
    const { xs, ys, distances, headings } = this;
    let i = 1;
    while (i < distances.length - 1 && distances[i]! < distance) i++;
    const part = (distance - distances[i - 1]!) / (distances[i]! - distances[i - 1]!);
    const [dx, dy] = [xs[i]! - xs[i - 1]!, ys[i]! - ys[i - 1]!];
    const heading = headings[i - 1]! + (headings[i]! - headings[i - 1]!) * Math.min(1, Math.max(0, part));
    return { x: xs[i - 1]! + dx * part, y: ys[i - 1]! + dy * part, heading };
  }

  /** Radians per metre, to the right. */
  get curvature(): number {
    return this.side === 0 ? 0 : (this.side * (Math.PI / 2)) / this.length;
  }
}

/** A traffic light for one road into a crossing. */
export class Light {
  readonly pose: Pose;
  /** Middle and half sizes of the box in front of it, in metres. */
  readonly trigger: Pose;
  readonly #place: number;
  readonly #count: number;
  readonly #offset: number;

  /** The `place`-th of `count` roads, which are green one after the other. */
  constructor(pose: Pose, trigger: Pose, place: number, count: number, offset: number) {
    this.pose = pose;
    this.trigger = trigger;
    this.#place = place;
    this.#count = count;
    this.#offset = offset;
  }

  /** Seconds of red in a cycle. */
  get redTime(): number {
    return this.#count * PHASE - GREEN - YELLOW;
  }

  /** Colour at a time, and the seconds since it changed. */
  at(time: number): { readonly color: LightColor; readonly since: number } {
    const round = this.#count * PHASE;
    const own = (((time + this.#offset - this.#place * PHASE) % round) + round) % round;
    if (own < GREEN) return { color: GREEN_LIGHT, since: own };
    if (own < GREEN + YELLOW) return { color: YELLOW_LIGHT, since: own - GREEN };
    return { color: RED, since: own - GREEN - YELLOW };
  }
}

export class Car {
  way: Way;
  next: Way;
  /** The previous path: the rear of the car may still be on it. */
  before: Way | null = null;
  /** Metres along the path to the car's front. */
  distance: number;
  /** m/s, m/s². */
  speed: number;
  acceleration = 0;
  /** Metres driven. */
  driven = 0;
  /** Seconds: the time until which it stands, and the time until which its driver looks away. */
  stunnedUntil = -1;
  distractedUntil = -1;
  readonly #pace: number;

  constructor(way: Way, next: Way, distance: number, pace: number) {
    this.way = way;
    this.next = next;
    this.distance = distance;
    this.speed = 0;
    this.#pace = pace;
  }

  /** m/s that it would drive on a free road. */
  get wish(): number {
    const onTurn = this.way.to !== null;
    if (onTurn) return this.way.side === 0 ? CITY_SPEED * this.#pace : TURN_SPEED;
    if (this.next.side === 0) return CITY_SPEED * this.#pace;
    const left = this.way.length - this.distance;
    return Math.min(CITY_SPEED * this.#pace, Math.sqrt(TURN_SPEED ** 2 + 2 * COMFORTABLE_BRAKING * left));
  }

  /** Place of its middle. */
  get pose(): Pose {
    const middle = this.distance - CAR_LENGTH / 2;
    if (middle >= 0 || this.before === null) return this.way.at(Math.max(0, middle));
    return this.before.at(this.before.length + middle);
  }

  /** Steering angle of its front wheels in radians, to the right. */
  get steering(): number {
    return Math.atan(2.8 * this.way.curvature);
  }

  isStunned(time: number): boolean {
    return time < this.stunnedUntil;
  }

  /** Its indicator: 1 right, -1 left, 0 off. */
  get blinker(): number {
    if (this.way.to !== null) return this.way.side;
    return this.way.length - this.distance < 35 ? this.next.side : 0;
  }
}

export class Walker {
  readonly #corner: Pose;
  readonly #side: number;
  readonly #pace: number;
  readonly #direction: number;
  /** Metres around the block. */
  #distance: number;
  #restUntil = -1;
  #isResting = false;

  constructor(corner: Pose, side: number, distance: number, pace: number, direction: number) {
    this.#corner = corner;
    this.#side = side;
    this.#distance = distance;
    this.#pace = pace;
    this.#direction = direction;
  }

  /** m/s. */
  get speed(): number {
    return this.#isResting ? 0 : this.#pace;
  }

  /** Metres walked, which move the legs. */
  get walked(): number {
    return this.#distance * this.#direction;
  }

  step(time: number, delta: number, random: () => number): void {
    this.#isResting = time < this.#restUntil;
    if (this.#isResting) return;
    this.#distance += this.#direction * this.#pace * delta;
    if (random() < delta / 40) this.#restUntil = time + 2 + 6 * random();
  }

  get pose(): Pose {
    const around = 4 * this.#side;
    const place = ((this.#distance % around) + around) % around;
    const edge = Math.min(3, Math.floor(place / this.#side));
    const along = place - edge * this.#side;
    const heading = (edge * Math.PI) / 2;
    const { x, y } = this.#corner;
    const s = this.#side;
    const [x0, y0] = [x + (edge === 1 || edge === 2 ? s : 0), y + (edge === 2 || edge === 3 ? s : 0)];
    const turned = this.#direction < 0 ? heading + Math.PI : heading;
    return { x: x0 + Math.cos(heading) * along, y: y0 + Math.sin(heading) * along, heading: turned };
  }
}

/** The way of cars from one crossing to the next, each by its column and row. */
export interface StreetLane {
  readonly from: readonly [number, number];
  readonly to: readonly [number, number];
  readonly turns: readonly StreetTurn[];
}

/** A way through a crossing. */
export interface StreetTurn {
  /** Three: the ends, and where their tangents meet. */
  readonly points: readonly (readonly [number, number])[];
  /** 1 for a right turn, -1 for a left turn, 0 for straight on. */
  readonly side: number;
  readonly to: StreetLane;
}

/** Two cars that touched; `first` ran into `second`. */
export interface Crash {
  readonly first: number;
  readonly second: number;
}

/** Traffic on a square grid of roads: cars that follow each other, lights that stop them, people around the blocks. */
export class Town {
  readonly cars: Car[] = [];
  readonly walkers: Walker[] = [];
  readonly lights: Light[] = [];
  /** Crossings in a row. */
  readonly size: number;
  readonly #lanes: Way[] = [];
  /** The streets, as a map has them. */
  readonly streets: StreetLane[] = [];
  readonly #random: () => number;
  #nextDistraction: number;
  time = 0;

  constructor(cars: number, walkers: number, random: () => number) {
    this.#random = random;
    this.size = Math.max(2, Math.ceil(Math.sqrt(cars / 8)) + 1);
    this.#pave();
    for (let i = 0; i < cars; i++) this.#park(i);
    for (let i = 0; i < walkers; i++) this.walkers.push(this.#walker());
    this.#nextDistraction = 4 + BETWEEN_DISTRACTIONS * random();
  }

  /** Middle of the town. */
  get center(): Pose {
    const half = ((this.size - 1) * BLOCK) / 2;
    return { x: half, y: half, heading: 0 };
  }

  /** Corners of the blocks, where buildings can stand. */
  corners(): Pose[] {
    const corners: Pose[] = [];
    for (let i = 0; i < this.size; i++) {
      for (let j = 0; j < this.size; j++) corners.push({ x: i * BLOCK + 8, y: j * BLOCK + 8, heading: 0 });
    }
    return corners;
  }

  /** One walker leaves; another one comes in its place. */
  replaceWalker(i: number): void {
    this.walkers[i] = this.#walker();
  }

  /** Advances by `delta` seconds; returns the collisions. */
  step(delta: number): Crash[] {
    const { time } = this;
    this.#distract();
    const crashes: Crash[] = [];
    for (const car of this.cars) car.acceleration = this.#accelerate(car);
    for (const car of this.cars) {
      const speed = Math.max(0, car.speed + car.acceleration * delta);
      const way = ((car.speed + speed) / 2) * delta;
      car.speed = speed;
      car.distance += way;
      car.driven += way;
      if (car.distance > car.way.length) this.#turn(car);
    }
    for (const [i, car] of this.cars.entries()) {
      const ahead = this.#ahead(car);
      if (ahead === null || ahead.gap > 0) continue;
      const isHit = !car.isStunned(time) && car.speed > ahead.car.speed + 0.5;
      car.distance = Math.max(0, car.distance + ahead.gap - REBOUND);
      if (!isHit) continue;
      crashes.push({ first: i, second: this.cars.indexOf(ahead.car) });
      // Bumpers absorb the difference of speed.
      const common = (car.speed + ahead.car.speed) / 2;
      for (const other of [car, ahead.car]) {
        other.speed = common / 2;
        other.stunnedUntil = time + STUNNED;
        other.distractedUntil = -1;
      }
    }
    for (const walker of this.walkers) walker.step(time, delta, this.#random);
    this.time += delta;
    return crashes;
  }

  #distract(): void {
    if (this.time < this.#nextDistraction || this.cars.length < 2) return;
    // One of the drivers with a car in front looks away.
    const following = this.cars.filter((car) => car.speed > 5 && (this.#ahead(car)?.gap ?? SIGHT) < SIGHT);
    const car = following[Math.floor(this.#random() * following.length)];
    if (car === undefined) return;
    car.distractedUntil = this.time + DISTRACTION;
    this.#nextDistraction = this.time + BETWEEN_DISTRACTIONS * (0.5 + this.#random());
  }

  #accelerate(car: Car): number {
    const { time } = this;
    if (car.isStunned(time)) return car.speed > 0 ? -HARDEST_BRAKING : 0;
    let acceleration = ACCELERATION * (1 - (car.speed / Math.max(1, car.wish)) ** 4);
    const ahead = time < car.distractedUntil ? null : this.#ahead(car);
    if (ahead !== null) acceleration = Math.min(acceleration, follow(car, ahead.gap, ahead.car.speed));
    const stop = this.#stopLine(car);
    if (stop !== null) acceleration = Math.min(acceleration, follow(car, stop, 0));
    return Math.max(-HARDEST_BRAKING, acceleration);
  }

  /** Metres to where the car must stop; null when it need not. */
  #stopLine(car: Car): number | null {
    const { light } = car.way;
    if (light === null) return null;
    const left = car.way.length - car.distance;
    if (left > SIGHT) return null;
    const { color } = light.at(this.time);
    const canStop = left > car.speed ** 2 / (2 * COMFORTABLE_BRAKING * 1.6);
    if (color === RED ? left > 0.2 || car.speed < 4 : color === YELLOW_LIGHT && canStop) return left + STANDSTILL - 0.5;
    // No car stops within the crossing: there must be room behind it.
    const last = car.next.to!.cars.at(-1);
    return last !== undefined && last.distance - CAR_LENGTH < CAR_LENGTH + 4 && last.speed < 2 ? left + 1 : null;
  }

  /** The car in front of a car, and the metres between them. */
  #ahead(car: Car): { readonly car: Car; readonly gap: number } | null {
    const { cars } = car.way;
    const place = cars.indexOf(car);
    if (place > 0) return { car: cars[place - 1]!, gap: cars[place - 1]!.distance - CAR_LENGTH - car.distance };
    let left = car.way.length - car.distance;
    if (car.way.to === null) {
      // Cars that have just turned off are still in the way, whichever way they go.
      let near: Car | null = null;
      for (const turn of car.way.turns) {
        const last = turn.cars.at(-1);
        if (last === undefined || (turn !== car.next && last.distance > CAR_LENGTH + 3)) continue;
        if (near === null || last.distance < near.distance) near = last;
      }
      if (near !== null) return { car: near, gap: left + near.distance - CAR_LENGTH };
      left += car.next.length;
    }
    if (left > SIGHT) return null;
    const last = (car.way.to ?? car.next.to)!.cars.at(-1);
    return last === undefined ? null : { car: last, gap: left + last.distance - CAR_LENGTH };
  }

  #turn(car: Car): void {
    const { way } = car;
    const rest = car.distance - way.length;
    way.cars.splice(way.cars.indexOf(car), 1);
    if (way.to === null) car.way = car.next;
    else {
      car.way = way.to;
      car.next = this.#choose(way.to);
    }
    car.before = way;
    car.distance = rest;
    car.way.cars.push(car);
  }

  #choose(lane: Way): Way {
    const straight = lane.turns.find(({ side }) => side === 0);
    if (straight !== undefined && this.#random() < 0.5) return straight;
    return lane.turns[Math.floor(this.#random() * lane.turns.length)]!;
  }

  /** Puts a car on a lane, behind the cars that are there. */
  #park(i: number): void {
    const lane = this.#lanes[(i * 7) % this.#lanes.length]!;
    const last = lane.cars.at(-1);
    const distance = last === undefined ? lane.length - 12 : last.distance - CAR_LENGTH - 6;
    const car = new Car(lane, this.#choose(lane), Math.max(CAR_LENGTH, distance), 0.85 + 0.25 * this.#random());
    this.cars.push(car);
    lane.cars.push(car);
  }

  #walker(): Walker {
    const random = this.#random;
    const blocks = this.size - 1;
    const [i, j] = [Math.floor(random() * blocks), Math.floor(random() * blocks)];
    const side = BLOCK - 2 * WALKWAY;
    const corner: Pose = { x: i * BLOCK + WALKWAY, y: j * BLOCK + WALKWAY, heading: 0 };
    return new Walker(corner, side, 4 * side * random(), 1.1 + 0.6 * random(), random() < 0.5 ? 1 : -1);
  }

  #pave(): void {
    const { size } = this;
    const lanes = new Map<string, Way>();
    const steps = [
      [1, 0],
      [0, 1],
      [-1, 0],
      [0, -1],
    ] as const;
    const isInside = (i: number, j: number): boolean => i >= 0 && j >= 0 && i < size && j < size;
    const forEachLane = (visit: (i: number, j: number, direction: number) => void): void => {
      for (let i = 0; i < size; i++) {
        for (let j = 0; j < size; j++) {
          for (const [direction, [di, dj]] of steps.entries()) {
            if (isInside(i + di, j + dj)) visit(i, j, direction);
          }
        }
      }
    };
    const key = (i: number, j: number, direction: number): string => `${i},${j},${direction}`;
    forEachLane((i, j, direction) => {
      const [di, dj] = steps[direction]!;
      const point = (distance: number): readonly [number, number] => [
        i * BLOCK + di * distance - dj * LANE,
        j * BLOCK + dj * distance + di * LANE,
      ];
      const lane = new Way([point(HALF_CROSSING), point(BLOCK - HALF_CROSSING)]);
      lanes.set(key(i, j, direction), lane);
      this.#lanes.push(lane);
    });
    const streets = new Map<Way, StreetLane & { readonly turns: StreetTurn[] }>();
    forEachLane((i, j, direction) => {
      const [di, dj] = steps[direction]!;
      const street = { from: [i, j], to: [i + di, j + dj], turns: [] as StreetTurn[] } as const;
      streets.set(lanes.get(key(i, j, direction))!, street);
      this.streets.push(street);
    });
    forEachLane((i, j, direction) => {
      const lane = lanes.get(key(i, j, direction))!;
      const [di, dj] = steps[direction]!;
      const [ci, cj] = [i + di, j + dj];
      for (const side of [0, 1, -1]) {
        const out = (direction + side + 4) % 4;
        const to = lanes.get(key(ci, cj, out));
        if (to === undefined) continue;
        lane.turns.push(turnBetween(lane, to, side));
        streets.get(lane)!.turns.push({ points: controlPoints(lane, to, side), side, to: streets.get(to)! });
      }
      const ways = steps
        .map((_, into) => into)
        .filter((into) => lanes.has(key(ci - steps[into]![0], cj - steps[into]![1], into)));
      const stop = lane.at(lane.length);
      const right = { x: stop.x - Math.sin(stop.heading) * 3.5, y: stop.y + Math.cos(stop.heading) * 3.5 };
      const trigger = lane.at(lane.length - 3);
      const offset = ((ci * 5 + cj * 3) % 8) * 1.7;
      const pose: Pose = { ...right, heading: stop.heading + Math.PI };
      lane.light = new Light(pose, trigger, ways.indexOf(direction), ways.length, offset);
      this.lights.push(lane.light);
    });
  }
}

/** Radians from one heading to another, by the shorter way. */
export function angleBetween(from: number, to: number): number {
  return Math.atan2(Math.sin(to - from), Math.cos(to - from));
}

/** The acceleration of the intelligent driver model behind an obstacle `gap` metres ahead that drives at `speed`. */
function follow(car: Car, gap: number, speed: number): number {
  const closing = car.speed - speed;
  const braking = (car.speed * closing) / (2 * Math.sqrt(ACCELERATION * COMFORTABLE_BRAKING));
  const wanted = STANDSTILL + Math.max(0, car.speed * HEADWAY + braking);
  return ACCELERATION * (1 - (car.speed / Math.max(1, car.wish)) ** 4 - (wanted / Math.max(0.1, gap)) ** 2);
}

/** The end of one lane, where the lines of both meet, and the beginning of the other; straight on, half way. */
function controlPoints(from: Way, to: Way, side: number): readonly (readonly [number, number])[] {
  const a = from.at(from.length);
  const b = to.at(0);
  const isAlongX = Math.abs(Math.cos(a.heading)) > 0.5;
  const middle = side === 0 ? [(a.x + b.x) / 2, (a.y + b.y) / 2] : isAlongX ? [b.x, a.y] : [a.x, b.y];
  return [
    [a.x, a.y],
    [middle[0]!, middle[1]!],
    [b.x, b.y],
  ];
}

/** From the end of one lane to the beginning of another: straight, or bent as a quadratic curve. */
function turnBetween(from: Way, to: Way, side: number): Way {
  const [a, middle, b] = controlPoints(from, to, side);
  if (side === 0) return new Way([a!, b!], to, 0);
  const points = Array.from({ length: TURN_POINTS }, (_, i): readonly [number, number] => {
    const t = i / (TURN_POINTS - 1);
    const [p, q, r] = [(1 - t) ** 2, 2 * t * (1 - t), t ** 2];
    return [p * a![0] + q * middle![0] + r * b![0], p * a![1] + q * middle![1] + r * b![1]];
  });
  return new Way(points, to, side);
}
