/** A straight piece of wall, m. */
export interface Wall {
  readonly ax: number;
  readonly ay: number;
  readonly bx: number;
  readonly by: number;
}

/** A piece of furniture: its middle and half its size, m. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly halfX: number;
  readonly halfY: number;
}

/** A disc that stands or moves in the room. */
export interface Disc {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

/** Half extents of the room, m. */
export const HALF_X = 6;
export const HALF_Y = 4;
/** Number of boxes, and number of boxes that are so low that the scanner does not see them. */
const BOXES = 7;
const LOW = 2;
/** The middle stays free: robots begin there and are charged there. */
const FREE_RADIUS = 1.6;

/** A room with furniture: axis-parallel walls and boxes. */
export class Room {
  /** Obstacles that the scanner sees. */
  readonly walls: readonly Wall[];
  /** Furniture that the scanner sees. */
  readonly seen: readonly Box[];
  readonly #boxes: readonly Box[];

  constructor(random: () => number) {
    const boxes: Box[] = [];
    for (let tries = 0; boxes.length < BOXES && tries < 200; tries++) {
      const box = {
        x: (2 * random() - 1) * (HALF_X - 1.5),
        y: (2 * random() - 1) * (HALF_Y - 1.5),
        halfX: 0.2 + 0.5 * random(),
        halfY: 0.2 + 0.5 * random(),
      };
      // A robot can pass between two boxes, and around the middle.
      const isApart = boxes.every(
        (other) =>
          Math.abs(other.x - box.x) > other.halfX + box.halfX + 0.9 ||
          Math.abs(other.y - box.y) > other.halfY + box.halfY + 0.9,
      );
      if (isApart && distanceToBox(box, 0, 0) > FREE_RADIUS) boxes.push(box);
    }
    this.#boxes = boxes;
    this.seen = boxes.slice(LOW);
    this.walls = [{ x: 0, y: 0, halfX: HALF_X, halfY: HALF_Y }, ...this.seen].flatMap(sides);
  }

  /** Distance from a point to the nearest wall or box; negative inside a box. */
  clearance(x: number, y: number): number {
    let nearest = Math.min(HALF_X - Math.abs(x), HALF_Y - Math.abs(y));
    for (const box of this.#boxes) nearest = Math.min(nearest, distanceToBox(box, x, y));
    return nearest;
  }

  /** A point with room for a robot around it. */
  freePoint(random: () => number): { readonly x: number; readonly y: number } {
    for (let tries = 0; tries < 100; tries++) {
      const x = (2 * random() - 1) * HALF_X;
      const y = (2 * random() - 1) * HALF_Y;
      if (this.clearance(x, y) > 0.6) return { x, y };
    }
    return { x: 0, y: 0 };
  }

  /** Distance from a point to the first wall or disc in a direction, `limit` when none is nearer. */
  range(x: number, y: number, direction: number, discs: readonly Disc[], limit: number): number {
    const dx = Math.cos(direction);
    const dy = Math.sin(direction);
    let nearest = limit;
    for (const { ax, ay, bx, by } of this.walls) {
      const ex = bx - ax;
      const ey = by - ay;
      const across = dx * ey - dy * ex;
      if (Math.abs(across) < 1e-9) continue;
      const along = ((ax - x) * ey - (ay - y) * ex) / across;
      const part = ((ax - x) * dy - (ay - y) * dx) / across;
      if (along > 0 && along < nearest && part >= 0 && part <= 1) nearest = along;
    }
    for (const disc of discs) {
      const middle = (disc.x - x) * dx + (disc.y - y) * dy;
      const beside = (disc.x - x) ** 2 + (disc.y - y) ** 2 - middle * middle;
      const half = disc.radius * disc.radius - beside;
      if (half <= 0 || middle <= 0) continue;
      const along = middle - Math.sqrt(half);
      if (along > 0 && along < nearest) nearest = along;
    }
    return nearest;
  }
}

function sides({ x, y, halfX, halfY }: Box): Wall[] {
  const [left, right, low, high] = [x - halfX, x + halfX, y - halfY, y + halfY];
  return [
    { ax: left, ay: low, bx: right, by: low },
    { ax: right, ay: low, bx: right, by: high },
    { ax: right, ay: high, bx: left, by: high },
    { ax: left, ay: high, bx: left, by: low },
  ];
}

/** m; negative inside. */
export function distanceToBox(box: Box, x: number, y: number): number {
  const outX = Math.abs(x - box.x) - box.halfX;
  const outY = Math.abs(y - box.y) - box.halfY;
  if (outX <= 0 && outY <= 0) return Math.max(outX, outY);
  return Math.hypot(Math.max(0, outX), Math.max(0, outY));
}
