import { type Shape, shapeOf } from "./shapes.ts";
import type { Thing, Things } from "./things.ts";
import type { Track } from "./track.ts";

/** A glTF document as JSON, and the content of its one buffer, whose parts begin at multiples of four bytes. */
export interface SceneDocument {
  readonly json: Record<string, unknown>;
  readonly buffer: readonly Uint8Array<ArrayBuffer>[];
  readonly byteLength: number;
}

type Numbers = Float32Array<ArrayBuffer> | Uint16Array<ArrayBuffer>;
type Path = "translation" | "rotation" | "scale";

/** Component types of accessors (glTF 2.0 specification, section 3.6.2.2). */
const [FLOAT, UNSIGNED_SHORT] = [5126, 5123];
/** What a buffer view of a mesh is for (section 5.11.5). */
const [VERTICES, INDICES] = [34962, 34963];
/** Numbers of an element, by the type of the accessor. */
const WIDTHS = { SCALAR: 1, VEC3: 3, VEC4: 4 } as const;

/** A scene of things that move (glTF 2.0). `uri` is where the buffer lies when it is a file of its own; null: in a GLB. */
export function documentOf(things: Things, extras: Record<string, unknown>, uri: string | null): SceneDocument {
  const builder = new SceneBuilder();
  for (const thing of things.all) builder.add(thing);
  return builder.document(extras, uri);
}

class SceneBuilder {
  readonly #parts: Uint8Array<ArrayBuffer>[] = [];
  #byteLength = 0;
  readonly #views: object[] = [];
  readonly #accessors: object[] = [];
  readonly #nodes: Record<string, unknown>[] = [];
  readonly #roots: number[] = [];
  readonly #meshes: object[] = [];
  readonly #materials: object[] = [];
  readonly #samplers: object[] = [];
  readonly #channels: object[] = [];
  /** Nodes of sets with those of their things, and what was made before, by its key. */
  readonly #sets = new Map<string, number[]>();
  readonly #meshAt = new Map<string, number>();
  /** Times of samplers, by length and content: most things of a set move at the same times. */
  readonly #times = new Map<string, { readonly times: Float32Array; readonly accessor: number }>();

  add(thing: Thing): void {
    const { set, id, kind, label } = thing;
    const name = `${set}/${id}`;
    const node = this.#nodes.length + (this.#sets.has(set) ? 0 : 1);
    this.#setOf(thing).push(node);
    const own: Record<string, unknown> = {
      name: label === "" ? name : `${label} (${name})`,
      mesh: this.#meshOf(shapeOf(thing)),
      extras: { set, id, ...(kind === "" ? {} : { kind }), ...(label === "" ? {} : { label }) },
    };
    this.#nodes.push(own);
    this.#animate(own, node, "translation", thing.translation);
    this.#animate(own, node, "rotation", thing.rotation);
    if (thing.visible.length > 1) this.#animate(own, node, "scale", thing.visible);
  }

  document(extras: Record<string, unknown>, uri: string | null): SceneDocument {
    const named = (lists: Record<string, readonly object[]>): object =>
      Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));
    const buffer = { ...(uri === null ? {} : { uri: encodeURIComponent(uri) }), byteLength: this.#byteLength };
    const json = {
      asset: { version: "2.0", generator: "simtape" },
      extras,
      scene: 0,
      scenes: [{ name: "recording", ...(this.#roots.length > 0 ? { nodes: this.#roots } : {}) }],
      ...named({
        nodes: this.#nodes,
        meshes: this.#meshes,
        materials: this.#materials,
        animations:
          this.#channels.length > 0 ? [{ name: "recording", samplers: this.#samplers, channels: this.#channels }] : [],
        accessors: this.#accessors,
        bufferViews: this.#views,
        buffers: this.#byteLength > 0 ? [buffer] : [],
      }),
    };
    return { json, buffer: this.#parts, byteLength: this.#byteLength };
  }

  /** The children of the node of its set. */
  #setOf({ set, enlargement }: Thing): number[] {
    const found = this.#sets.get(set);
    if (found !== undefined) return found;
    const children: number[] = [];
    this.#sets.set(set, children);
    this.#roots.push(this.#nodes.length);
    this.#nodes.push({ name: set, children, ...(enlargement === 1 ? {} : { extras: { enlargement } }) });
    return children;
  }

  /** Where the thing is at first, and how that changes. */
  #animate(own: Record<string, unknown>, node: number, path: Path, track: Track): void {
    if (track.length === 0) return;
    const { times, values: taken } = track.take();
    const values =
      path === "scale" ? Float32Array.from({ length: 3 * taken.length }, (_, k) => taken[(k / 3) | 0]!) : taken;
    own[path] = [...values.subarray(0, path === "rotation" ? 4 : 3)];
    if (times.length < 2) return;
    const sampler = {
      input: this.#timesOf(times),
      output: this.#accessor(path === "rotation" ? "VEC4" : "VEC3", values),
      interpolation: track.isStep ? "STEP" : "LINEAR",
    };
    this.#channels.push({ sampler: this.#samplers.length, target: { node, path } });
    this.#samplers.push(sampler);
  }

  #timesOf(times: Float32Array<ArrayBuffer>): number {
    const words = new Uint32Array(times.buffer);
    let [one, other] = [0, 0];
    for (const word of words) {
      one = (Math.imul(one, 31) + word) >>> 0;
      other = (Math.imul(other ^ word, 0x01000193) + 1) >>> 0;
    }
    for (let n = 0; ; n++) {
      const key = `${times.length} ${one} ${other} ${n}`;
      const found = this.#times.get(key);
      if (found !== undefined && !isEqual(found.times, times)) continue;
      if (found !== undefined) return found.accessor;
      // times of samplers have bounds (section 3.11)
      const accessor = this.#accessor("SCALAR", times, null, { min: [times[0]!], max: [times.at(-1)!] });
      this.#times.set(key, { times, accessor });
      return accessor;
    }
  }

  #meshOf({ key, color, mesh: make }: Shape): number {
    const found = this.#meshAt.get(key);
    if (found !== undefined) return found;
    const { positions, normals, indices } = make();
    const primitive = {
      attributes: {
        POSITION: this.#accessor("VEC3", positions, VERTICES, boundsOf(positions)),
        NORMAL: this.#accessor("VEC3", normals, VERTICES),
      },
      indices: this.#accessor("SCALAR", indices, INDICES),
      material: this.#materials.length,
    };
    this.#materials.push({
      pbrMetallicRoughness: { baseColorFactor: [...color, 1], metallicFactor: 0, roughnessFactor: 0.8 },
    });
    this.#meshes.push({ name: key.split(" ")[0]!, primitives: [primitive] });
    this.#meshAt.set(key, this.#meshes.length - 1);
    return this.#meshes.length - 1;
  }

  /** Numbers of the buffer, little-endian as all platforms of JavaScript are. */
  #accessor(type: keyof typeof WIDTHS, numbers: Numbers, target: number | null = null, bounds: object = {}): number {
    const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
    this.#views.push({
      buffer: 0,
      byteOffset: this.#byteLength,
      byteLength: bytes.length,
      ...(target === null ? {} : { target }),
    });
    this.#parts.push(bytes);
    this.#byteLength += bytes.length;
    const padding = -bytes.length & 3;
    if (padding > 0) this.#parts.push(new Uint8Array(padding));
    this.#byteLength += padding;
    this.#accessors.push({
      bufferView: this.#views.length - 1,
      componentType: numbers instanceof Float32Array ? FLOAT : UNSIGNED_SHORT,
      count: numbers.length / WIDTHS[type],
      type,
      ...bounds,
    });
    return this.#accessors.length - 1;
  }
}

function boundsOf(positions: Float32Array): { readonly min: number[]; readonly max: number[] } {
  const min = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const max = min.map((value) => -value);
  for (let k = 0; k < positions.length; k++) {
    min[k % 3] = Math.min(min[k % 3]!, positions[k]!);
    max[k % 3] = Math.max(max[k % 3]!, positions[k]!);
  }
  return { min, max };
}

function isEqual(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a.length !== b.length) return false;
  for (let k = 0; k < a.length; k++) if (a[k] !== b[k]) return false;
  return true;
}
