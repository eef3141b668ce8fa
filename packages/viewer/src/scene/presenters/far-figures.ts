import { type BufferGeometry, type Color, DynamicDrawUsage, InstancedBufferAttribute, type Object3D } from "three";
import type { Posing } from "../drawing/copies.ts";
import { Instances } from "../drawing/instances.ts";
import { color, type Look } from "../drawing/look.ts";
import type { Build } from "./figure-shapes.ts";
import { cornered } from "./shapes.ts";

/** Of a figure: angle of the left leg, and how far ahead it leans. */
const POSE = /* glsl */ `
#include <begin_vertex>
float angle = limb.y * pose.x;
vec2 hung = transformed.xy - vec2(0.0, limb.x);
transformed.xy = vec2(cos(angle) * hung.x - sin(angle) * hung.y, sin(angle) * hung.x + cos(angle) * hung.y);
transformed.xy += vec2(limb.z * pose.y, limb.x);`;

const TINT = /* glsl */ `
#include <color_vertex>
if (limb.w < 0.5) vColor.rgb = color * plain;`;

const WHITE = color("#ffffff");

/** People who are small on the screen: one simple shape for each, whose arms and legs swing all the same. */
export class FarFigures {
  readonly #shapes: Instances;
  readonly #geometry: ReturnType<Build["far"]>;
  #poses = new Float32Array(32);

  constructor(look: Look, build: Build) {
    const material = look.material({ vertexColors: true, flatShading: build.isFlat });
    // Everything but the shirt.
    const plain = look.paint(WHITE).clone();
    material.onBeforeCompile = (shader) => {
      shader.uniforms["plain"] = { value: plain };
      shader.vertexShader = `attribute vec4 limb;\nattribute vec2 pose;\nuniform vec3 plain;\n${shader.vertexShader}`
        .replace("#include <begin_vertex>", POSE)
        .replace("#include <color_vertex>", TINT);
    };
    this.#geometry = build.isFlat ? cornered(build.far()) : build.far();
    this.#shapes = new Instances(this.#geometry, material, 16, (shape) => posingOf(shape, plain, () => this.#poses));
    this.#attach();
  }

  get object(): Object3D {
    return this.#shapes.object;
  }

  begin(): void {
    this.#shapes.begin();
  }

  /** A figure whose feet are at a place, turned as the quaternion in `body` from `at` on. */
  put(
    x: number,
    y: number,
    z: number,
    body: Float32Array,
    at: number,
    height: number,
    swing: number,
    lean: number,
    shirt: Color,
  ): void {
    const from = 2 * this.#shapes.count;
    if (from === this.#poses.length) {
      const larger = new Float32Array(2 * from);
      larger.set(this.#poses);
      this.#poses = larger;
      this.#attach();
    }
    this.#poses[from] = swing;
    this.#poses[from + 1] = Math.sin(lean);
    const [qx, qy, qz, qw] = [body[at]!, body[at + 1]!, body[at + 2]!, body[at + 3]!];
    this.#shapes.put(x, y, z, qx, qy, qz, qw, height, height, height, shirt);
  }

  end(): void {
    this.#shapes.end();
    this.#geometry.getAttribute("pose").needsUpdate = true;
  }

  dispose(): void {
    this.#shapes.dispose();
  }

  #attach(): void {
    this.#geometry.setAttribute("pose", new InstancedBufferAttribute(this.#poses, 2).setUsage(DynamicDrawUsage));
  }
}

/** Does the same as `POSE` and `TINT`; poses are two numbers for each copy. */
export function posingOf(shape: BufferGeometry, plain: Color, poses: () => Float32Array): Posing {
  const [place, direction, limb] = ["position", "normal", "limb"].map((name) => shape.getAttribute(name));
  const corners = Array.from({ length: limb!.count }, (_, i) => i);
  return {
    plain,
    isTinted: corners.map((i) => limb!.getW(i) >= 0.5),
    pose: (copy, places, directions) => {
      const [swing, lean] = [poses()[2 * copy]!, poses()[2 * copy + 1]!];
      const [sin, cos] = [Math.sin(swing), Math.cos(swing)];
      for (let i = 0; i < corners.length; i++) {
        // A limb swings as the left leg does, or against it, or not at all.
        const side = limb!.getY(i);
        const [c, s] = [side === 0 ? 1 : cos, side * sin];
        const joint = limb!.getX(i);
        const [x, y] = [place!.getX(i), place!.getY(i) - joint];
        places[3 * i] = c * x - s * y + limb!.getZ(i) * lean;
        places[3 * i + 1] = s * x + c * y + joint;
        const [u, v] = [direction!.getX(i), direction!.getY(i)];
        directions[3 * i] = c * u - s * v;
        directions[3 * i + 1] = s * u + c * v;
      }
    },
  };
}
