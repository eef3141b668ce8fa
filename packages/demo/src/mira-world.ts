import { beginningOf } from "./mira.ts";
import { RADIUS, TRACK } from "./mira-robot.ts";
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
  const side = TRACK / 2;
  const wheel = (name: string, y: number): string => `  <link name="${name}_wheel">
    <visual>
      <origin rpy="1.570796327 0 0"/>
      <geometry><cylinder radius="${WHEEL}" length="0.035"/></geometry>
      <material name="rubber"/>
    </visual>
    <visual>
      <origin rpy="1.570796327 0 0"/>
      <geometry><cylinder radius="${WHEEL / 2}" length="0.04"/></geometry>
      <material name="metal"/>
    </visual>
  </link>
  <joint name="${name}_wheel_joint" type="continuous">
    <parent link="base_link"/>
    <child link="${name}_wheel"/>
    <origin xyz="0 ${y} ${WHEEL}"/>
    <axis xyz="0 1 0"/>
  </joint>
`;
  return TEXT.encode(`<?xml version="1.0"?>
<!-- The robot of "simtape demo mira": made by a script, and like no real one. -->
<robot name="demo unit">
  <material name="shell"><color rgba="0.16 0.5 0.73 1"/></material>
  <material name="lid"><color rgba="0.93 0.94 0.95 1"/></material>
  <material name="rubber"><color rgba="0.12 0.13 0.14 1"/></material>
  <material name="metal"><color rgba="0.62 0.65 0.68 1"/></material>
  <material name="bumper"><color rgba="0.95 0.61 0.07 1"/></material>
  <link name="base_link">
    <visual>
      <origin xyz="0 0 ${(FLOOR + LID) / 2}"/>
      <geometry><cylinder radius="${RADIUS - 0.015}" length="${(LID - FLOOR).toFixed(3)}"/></geometry>
      <material name="shell"/>
    </visual>
    <visual>
      <origin xyz="0 0 ${LID}"/>
      <geometry><cylinder radius="${RADIUS - 0.04}" length="0.012"/></geometry>
      <material name="lid"/>
    </visual>
    <visual>
      <origin xyz="0 0 0.09"/>
      <geometry><cylinder radius="${RADIUS}" length="0.045"/></geometry>
      <material name="bumper"/>
    </visual>
    <visual>
      <origin xyz="0.13 0 ${LID + 0.008}"/>
      <geometry><box size="0.1 0.03 0.012"/></geometry>
      <material name="bumper"/>
    </visual>
  </link>
${wheel("left", side)}${wheel("right", -side)}  <link name="caster">
    <visual><geometry><sphere radius="${FLOOR / 2 + 0.01}"/></geometry><material name="metal"/></visual>
  </link>
  <joint name="caster_joint" type="fixed">
    <parent link="base_link"/>
    <child link="caster"/>
    <origin xyz="-0.19 0 ${FLOOR / 2 + 0.01}"/>
  </joint>
  <link name="scanner">
    <visual>
      <geometry><cylinder radius="0.045" length="${SCANNER}"/></geometry>
      <material name="rubber"/>
    </visual>
    <visual>
      <origin xyz="0 0 ${SCANNER / 2}"/>
      <geometry><cylinder radius="0.04" length="0.012"/></geometry>
      <material name="bumper"/>
    </visual>
  </link>
  <joint name="scanner_joint" type="fixed">
    <parent link="base_link"/>
    <child link="scanner"/>
    <origin xyz="0 0 ${(LID + SCANNER / 2).toFixed(3)}"/>
  </joint>
</robot>
`);
}
