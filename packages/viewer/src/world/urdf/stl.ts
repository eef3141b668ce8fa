import { checkCount, facesOf } from "./mesh.ts";

/** Triangles of a file, three corners each: they share none. */
export interface Triangles {
  /** Three numbers a corner. */
  readonly positions: Float32Array;
  /** As long: what each triangle faces. */
  readonly normals: Float32Array;
}

/** Of a binary file: a text of 80 bytes, a count, then 50 bytes for each triangle. */
const HEAD = 84;
const EACH = 50;

/** Reads an STL file, binary or as text (the format of 3D Systems, 1989). Throws `Error`, in words, for what is none. */
export function readStl(bytes: Uint8Array, most: number): Triangles {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = bytes.length >= HEAD ? view.getUint32(80, true) : Number.NaN;
  // binary files may begin with "solid", too
  if (bytes.length === HEAD + EACH * count || !isText(bytes)) return binary(view, count, most);
  return fromText(new TextDecoder("latin1").decode(bytes), most);
}

function binary(view: DataView, count: number, most: number): Triangles {
  if (Number.isNaN(count)) throw new Error("it is no STL: it is too short");
  if (view.byteLength < HEAD + EACH * count)
    throw new Error(`it is cut: ${HEAD + EACH * count} bytes are wanted, ${view.byteLength} are there`);
  const corners = new Corners(count, most);
  for (let i = 0; i < count; i++)
    for (let k = 0; k < 9; k++) corners.put(view.getFloat32(HEAD + EACH * i + 12 + 4 * k, true));
  return corners.triangles();
}

function fromText(text: string, most: number): Triangles {
  const numbers = [...text.matchAll(/\bvertex\s+(\S+)\s+(\S+)\s+(\S+)/g)];
  if (!/\bendsolid\b/.test(text)) throw new Error("it is cut: it has no endsolid");
  if (numbers.length % 3 !== 0) throw new Error(`it has ${numbers.length} corners, which are no triangles`);
  const corners = new Corners(numbers.length / 3, most);
  for (const [, ...three] of numbers) for (const each of three) corners.put(Number(each));
  return corners.triangles();
}

/** Fills in corner after corner; normals follow from them, as those of a file may be anything. */
class Corners {
  readonly #positions: Float32Array;
  #at = 0;

  constructor(count: number, most: number) {
    checkCount(count, most);
    this.#positions = new Float32Array(9 * count);
  }

  put(value: number): void {
    if (!Number.isFinite(value)) throw new Error(`a corner of triangle ${Math.floor(this.#at / 9)} is no number`);
    this.#positions[this.#at++] = value;
  }

  triangles(): Triangles {
    return { positions: this.#positions, normals: facesOf(this.#positions) };
  }
}

function isText(bytes: Uint8Array): boolean {
  return /^\s*solid\b/i.test(new TextDecoder("latin1").decode(bytes.subarray(0, 80)));
}
