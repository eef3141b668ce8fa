import { beginningOf } from "./mira.ts";
import { RADIUS, TRACK } from "./mira-robot.ts";
import { box, cylinder, urdfOf, wheel } from "./urdf.ts";
import { distanceToBox, HALF_X, HALF_Y } from "./mira-room.ts";

interface Options {
  readonly seed: number;
}

/** m: the size of a cell, how thick walls are, and what lies around the room. */
const CELL = 0.05;
const THICK = 0.1;
const AROUND = 0.4;
const COLUMNS = Math.round((2 * (HALF_X + AROUND)) / CELL);
const ROWS = Math.round((2 * (HALF_Y + AROUND)) / CELL);
/** As map_server writes them. */
const [OCCUPIED, UNKNOWN, FREE] = [0, 205, 254];

const TEXT = new TextEncoder();

/** Where the map of the room that `demo` simulates with the same seed lies: in the odometry of its first robot. */
export function map({ seed }: Options): Uint8Array {
  const { x, y, phi } = beginningOf(seed).robot;
  const [cos, sin] = [Math.cos(-phi), Math.sin(-phi)];
  const [west, south] = [-HALF_X - AROUND - x, -HALF_Y - AROUND - y];
  const origin = [cos * west - sin * south, sin * west + cos * south, -phi].map((value) => value.toFixed(6));
  return TEXT.encode(
    `image: robot.pgm\nresolution: ${CELL}\norigin: [${origin.join(", ")}]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n`,
  );
}

/** The cells of that map, as PGM: walls and furniture that a scanner sees, and what is free between them. */
export function picture({ seed }: Options): Uint8Array {
  const { seen } = beginningOf(seed).room;
  const head = TEXT.encode(`P5\n${COLUMNS} ${ROWS}\n255\n`);
  const bytes = new Uint8Array(head.length + COLUMNS * ROWS);
  bytes.set(head);
  for (let row = 0; row < ROWS; row++) {
    // the first row is the farthest
    const y = HALF_Y + AROUND - (row + 0.5) * CELL;
    for (let column = 0; column < COLUMNS; column++) {
      const x = (column + 0.5) * CELL - HALF_X - AROUND;
      const room = Math.min(HALF_X - Math.abs(x), HALF_Y - Math.abs(y));
      const nearest = Math.min(room, ...seen.map((box) => distanceToBox(box, x, y)));
      bytes[head.length + row * COLUMNS + column] = nearest > 0 ? FREE : nearest > -THICK ? OCCUPIED : UNKNOWN;
    }
  }
  return bytes;
}

/** Metres of the unit: its wheels, how high it is, and its scanner. */
const WHEEL = 0.08;
const FLOOR = 0.035;
const LID = 0.22;
const SCANNER = 0.06;

/** The robot of the demo as URDF: round, with two driven wheels, a wheel behind, a bumper, and its scanner. */
export function unit(): Uint8Array {
  const by = "base_link";
  const ball = FLOOR / 2 + 0.01;
  const rims = [
    { shape: cylinder(WHEEL, 0.035), material: "rubber" },
    { shape: cylinder(WHEEL / 2, 0.04), material: "metal" },
  ];
  return urdfOf(
    "demo unit",
    'The robot of "simtape demo mira": made by a script, and like no real one.',
    {
      shell: "0.16 0.5 0.73 1",
      lid: "0.93 0.94 0.95 1",
      rubber: "0.12 0.13 0.14 1",
      metal: "0.62 0.65 0.68 1",
      bumper: "0.95 0.61 0.07 1",
    },
    [
      {
        name: by,
        visuals: [
          { shape: cylinder(RADIUS - 0.015, LID - FLOOR), material: "shell", at: [0, 0, (FLOOR + LID) / 2] },
          { shape: cylinder(RADIUS - 0.04, 0.012), material: "lid", at: [0, 0, LID] },
          { shape: cylinder(RADIUS, 0.045), material: "bumper", at: [0, 0, 0.09] },
          { shape: box(0.1, 0.03, 0.012), material: "bumper", at: [0.13, 0, LID + 0.008] },
        ],
      },
      wheel("left", by, [0, TRACK / 2, WHEEL], rims),
      wheel("right", by, [0, -TRACK / 2, WHEEL], rims),
      {
        name: "caster",
        visuals: [{ shape: `<sphere radius="${ball}"/>`, material: "metal" }],
        held: { by, at: [-0.19, 0, ball], turns: false },
      },
      {
        name: "scanner",
        visuals: [
          { shape: cylinder(0.045, SCANNER), material: "rubber" },
          { shape: cylinder(0.04, 0.012), material: "bumper", at: [0, 0, SCANNER / 2] },
        ],
        held: { by, at: [0, 0, LID + SCANNER / 2], turns: false },
      },
    ],
  );
}
