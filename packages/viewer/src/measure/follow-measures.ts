import { UNITS, unitSystem } from "../measures.ts";
import type { SceneView } from "../scene/scene-view.ts";
import { sceneSettings } from "../scene/panel/settings.ts";
import type { Session } from "../session.ts";
import { drawnOf, linesOf } from "./drawn.ts";
import { Gauge } from "./numbers.ts";
import { MeasureOverlay } from "./overlay.ts";

/** Shows the measures of an address in a scene, until the function given back is called; needs no React. */
export function followMeasures(session: Session, view: SceneView): () => void {
  const overlay = new MeasureOverlay();
  const gauge = new Gauge();
  let shown = "";
  const write = (): void => {
    const { frame } = session;
    if (frame === null) return;
    const { measures = [] } = sceneSettings(session);
    const system = unitSystem(session.state.value.shared[UNITS]);
    overlay.measures = drawnOf(measures, linesOf(measures, gauge, frame.recorded, system));
    // the scene has drawn this frame already
    const text = JSON.stringify(overlay.measures);
    if (text !== shown) view.invalidate();
    shown = text;
  };
  const stops = [view.lay(overlay), session.onFrame(write), session.state.subscribe(write)];
  write();
  return () => {
    for (const stop of stops) stop();
  };
}
