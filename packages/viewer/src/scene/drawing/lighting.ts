import { Color, DirectionalLight, Group, HemisphereLight, type Vector3 } from "three";
import type { Scheme } from "../../theme.ts";
import { SUN, SURROUNDINGS } from "./look.ts";

/** Pixels of the shadow map. */
const MAP = 1024;
/** Of the distance that is looked from, so far around the target things cast shadows. */
export const EXTENT = 1.1;

/** What falls on a face that looks up, down, and to the sun; of it, so much comes back from white. */
export const LIGHT = { sky: { value: new Color() }, bounce: { value: new Color() }, sun: { value: new Color() } };

/** The sky's soft light and a sun, whose shadows are as fine as the view is near. */
export class Lighting {
  readonly object: Group = new Group();
  readonly #sky = new HemisphereLight();
  readonly #sun = new DirectionalLight();

  constructor() {
    const { shadow } = this.#sun;
    shadow.mapSize.set(MAP, MAP);
    shadow.radius = 1.5;
    this.object.add(this.#sky, this.#sun, this.#sun.target);
  }

  set scheme(scheme: Scheme) {
    const { sky, sun, bounce } = SURROUNDINGS[scheme];
    this.#sky.color.set(sky.color);
    this.#sky.groundColor.set(bounce);
    this.#sky.intensity = sky.intensity;
    this.#sun.color.set(sun);
    this.#sun.intensity = SUN_INTENSITY;
    LIGHT.sky.value.copy(this.#sky.color).multiplyScalar(this.#sky.intensity / Math.PI);
    LIGHT.bounce.value.copy(this.#sky.groundColor).multiplyScalar(this.#sky.intensity / Math.PI);
    LIGHT.sun.value.copy(this.#sun.color).multiplyScalar(SUN_INTENSITY / Math.PI);
  }

  /** Whether things cast shadows. */
  set shadows(areOn: boolean) {
    this.#sun.castShadow = areOn;
  }

  /** Shines on what is looked at from so far away, and down to the ground so far below. */
  place(target: Vector3, distance: number, below: number): void {
    const extent = distance * EXTENT;
    const { camera } = this.#sun.shadow;
    const depth = 2 * (extent + below);
    camera.left = camera.bottom = -extent;
    camera.right = camera.top = extent;
    camera.near = 0;
    camera.far = 2 * depth;
    camera.updateProjectionMatrix();
    // Moved in whole pixels of the map: edges of shadows stand still.
    const pixel = (2 * extent) / MAP;
    const [x, y, z] = [target.x, target.y, target.z].map((value) => Math.round(value / pixel) * pixel);
    this.#sun.target.position.set(x!, y!, z!);
    this.#sun.position.set(x! + SUN[0] * depth, y! + SUN[1] * depth, z! + SUN[2] * depth);
    this.#sun.shadow.normalBias = 1.5 * pixel;
    this.#sun.shadow.bias = -1e-4;
  }

  dispose(): void {
    this.#sun.dispose();
  }
}

const SUN_INTENSITY = 2.3;
