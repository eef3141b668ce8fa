import { Group, type PerspectiveCamera } from "three";
import type { Scheme } from "../../theme.ts";
import type { Strip } from "../../world/companion.ts";
import type { Origin } from "../things/origin.ts";
import type { Chart } from "./chart.ts";

/** From so many metres away the coast is seen, and what draws it is loaded. */
const AFAR = 30_000;

/** Lines of the earth on a map, and the coast from far away: loaded when the first of them is to be seen. */
export class LateChart {
  readonly object: Group = new Group();
  readonly #ratio: () => number;
  readonly #onLoad: (part: Promise<unknown>) => void;
  readonly #lay: (element: HTMLElement) => void;
  readonly #above: () => readonly Element[];
  /** Undefined: it is being loaded. */
  #chart: Chart | null | undefined = null;
  #origin: Origin;

  /**
   * `ratio`: pixels of its canvas for each of the page. `lay` puts that over the picture and has it drawn; `onLoad` has
   * what is loaded. `above`: what lies over the picture.
   */
  constructor(
    origin: Origin,
    ratio: () => number,
    lay: (element: HTMLElement) => void,
    onLoad: (part: Promise<unknown>) => void,
    above: () => readonly Element[],
  ) {
    this.#origin = origin;
    this.#ratio = ratio;
    this.#lay = lay;
    this.#onLoad = onLoad;
    this.#above = above;
  }

  /** Over the picture; null: not loaded. */
  get element(): HTMLCanvasElement | null {
    return this.#chart?.element ?? null;
  }

  /** `distance`: metres from the camera to what it looks at. */
  draw(
    camera: PerspectiveCamera,
    distance: number,
    isFromAbove: boolean,
    width: number,
    height: number,
    scheme: Scheme,
    strips: readonly Strip[],
  ): void {
    if (!this.#origin.isGeodetic) return;
    if (this.#chart === null && (isFromAbove || distance > AFAR)) {
      this.#chart = undefined;
      const load = this.#load(this.#origin);
      load.catch(() => undefined);
      this.#onLoad(load);
    }
    this.#chart?.draw(camera, distance, isFromAbove, width, height, scheme, strips);
  }

  /** Another zero of the scene: what is drawn is gone until it is to be seen again. */
  reset(origin: Origin): void {
    this.#origin = origin;
    if (this.#chart) {
      this.object.remove(this.#chart.object);
      this.#chart.dispose();
    }
    this.#chart = null;
  }

  async #load(origin: Origin): Promise<void> {
    const { Chart } = await import("./chart.ts");
    if (origin !== this.#origin) return;
    this.#chart = new Chart(origin, this.#ratio, this.#above);
    this.object.add(this.#chart.object);
    this.#lay(this.#chart.element);
  }
}
