import { Group, Matrix4, Mesh, Quaternion, Vector3 } from "three";
import type { State, Value } from "simtape";
import type { Robot } from "../../world/companion.ts";
import { type JointPositions, jointsIn, positionsOf } from "../../world/urdf/positions.ts";
import type { Look } from "../drawing/look.ts";
import type { Crowd } from "../presenters/presenter.ts";
import { type Drawable, drawableOf } from "../drawing/solids.ts";

type Id = number | string;

/** Figures of one robot at most. */
const MOST = 64;
/** Metres around the first link of a robot that stands by its frames in which poses are those of the same robot. */
const SAME = 0.5;

/**
 * Robots as they were described, where the recording has them: by the frames that are called as their links, else at its
 * poses. Joints that it says nothing of are at 0.
 */
export class RobotFigures {
  readonly object: Group = new Group();
  readonly #robot: Robot;
  /** Of each link. */
  readonly #drawables: readonly (readonly Drawable[])[];
  readonly #rows: ReadonlyMap<string, number>;
  readonly #figures: Figure[] = [];
  #standing: readonly Standing[] = [];
  readonly #joints: Joints;

  /** Arrays stay those of `robot`. `degrees`: channels whose numbers are in degrees. */
  constructor(robot: Robot, look: Look, degrees: ReadonlySet<string>) {
    this.#joints = new Joints(degrees);
    this.#robot = robot;
    this.#drawables = robot.links.map(({ solids }) => solids.map((solid) => drawableOf(solid, look)));
    this.#rows = new Map(robot.links.map(({ name }, row) => [name, row]));
  }

  /** Finds out where they stand now. */
  stand(crowds: readonly Crowd[], state: State): void {
    const local = crowds.filter(({ metres }) => metres === null);
    const frames = local.find(({ set }) => set === "frames");
    const poses = local.find(({ set }) => set === "poses");
    this.#standing = (frames === undefined ? [] : this.#byFrames(frames, poses)).slice(0, MOST);
    if (this.#standing.length === 0 && poses !== undefined) this.#standing = atPoses(poses).slice(0, MOST);
    this.#joints.update(state);
  }

  /** Things of a crowd in whose place it is drawn. */
  wornIn(crowd: Crowd): ReadonlySet<Id> {
    const worn = new Set<Id>();
    for (const { marks } of this.#standing) for (const mark of marks) if (mark.crowd === crowd) worn.add(mark.id);
    return worn;
  }

  /** Draws them, but for those that the picture is seen from the inside of. */
  draw(without: ReadonlyMap<Crowd, ReadonlySet<Id>>): void {
    let count = 0;
    for (const { name, marks, frames } of this.#standing) {
      if (marks.some(({ crowd, id }) => without.get(crowd)?.has(id) === true)) continue;
      this.#figures[count] ??= new Figure(this.#drawables, this.object);
      const positions = positionsOf(this.#robot, (joint) => this.#joints.of(joint, name));
      this.#figures[count++]!.put(linksAt(this.#robot, positions, frames));
    }
    for (const [i, figure] of this.#figures.entries()) figure.object.visible = i < count;
  }

  dispose(): void {
    for (const drawable of this.#drawables.flat()) drawable.dispose();
  }

  /** One for each beginning that frames called as links have: `robot1/base_link`. */
  #byFrames(crowd: Crowd, poses: Crowd | undefined): Standing[] {
    const found = new Map<string, { marks: Mark[]; frames: Map<number, Matrix4> }>();
    const { ids } = crowd.poses;
    for (let row = 0; row < ids.length; row++) {
      const id = String(ids[row]);
      const cut = id.lastIndexOf("/") + 1;
      const link = this.#rows.get(id.slice(cut));
      if (link === undefined || !crowd.poses.isKnown(row)) continue;
      const name = id.slice(0, cut);
      const one = found.get(name) ?? { marks: [], frames: new Map<number, Matrix4>() };
      found.set(name, one);
      one.marks.push({ crowd, id: ids[row]! });
      one.frames.set(link, poseAt(crowd, row));
    }
    return [...found].map(([name, { marks, frames }]) => {
      const [first] = frames.values();
      return { name, marks: [...marks, ...(poses === undefined ? [] : near(poses, first!))], frames };
    });
  }
}

/** Where one robot stands. */
interface Standing {
  /** What names of its channels begin like. */
  readonly name: string;
  /** Things that it is drawn in place of. */
  readonly marks: readonly Mark[];
  /** Of some links, at least one: from its axes to the scene's. */
  readonly frames: ReadonlyMap<number, Matrix4>;
}

interface Mark {
  readonly crowd: Crowd;
  readonly id: Id;
}

/** Each pose is a robot, but for those of a list, as a path has them. */
function atPoses(crowd: Crowd): Standing[] {
  const standing: Standing[] = [];
  for (const [row, id] of crowd.poses.ids.entries()) {
    if (!crowd.poses.isKnown(row) || String(id).endsWith("]")) continue;
    standing.push({ name: String(id), marks: [{ crowd, id }], frames: new Map([[0, poseAt(crowd, row)]]) });
  }
  return standing;
}

function near(crowd: Crowd, frame: Matrix4): Mark[] {
  const place = new Vector3().setFromMatrixPosition(frame);
  const { positions, ids } = crowd.poses;
  return [...ids].flatMap((id, row) => {
    const away = crowd.poses.isKnown(row) ? POINT.fromArray(positions, 3 * row).distanceTo(place) : SAME;
    return away < SAME ? [{ crowd, id }] : [];
  });
}

/** From the axes of a link, z up, to the scene's. */
function poseAt({ poses }: Crowd, row: number): Matrix4 {
  return new Matrix4()
    .compose(POINT.fromArray(poses.positions, 3 * row), TURN.fromArray(poses.orientations, 4 * row), ONE)
    .multiply(UP);
}

/**
 * Where each link is: at its own frame where that is known, else where its joint holds it. `frames` has one link at least;
 * those before the first that it has follow from that one.
 */
export function linksAt(
  { links }: Robot,
  positions: readonly number[],
  frames: ReadonlyMap<number, Matrix4>,
): readonly Matrix4[] {
  const places: Matrix4[] = [];
  const chain = (root: Matrix4, own: ReadonlyMap<number, Matrix4>): void => {
    for (const [row, { joint }] of links.entries()) {
      const frame = own.get(row);
      if (frame !== undefined) places[row] = frame.clone();
      else if (joint === null) places[row] = root.clone();
      else places[row] = moved(joint, positions[row]!).premultiply(places[joint.parent]!);
    }
  };
  const known = Math.min(...frames.keys());
  if (known === 0) chain(frames.get(0)!, frames);
  else {
    chain(new Matrix4(), new Map());
    chain(frames.get(known)!.clone().multiply(places[known]!.invert()), frames);
  }
  return places;
}

function moved({ kind, at, turn, axis }: NonNullable<Robot["links"][number]["joint"]>, position: number): Matrix4 {
  const place = new Matrix4().compose(POINT.fromArray(at), TURN.fromArray(turn), ONE);
  if (kind === "turning") place.multiply(MOVE.makeRotationAxis(POINT.fromArray(axis), position));
  else if (kind === "sliding") place.multiply(MOVE.makeTranslation(POINT.fromArray(axis).multiplyScalar(position)));
  return place;
}

/** The meshes of one robot that stands somewhere. */
class Figure {
  readonly object: Group = new Group();
  /** Of each link. */
  readonly #meshes: readonly (readonly Mesh[])[];

  constructor(drawables: readonly (readonly Drawable[])[], parent: Group) {
    this.#meshes = drawables.map((all) =>
      all.map(({ geometry, material }) => {
        const mesh = new Mesh(geometry, material);
        mesh.matrixAutoUpdate = false;
        mesh.castShadow = mesh.receiveShadow = true;
        this.object.add(mesh);
        return mesh;
      }),
    );
    parent.add(this.object);
  }

  put(places: readonly Matrix4[]): void {
    for (const [row, meshes] of this.#meshes.entries())
      for (const mesh of meshes) {
        mesh.matrix.copy(places[row]!);
        mesh.matrixWorldNeedsUpdate = true;
      }
  }
}

/** Positions of joints, as values of a recording have them, in rad or m. */
class Joints {
  readonly #degrees: ReadonlySet<string>;
  /** By joint: which channel says what of it, or has its name. */
  #by = new Map<string, [path: string, position: number][]>();
  readonly #read = new Map<string, { readonly value: Value; readonly joints: JointPositions | null }>();
  #values: State["values"] | null = null;

  constructor(degrees: ReadonlySet<string>) {
    this.#degrees = degrees;
  }

  update({ values }: State): void {
    if (values === this.#values) return;
    this.#values = values;
    this.#by = new Map();
    for (const [path, value] of values) {
      if (typeof value === "number") {
        const position = this.#degrees.has(path) ? (value * Math.PI) / 180 : value;
        this.#put(path.slice(path.lastIndexOf("/") + 1), path, position);
      } else for (const [joint, position] of this.#jointsAt(path, value) ?? []) this.#put(joint, path, position);
    }
  }

  /** Of the channel that is called most like a robot; undefined: none speaks of it. */
  of(joint: string, name: string): number | undefined {
    let best: number | undefined;
    let longest = -1;
    for (const [path, position] of this.#by.get(joint) ?? []) {
      const shared = alike(path.replace(/^\//, ""), name.replace(/^\//, ""));
      if (shared <= longest) continue;
      longest = shared;
      best = position;
    }
    return best;
  }

  #put(joint: string, path: string, position: number): void {
    if (!Number.isFinite(position)) return;
    const all = this.#by.get(joint);
    if (all === undefined) this.#by.set(joint, [[path, position]]);
    else all.push([path, position]);
  }

  #jointsAt(path: string, value: Value): JointPositions | null {
    const before = this.#read.get(path);
    if (before !== undefined && before.value === value) return before.joints;
    const joints = jointsIn(value);
    this.#read.set(path, { value, joints });
    return joints;
  }
}

/** Letters with which both begin. */
function alike(a: string, b: string): number {
  let shared = 0;
  while (shared < a.length && shared < b.length && a[shared] === b[shared]) shared++;
  return shared;
}

const UP = new Matrix4().makeRotationX(-Math.PI / 2);
const ONE = new Vector3(1, 1, 1);
const POINT = new Vector3();
const TURN = new Quaternion();
const MOVE = new Matrix4();
