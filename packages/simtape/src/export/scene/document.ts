import { type Accessor, type Animation, type Buffer, Document, type Mesh, type Node } from "@gltf-transform/core";
import { type Shape, shapeOf } from "./shapes.ts";
import type { Thing, Things } from "./things.ts";
import type { Track } from "./track.ts";

/** A scene of things that move. `uri` is where the buffer lies when it is a file of its own. */
export function documentOf(things: Things, extras: Record<string, unknown>, uri: string): Document {
  const builder = new SceneBuilder(uri);
  for (const thing of things.all) builder.add(thing);
  const root = builder.document.getRoot();
  root.getAsset().generator = "simtape";
  root.setExtras(extras);
  return builder.document;
}

class SceneBuilder {
  readonly document: Document = new Document();
  readonly #buffer: Buffer;
  readonly #sets = new Map<string, Node>();
  readonly #meshes = new Map<string, Mesh>();
  /** Times of samplers, by length and content: most things of a set move at the same times. */
  readonly #times = new Map<string, Accessor>();
  #animation: Animation | null = null;

  constructor(uri: string) {
    this.#buffer = this.document.createBuffer().setURI(uri);
    this.document.getRoot().setDefaultScene(this.document.createScene("recording"));
  }

  add(thing: Thing): void {
    const { set, id, kind, label } = thing;
    const name = `${set}/${id}`;
    const node = this.document
      .createNode(label === "" ? name : `${label} (${name})`)
      .setMesh(this.#meshOf(shapeOf(thing)))
      .setExtras({ set, id, ...(kind === "" ? {} : { kind }), ...(label === "" ? {} : { label }) });
    this.#setOf(thing).addChild(node);
    this.#animate(node, "translation", thing.translation);
    this.#animate(node, "rotation", thing.rotation);
    if (thing.visible.length > 1) this.#animate(node, "scale", thing.visible);
  }

  #setOf(thing: Thing): Node {
    const found = this.#sets.get(thing.set);
    if (found !== undefined) return found;
    const node = this.document.createNode(thing.set);
    if (thing.enlargement !== 1) node.setExtras({ enlargement: thing.enlargement });
    this.document.getRoot().getDefaultScene()!.addChild(node);
    this.#sets.set(thing.set, node);
    return node;
  }

  /** Where the thing is at first, and how that changes. */
  #animate(node: Node, path: "translation" | "rotation" | "scale", track: Track): void {
    if (track.length === 0) return;
    const { times, values: taken } = track.take();
    const values =
      path === "scale" ? Float32Array.from({ length: 3 * taken.length }, (_, k) => taken[(k / 3) | 0]!) : taken;
    const first = values.subarray(0, path === "rotation" ? 4 : 3);
    if (path === "translation") node.setTranslation([...first] as [number, number, number]);
    else if (path === "rotation") node.setRotation([...first] as [number, number, number, number]);
    else node.setScale([...first] as [number, number, number]);
    if (times.length < 2) return;
    const output = this.document
      .createAccessor()
      .setType(path === "rotation" ? "VEC4" : "VEC3")
      .setArray(values)
      .setBuffer(this.#buffer);
    const sampler = this.document
      .createAnimationSampler()
      .setInput(this.#timesOf(times))
      .setOutput(output)
      .setInterpolation(track.isStep ? "STEP" : "LINEAR");
    const channel = this.document.createAnimationChannel().setTargetNode(node).setTargetPath(path).setSampler(sampler);
    this.#animation ??= this.document.createAnimation("recording");
    this.#animation.addSampler(sampler).addChannel(channel);
  }

  #timesOf(times: Float32Array<ArrayBuffer>): Accessor {
    const words = new Uint32Array(times.buffer);
    let [one, other] = [0, 0];
    for (const word of words) {
      one = (Math.imul(one, 31) + word) >>> 0;
      other = (Math.imul(other ^ word, 0x01000193) + 1) >>> 0;
    }
    for (let n = 0; ; n++) {
      const key = `${times.length} ${one} ${other} ${n}`;
      const found = this.#times.get(key);
      if (found !== undefined && !isEqual(found.getArray()!, times)) continue;
      if (found !== undefined) return found;
      const made = this.document.createAccessor().setType("SCALAR").setArray(times).setBuffer(this.#buffer);
      this.#times.set(key, made);
      return made;
    }
  }

  #meshOf({ key, color, mesh: make }: Shape): Mesh {
    const found = this.#meshes.get(key);
    if (found !== undefined) return found;
    const { document } = this;
    const { positions, normals, indices } = make();
    const accessor = (type: "VEC3" | "SCALAR", array: Float32Array<ArrayBuffer> | Uint16Array<ArrayBuffer>): Accessor =>
      document.createAccessor().setType(type).setArray(array).setBuffer(this.#buffer);
    const material = document
      .createMaterial()
      .setBaseColorFactor([...color, 1])
      .setMetallicFactor(0);
    const primitive = document
      .createPrimitive()
      .setAttribute("POSITION", accessor("VEC3", positions))
      .setAttribute("NORMAL", accessor("VEC3", normals))
      .setIndices(accessor("SCALAR", indices))
      .setMaterial(material.setRoughnessFactor(0.8));
    const mesh = document.createMesh(key.split(" ")[0]!).addPrimitive(primitive);
    this.#meshes.set(key, mesh);
    return mesh;
  }
}

function isEqual(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a.length !== b.length) return false;
  for (let k = 0; k < a.length; k++) if (a[k] !== b[k]) return false;
  return true;
}
