/** A round walk through the yard, and what stands and walks in it. Metres, seconds, x east, y north. */

/** Corners of the patrol. */
const ROUTE: readonly (readonly [x: number, y: number])[] = [
  [0, 0],
  [14, 0],
  [14, 9],
  [6, 12],
  [0, 9],
];
/** Things that the scanner meets: centre and radius. */
export const POSTS: readonly (readonly [x: number, y: number, radius: number])[] = [
  [4, 3, 0.4],
  [10, 4, 0.6],
  [8, 8, 0.5],
  [3, 11, 0.5],
  [17, 5, 0.8],
];
/** Half the sides of the wall around the yard. */
export const WALL = { west: -4, east: 20, south: -4, north: 16 };

export const BEAMS = 181;
/** The field of the scanner: half a circle to the front. */
export const FIELD: number = Math.PI;
export const MAX_RANGE = 12;
const NOISE = 0.01;
/** Speed along the route, and how fast the robot turns. */
const SPEED = 0.8;
const TURN = 0.9;

/** A robot that drives along the route, and turns on the spot at its corners. */
export class Patrol {
  x: number;
  y: number;
  heading: number;
  speed = 0;
  turn = 0;
  /** Corners reached so far. */
  reached = 0;
  charge = 100;
  readonly #random: () => number;
  #target: number;

  /** `start`: the corner where it begins. */
  constructor(random: () => number, start: number) {
    this.#random = random;
    const corner = start % ROUTE.length;
    [this.x, this.y] = ROUTE[corner]!;
    this.#target = (corner + 1) % ROUTE.length;
    this.heading = this.#bearing();
  }

  /** Drives on for so many seconds. */
  step(seconds: number): void {
    const off = Math.atan2(Math.sin(this.#bearing() - this.heading), Math.cos(this.#bearing() - this.heading));
    const isTurning = Math.abs(off) > 0.15;
    this.turn = Math.max(-TURN, Math.min(TURN, off * 4));
    this.speed += ((isTurning ? 0 : SPEED) - this.speed) * Math.min(1, 3 * seconds);
    this.heading += this.turn * seconds;
    this.x += Math.cos(this.heading) * this.speed * seconds;
    this.y += Math.sin(this.heading) * this.speed * seconds;
    this.charge = Math.max(0, this.charge - (0.005 + 0.02 * this.speed) * seconds);
    const [x, y] = ROUTE[this.#target]!;
    if (Math.hypot(x - this.x, y - this.y) > 0.3) return;
    this.reached++;
    this.#target = (this.#target + 1) % ROUTE.length;
  }

  /** What the scanner measures, from right to left. */
  ranges(people: readonly (readonly [x: number, y: number])[]): number[] {
    const round = [...POSTS, ...people.map(([x, y]) => [x, y, 0.25] as const)];
    return Array.from({ length: BEAMS }, (_, i) => {
      const angle = this.heading - FIELD / 2 + (FIELD * i) / (BEAMS - 1);
      const [dx, dy] = [Math.cos(angle), Math.sin(angle)];
      let range = Math.min(
        dx > 0 ? (WALL.east - this.x) / dx : dx < 0 ? (WALL.west - this.x) / dx : Number.POSITIVE_INFINITY,
        dy > 0 ? (WALL.north - this.y) / dy : dy < 0 ? (WALL.south - this.y) / dy : Number.POSITIVE_INFINITY,
      );
      for (const [x, y, radius] of round) {
        const [px, py] = [x - this.x, y - this.y];
        const along = px * dx + py * dy;
        const beside = radius * radius - (px * px + py * py - along * along);
        if (along > 0 && beside > 0) range = Math.min(range, Math.max(0, along - Math.sqrt(beside)));
      }
      const measured = range + (this.#random() - 0.5) * 2 * NOISE;
      return Math.round(Math.min(MAX_RANGE, Math.max(0.05, measured)) * 1000) / 1000;
    });
  }

  #bearing(): number {
    const [x, y] = ROUTE[this.#target]!;
    return Math.atan2(y - this.y, x - this.x);
  }
}
