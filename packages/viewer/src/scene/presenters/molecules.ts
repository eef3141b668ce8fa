import {
  type Box3,
  BufferAttribute,
  BufferGeometry,
  Color,
  CylinderGeometry,
  Group,
  IcosahedronGeometry,
  LineBasicMaterial,
  LineSegments,
  SphereGeometry,
  Vector3,
} from "three";
import { mergeVertices } from "three/addons/utils/BufferGeometryUtils.js";
import type { EntitySet, State, Value } from "simtape";
import { Instances } from "../instances.ts";
import { color, ghostColor } from "../look.ts";
import { ballRadius, elementColor } from "./elements.ts";
import { counted, type Presenter, type PresenterKind, type Setting } from "./presenter.ts";
import { numberAt, textAt } from "./cells.ts";
import { controllerGeometry, headsetGeometry } from "./avatar-shapes.ts";
import { moleculeReadings } from "./readings.ts";
import { roomPose } from "./room.ts";
import { SetCrowd } from "./set-crowd.ts";

/**
 * Particles as balls in the colours of their elements, their bonds, the box; who is in the room, and what they pull at.
 */
export const molecules: PresenterKind = {
  claims: (name) => name === "particles" || name === "avatars" || name === "interactions",
  make: (setting) => new Molecules(setting),
};

/** nm */
const BOND_RADIUS = 0.024;
const PULL_RADIUS = 0.012;
const NM = 1e-9;
/** Triangles that all balls may have together: they are finer where there are fewer of them. */
const TRIANGLES = 300_000;
const FINEST = 9;
const PULL = color("#ffd43b");
const HAND = color("#ffffff");
const MINE = new Color();
const POINT = new Vector3();
const NONE: readonly number[] = [];

class Molecules implements Presenter {
  /** The room, in metres. In `#simulation` lengths are nm: 1 nm is shown as 1 m when its place is not recorded. */
  readonly object: Group = new Group();
  readonly isJourney: boolean = false;
  readonly crowds: SetCrowd[];
  readonly #setting: Setting;
  readonly #simulation = new Group();
  readonly #particles: SetCrowd;
  readonly #avatars: SetCrowd;
  readonly #interactions: SetCrowd;
  #atoms: Instances | null = null;
  #detail = -1;
  /** Atoms with a bond, of the pairs they were read from. */
  #bonded: Uint8Array = new Uint8Array(0);
  /** Of each atom: the colour of its element, its own, its radius; and what they were made of. */
  #elements: Color[] = [];
  #shades: Color[] = [];
  #radii = new Float32Array(0);
  #dressedOf: readonly unknown[] = [];
  readonly #bonds: Instances;
  readonly #pulls: Instances;
  readonly #ends: Instances;
  readonly #heads: Instances;
  readonly #hands: Instances;
  readonly #box: LineSegments<BufferGeometry, LineBasicMaterial>;
  #boxVectors: Value | undefined;
  #bondPairs: Value | undefined;
  #scene: Value | undefined;

  constructor(setting: Setting) {
    this.#setting = setting;
    const { look } = setting;
    const rod = (): CylinderGeometry => new CylinderGeometry(1, 1, 1, 14, 1, true);
    this.#bonds = new Instances(rod(), look.material({ shine: 0.3 }));
    this.#pulls = new Instances(rod(), look.glow({ opacity: 0.8 }));
    this.#ends = new Instances(new SphereGeometry(1, 12, 8), look.glow());
    this.#heads = new Instances(headsetGeometry(), look.material({ vertexColors: true, shine: 0.2 }));
    this.#hands = new Instances(controllerGeometry(), look.material({ vertexColors: true, shine: 0.2 }));
    const tint = look.ghost < 0 ? color("#8496a5") : ghostColor(look.ghost);
    this.#box = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ color: tint }));
    this.#box.geometry.setAttribute("position", new BufferAttribute(new Float32Array(72), 3));
    this.#box.visible = false;
    this.#box.frustumCulled = false;
    this.#simulation.matrixAutoUpdate = false;
    this.#simulation.add(this.#bonds.object, this.#pulls.object, this.#ends.object, this.#box);
    this.object.add(this.#simulation, this.#heads.object, this.#hands.object);
    const readings = moleculeReadings;
    const nm = { metres: NM, eye: 0, top: 0.12, readings };
    this.#particles = new SetCrowd("particles", this.#simulation, setting, {
      ...nm,
      radius: 0.06,
      isMain: false,
      label: atomName,
    });
    this.#interactions = new SetCrowd("interactions", this.#simulation, setting, {
      ...nm,
      radius: 0.05,
      isMain: false,
    });
    this.#avatars = new SetCrowd("avatars", this.object, setting, {
      radius: 0.15,
      eye: 0,
      top: 0.2,
      ahead: "-z",
      travels: false,
      readings,
      label: (set, row) => (textAt(set, "kind", row) === "headset" ? textAt(set, "label", row) : ""),
    });
    this.crowds = [this.#avatars, this.#interactions, this.#particles];
  }

  adopt(): void {
    // Its sets are known by name.
  }

  update(state: State): void {
    this.#place(state);
    const areOthers = this.#particles.update(state);
    const pairs = state.values.get("bond.pairs");
    if (pairs !== this.#bondPairs || this.#bonded.length !== this.#particles.poses.count) this.#noteBonds(pairs);
    if (areOthers) this.#drawAtoms();
    if (areOthers || pairs !== this.#bondPairs) this.#drawBonds(pairs, state.values.get("system.box.vectors"));
    this.#drawBox(state.values.get("system.box.vectors"));
    if (this.#avatars.update(state)) this.#drawAvatars();
    // What is pulled moves with every frame.
    if (this.#interactions.update(state) || areOthers) this.#drawPulls(state);
  }

  frame(box: Box3): void {
    this.object.updateWorldMatrix(true, true);
    this.#particles.widen(box, 0.05 * this.#simulation.matrixWorld.getMaxScaleOnAxis());
    if (box.isEmpty()) this.#avatars.widen(box, 0.2);
  }

  /** That of the room. */
  get floor(): number | null {
    return this.#avatars.poses.count > 0 ? 0 : null;
  }

  describe(): string {
    const { count } = this.#particles.poses;
    const people = new Set(this.#avatars.poses.ids.map((id) => String(id).split("/")[0])).size;
    return [counted(count, "atom"), counted(this.#bonds.count / 2, "bond"), counted(people, "person", "people")].join(
      ", ",
    );
  }

  dispose(): void {
    for (const shapes of [this.#bonds, this.#pulls, this.#ends, this.#heads, this.#hands]) shapes.dispose();
    this.#atoms?.dispose();
    this.#box.geometry.dispose();
    this.#box.material.dispose();
  }

  #place(state: State): void {
    const scene = state.values.get("state/scene");
    if (scene === this.#scene) return;
    this.#scene = scene;
    if (!roomPose(scene, this.#simulation.matrix)) this.#simulation.matrix.identity();
    this.#simulation.matrixWorldNeedsUpdate = true;
  }

  #drawAtoms(): void {
    const { poses } = this.#particles;
    const atoms = this.#balls(poses.count);
    const { positions } = poses;
    this.#dress();
    atoms.begin();
    for (let row = 0; row < poses.count; row++) {
      const at = 3 * row;
      if (!poses.isDrawn(row)) continue;
      const radius = this.#radii[row]!;
      const [x, y, z] = [positions[at]!, positions[at + 1]!, positions[at + 2]!];
      atoms.put(x, y, z, 0, 0, 0, 1, radius, radius, radius, this.#shades[row]!);
    }
    atoms.end();
  }

  /** They move with every frame, but hardly ever are they others. */
  #dress(): void {
    const { poses, entities } = this.#particles;
    const of = [entities?.columns.get("element"), entities?.columns.get("color"), this.#bonded, poses.count];
    if (of.every((part, i) => part === this.#dressedOf[i])) return;
    this.#dressedOf = of;
    const { look } = this.#setting;
    const painted = new Map<number, Color>();
    this.#elements = [];
    this.#shades = [];
    this.#radii = new Float32Array(poses.count);
    for (let row = 0; row < poses.count; row++) {
      const element = numberAt(entities, "element", row);
      this.#radii[row] = ballRadius(element, this.#bonded[row] === 1);
      const usual = elementColor(element);
      const shade = painted.get(element) ?? look.paint(usual).clone();
      painted.set(element, shade);
      const tint = entities === undefined ? usual : tintOf(entities, row, usual);
      this.#elements.push(shade);
      this.#shades.push(tint === usual ? shade : look.paint(tint).clone());
    }
  }

  #balls(count: number): Instances {
    const detail = Math.max(1, Math.min(FINEST, Math.floor(Math.sqrt(TRIANGLES / (20 * Math.max(1, count)))) - 1));
    if (this.#atoms !== null && this.#detail === detail) return this.#atoms;
    if (this.#atoms !== null) {
      this.#simulation.remove(this.#atoms.object);
      this.#atoms.dispose();
    }
    this.#detail = detail;
    const material = this.#setting.look.material({ shine: 0.45 });
    const ball = mergeVertices(new IcosahedronGeometry(1, detail).deleteAttribute("uv"));
    this.#atoms = new Instances(ball, material, Math.max(16, count));
    this.#simulation.add(this.#atoms.object);
    return this.#atoms;
  }

  #noteBonds(pairs: Value | undefined): void {
    this.#bonded = new Uint8Array(this.#particles.poses.count);
    if (!ArrayBuffer.isView(pairs)) return;
    for (const atom of pairs as Uint32Array) if (atom < this.#bonded.length) this.#bonded[atom] = 1;
  }

  /** Each in two halves, in the colours of its ends. Those that go through the walls of the box are left out. */
  #drawBonds(pairs: Value | undefined, box: Value | undefined): void {
    this.#bondPairs = pairs;
    const { poses } = this.#particles;
    const { positions } = poses;
    const longest = longestBond(box) ** 2;
    this.#dress();
    const bonds = this.#bonds;
    bonds.begin();
    if (ArrayBuffer.isView(pairs)) {
      const ends = pairs as Uint32Array;
      for (let i = 0; i + 1 < ends.length; i += 2) {
        const a = ends[i]!;
        const b = ends[i + 1]!;
        if (a >= poses.count || b >= poses.count) continue;
        const ax = positions[3 * a]!;
        const ay = positions[3 * a + 1]!;
        const az = positions[3 * a + 2]!;
        const bx = positions[3 * b]!;
        const by = positions[3 * b + 1]!;
        const bz = positions[3 * b + 2]!;
        if (!((bx - ax) ** 2 + (by - ay) ** 2 + (bz - az) ** 2 < longest)) continue;
        const mx = (ax + bx) / 2;
        const my = (ay + by) / 2;
        const mz = (az + bz) / 2;
        bonds.putRod(ax, ay, az, mx, my, mz, BOND_RADIUS, this.#elements[a]!);
        bonds.putRod(mx, my, mz, bx, by, bz, BOND_RADIUS, this.#elements[b]!);
      }
    }
    bonds.end();
  }

  #drawBox(vectors: Value | undefined): void {
    if (vectors === this.#boxVectors) return;
    this.#boxVectors = vectors;
    const corners = this.#box.geometry.getAttribute("position") as BufferAttribute;
    this.#box.visible = boxEdges(vectors, corners.array as Float32Array);
    corners.needsUpdate = true;
  }

  #drawAvatars(): void {
    const { poses, entities } = this.#avatars;
    const { look } = this.#setting;
    this.#heads.begin();
    this.#hands.begin();
    for (let row = 0; row < poses.count; row++) {
      if (!poses.isDrawn(row)) continue;
      const shapes = textAt(entities, "kind", row) === "headset" ? this.#heads : this.#hands;
      const shade = look.paint(tintOf(entities!, row, HAND));
      shapes.putThing(poses, row, 1, 1, 1, shade);
    }
    this.#heads.end();
    this.#hands.end();
  }

  /** From what pulls to each particle that is pulled at. */
  #drawPulls(state: State): void {
    const { poses } = this.#interactions;
    const { look } = this.#setting;
    const { positions: from } = poses;
    const { positions: particles, count } = this.#particles.poses;
    this.#pulls.begin();
    this.#ends.begin();
    for (let row = 0; row < poses.count; row++) {
      if (!poses.isDrawn(row)) continue;
      const [x, y, z] = [from[3 * row]!, from[3 * row + 1]!, from[3 * row + 2]!];
      this.#ends.put(x, y, z, 0, 0, 0, 1, 0.035, 0.035, 0.035, look.paint(PULL));
      for (const particle of pulledBy(state.values.get(`state/interaction.${poses.ids[row]!}`))) {
        if (!(particle < count)) continue;
        const at = 3 * particle;
        this.#pulls.putRod(
          x,
          y,
          z,
          particles[at]!,
          particles[at + 1]!,
          particles[at + 2]!,
          PULL_RADIUS,
          look.paint(PULL),
        );
      }
    }
    this.#pulls.end();
    this.#ends.end();
  }
}

/** Colour of one thing as it is recorded, of numbers to 1 or bytes; `fallback` when it says none. */
function tintOf(set: EntitySet, row: number, fallback: Color): Color {
  const column = set.columns.get("color");
  const red = numberAt(set, "color", row);
  if (column === undefined || !Number.isFinite(red)) return fallback;
  const scale = column.data instanceof Uint8Array ? 1 / 255 : 1;
  return MINE.setRGB(
    red * scale,
    numberAt(set, "color", row, 1) * scale,
    numberAt(set, "color", row, 2) * scale,
    "srgb",
  );
}

function atomName(set: EntitySet, row: number): string {
  const label = textAt(set, "label", row).trim();
  return `${label === "" ? "atom" : label} ${set.ids[row]}`;
}

function pulledBy(interaction: Value | undefined): ArrayLike<number> & Iterable<number> {
  const particles = (interaction as { readonly particles?: unknown } | undefined)?.particles;
  return Array.isArray(particles) || ArrayBuffer.isView(particles) ? (particles as number[]) : NONE;
}

/** nm: half of the shortest side of the box. */
function longestBond(box: Value | undefined): number {
  const v = box as ArrayLike<number> | undefined;
  if (!ArrayBuffer.isView(box) || v!.length !== 9) return Number.POSITIVE_INFINITY;
  const shortest = Math.min(
    Math.hypot(v![0]!, v![1]!, v![2]!),
    Math.hypot(v![3]!, v![4]!, v![5]!),
    Math.hypot(v![6]!, v![7]!, v![8]!),
  );
  return shortest > 0 ? shortest / 2 : Number.POSITIVE_INFINITY;
}

/**
 * The twelve edges of the cell that three vectors (rows, z up) span from zero, as 24 points with y up. False: no box.
 */
export function boxEdges(vectors: Value | undefined, out: Float32Array): boolean {
  const v = vectors as ArrayLike<number> | undefined;
  if (!ArrayBuffer.isView(vectors) || v!.length !== 9) return false;
  let at = 0;
  for (let along = 0; along < 3; along++) {
    for (let corner = 0; corner < 4; corner++) {
      for (let end = 0; end < 2; end++) {
        POINT.set(0, 0, 0);
        for (let side = 0; side < 3; side++) {
          const isOn = side === along ? end === 1 : (corner & (side === (along + 1) % 3 ? 1 : 2)) !== 0;
          if (isOn) POINT.set(POINT.x + v![3 * side]!, POINT.y + v![3 * side + 1]!, POINT.z + v![3 * side + 2]!);
        }
        out[at++] = POINT.x;
        out[at++] = POINT.z;
        out[at++] = -POINT.y;
      }
    }
  }
  return out.every(Number.isFinite);
}
