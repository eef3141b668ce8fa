import type { Measure } from "../../measure/measuring.ts";
import type { Session } from "../../session.ts";
import type { CameraMode, CameraPlace } from "../camera/camera-rig.ts";
import type { MoleculeSettings } from "../presenters/molecules/settings.ts";

/** How a scene is shown: what the address keeps of it. */
export interface SceneSettings {
  /** Absent: the mode that suits the recording. */
  readonly mode?: CameraMode;
  readonly camera?: CameraPlace;
  readonly labels?: boolean;
  readonly trails?: boolean;
  readonly readings?: boolean;
  readonly world?: boolean;
  readonly cut?: boolean;
  readonly instruments?: boolean;
  readonly molecules?: MoleculeSettings;
  /** Of the first scene: all show them. */
  readonly measures?: readonly Measure[];
}

/** Where the address keeps those of the first scene, and the id of its panel; others have ids of theirs. */
export const SCENE = "scene";

const DEFAULTS: SceneSettings = {};

/** Those of the scene in a panel. */
export function sceneSettings(session: Session, panel: string = SCENE): SceneSettings {
  return (session.state.value.shared[panel] as SceneSettings | undefined) ?? DEFAULTS;
}
