/** A box to be stored as GLB: a member of a test that glTF is read as its specification says. */
export interface BoxOptions {
  /** Metres along x, y (up) and z (ahead), around the middle of its bottom. */
  readonly size: readonly [number, number, number];
  /** Linear, 0 to 1. */
  readonly color: readonly [number, number, number, number];
  /** PNG, as the picture of its colour. */
  readonly picture?: Uint8Array;
  /** Where its node is. */
  readonly translation?: readonly [number, number, number];
}

/** A binary glTF 2.0 file with one box, written from the specification alone (sections 3.6, 4.4). */
export function smallGlb({ size, color, picture, translation = [0, 0, 0] }: BoxOptions): Uint8Array {
  const [x, y, z] = size.map((length, axis) => (axis === 1 ? length : length / 2)) as [number, number, number];
  const positions: number[] = [];
  const normals: number[] = [];
  const places: number[] = [];
  const index: number[] = [];
  const faces: readonly (readonly [readonly number[], readonly (readonly number[])[]])[] = [
    [
      [0, 0, 1],
      [
        [-x, 0, z],
        [x, 0, z],
        [x, y, z],
        [-x, y, z],
      ],
    ],
    [
      [0, 0, -1],
      [
        [x, 0, -z],
        [-x, 0, -z],
        [-x, y, -z],
        [x, y, -z],
      ],
    ],
    [
      [1, 0, 0],
      [
        [x, 0, z],
        [x, 0, -z],
        [x, y, -z],
        [x, y, z],
      ],
    ],
    [
      [-1, 0, 0],
      [
        [-x, 0, -z],
        [-x, 0, z],
        [-x, y, z],
        [-x, y, -z],
      ],
    ],
    [
      [0, 1, 0],
      [
        [-x, y, z],
        [x, y, z],
        [x, y, -z],
        [-x, y, -z],
      ],
    ],
    [
      [0, -1, 0],
      [
        [-x, 0, -z],
        [x, 0, -z],
        [x, 0, z],
        [-x, 0, z],
      ],
    ],
  ];
  for (const [normal, corners] of faces) {
    const first = positions.length / 3;
    for (const [k, corner] of corners.entries()) {
      positions.push(...corner);
      normals.push(...normal);
      places.push(k === 1 || k === 2 ? 1 : 0, k < 2 ? 1 : 0);
    }
    index.push(first, first + 1, first + 2, first, first + 2, first + 3);
  }
  const parts = [
    new Uint8Array(Float32Array.from(positions).buffer),
    new Uint8Array(Float32Array.from(normals).buffer),
    new Uint8Array(Float32Array.from(places).buffer),
    new Uint8Array(Uint16Array.from(index).buffer),
    ...(picture === undefined ? [] : [picture]),
  ];
  let at = 0;
  const bufferViews = parts.map(({ length }) => {
    const view = { buffer: 0, byteOffset: at, byteLength: length };
    at += length + (-length & 3);
    return view;
  });
  const json = {
    asset: { version: "2.0" },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0, translation }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0, NORMAL: 1, TEXCOORD_0: 2 }, indices: 3, material: 0 }] }],
    materials: [
      {
        pbrMetallicRoughness: {
          baseColorFactor: color,
          metallicFactor: 0,
          ...(picture === undefined ? {} : { baseColorTexture: { index: 0 } }),
        },
      },
    ],
    ...(picture === undefined ? {} : { textures: [{ source: 0 }], images: [{ bufferView: 4, mimeType: "image/png" }] }),
    accessors: [
      { bufferView: 0, componentType: 5126, count: 24, type: "VEC3", min: [-x, 0, -z], max: [x, y, z] },
      { bufferView: 1, componentType: 5126, count: 24, type: "VEC3" },
      { bufferView: 2, componentType: 5126, count: 24, type: "VEC2" },
      { bufferView: 3, componentType: 5123, count: 36, type: "SCALAR" },
    ],
    bufferViews,
    buffers: [{ byteLength: at }],
  };
  const text = new TextEncoder().encode(JSON.stringify(json));
  const jsonLength = text.length + (-text.length & 3);
  const file = new Uint8Array(12 + 8 + jsonLength + 8 + at).fill(0x20, 20, 20 + jsonLength);
  const view = new DataView(file.buffer);
  const words = [0x46546c67, 2, file.length, jsonLength, 0x4e4f534a];
  for (const [i, word] of words.entries()) view.setUint32(4 * i, word, true);
  file.set(text, 20);
  view.setUint32(20 + jsonLength, at, true);
  view.setUint32(24 + jsonLength, 0x004e4942, true);
  for (const [i, part] of parts.entries()) file.set(part, 28 + jsonLength + bufferViews[i]!.byteOffset);
  return file;
}
