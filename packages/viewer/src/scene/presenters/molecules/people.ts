import { Group } from "three";
import { Instances } from "../../drawing/instances.ts";
import { color, type Look } from "../../drawing/look.ts";
import { controllerGeometry, headsetGeometry } from "../avatar-shapes.ts";
import { textAt } from "../cells.ts";
import type { SetCrowd } from "../set-crowd.ts";
import { tintOf } from "./tint.ts";

const HAND = color("#ffffff");

/** Heads and hands of those who are in the room. */
export class People {
  readonly object: Group = new Group();
  readonly #look: Look;
  readonly #heads: Instances;
  readonly #hands: Instances;

  constructor(look: Look) {
    this.#look = look;
    this.#heads = new Instances(headsetGeometry(), look.material({ vertexColors: true, shine: 0.2 }));
    this.#hands = new Instances(controllerGeometry(), look.material({ vertexColors: true, shine: 0.2 }));
    this.object.add(this.#heads.object, this.#hands.object);
  }

  update({ poses, entities }: SetCrowd): void {
    this.#heads.begin();
    this.#hands.begin();
    for (let row = 0; row < poses.count; row++) {
      if (!poses.isDrawn(row)) continue;
      const shapes = textAt(entities, "kind", row) === "headset" ? this.#heads : this.#hands;
      shapes.putThing(poses, row, 1, 1, 1, this.#look.paint(tintOf(entities!, row, HAND)));
    }
    this.#heads.end();
    this.#hands.end();
  }

  dispose(): void {
    this.#heads.dispose();
    this.#hands.dispose();
  }
}
