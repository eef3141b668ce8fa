import { BoxGeometry, type BufferGeometry, Color } from "three";
import { Instances } from "../drawing/instances.ts";
import type { Look } from "../drawing/look.ts";
import { merged, shaded } from "./shapes.ts";

/** Of the height of who wears them, 32 pixels high: how long and wide a wing is, and where it hangs on the back. */
const PIXEL = 1 / 32;
const [LONG, WIDE, THICK] = [20 * PIXEL, 10 * PIXEL, PIXEL];
const [BEHIND, SHOULDER] = [-2.6 * PIXEL, 23.5 * PIXEL];
/** How far they are spread, and stand off from the back; radians. */
const [SPREAD, LIFT] = [0.85, 0.18];
const GREY = new Color(0.42, 0.4, 0.5);

/** Elytra of those who glide. */
export class Wings {
  readonly shapes: Instances;
  readonly #look: Look;

  constructor(look: Look) {
    this.#look = look;
    this.shapes = new Instances(merged([wing(1), wing(-1)]), look.material({ vertexColors: true, flatShading: true }));
  }

  /** Puts a pair on the back of who has the feet there, is turned so and so high. */
  put(x: number, y: number, z: number, turn: Float32Array, height: number): void {
    const [qx, qy, qz, qw] = turn as unknown as [number, number, number, number];
    this.shapes.put(x, y, z, qx, qy, qz, qw, height, height, height, this.#look.paint(GREY));
  }
}

/** On one side of a figure that looks along x: spread outwards, from the shoulder down. */
function wing(side: number): BufferGeometry {
  const plate = new BoxGeometry(THICK, LONG, WIDE).translate(0, -LONG / 2, (side * WIDE) / 2);
  return shaded(
    plate
      .rotateX(-side * SPREAD)
      .rotateZ(-LIFT)
      .translate(BEHIND, SHOULDER, side * PIXEL),
    1,
  );
}
