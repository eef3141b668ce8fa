import type { Measure } from "../measure/measuring.ts";
import type { Session } from "../session.ts";
import type { CameraMode, CameraPlace } from "./camera-rig.ts";
import type { MoleculeSettings } from "./presenters/molecules/settings.ts";

/** How the scene is shown: what the address keeps of it. */
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
  readonly measures?: readonly Measure[];
}

/** Where the address keeps them. */
export const SCENE = "scene";

const DEFAULTS: SceneSettings = {};

export function sceneSettings(session: Session): SceneSettings {
  return (session.state.value.shared[SCENE] as SceneSettings | undefined) ?? DEFAULTS;
}
