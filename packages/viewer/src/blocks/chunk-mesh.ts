/** Rectangles as a graphics card takes them: four corners of each, and two triangles. */
export interface FaceArrays {
  /** Four for each corner, of which the first three count: sixteenths of a block, from the chunk's lowest corner. */
  readonly position: Uint16Array<ArrayBuffer>;
  /** Four for each corner, of which the first three count: -127 to 127. */
  readonly normal: Int8Array<ArrayBuffer>;
  /** Red, green, blue, linear, 0 to 65,535; and 65,535. */
  readonly color: Uint16Array<ArrayBuffer>;
  /** Where on the faces of blocks: sixteenths of a block along both axes, as pictures on them are seen from outside. */
  readonly place: Uint16Array<ArrayBuffer>;
  /** Of the picture on it; 0: none. */
  readonly layer: Uint16Array<ArrayBuffer>;
  readonly index: Uint32Array<ArrayBuffer>;
}

/** What is seen of a chunk. */
export interface ChunkMesh {
  /** Height of its lowest block in the world. */
  readonly bottom: number;
  readonly opaque: FaceArrays;
  /** What one sees through. */
  readonly clear: FaceArrays;
}

/** What of a mesh can be handed over, not copied. */
export function buffersOf({ opaque, clear }: ChunkMesh): ArrayBuffer[] {
  return [opaque, clear].flatMap((faces) => Object.values(faces).map(({ buffer }: { buffer: ArrayBuffer }) => buffer));
}
