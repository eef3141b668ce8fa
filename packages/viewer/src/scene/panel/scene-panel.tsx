import "../scene.css";
import "../instruments/instruments.css";
import { useContext, useEffect, useRef, useState } from "react";
import { PanelContext, useObservable, useSession, useShared, useViewer } from "../../hooks.ts";
import { type Measure, measuring, toggleMeasuring } from "../../measure/measuring.ts";
import { Observable } from "../../observable.ts";
import { scheme } from "../../theme.ts";
import { pathShown } from "../../video/shown.ts";
import { RAMP } from "../presenters/ramp.ts";
import { Projector, type Seen, UNSEEN } from "./projector.ts";
import { use } from "./lend.ts";
import { SceneBar } from "./scene-bar.tsx";
import { SCENE, sceneSettings, type SceneSettings } from "./settings.ts";
import { StageContext } from "./stage.ts";
import type { MoleculeSettings } from "../presenters/molecules/settings.ts";
import { late } from "../../ui/late.tsx";

const DEFAULTS: SceneSettings = {};
const AS_USUAL: MoleculeSettings = {};
const NO_MEASURES: readonly Measure[] = [];
/** While no scene is there. */
const NOTHING = new Observable<Seen>(UNSEEN);
const MeasureLayer = late(async () => (await import("../../measure/measure-layer.tsx")).MeasureLayer);
const PathLayer = late(async () => (await import("../../video/path-layer.tsx")).PathLayer);
const MoleculePanel = late(async () => (await import("./molecule-panel.tsx")).MoleculePanel);

/** The recording and its ghosts in space, in the way of this panel. React makes the bar and what is over the scene; frames go past it. */
export function ScenePanel() {
  const session = useSession();
  const stage = useContext(StageContext);
  const panel = useContext(PanelContext) ?? SCENE;
  const isFirst = panel === SCENE;
  const host = useRef<HTMLDivElement>(null);
  const gaps = useRef<HTMLDivElement>(null);
  const readingsHost = useRef<HTMLElement>(null);
  const [projector, setProjector] = useState<Projector | null>(null);
  const [failure, setFailure] = useState<Error | null>(null);
  const [settings] = useShared<SceneSettings>(panel, DEFAULTS);
  const [{ measures = NO_MEASURES }, shareFirst] = useShared<SceneSettings>(SCENE, DEFAULTS);
  const subject = useViewer((state) => state.subject);
  const shownScheme = useObservable(scheme, (value) => value);
  const seen = useObservable(projector?.seen ?? NOTHING, (value) => value);
  const isMeasuring = useObservable(measuring, (value) => value !== null);
  const isPathShown = useObservable(pathShown, (value) => value) && stage === null && isFirst;
  const [isAside, setAside] = useState(false);

  useEffect(() => {
    const places = { view: host.current!, readings: readingsHost.current!, gaps: gaps.current! };
    let made: Projector;
    try {
      made = new Projector(session, places, scheme.value, stage, panel);
    } catch (error) {
      setFailure(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    setProjector(made);
    return () => made.dispose();
  }, [session, stage, panel]);
  useEffect(() => {
    if (projector !== null) projector.scheme = shownScheme;
  }, [projector, shownScheme]);

  if (failure !== null) throw failure;
  const turnTo = (): void => use(session, panel);
  const { mode = seen.usualMode, labels = true, trails = true, readings = true, world = true, cut = false } = settings;
  const { molecules = AS_USUAL, instruments = true } = settings;
  const { facts, flies, hasBlocks } = seen;
  return (
    <div className="scene" onPointerDownCapture={turnTo} onFocusCapture={turnTo}>
      <SceneBar
        title={isFirst ? "Scene" : panel.replace(/^scene-/, "Scene ")}
        settings={{ mode, labels, trails, readings, world, cut, instruments }}
        hasWorld={hasBlocks || seen.hasScenery}
        hasBlocks={hasBlocks}
        flies={flies}
        aside={facts === null ? null : isAside}
        onAside={() => setAside(!isAside)}
        isMeasuring={isMeasuring}
        onMeasure={() => toggleMeasuring(panel)}
        isPathShown={isPathShown}
        onPath={isFirst ? () => pathShown.set(!pathShown.value) : null}
        things={seen.things}
        subject={subject}
        onChange={(changes) => projector?.change(changes)}
        onHome={() => projector?.home()}
        onSelect={(thing) => session.select(thing === null ? null : { kind: "thing", set: thing.set, id: thing.id })}
      />
      <div ref={host} className="scene-view" />
      {projector !== null && (isMeasuring || measures.length > 0) && (
        <MeasureLayer
          view={projector.view}
          panel={panel}
          measures={measures}
          onChange={(next) => shareFirst({ ...sceneSettings(session), measures: next })}
        />
      )}
      {projector !== null && isPathShown && <PathLayer view={projector.view} />}
      {projector !== null && isAside && facts !== null && (
        <MoleculePanel
          view={projector.view}
          settings={molecules}
          subject={subject?.isChosen === true ? subject : null}
          onChange={(changes) => projector.change({ molecules: { ...projector.settings.molecules, ...changes } })}
          onSelect={(thing) => session.select({ kind: "thing", ...thing })}
        />
      )}
      {seen.isEmpty && <p className="panel-note scene-empty">Nothing in this recording has a place in space now.</p>}
      <div className="scene-corner">
        <section ref={readingsHost} aria-label="Readings" />
        <div ref={gaps} className="scene-gaps" role="status" aria-label="Ghosts" />
        {seen.intensities !== null && (
          <div
            className="scene-legend"
            role="img"
            aria-label={`Intensity of scans, ${seen.intensities.map(short).join(" to ")}`}
          >
            intensity <b>{short(seen.intensities[0])}</b>
            <i style={{ background: `linear-gradient(to right, ${RAMP.join()})` }} />
            <b>{short(seen.intensities[1])}</b>
          </div>
        )}
      </div>
    </div>
  );
}

function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}
