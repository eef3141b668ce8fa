import type { PerspectiveCamera } from "three";
import type { Scheme } from "../../theme.ts";
import type { Crowd } from "../presenters/presenter.ts";

/** What is drawn over the picture, on a canvas of its own. */
export interface Overlay {
  readonly element: HTMLCanvasElement;
  /** Whether pictures and videos have it. */
  readonly isInPictures: boolean;
  /** Draws for a view of so many pixels, from this camera. */
  draw(crowds: readonly Crowd[], camera: PerspectiveCamera, width: number, height: number, scheme: Scheme): void;
}
