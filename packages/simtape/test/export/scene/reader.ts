/** A reader of glTF 2.0, written from its specification alone: it shares no code with what it judges. */

interface Json {
  readonly nodes?: readonly {
    readonly name: string;
    readonly children?: readonly number[];
    readonly translation?: readonly number[];
    readonly rotation?: readonly number[];
    readonly scale?: readonly number[];
    readonly mesh?: number;
    readonly extras?: { readonly set: string; readonly id: number | string };
  }[];
  readonly animations?: readonly {
    readonly channels: readonly {
      readonly sampler: number;
      readonly target: { readonly node: number; readonly path: string };
    }[];
    readonly samplers: readonly { readonly input: number; readonly output: number; readonly interpolation?: string }[];
  }[];
  readonly accessors?: readonly {
    readonly bufferView: number;
    readonly byteOffset?: number;
    readonly componentType: number;
    readonly count: number;
    readonly type: string;
  }[];
  readonly bufferViews?: readonly {
    readonly byteOffset?: number;
    readonly byteStride?: number;
    readonly byteLength: number;
  }[];
  readonly extras: Readonly<Record<string, unknown>>;
}

const WIDTHS: Readonly<Record<string, number>> = { SCALAR: 1, VEC3: 3, VEC4: 4 };

export interface Shown {
  readonly set: string;
  readonly id: number | string;
  readonly scale: number;
  readonly place: readonly number[];
  /** Quaternion; identity unless it has one. */
  readonly turn: readonly number[];
}

export class ReadScene {
  readonly json: Json;
  readonly #buffer: Uint8Array;
  readonly #cache = new Map<number, number[]>();

  private constructor(json: Json, buffer: Uint8Array) {
    this.json = json;
    this.#buffer = buffer;
  }

  /** Section 4: a header of 12 bytes, a chunk of JSON and one of the buffer. */
  static ofBinary(bytes: Uint8Array): ReadScene {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (view.getUint32(0, true) !== 0x46546c67 || view.getUint32(4, true) !== 2) throw new Error("no glTF 2");
    if (view.getUint32(8, true) !== bytes.length) throw new Error("another length");
    const length = view.getUint32(12, true);
    const json = JSON.parse(new TextDecoder().decode(bytes.subarray(20, 20 + length))) as Json;
    return new ReadScene(json, bytes.subarray(28 + length));
  }

  static ofText(bytes: Uint8Array, buffer: Uint8Array): ReadScene {
    return new ReadScene(JSON.parse(new TextDecoder().decode(bytes)) as Json, buffer);
  }

  /** Every thing at so many seconds of the animation: section 3.11 and appendix C. */
  at(seconds: number): Shown[] {
    const { nodes = [], animations = [] } = this.json;
    const moved = new Map<string, number[]>();
    for (const { channels, samplers } of animations)
      for (const { sampler, target } of channels)
        moved.set(`${target.node} ${target.path}`, this.#sample(samplers[sampler]!, target.path, seconds));
    const shown: Shown[] = [];
    for (const { children = [] } of nodes)
      for (const child of children) {
        const node = nodes[child]!;
        const own = (path: "translation" | "rotation" | "scale", otherwise: readonly number[]): readonly number[] =>
          moved.get(`${child} ${path}`) ?? node[path] ?? otherwise;
        shown.push({
          set: node.extras!.set,
          id: node.extras!.id,
          scale: own("scale", [1, 1, 1])[0]!,
          place: own("translation", [0, 0, 0]),
          turn: own("rotation", [0, 0, 0, 1]),
        });
      }
    return shown;
  }

  #sample(sampler: { input: number; output: number; interpolation?: string }, path: string, at: number): number[] {
    const times = this.#numbers(sampler.input);
    const values = this.#numbers(sampler.output);
    const width = values.length / times.length;
    const value = (k: number): number[] => values.slice(k * width, (k + 1) * width);
    const next = times.findIndex((time) => time > at);
    if (next === 0) return value(0);
    if (next < 0) return value(times.length - 1);
    if (sampler.interpolation === "STEP") return value(next - 1);
    const t = (at - times[next - 1]!) / (times[next]! - times[next - 1]!);
    const [a, b] = [value(next - 1), value(next)];
    if (path !== "rotation") return a.map((one, k) => one + (b[k]! - one) * t);
    const dot = a.reduce((sum, one, k) => sum + one * b[k]!, 0);
    const angle = Math.acos(Math.min(1, Math.abs(dot)));
    if (angle < 1e-6) return a;
    const [from, to] = [Math.sin((1 - t) * angle), Math.sign(dot) * Math.sin(t * angle)];
    return a.map((one, k) => (one * from + b[k]! * to) / Math.sin(angle));
  }

  #numbers(index: number): number[] {
    const known = this.#cache.get(index);
    if (known !== undefined) return known;
    const { bufferView, byteOffset = 0, componentType, count, type } = this.json.accessors![index]!;
    if (componentType !== 5126) throw new Error("not of float32");
    const { byteOffset: from = 0, byteStride } = this.json.bufferViews![bufferView]!;
    const width = WIDTHS[type]!;
    const view = new DataView(this.#buffer.buffer, this.#buffer.byteOffset, this.#buffer.byteLength);
    const stride = byteStride ?? 4 * width;
    const numbers = Array.from({ length: count * width }, (_, k) =>
      view.getFloat32(from + byteOffset + Math.floor(k / width) * stride + 4 * (k % width), true),
    );
    this.#cache.set(index, numbers);
    return numbers;
  }
}
