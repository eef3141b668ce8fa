import { sceneSettings, type SceneSettings } from "../../scene/panel/settings.ts";
import type { Session } from "../../session.ts";
import { presetsFor } from "./presets.ts";

/**
 * What another scene begins with: drawn as the first, from another side. Beside a view from above it is a usual one, else
 * it looks from above; molecules are drawn in another way in place of that. Numbers of the things are shown once.
 */
export function beginningBeside(session: Session): SceneSettings {
  const { mode, camera, measures: _, molecules = {}, ...drawn } = sceneSettings(session);
  const shown = { ...drawn, readings: false, instruments: false };
  if (presetsFor(session.frame?.recorded ?? null)[0] === "molecules") {
    const style = molecules.style === "spacefill" ? "auto" : "spacefill";
    return { ...shown, ...(mode && { mode }), ...(camera && { camera }), molecules: { ...molecules, style } };
  }
  return { ...shown, ...(mode === "top" ? {} : { mode: "top" }) };
}
