type Corner = readonly [number, number, number];

/** Triangles of a tetrahedron with edges along the axes, counter-clockwise seen from outside. */
export const TETRAHEDRON: readonly (readonly [Corner, Corner, Corner])[] = [
  [
    [0, 0, 0],
    [0, 1, 0],
    [1, 0, 0],
  ],
  [
    [0, 0, 0],
    [1, 0, 0],
    [0, 0, 1],
  ],
  [
    [0, 0, 0],
    [0, 0, 1],
    [0, 1, 0],
  ],
  [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
];

/** Binary STL: 80 bytes of text, a count, and for each triangle a normal, three corners and two bytes. */
export function stlOf(triangles: typeof TETRAHEDRON, head = ""): Uint8Array {
  const bytes = new Uint8Array(84 + 50 * triangles.length);
  bytes.set(new TextEncoder().encode(head).subarray(0, 80));
  const view = new DataView(bytes.buffer);
  view.setUint32(80, triangles.length, true);
  for (const [i, corners] of triangles.entries())
    for (const [k, value] of corners.flat().entries()) view.setFloat32(84 + 50 * i + 12 + 4 * k, value, true);
  return bytes;
}

/** An arm with joints of all kinds; links and joints are in no order. Magenta is a colour that nothing else has. */
export const ARM = `<?xml version="1.0"?>
<!-- made for tests -->
<robot name="arm">
  <material name="magenta"><color rgba="1 0 1 1"/></material>
  <joint name="camera_joint" type="fixed">
    <parent link="slider"/><child link="camera"/><origin xyz="0.1 0.2 0.3" rpy="0.3 -0.4 0.5"/>
  </joint>
  <link name="slider"><visual><geometry><sphere radius="0.1"/></geometry></visual></link>
  <link name="base_link">
    <visual><origin xyz="0 0 0.25"/><geometry><box size="1 0.6 0.5"/></geometry><material name="magenta"/></visual>
  </link>
  <link name="turret"><visual><geometry><cylinder radius="0.2" length="0.3"/></geometry></visual></link>
  <link name="boom"><visual><geometry><box size="0.8 0.1 0.1"/></geometry></visual></link>
  <joint name="turret_joint" type="continuous">
    <parent link="base_link"/><child link="turret"/><origin xyz="0.2 0 0.5"/><axis xyz="0 0 2"/>
  </joint>
  <joint name="boom_joint" type="revolute">
    <parent link="turret"/><child link="boom"/><origin xyz="0 0.1 0.3" rpy="0 0 1.2"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="1" velocity="1"/>
  </joint>
  <joint name="slider_joint" type="prismatic">
    <parent link="boom"/><child link="slider"/><origin xyz="0.8 0 0"/>
  </joint>
  <joint name="finger_joint" type="revolute">
    <parent link="slider"/><child link="left_finger"/><origin xyz="0 0.05 0"/><axis xyz="0 0 1"/>
  </joint>
  <joint name="other_finger_joint" type="revolute">
    <parent link="slider"/><child link="right_finger"/><origin xyz="0 -0.05 0"/><axis xyz="0 0 1"/>
    <mimic joint="finger_joint" multiplier="-0.5" offset="0.1"/>
  </joint>
  <link name="left_finger"/>
  <link name="right_finger"/>
  <link name="camera"><visual><geometry><box size="0.05 0.1 0.05"/></geometry></visual></link>
</robot>
`;

type Move = (at: readonly number[]) => number[];

/** Written out by hand from `ARM`, without matrices: a place in the axes of each link, in those of `base_link`. */
export function armAt(turret: number, boom: number, slider: number, finger: number): Readonly<Record<string, Move>> {
  const about =
    (a: number, b: number, angle: number): Move =>
    (at) => {
      const out = [...at];
      out[a] = at[a]! * Math.cos(angle) - at[b]! * Math.sin(angle);
      out[b] = at[a]! * Math.sin(angle) + at[b]! * Math.cos(angle);
      return out;
    };
  const x = (angle: number): Move => about(1, 2, angle);
  const y = (angle: number): Move => about(2, 0, angle);
  const z = (angle: number): Move => about(0, 1, angle);
  const by =
    (...way: readonly [number, number, number]): Move =>
    (at) =>
      at.map((each, k) => each + way[k]!);
  const inTurn =
    (...moves: readonly Move[]): Move =>
    (at) =>
      moves.reduce((place, move) => move(place), [...at]);
  const base = inTurn();
  const toTurret = inTurn(z(turret), by(0.2, 0, 0.5), base);
  const toBoom = inTurn(y(boom), z(1.2), by(0, 0.1, 0.3), toTurret);
  // the axis that is not stated is x
  const toSlider = inTurn(by(slider, 0, 0), by(0.8, 0, 0), toBoom);
  return {
    base_link: base,
    turret: toTurret,
    boom: toBoom,
    slider: toSlider,
    left_finger: inTurn(z(finger), by(0, 0.05, 0), toSlider),
    right_finger: inTurn(z(-0.5 * finger + 0.1), by(0, -0.05, 0), toSlider),
    camera: inTurn(x(0.3), y(-0.4), z(0.5), by(0.1, 0.2, 0.3), toSlider),
  };
}
