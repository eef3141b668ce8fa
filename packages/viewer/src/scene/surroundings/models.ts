import { Group, InstancedMesh, Matrix4, Quaternion, Vector3 } from "three";
import picomatch from "picomatch";
import type { EntitySet, State } from "simtape";
import type { Robot, ThingModel } from "../../world/companion.ts";
import type { ChannelFacts } from "../../protocol.ts";
import { inDegrees } from "../../world/urdf/positions.ts";
import type { Look } from "../drawing/look.ts";
import { textAt } from "../presenters/cells.ts";
import type { Crowd } from "../presenters/presenter.ts";
import { RobotFigures } from "./robot-figures.ts";
import { type Drawable, drawableOf } from "../drawing/solids.ts";

/** Things that are drawn as models that were given for them, in place of what their presenter draws. */
export class Models {
  readonly object: Group = new Group();
  readonly #models: readonly Model[];
  readonly #robots: readonly RobotFigures[];
  /** Of each crowd: the ids that it was asked about, and which model each thing has. */
  readonly #worn = new Map<Crowd, { readonly ids: EntitySet["ids"]; readonly model: ReadonlyMap<Id, Model> }>();

  /** Arrays and pictures stay those of `models` and `robots`. `channels`: those of the recording, by name and type. */
  constructor(
    models: readonly ThingModel[],
    look: Look,
    robots: readonly Robot[] = [],
    channels: readonly Pick<ChannelFacts, "name" | "schema">[] = [],
  ) {
    this.#models = models.map((model) => new Model(model, look, this.object));
    const degrees = inDegrees(channels);
    this.#robots = robots.map((robot) => new RobotFigures(robot, look, degrees));
    for (const { object } of this.#robots) this.object.add(object);
  }

  /** Takes note of where things are now. */
  stand(crowds: readonly Crowd[], state: State): void {
    for (const robot of this.#robots) robot.stand(crowds, state);
  }

  /** Things of a crowd that have one. Lengths that are no metres have none. */
  wornIn(crowd: Crowd, set: EntitySet | undefined): ReadonlySet<Id> {
    if (set === undefined || crowd.metres !== null) return NONE;
    return new Set([
      ...this.#modelsIn(crowd, set).keys(),
      ...this.#robots.flatMap((robot) => [...robot.wornIn(crowd)]),
    ]);
  }

  /** Draws them where their things are, but for those that `without` has of a crowd. */
  draw(crowds: readonly Crowd[], without: ReadonlyMap<Crowd, ReadonlySet<Id>>): void {
    for (const model of this.#models) model.begin();
    for (const crowd of crowds) {
      const worn = this.#worn.get(crowd)?.model;
      if (worn === undefined || worn.size === 0) continue;
      const { poses } = crowd;
      const leftOut = without.get(crowd);
      for (let row = 0; row < poses.count; row++) {
        const id = poses.ids[row]!;
        const model = worn.get(id);
        if (model !== undefined && poses.isKnown(row) && leftOut?.has(id) !== true) model.put(crowd, row);
      }
    }
    for (const model of this.#models) model.end();
    for (const robot of this.#robots) robot.draw(without);
  }

  dispose(): void {
    for (const part of [...this.#models, ...this.#robots]) part.dispose();
  }

  #modelsIn(crowd: Crowd, set: EntitySet): ReadonlyMap<Id, Model> {
    const before = this.#worn.get(crowd);
    if (before !== undefined && before.ids === set.ids) return before.model;
    const model = new Map<Id, Model>();
    for (const [row, id] of set.ids.entries()) {
      const names = [String(id), textAt(set, "label", row), textAt(set, "kind", row)].filter((name) => name !== "");
      const found = this.#models.find((each) => names.some((name) => each.fits(`${crowd.set}/${name}`)));
      if (found !== undefined) model.set(id, found);
    }
    this.#worn.set(crowd, { ids: set.ids, model });
    return model;
  }
}

type Id = number | string;

/** Glob with `*` for anything: names have slashes and points of their own. */
const GLOB = { dot: true, bash: true, nonegate: true } as const;

/** One model, drawn once for each of its things. */
class Model {
  readonly fits: (name: string) => boolean;
  readonly #drawables: readonly Drawable[];
  readonly #parent: Group;
  /** What is ahead in its file lies ahead of the thing, by the axis that looks ahead there. */
  readonly #own: Readonly<Record<Crowd["ahead"], Matrix4>>;
  #meshes: InstancedMesh[] = [];
  #capacity = 0;
  #count = 0;

  constructor({ things, solids, scale, turn, offset }: ThingModel, look: Look, parent: Group) {
    this.fits = picomatch(things, GLOB);
    this.#drawables = solids.map((solid) => drawableOf(solid, look));
    this.#parent = parent;
    const [ahead, left, up] = offset;
    const laid = (degrees: number, place: Vector3): Matrix4 =>
      new Matrix4().compose(
        place,
        new Quaternion().setFromAxisAngle(UP, ((degrees + turn) * Math.PI) / 180),
        new Vector3(scale, scale, scale),
      );
    this.#own = {
      x: laid(90, new Vector3(ahead, up, -left)),
      "-z": laid(180, new Vector3(-left, up, -ahead)),
    };
    this.#grow(8);
  }

  begin(): void {
    this.#count = 0;
  }

  put({ poses, ahead }: Crowd, row: number): void {
    if (this.#count === this.#capacity) this.#grow(2 * this.#capacity);
    POSE.compose(PLACE.fromArray(poses.positions, 3 * row), TURN.fromArray(poses.orientations, 4 * row), ONE).multiply(
      this.#own[ahead],
    );
    for (const mesh of this.#meshes) mesh.setMatrixAt(this.#count, POSE);
    this.#count++;
  }

  end(): void {
    for (const mesh of this.#meshes) {
      mesh.count = this.#count;
      mesh.visible = this.#count > 0;
      mesh.instanceMatrix.needsUpdate = true;
    }
  }

  dispose(): void {
    for (const mesh of this.#meshes) mesh.dispose();
    for (const drawable of this.#drawables) drawable.dispose();
  }

  #grow(capacity: number): void {
    const before = this.#meshes;
    this.#meshes = this.#drawables.map(({ geometry, material }, i) => {
      const mesh = new InstancedMesh(geometry, material, capacity);
      if (before[i] !== undefined) mesh.instanceMatrix.array.set(before[i].instanceMatrix.array);
      mesh.frustumCulled = false;
      mesh.castShadow = mesh.receiveShadow = true;
      return mesh;
    });
    for (const mesh of before) {
      this.#parent.remove(mesh);
      mesh.dispose();
    }
    this.#parent.add(...this.#meshes);
    this.#capacity = capacity;
  }
}

const NONE: ReadonlySet<Id> = new Set();
const UP = new Vector3(0, 1, 0);
const ONE = new Vector3(1, 1, 1);
const PLACE = new Vector3();
const TURN = new Quaternion();
const POSE = new Matrix4();
