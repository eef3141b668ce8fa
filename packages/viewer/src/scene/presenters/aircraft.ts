import {
  type Box3,
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CircleGeometry,
  CylinderGeometry,
  DoubleSide,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  Quaternion,
  Vector3,
} from "three";
import type { EntitySet, State } from "simtape";
import { Instances } from "../drawing/instances.ts";
import { color, colorOf, ghostColor } from "../drawing/look.ts";
import { counted, type Presenter, type PresenterKind, type Setting } from "./presenter.ts";
import { textAt } from "./cells.ts";
import { type AircraftKind, kindOfAircraft } from "./aircraft-kinds.ts";
import { AIRFRAMES, rotorGeometry } from "./airframes.ts";
import { aircraftReadings } from "./readings.ts";
import { SetCrowd } from "./set-crowd.ts";

/** Aircraft in their attitude over the plane that touches sea level; the recorded one moves its control surfaces. */
export const aircraft: PresenterKind = {
  claims: (name, set) => name === "aircraft" && set.axes?.kind === "geodetic" && set.columns.has("geodetic"),
  make: (setting) => new Fleet(setting),
};

const SELF = "self";
/** Radians at full deflection. */
const DEFLECTION = 0.45;
const FLAPS = 0.7;
const LIVERY = color("#ffc233");
const FLAP = color("#fff3bf");
const SURFACE = color("#e8590c");
const DARK = color("#23282d");
/** As fast as it is, a propeller would be seen to stand or to jump. */
const SLOWED = 1 / 40;

/** Turns of a main rotor a minute, as they are recorded and where they are not; slowed, as a propeller is. */
const ROTOR = "/rotors/main/rpm";
const ROTOR_RPM = 380;
const ROTOR_SLOWED = 1 / 12;
const UP = new Vector3(0, 1, 0);
const PLACE = new Vector3();
const BODY = new Quaternion();
const TURN = new Quaternion();

type Rotor = NonNullable<(typeof AIRFRAMES)[AircraftKind]["rotor"]>;

class Fleet implements Presenter {
  readonly object: Group = new Group();
  readonly isJourney: boolean = true;
  readonly crowds: SetCrowd[] = [];
  /** Sea level. */
  readonly floor: number | null = 0;
  readonly #setting: Setting;
  /** Made with the first of each kind. */
  readonly #frames = new Map<AircraftKind, Instances>();
  readonly #rotors: Instances;
  readonly #surfaces: Surfaces;
  readonly #kinds = new WeakMap<EntitySet["ids"], readonly AircraftKind[]>();
  readonly #stems: LineSegments<BufferGeometry, LineBasicMaterial>;
  #capacity = 0;

  constructor(setting: Setting) {
    this.#setting = setting;
    this.#rotors = new Instances(rotorGeometry(), setting.look.material({ vertexColors: true, shine: 0.2 }));
    this.#surfaces = new Surfaces(setting);
    const tint = setting.look.ghost < 0 ? color("#748492") : ghostColor(setting.look.ghost);
    this.#stems = new LineSegments(
      new BufferGeometry(),
      new LineBasicMaterial({ color: tint, transparent: true, opacity: 0.5 }),
    );
    this.#stems.frustumCulled = false;
    this.object.add(this.#rotors.object, this.#surfaces.object, this.#stems);
  }

  adopt(set: string): void {
    const label = (entities: EntitySet, row: number): string =>
      textAt(entities, "label", row) || String(entities.ids[row]);
    this.crowds.push(
      new SetCrowd(set, this.object, this.#setting, {
        radius: 6,
        eye: 0.6,
        top: 3,
        distance: 16.5,
        rise: 0.22,
        steers: true,
        flies: true,
        label,
        readings: aircraftReadings,
      }),
    );
  }

  update(state: State): void {
    let isOther = false;
    for (const crowd of this.crowds) isOther = crowd.update(state) || isOther;
    this.#surfaces.turn(state);
    if (!isOther) return;
    const { look } = this.#setting;
    for (const frames of this.#frames.values()) frames.begin();
    this.#rotors.begin();
    this.#surfaces.object.visible = false;
    for (const crowd of this.crowds) {
      const { poses } = crowd;
      const kinds = this.#kindsOf(crowd);
      for (let row = 0; row < poses.count; row++) {
        if (!poses.isDrawn(row)) continue;
        const kind = kinds[row] ?? "light";
        const isSelf = poses.ids[row] === SELF;
        const shade = look.paint(isSelf ? LIVERY : colorOf(String(poses.ids[row])));
        this.#framesOf(kind).putThing(poses, row, 1, 1, 1, shade);
        const { rotor } = AIRFRAMES[kind];
        if (rotor !== undefined) this.#turnRotor(rotor, crowd, row, state);
        if (!isSelf || kind !== "light") continue;
        this.#surfaces.object.visible = true;
        this.#surfaces.object.position.fromArray(poses.positions, 3 * row);
        this.#surfaces.object.quaternion.fromArray(poses.orientations, 4 * row);
      }
    }
    for (const frames of this.#frames.values()) frames.end();
    this.#rotors.end();
    this.#drawStems();
  }

  /** Around the recorded one, near enough to see how it flies. */
  frame(box: Box3): void {
    for (const crowd of this.crowds) {
      const row = crowd.poses.find(SELF);
      if (!crowd.poses.isKnown(row)) continue;
      crowd.widenBy(box, row, crowd.radius);
      return;
    }
    for (const crowd of this.crowds) crowd.widen(box, crowd.radius);
  }

  describe(): string {
    const count = this.crowds.reduce((sum, { poses }) => sum + poses.count, 0);
    return counted(count, "aircraft", "aircraft");
  }

  dispose(): void {
    for (const frames of this.#frames.values()) frames.dispose();
    this.#rotors.dispose();
    this.#surfaces.dispose();
    this.#stems.geometry.dispose();
    this.#stems.material.dispose();
  }

  /** What each aircraft of a set looks like: looked up when there are others than before. */
  #kindsOf(crowd: SetCrowd): readonly AircraftKind[] {
    const { entities } = crowd;
    if (entities === undefined) return [];
    let kinds = this.#kinds.get(entities.ids);
    if (kinds === undefined) {
      kinds = entities.ids.map((_, row) =>
        kindOfAircraft(textAt(entities, "kind", row), textAt(entities, "label", row)),
      );
      this.#kinds.set(entities.ids, kinds);
      // As large as the recorded one, which is looked at, else as the largest.
      const self = kinds[entities.ids.indexOf(SELF)];
      const sizes = (self === undefined ? kinds : [self]).map((kind) => AIRFRAMES[kind].radius);
      crowd.resize(sizes.length === 0 ? 1 : Math.max(...sizes) / AIRFRAMES.light.radius);
    }
    return kinds;
  }

  #framesOf(kind: AircraftKind): Instances {
    let frames = this.#frames.get(kind);
    if (frames === undefined) {
      const material = this.#setting.look.material({ vertexColors: true, shine: 0.2 });
      frames = new Instances(AIRFRAMES[kind].make(), material);
      frames.begin();
      this.#frames.set(kind, frames);
      this.object.add(frames.object);
    }
    return frames;
  }

  /** Above its cabin; of the recorded one as fast as that is recorded, and not while it stands. */
  #turnRotor({ up, blade }: Rotor, { poses }: SetCrowd, row: number, { time, values }: State): void {
    const recorded = poses.ids[row] === SELF ? values.get(ROTOR) : undefined;
    const rpm = typeof recorded === "number" ? recorded : ROTOR_RPM;
    const turns = rpm > 5 ? (rpm / 60) * (time / 1e9) * ROTOR_SLOWED : 0;
    BODY.fromArray(poses.orientations, 4 * row);
    PLACE.set(0, up, 0).applyQuaternion(BODY);
    TURN.setFromAxisAngle(UP, 2 * Math.PI * (turns % 1)).premultiply(BODY);
    const { positions: p } = poses;
    const at = 3 * row;
    const shade = this.#setting.look.paint(DARK);
    const [x, y, z] = [p[at]! + PLACE.x, p[at + 1]! + PLACE.y, p[at + 2]! + PLACE.z];
    this.#rotors.put(x, y, z, TURN.x, TURN.y, TURN.z, TURN.w, blade, 1, blade, shade);
  }

  /** Down to sea level, so that height and place can be seen. */
  #drawStems(): void {
    const count = this.crowds.reduce((sum, { poses }) => sum + poses.count, 0);
    if (count > this.#capacity) {
      this.#capacity = 2 * count;
      this.#stems.geometry.dispose();
      this.#stems.geometry = new BufferGeometry();
      this.#stems.geometry.setAttribute("position", new BufferAttribute(new Float32Array(6 * this.#capacity), 3));
    }
    const ends = this.#stems.geometry.getAttribute("position") as BufferAttribute | undefined;
    if (ends === undefined) return;
    let at = 0;
    for (const { poses } of this.crowds) {
      for (let row = 0; row < poses.count; row++) {
        if (!poses.isDrawn(row)) continue;
        const { positions: p } = poses;
        ends.setXYZ(at++, p[3 * row]!, p[3 * row + 1]!, p[3 * row + 2]!);
        ends.setXYZ(at++, p[3 * row]!, 0, p[3 * row + 2]!);
      }
    }
    ends.needsUpdate = true;
    this.#stems.geometry.setDrawRange(0, at);
  }
}

/** What moves on the recorded aircraft: each part hangs on its hinge. */
class Surfaces {
  readonly object: Group = new Group();
  readonly #left: Mesh;
  readonly #right: Mesh;
  readonly #elevator: Mesh;
  readonly #rudder: Mesh;
  readonly #flaps: readonly Mesh[];
  readonly #wheels: readonly Mesh[];
  readonly #blades: Mesh;
  /** What a propeller that turns is seen as. */
  readonly #disc: Mesh;

  constructor({ look }: Setting) {
    const part = (x: number, y: number, z: number, geometry: BufferGeometry, shade = SURFACE): Mesh => {
      const material = look.material();
      material.color.copy(look.paint(shade));
      const mesh = new Mesh(geometry, material);
      mesh.castShadow = look.ghost < 0;
      mesh.position.set(x, y, z);
      this.object.add(mesh);
      return mesh;
    };
    const board = (width: number, depth = 0.4): BoxGeometry =>
      new BoxGeometry(depth, 0.07, width).translate(-depth / 2, 0, 0);
    this.#left = part(-0.26, 0.93, -4.05, board(2.5));
    this.#right = part(-0.26, 0.93, 4.05, board(2.5));
    this.#flaps = [part(-0.34, 0.93, -1.75, board(1.95), FLAP), part(-0.34, 0.93, 1.75, board(1.95), FLAP)];
    this.#elevator = part(-4.88, 0.2, 0, board(3.2));
    this.#rudder = part(-4.98, 0.92, 0, new BoxGeometry(0.42, 1.3, 0.07).translate(-0.21, 0, 0));
    const wheel = (): CylinderGeometry =>
      new CylinderGeometry(0.26, 0.26, 0.16, 18).rotateX(Math.PI / 2).translate(0, -1.08, 0);
    this.#wheels = [
      part(1.85, 0, 0, wheel(), DARK),
      part(-0.3, 0, -1.25, wheel(), DARK),
      part(-0.3, 0, 1.25, wheel(), DARK),
    ];
    const disc = look.glow({ opacity: 0.07 });
    disc.side = DoubleSide;
    disc.forceSinglePass = true;
    disc.color.copy(DARK);
    this.#disc = new Mesh(new CircleGeometry(0.95, 40).rotateY(Math.PI / 2).deleteAttribute("normal"), disc);
    this.#disc.position.set(2.68, -0.02, 0);
    this.object.add(this.#disc);
    this.#blades = part(2.66, -0.02, 0, new BoxGeometry(0.05, 1.86, 0.14), DARK);
  }

  /**
   * By the properties of FlightGear: positive is the left aileron down, the right up, the elevator down, the rudder
   * right; flaps and gear from 0 to 1.
   */
  turn(state: State): void {
    const norm = (name: string): number => {
      const value = state.values.get(name);
      return typeof value === "number" && Number.isFinite(value) ? value : 0;
    };
    this.#left.rotation.z = DEFLECTION * norm("/surface-positions/left-aileron-pos-norm");
    this.#right.rotation.z = -DEFLECTION * norm("/surface-positions/right-aileron-pos-norm");
    this.#elevator.rotation.z = DEFLECTION * norm("/surface-positions/elevator-pos-norm");
    this.#rudder.rotation.y = DEFLECTION * norm("/surface-positions/rudder-pos-norm");
    const flaps = FLAPS * norm("/surface-positions/flap-pos-norm");
    for (const flap of this.#flaps) flap.rotation.z = flaps;
    const gear = state.values.get("/gear/gear/position-norm");
    for (const wheel of this.#wheels) wheel.visible = typeof gear !== "number" || gear > 0.05;
    const rpm = state.values.get("/engines/engine/rpm");
    const isTurning = typeof rpm !== "number" || rpm > 50;
    this.#disc.visible = isTurning;
    const turns = isTurning ? ((typeof rpm === "number" ? rpm : 2300) / 60) * (state.time / 1e9) * SLOWED : 0;
    this.#blades.rotation.x = 2 * Math.PI * (turns % 1);
  }

  dispose(): void {
    for (const part of this.object.children as Mesh[]) {
      part.geometry.dispose();
      (part.material as ReturnType<Setting["look"]["glow"]>).dispose();
    }
  }
}
