import {
  BufferAttribute,
  BufferGeometry,
  Color,
  Group,
  type Material,
  Matrix4,
  Mesh,
  Quaternion,
  Vector3,
} from "three";
import type { State } from "simtape";
import type { Scheme } from "../../theme.ts";
import type { Paint, Paints, PlacedBody, Relief, Scenery } from "../../world/companion.ts";
import { Look } from "../drawing/look.ts";
import type { Origin } from "../things/origin.ts";
import { FINE, QUICK, quickened } from "../drawing/quick.ts";
import { heightAt } from "./relief.ts";
import { type Drawable, drawableOf } from "../drawing/solids.ts";
import type { WorldPart } from "./world-part.ts";

/** Layers that paints have, at most: what lies deeper is moved away from the eye, so that nothing flickers. */
const LAYERS = 6;

/** Metres over the land that something lies on: between two corners of its own the land may rise. */
const LIFT = 0.15;

interface Drawn {
  readonly paint: Paint;
  readonly meshes: readonly Mesh[];
  readonly colors: BufferAttribute;
}

/** The meshes of one companion, one draw for each paint. */
export class SceneryView implements WorldPart {
  readonly object: Group = new Group();
  readonly coversGround = false;
  readonly leavesGround: boolean;
  readonly #scenery: Scenery;
  readonly #hasPlace: boolean;
  readonly #drawn: readonly Drawn[];
  readonly #materials = new Map<number, readonly Material[]>();
  readonly #bodies: readonly Drawable[];
  #isOn = true;

  /** Where the scene's zero is must be known. What is draped lies on the first of `reliefs` that has its place. */
  constructor(scenery: Scenery, paints: Paints, origin: Origin, isSoftware: boolean, reliefs: readonly Relief[] = []) {
    this.#scenery = scenery;
    this.leavesGround = scenery.isDraped === true;
    const isGeodetic = scenery.isGeodetic === true;
    // Degrees have no place in a world of metres, nor metres on the earth.
    this.#hasPlace = origin.hasPlaces(isGeodetic);
    const place = [...scenery.middle];
    if (!isGeodetic) origin.fromLocal(place, 0);
    // What is on the earth is put where it is point by point, as the earth is round.
    if (!isGeodetic && scenery.parts.length > 0) {
      this.object.position.fromArray(place);
      // z up becomes y up
      this.object.rotation.x = -Math.PI / 2;
    }
    const parts = this.#hasPlace ? scenery.parts : [];
    this.#drawn = parts.flatMap(({ paint: name, positions: from, normals: turned, index }) => {
      const paint = paints[name];
      if (paint === undefined) return [];
      const land = scenery.isDraped === true ? reliefs : [];
      const positions = isGeodetic ? placed(from, scenery.middle, origin, land) : from;
      const normals = isGeodetic ? turned.map((_, i) => upright(turned, i)) : turned;
      const colors = new BufferAttribute(new Uint16Array(positions.length), 3, true);
      const geometry = new BufferGeometry()
        .setAttribute("position", new BufferAttribute(positions, 3))
        .setAttribute("normal", new BufferAttribute(normals, 3))
        .setAttribute("color", colors)
        .setIndex(new BufferAttribute(index, 1));
      const materials = this.#materialsOf(paint.layer, isSoftware);
      const meshes = materials.map((material, i) => {
        const mesh = new Mesh(geometry, material);
        if (materials.length > 1) mesh.layers.set(i === 0 ? FINE : QUICK);
        mesh.castShadow = i === 0 && paint.isTall === true;
        mesh.receiveShadow = i === 0;
        return mesh;
      });
      this.object.add(...meshes);
      return [{ paint, meshes, colors }];
    });
    this.#bodies = (scenery.bodies ?? []).flatMap((body) => this.#stand(body, origin, isSoftware));
    this.object.updateMatrixWorld(true);
  }

  set isOn(isOn: boolean) {
    this.#isOn = this.object.visible = isOn;
  }

  get isShown(): boolean {
    return this.#isOn && this.#drawn.length + this.#bodies.length > 0;
  }

  /** Height of its ground in the scene; null: it has none. */
  get floor(): number | null {
    const { ground, middle } = this.#scenery;
    return ground === null || !this.#hasPlace ? null : this.object.position.y + ground - middle[2];
  }

  set scheme(scheme: Scheme) {
    for (const { paint, colors } of this.#drawn) {
      const { r, g, b } = COLOR.set(paint[scheme]);
      const own = [r, g, b].map((part) => Math.round(part * 65_535));
      const { array } = colors;
      for (let i = 0; i < array.length; i++) array[i] = own[i % 3]!;
      colors.needsUpdate = true;
    }
  }

  describe(): string {
    if (!this.#hasPlace && this.#scenery.parts.length > 0)
      return `${this.#scenery.description} that has no place in this recording`;
    return this.isShown ? this.#scenery.description : "";
  }

  /** What the recording has of its own is not drawn twice. */
  update({ sets }: State): void {
    for (const { paint, meshes } of this.#drawn) {
      if (paint.unless === undefined) continue;
      const isThere = (sets.get(paint.unless)?.ids.length ?? 0) > 0;
      for (const mesh of meshes) mesh.visible = !isThere;
    }
  }

  dispose(): void {
    for (const { meshes } of this.#drawn) meshes[0]!.geometry.dispose();
    for (const body of this.#bodies) body.dispose();
    for (const material of [...this.#materials.values()].flat()) material.dispose();
  }

  /** A body where it stands; nothing, where the recording has no such place. */
  #stand({ solids, at, isGeodetic, turn, scale }: PlacedBody, origin: Origin, isSoftware: boolean): Drawable[] {
    if (!origin.hasPlaces(isGeodetic)) return [];
    const place = [...at];
    if (isGeodetic) origin.fromRecording(place, 0);
    else origin.fromLocal(place, 0);
    const group = new Group();
    // the object of what is not on the earth has z up, and is where the middle is
    const inner = this.object.matrix.compose(this.object.position, this.object.quaternion, this.object.scale).clone();
    group.applyMatrix4(
      new Matrix4()
        .compose(
          new Vector3().fromArray(place),
          new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), (turn * Math.PI) / 180),
          new Vector3(scale, scale, scale),
        )
        .premultiply(inner.invert()),
    );
    const look = new Look(-1);
    const drawables = solids.map((solid) => drawableOf(solid, look));
    for (const { geometry, material } of drawables) {
      const mesh = new Mesh(geometry, material);
      mesh.castShadow = mesh.receiveShadow = !isSoftware;
      group.add(mesh);
    }
    this.object.add(group);
    return drawables;
  }

  #materialsOf(layer: number, isSoftware: boolean): readonly Material[] {
    let materials = this.#materials.get(layer);
    if (materials === undefined) {
      const own = new Look(-1).material({ vertexColors: true });
      const quick = isSoftware ? quickened(own) : null;
      materials = quick === null ? [own] : [own, quick];
      const depth = layer === 0 ? 0 : LAYERS - layer;
      for (const material of materials) {
        material.polygonOffset = depth > 0;
        material.polygonOffsetFactor = depth;
        material.polygonOffsetUnits = 8 * depth;
      }
      this.#materials.set(layer, materials);
    }
    return materials;
  }
}

/** Degrees and metres from the middle, in the scene's own metres; on land, where there is some. */
function placed(from: Float32Array, middle: readonly number[], origin: Origin, land: readonly Relief[]): Float32Array {
  const positions = new Float32Array(from.length);
  const place = new Float64Array(3);
  for (let at = 0; at < from.length; at += 3) {
    for (let k = 0; k < 3; k++) place[k] = from[at + k]! + middle[k]!;
    for (const relief of land) {
      const height = heightAt(relief, place[0]!, place[1]!);
      if (height === null) continue;
      place[2] = height + LIFT;
      break;
    }
    origin.fromRecording(place, 0);
    positions.set(place, at);
  }
  return positions;
}

/** One number of normals that are east, north, up: in the scene north is -z, and up is y. */
function upright(normals: Float32Array, at: number): number {
  const [k, first] = [at % 3, at - (at % 3)];
  return k === 0 ? normals[at]! : k === 1 ? normals[first + 2]! : -normals[first + 1]!;
}

const COLOR = new Color();
