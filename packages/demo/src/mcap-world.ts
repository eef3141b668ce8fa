import { POSTS, WALL } from "./mcap-patrol.ts";
import { box, cylinder, type Link, urdfOf, wheel } from "./urdf.ts";

/** m: the size of a cell, and how thick walls are. */
const CELL = 0.1;
const THICK = 0.2;
const COLUMNS = Math.round((WALL.east - WALL.west + 2 * THICK) / CELL);
const ROWS = Math.round((WALL.north - WALL.south + 2 * THICK) / CELL);
/** As map_server writes them. */
const [OCCUPIED, FREE] = [0, 254];

const TEXT = new TextEncoder();

/** Where the map of the yard lies. */
export function map(): Uint8Array {
  return TEXT.encode(
    `image: patrol.pgm\nresolution: ${CELL}\norigin: [${WALL.west - THICK}, ${WALL.south - THICK}, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n`,
  );
}

/** The cells of that map, as PGM: the wall around the yard, and the posts in it. */
export function picture(): Uint8Array {
  const head = TEXT.encode(`P5\n${COLUMNS} ${ROWS}\n255\n`);
  const bytes = new Uint8Array(head.length + COLUMNS * ROWS).fill(FREE);
  bytes.set(head);
  for (let row = 0; row < ROWS; row++) {
    // the first row is the farthest
    const y = WALL.north + THICK - (row + 0.5) * CELL;
    for (let column = 0; column < COLUMNS; column++) {
      const x = WALL.west - THICK + (column + 0.5) * CELL;
      const isWithin = x > WALL.west && x < WALL.east && y > WALL.south && y < WALL.north;
      const isPost = POSTS.some(([px, py, radius]) => Math.hypot(x - px, y - py) < radius);
      if (!isWithin || isPost) bytes[head.length + row * COLUMNS + column] = OCCUPIED;
    }
  }
  return bytes;
}

/** The robot of the demo as URDF: its links are called as its frames, so that it stands where these are. */
export function unit(): Uint8Array {
  const tyre = [{ shape: cylinder(0.11, 0.07), material: "rubber" }];
  const held = (name: string, x: number, z: number, shape: string): Link => ({
    name,
    visuals: [{ shape, material: "rubber" }],
    held: { by: "base", at: [x, 0, z], turns: false },
  });
  return urdfOf(
    "patrol",
    'The robot of "simtape demo mcap": made by a script, and like no real one.',
    { shell: "0.87 0.56 0.12 1", mast: "0.75 0.78 0.8 1", rubber: "0.13 0.14 0.16 1" },
    [
      {
        name: "base",
        visuals: [
          { shape: box(0.62, 0.4, 0.14), material: "shell", at: [0, 0, 0.17] },
          { shape: cylinder(0.025, 0.36), material: "mast", at: [0.14, 0, 0.4] },
          { shape: box(0.26, 0.3, 0.08), material: "mast", at: [-0.14, 0, 0.27] },
        ],
      },
      wheel("front_left", "base", [0.2, 0.22, 0.11], tyre),
      wheel("front_right", "base", [0.2, -0.22, 0.11], tyre),
      wheel("rear_left", "base", [-0.2, 0.22, 0.11], tyre),
      wheel("rear_right", "base", [-0.2, -0.22, 0.11], tyre),
      held("laser", 0.25, 0.2, cylinder(0.06, 0.14)),
      held("camera", 0.2, 0.6, box(0.1, 0.18, 0.08)),
    ],
  );
}
