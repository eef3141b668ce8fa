import { type Box3, Group, Quaternion, Vector3 } from "three";
import type { State, Value } from "simtape";
import { Poses } from "../things/poses.ts";
import { turnQuaternionUp, turnVectorUp } from "../drawing/y-up.ts";
import { counted, type Presenter, type Setting } from "./presenter.ts";
import { type RangeScan, type ScanPlace, scanOf, scanPoints } from "./scan.ts";
import { ScanView } from "./scan-view.ts";

/** Metres that a scanner sits above its robot, where nothing says how high. */
const HIGH = 0.25;

/** What laser scanners see: from the frame that a scan names, else from the robot that they ride on. */
export class Scans implements Presenter {
  readonly object: Group = new Group();
  readonly isJourney = false;
  readonly crowds = [];
  readonly floor = null;
  readonly #setting: Setting;
  readonly #poses: Poses;
  readonly #frames: Poses;
  readonly #views = new Map<string, ScanView>();
  #state: State | null = null;
  /** As they were read last. */
  readonly #read = new Map<string, { readonly value: Value; readonly scan: RangeScan | null }>();

  constructor(setting: Setting) {
    this.#setting = setting;
    this.#poses = new Poses(setting.origin);
    this.#frames = new Poses(setting.origin);
  }

  adopt(): void {
    // No set is theirs.
  }

  update(state: State): void {
    this.#state = state;
    this.#poses.update(state.sets.get("poses"));
    this.#frames.update(state.sets.get("frames"));
    for (const [path, scan] of this.#scans()) this.#viewAt(path).update(scan, this.#placeOf(path, scan), state.time);
    for (const [path, view] of this.#views) view.object.visible = state.values.has(path);
  }

  frame(box: Box3): void {
    for (const [path, scan] of this.#scans()) {
      const place = this.#placeOf(path, scan);
      if (place === null) continue;
      const hits = new Float32Array(3 * scan.range.length);
      scanPoints(scan, new Float32Array(hits.length + 3), hits);
      for (let at = 0; at < hits.length; at += 3)
        box.expandByPoint(END.fromArray(hits, at).applyQuaternion(place.turn).add(place.position));
    }
  }

  /** What the colours of the first that has some stand for; null: none has. */
  get intensities(): readonly [least: number, most: number] | null {
    for (const { extent } of this.#views.values()) if (extent !== null) return [...extent];
    return null;
  }

  describe(): string {
    return counted(this.#views.size, "laser scanner");
  }

  dispose(): void {
    for (const view of this.#views.values()) view.dispose();
  }

  *#scans(): Generator<readonly [path: string, scan: RangeScan]> {
    for (const [path, value] of this.#state?.values ?? []) {
      const scan = this.#scanAt(path, value);
      if (scan !== null) yield [path, scan];
    }
  }

  #scanAt(path: string, value: Value): RangeScan | null {
    const before = this.#read.get(path);
    if (before !== undefined && before.value === value) return before.scan;
    const scan = scanOf(value);
    this.#read.set(path, { value, scan });
    return scan;
  }

  #viewAt(path: string): ScanView {
    let view = this.#views.get(path);
    if (view === undefined) {
      view = new ScanView(this.#setting);
      this.#views.set(path, view);
      this.object.add(view.object);
    }
    return view;
  }

  /** Valid until the next call; null: it is not known. */
  #placeOf(path: string, { frame, pose }: RangeScan): ScanPlace | null {
    const poses = frame === null ? this.#poses : this.#frames;
    const row = frame === null ? rowOf(path, poses.ids) : poses.find(frame.replace(/^\//, ""));
    if (!poses.isKnown(row)) return null;
    const { position, turn } = PLACE;
    position.fromArray(poses.positions, 3 * row);
    turn.fromArray(poses.orientations, 4 * row);
    if (frame === null) position.y += HIGH;
    if (pose !== null) {
      const [at, turned] = pose.map((numbers) => [...numbers]) as [number[], number[]];
      turnVectorUp(at, 0);
      turnQuaternionUp(turned, 0);
      position.add(OWN.fromArray(at).applyQuaternion(turn));
      turn.multiply(OWN_TURN.fromArray(turned).normalize());
    }
    return PLACE;
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

const PLACE = { position: new Vector3(), turn: new Quaternion() };
const END = new Vector3();
const OWN = new Vector3();
const OWN_TURN = new Quaternion();
