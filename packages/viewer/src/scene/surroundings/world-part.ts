import type { Object3D, Vector3 } from "three";
import type { State } from "simtape";
import type { Scheme } from "../../theme.ts";

/** A part of what is around the things: blocks, or what a companion shows. */
export interface WorldPart {
  readonly object: Object3D;
  isOn: boolean;
  /** Whether anything of it is in the picture. */
  readonly isShown: boolean;
  /** Whether the ground that the scene has of its own is in its way. */
  readonly coversGround: boolean;
  /** Whether most of that is bare, so that it keeps its grid. */
  readonly leavesGround?: boolean;
  /** Height of the ground in the scene; null: it says nothing of it. */
  readonly floor: number | null;
  scheme: Scheme;
  update(state: State): void;
  /** Called before every picture; `feet`: height of who is looked at. */
  look?(target: Vector3, feet: number | null): void;
  /** In words; empty: nothing is drawn. */
  describe(): string;
  dispose(): void;
}
