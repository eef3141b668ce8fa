import { Color, CylinderGeometry, Group, SphereGeometry } from "three";
import type { Value } from "simtape";
import { rotate } from "../drawing/compose.ts";
import { Instances } from "../drawing/instances.ts";
import type { Look } from "../drawing/look.ts";
import type { Poses } from "../things/poses.ts";
import { JOINTS, jointOf, placeJoints } from "./skeleton.ts";

const SKIN = new Color(0.79, 0.57, 0.44);
const CLOTH = new Color(0.24, 0.27, 0.36);
const HAIR = new Color(0.2, 0.13, 0.09);
const SHOE = new Color(0.12, 0.12, 0.12);
type Stuff = "shirt" | "cloth" | "skin" | "shoe";

/** From joint to joint, and how thick, metres. */
const RODS: readonly (readonly [from: number, to: number, radius: number, stuff: Stuff])[] = [
  rod("hips__c", "spine01__c", 0.12, "shirt"),
  rod("spine01__c", "neck__c", 0.12, "shirt"),
  rod("neck__c", "head__c", 0.05, "skin"),
  ...["l", "r"].flatMap((side) => [
    rod("neck__c", `arm__${side}`, 0.06, "shirt"),
    rod(`arm__${side}`, `forearm__${side}`, 0.05, "shirt"),
    rod(`forearm__${side}`, `hand__${side}`, 0.04, "skin"),
    rod("hips__c", `thigh__${side}`, 0.09, "cloth"),
    rod(`thigh__${side}`, `leg__${side}`, 0.075, "cloth"),
    rod(`leg__${side}`, `foot__${side}`, 0.055, "cloth"),
    rod(`foot__${side}`, `toe__${side}`, 0.045, "shoe"),
  ]),
];
const [NECK, HEAD, SKULL] = [jointOf("neck__c"), jointOf("head__c"), 0.115];

/** People as their bones were recorded: rods from joint to joint, and a head. */
export class Bodies {
  readonly object: Group = new Group();
  readonly #look: Look;
  readonly #rods: Instances;
  readonly #balls: Instances;
  /** And behind them the middle of the hair. */
  readonly #joints = new Float64Array(3 * JOINTS + 3);

  constructor(look: Look) {
    this.#look = look;
    this.#rods = new Instances(new CylinderGeometry(1, 1, 1, 10, 1, true), look.material());
    this.#balls = new Instances(new SphereGeometry(1, 12, 8), look.material());
    this.object.add(this.#rods.object, this.#balls.object);
  }

  begin(): void {
    this.#rods.begin();
    this.#balls.begin();
  }

  /** One with the feet so far above its place; whether the bones are those of a body. */
  put({ positions: p, orientations: q }: Poses, row: number, feet: number, bones: Value, shirt: Color): boolean {
    const joints = this.#joints;
    if (!placeJoints(bones, joints)) return false;
    const hair = 3 * JOINTS;
    // above the neck by as much again, the middle of the head
    for (let k = 0; k < 3; k++) joints[3 * HEAD + k] = 1.6 * joints[3 * HEAD + k]! - 0.6 * joints[3 * NECK + k]!;
    joints[hair] = joints[3 * HEAD]! - 0.02;
    joints[hair + 1] = joints[3 * HEAD + 1]! + 0.035;
    joints[hair + 2] = joints[3 * HEAD + 2]!;
    for (let at = 0; at < joints.length; at += 3) {
      rotate(q, 4 * row, joints[at]!, joints[at + 1]! + feet, joints[at + 2]!, joints, at);
      for (let k = 0; k < 3; k++) joints[at + k] = joints[at + k]! + p[3 * row + k]!;
    }
    const stuffs = { shirt, cloth: CLOTH, skin: SKIN, shoe: SHOE };
    for (const [from, to, radius, stuff] of RODS) {
      const paint = this.#look.paint(stuffs[stuff]);
      const [ax, ay, az] = [joints[3 * from]!, joints[3 * from + 1]!, joints[3 * from + 2]!];
      const [bx, by, bz] = [joints[3 * to]!, joints[3 * to + 1]!, joints[3 * to + 2]!];
      this.#rods.putRod(ax, ay, az, bx, by, bz, radius, paint);
      this.#balls.put(ax, ay, az, 0, 0, 0, 1, radius, radius, radius, paint);
      this.#balls.put(bx, by, bz, 0, 0, 0, 1, radius, radius, radius, paint);
    }
    const [x, y, z] = [joints[3 * HEAD]!, joints[3 * HEAD + 1]!, joints[3 * HEAD + 2]!];
    this.#balls.put(x, y, z, 0, 0, 0, 1, SKULL, 1.15 * SKULL, SKULL, this.#look.paint(SKIN));
    const [up, above] = [joints[hair + 1]!, 0.97 * SKULL];
    this.#balls.put(joints[hair]!, up, joints[hair + 2]!, 0, 0, 0, 1, above, above, above, this.#look.paint(HAIR));
    return true;
  }

  end(): void {
    this.#rods.end();
    this.#balls.end();
  }

  dispose(): void {
    this.#rods.dispose();
    this.#balls.dispose();
  }
}

function rod(from: string, to: string, radius: number, stuff: Stuff): [number, number, number, Stuff] {
  return [jointOf(from), jointOf(to), radius, stuff];
}
