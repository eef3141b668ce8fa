import {
  type Box3,
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  DynamicDrawUsage,
  Group,
  Mesh,
  Points,
  PointsMaterial,
} from "three";
import type { State, Value } from "simtape";
import { Instances } from "../instances.ts";
import { color, colorOf, ghostColor } from "../look.ts";
import { counted, type Presenter, type PresenterKind, type Setting } from "./presenter.ts";
import { type RangeScan, scanOf, scanPoints } from "./scan.ts";
import { robotGeometry } from "./shapes.ts";
import { SetCrowd } from "./set-crowd.ts";

/** Robots where their poses are, and what their laser scanners see from there. */
export const robots: PresenterKind = { claims: (name) => name === "poses", make: (setting) => new Robots(setting) };

/** Nothing says how large a robot is: as most that drive indoors, metres. */
const WIDTH = 0.5;
const HEIGHT = 0.35;
/** How high the scanner sits. */
const BEAM = 0.25;
const LASER = color("#ff5a4f");

class Robots implements Presenter {
  readonly object: Group = new Group();
  readonly isJourney: boolean = false;
  readonly crowds: SetCrowd[];
  readonly #setting: Setting;
  readonly #poses: SetCrowd;
  readonly #shapes: Instances;
  readonly #scans = new Map<string, Scan>();

  constructor(setting: Setting) {
    this.#setting = setting;
    this.#poses = new SetCrowd("poses", this.object, setting, {
      radius: WIDTH,
      eye: HEIGHT,
      top: 0.6,
      label: (set, row) => String(set.ids[row]).replace(/^\//, ""),
    });
    this.crowds = [this.#poses];
    this.#shapes = new Instances(robotGeometry(), setting.look.material({ vertexColors: true }));
    this.object.add(this.#shapes.object);
  }

  adopt(): void {
    // Its set is known by name.
  }

  update(state: State): void {
    const areOthers = this.#poses.update(state);
    if (areOthers) this.#drawPoses();
    for (const [path, value] of state.values) {
      const scan = scanOf(value);
      if (scan !== null) this.#scanAt(path).update(scan, value, this.#poses, areOthers);
    }
    for (const [path, scan] of this.#scans) scan.object.visible = state.values.has(path);
  }

  frame(box: Box3): void {
    this.#poses.widen(box, 0.6);
    for (const scan of this.#scans.values()) scan.widen(box);
  }

  get floor(): number | null {
    return this.#poses.floor;
  }

  describe(): string {
    return [counted(this.#poses.poses.count, "robot"), counted(this.#scans.size, "laser scanner")].join(", ");
  }

  dispose(): void {
    this.#shapes.dispose();
    for (const scan of this.#scans.values()) scan.dispose();
  }

  #drawPoses(): void {
    const { poses } = this.#poses;
    const { look } = this.#setting;
    this.#shapes.begin();
    for (let row = 0; row < poses.count; row++) {
      if (!poses.isKnown(row)) continue;
      const { positions: p, orientations: q } = poses;
      const at = 3 * row;
      const from = 4 * row;
      const shade = look.paint(colorOf(String(poses.ids[row]).split("/")[1] ?? row));
      this.#shapes.put(
        p[at]!,
        p[at + 1]!,
        p[at + 2]!,
        q[from]!,
        q[from + 1]!,
        q[from + 2]!,
        q[from + 3]!,
        WIDTH,
        HEIGHT,
        WIDTH,
        shade,
      );
    }
    this.#shapes.end();
  }

  #scanAt(path: string): Scan {
    let scan = this.#scans.get(path);
    if (scan === undefined) {
      scan = new Scan(path, this.#setting);
      this.#scans.set(path, scan);
      this.object.add(scan.object);
    }
    return scan;
  }
}

/** What one scanner sees: the area that is free, and the points where a beam met something. */
class Scan {
  readonly object: Group = new Group();
  readonly #path: string;
  readonly #area: Mesh;
  readonly #points: Points<BufferGeometry, PointsMaterial>;
  #shown: Value | undefined;
  #count = 0;
  #row = -1;

  constructor(path: string, { look }: Setting) {
    this.#path = path;
    const shade = look.ghost < 0 ? LASER : ghostColor(look.ghost);
    const material = look.glow({ opacity: 0.14 });
    material.color.copy(shade);
    material.side = DoubleSide;
    this.#area = new Mesh(new BufferGeometry(), material);
    this.#points = new Points(
      new BufferGeometry(),
      new PointsMaterial({ color: shade, size: 4, sizeAttenuation: false }),
    );
    this.#area.frustumCulled = this.#points.frustumCulled = false;
    this.object.add(this.#area, this.#points);
  }

  update(scan: RangeScan, value: Value, crowd: SetCrowd, haveMoved: boolean): void {
    if (value !== this.#shown) {
      this.#shown = value;
      this.#draw(scan);
    }
    const { poses } = crowd;
    if (haveMoved || this.#row < 0) this.#row = rowOf(this.#path, poses.ids);
    if (!poses.isKnown(this.#row)) return;
    this.object.position.fromArray(poses.positions, 3 * this.#row);
    this.object.quaternion.fromArray(poses.orientations, 4 * this.#row);
    this.object.position.y += BEAM;
  }

  widen(box: Box3): void {
    if (!this.object.visible || this.#count === 0) return;
    this.object.updateWorldMatrix(true, true);
    box.expandByObject(this.#points);
  }

  dispose(): void {
    for (const part of [this.#area, this.#points]) {
      part.geometry.dispose();
      (part.material as PointsMaterial).dispose();
    }
  }

  #draw(scan: RangeScan): void {
    const beams = scan.range.length;
    if (beams !== this.#count) this.#size(beams);
    const corners = this.#area.geometry.getAttribute("position") as BufferAttribute;
    const hits = this.#points.geometry.getAttribute("position") as BufferAttribute;
    scanPoints(scan, corners.array as Float32Array, hits.array as Float32Array);
    corners.needsUpdate = hits.needsUpdate = true;
    this.#points.geometry.computeBoundingSphere();
    this.#points.geometry.computeBoundingBox();
  }

  #size(beams: number): void {
    this.#count = beams;
    for (const [part, count] of [
      [this.#area, beams + 1],
      [this.#points, beams],
    ] as const) {
      part.geometry.dispose();
      part.geometry = new BufferGeometry();
      const places = new BufferAttribute(new Float32Array(3 * count), 3).setUsage(DynamicDrawUsage);
      part.geometry.setAttribute("position", places);
    }
    const triangles: number[] = [];
    for (let beam = 1; beam < beams; beam++) triangles.push(0, beam, beam + 1);
    this.#area.geometry.setIndex(triangles);
  }
}

/** The pose a scanner rides on: the one whose name begins like its own the longest. */
export function rowOf(path: string, ids: readonly (number | string)[]): number {
  let best = -1;
  let longest = -1;
  for (let row = 0; row < ids.length; row++) {
    const id = String(ids[row]);
    let shared = 0;
    while (shared < id.length && shared < path.length && id[shared] === path[shared]) shared++;
    if (shared > longest) {
      longest = shared;
      best = row;
    }
  }
  return best;
}
