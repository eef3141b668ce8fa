import "./scene.css";
import type { Tick } from "simtape";
import { lazy, Suspense, useContext, useEffect, useRef, useState } from "react";
import { isTooFar } from "../afar.ts";
import { useFrames, useSession, useShared, useViewer } from "../hooks.ts";
import type { Deck, Selection } from "../session.ts";
import type { Thing as Subject } from "../subject.ts";
import { type Measure, measuring, pickMeasured, toggleMeasuring } from "../measure/measuring.ts";
import { useObservable } from "../observable.ts";
import { scheme } from "../theme.ts";
import { measureOfReading, type UnitSystem, useUnitSystem } from "../measures.ts";
import { PARTS, type MoleculeSettings } from "./presenters/molecules/settings.ts";
import type { MoleculeFacts } from "./presenters/molecules/facts.ts";
import type { Reading } from "./presenters/readings.ts";
import type { CameraMode, CameraPlace } from "./camera-rig.ts";
import { drawCourses } from "./courses.ts";
import { gapText } from "./gap.ts";
import { ghostColor } from "./look.ts";
import { SceneView, type Thing } from "./scene-view.ts";
import { SceneBar } from "./scene-bar.tsx";
import { pathShown } from "../video/shown.ts";
import { StageContext } from "./stage.ts";
import { useWorld } from "./use-world.ts";
import { useCompanions } from "../world/use-companions.ts";

/** What the address keeps of it. */
export interface SceneSettings {
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

const DEFAULTS: SceneSettings = {};
const AS_USUAL: MoleculeSettings = {};
const NO_MEASURES: readonly Measure[] = [];
const MeasureLayer = lazy(async () => ({ default: (await import("../measure/measure-layer.tsx")).MeasureLayer }));
const PathLayer = lazy(async () => ({ default: (await import("../video/path-layer.tsx")).PathLayer }));
const MoleculePanel = lazy(async () => ({ default: (await import("./molecule-panel.tsx")).MoleculePanel }));
/** Things in the list to choose from. */
const LISTED = 200;
/** Between two changes of words, milliseconds. */
const WORDS_EVERY = 200;

/** The recording and its ghosts in space. React makes it and its bar; frames go past it. */
export function ScenePanel() {
  const session = useSession();
  const stage = useContext(StageContext);
  const host = useRef<HTMLDivElement>(null);
  const gaps = useRef<HTMLDivElement>(null);
  const hud = useRef<HTMLElement>(null);
  const view = useRef<SceneView | null>(null);
  const [failure, setFailure] = useState<Error | null>(null);
  const [things, setThings] = useState<readonly Thing[]>([]);
  const [settings, keep] = useShared<SceneSettings>("scene", DEFAULTS);
  const shownScheme = useObservable(scheme, (value) => value);
  const subject = useViewer((state) => state.subject);
  const main = useViewer(({ decks }) => decks[0]);
  const decks = useViewer((state) => state.decks);
  const system = useUnitSystem();
  // biome-ignore lint/correctness/useExhaustiveDependencies: written again in the units that were chosen
  useEffect(() => {
    if (view.current !== null) write(view.current);
  }, [system]);
  const [isEmpty, setEmpty] = useState(false);
  const [usual, setUsual] = useState<CameraMode>("orbit");
  const { mode = usual, labels = true, trails = true, readings = true, world = true, cut = false } = settings;
  const { molecules = AS_USUAL, measures = NO_MEASURES, instruments = true } = settings;
  const isMeasuring = useObservable(measuring, (value) => value !== null);
  const isPathShown = useObservable(pathShown, (value) => value) && stage === null;
  const [made, setMade] = useState<SceneView | null>(null);
  const [facts, setFacts] = useState<MoleculeFacts | null>(null);
  const [isAside, setAside] = useState(false);
  const [flies, setFlies] = useState(false);

  // What a click keeps is based on the newest settings, not on those of the rendering it was made in.
  const newest = useRef({ settings, keep, write });
  useEffect(() => {
    newest.current = { settings, keep, write };
  });

  useEffect(() => {
    let made: SceneView;
    let unread = (): void => undefined;
    try {
      const events = {
        onPick: (picked: Selection | null) => {
          if (picked?.kind === "thing" && pickMeasured(picked)) return;
          const { selection } = session.state.value;
          // Again on the same atom: its residue, then its chain.
          if (isSameAtom(picked, selection)) {
            const { molecules: before = AS_USUAL } = newest.current.settings;
            const part = PARTS[(PARTS.indexOf(before.part ?? "atom") + 1) % PARTS.length]!;
            newest.current.keep({ ...newest.current.settings, molecules: { ...before, part } });
          } else session.select(picked);
        },
        onSubject: (thing: Subject) => session.regard(thing),
        onCamera: (camera: CameraPlace) => newest.current.keep({ ...newest.current.settings, camera }),
        onSight: () => view.current !== null && newest.current.write(view.current),
        onLoad: (part: Promise<unknown>) => stage?.onLoad(part),
        onReads: (groups: readonly string[]) => {
          unread();
          unread = session.read(groups);
        },
      };
      made = new SceneView(events, stage?.ratio);
    } catch (error) {
      setFailure(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    const place = host.current!;
    place.append(made.element);
    place.append(made.labels.element, made.over, made.bearings.element);
    hud.current!.append(made.hud.element);
    made.camera = newest.current.settings.camera ?? null;
    view.current = made;
    setMade(made);
    session.pictures.set("scene", () => made.picture());
    session.sights.set("scene", (set, id) => made.sightOf(set, id));
    session.pointing = () => made.pointing();
    session.camera = {
      get isFollowing() {
        return made.mode === "follow";
      },
      get isGeodetic() {
        return made.origin.isGeodetic;
      },
      gaze: () => made.gaze,
      look: (gaze) => {
        made.gaze = gaze;
      },
    };
    stage?.onView(made);
    const showCompany = (): void => {
      made.company = session.company.value;
    };
    const unsubscribe = session.company.subscribe(showCompany);
    showCompany();
    const observer = new ResizeObserver(() => made.resize(place.clientWidth, place.clientHeight));
    observer.observe(place);
    return () => {
      observer.disconnect();
      session.pictures.delete("scene");
      session.sights.delete("scene");
      session.pointing = () => null;
      session.camera = null;
      unsubscribe();
      unread();
      view.current = null;
      made.dispose();
      made.element.remove();
      made.labels.element.remove();
      made.over.remove();
      made.bearings.element.remove();
      made.hud.element.remove();
    };
  }, [session, stage]);

  // In the order in which a view that was just made needs them.
  useEffect(() => {
    if (view.current !== null) view.current.scheme = shownScheme;
  }, [shownScheme]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is written is of the subject, also where no frame comes
  useEffect(() => {
    if (view.current === null) return;
    view.current.subject = subject;
    writeHud(view.current, main?.opened.timeline.tick ?? null, system);
  }, [subject, system]);
  useEffect(() => {
    if (view.current !== null) view.current.mode = mode;
  }, [mode]);
  useEffect(() => {
    if (view.current !== null) view.current.areLabelsOn = labels;
  }, [labels]);
  useEffect(() => {
    if (view.current !== null) view.current.trails = trails;
  }, [trails]);
  useEffect(() => {
    if (view.current !== null) view.current.world.isOn = world;
  }, [world]);
  useEffect(() => {
    if (view.current !== null) view.current.world.isCut = cut;
  }, [cut]);

  useEffect(() => {
    if (view.current === null) return;
    view.current.molecules = molecules;
    newest.current.write(view.current);
  }, [molecules]);

  const base = useWorld()?.base ?? null;
  // The same recording under another number when it has grown.
  const recording = useRef(-1);
  useEffect(() => {
    recording.current = main?.opened.recording ?? -1;
  }, [main]);
  useEffect(() => {
    const made = view.current;
    if (made === null || base === null) return;
    made.world.blocks = (ask, signal) =>
      session.query("chunk", { recording: recording.current, base, ...ask }, { signal });
    return () => {
      made.world.blocks = null;
    };
  }, [session, base]);

  useEffect(() => {
    if (made === null || !flies || !instruments) return;
    let isWanted = true;
    const load = import("./instruments/instruments.ts").then(({ Instruments }) => {
      if (isWanted) made.instruments = new Instruments();
    });
    load.catch(() => undefined);
    stage?.onLoad(load);
    return () => {
      isWanted = false;
      made.instruments = null;
    };
  }, [made, flies, instruments, stage]);

  const companions = useCompanions();
  useEffect(() => {
    const scene = view.current;
    if (scene === null) return;
    scene.world.sceneries = companions;
    const models = companions.flatMap(({ scenery }) => scenery.models ?? []);
    if (models.length === 0) return;
    let isWanted = true;
    const load = import("./models.ts").then(({ Models }) => {
      if (isWanted) scene.dresser = (look) => new Models(models, look);
    });
    load.catch(() => undefined);
    stage?.onLoad(load);
    return () => {
      isWanted = false;
      scene.dresser = null;
    };
  }, [companions, stage]);

  const words = useRef({
    shown: 0,
    things: "",
    isEmpty: false,
    flies: false,
    timer: 0,
    structure: undefined as MoleculeFacts["structure"] | undefined,
  });
  const drawn = useRef<{ main: Deck | null; decks: unknown; controller: AbortController | null }>({
    main: null,
    decks: null,
    controller: null,
  });
  useEffect(() => {
    const { current } = drawn;
    return () => {
      current.controller?.abort();
      current.main = current.decks = null;
    };
  }, []);

  useFrames((frame) => {
    const shown = view.current;
    if (shown === null) return;
    if (drawn.current.main !== null && !isSame(drawn.current.main, main)) shown.reset();
    drawn.current.main = main ?? null;
    shown.showings = decks.map(({ opened }) => opened.showing);
    shown.show(frame);
    // React keeps what is set again until it renders, which may be never.
    if (shown.usualMode !== usual) setUsual(shown.usualMode);
    // A frame of before a ghost came knows nothing of it.
    if (drawn.current.decks !== decks && frame.ghosts.length === decks.length - 1) {
      drawn.current.decks = decks;
      drawn.current.controller?.abort();
      const controller = new AbortController();
      drawn.current.controller = controller;
      drawCourses(session, shown, frame, controller.signal)
        .then(() => writeGaps(gaps.current!, shown, decks))
        .catch(() => undefined);
      if (main?.opened.showing.checkpoints !== undefined) {
        const ask = { recording: main.opened.recording, isReading: !isTooFar(main) };
        session
          .query("passings", ask, { signal: controller.signal })
          .then((passings) => {
            shown.passings = passings;
          })
          .catch(() => undefined);
      }
    }
    write(shown);
  });

  /** Names, gaps and the description: now and then, and always those of the last frame of a movement. */
  function write(shown: SceneView): void {
    const now = performance.now();
    const wait = stage === null ? words.current.shown + WORDS_EVERY - now : 0;
    clearTimeout(words.current.timer);
    if (wait > 0) {
      words.current.timer = window.setTimeout(() => view.current === shown && write(shown), wait);
      return;
    }
    words.current.shown = now;
    shown.element.setAttribute("aria-label", shown.description);
    // what was rendered last is not known here: this may be called later
    if (shown.isEmpty !== words.current.isEmpty) {
      words.current.isEmpty = shown.isEmpty;
      setEmpty(shown.isEmpty);
    }
    const told = shown.facts;
    if (shown.flies !== words.current.flies) {
      words.current.flies = shown.flies;
      setFlies(shown.flies);
    }
    if (told?.structure !== words.current.structure) {
      words.current.structure = told?.structure;
      setFacts(told);
    }
    const listed = shown.things(LISTED);
    const key = listed.map(({ set, id, label }) => `${set}/${id}/${label}`).join("\n");
    if (key !== words.current.things) {
      words.current.things = key;
      setThings(listed);
    }
    writeGaps(gaps.current!, shown, decks);
    writeHud(shown, main?.opened.timeline.tick ?? null, system);
  }

  if (failure !== null) throw failure;
  return (
    <div className="scene">
      <SceneBar
        settings={{ mode, labels, trails, readings, world, cut, instruments }}
        hasWorld={
          base !== null || companions.some(({ scenery }) => scenery.parts.length + (scenery.bodies?.length ?? 0) > 0)
        }
        hasBlocks={base !== null}
        flies={flies}
        aside={facts === null ? null : isAside}
        onAside={() => setAside(!isAside)}
        isMeasuring={isMeasuring}
        onMeasure={toggleMeasuring}
        isPathShown={isPathShown}
        onPath={() => pathShown.set(!pathShown.value)}
        things={things}
        subject={subject}
        onChange={(changes) => {
          const { camera, ...others } = newest.current.settings;
          if (changes.mode !== undefined) view.current?.ease();
          // Where the camera was in one mode is nowhere in another.
          newest.current.keep({ ...(changes.mode === undefined && camera ? { camera } : {}), ...others, ...changes });
        }}
        onHome={() => {
          view.current?.ease();
          view.current?.home();
          const { camera: _, ...others } = newest.current.settings;
          newest.current.keep(others);
        }}
        onSelect={(thing) => session.select(thing === null ? null : { kind: "thing", set: thing.set, id: thing.id })}
      />
      <div ref={host} className="scene-view" />
      {made !== null && (isMeasuring || measures.length > 0) && (
        <Suspense>
          <MeasureLayer
            view={made}
            measures={measures}
            onChange={(next) => newest.current.keep({ ...newest.current.settings, measures: next })}
          />
        </Suspense>
      )}
      {made !== null && isPathShown && (
        <Suspense>
          <PathLayer view={made} />
        </Suspense>
      )}
      {made !== null && isAside && facts !== null && (
        <Suspense>
          <MoleculePanel
            view={made}
            settings={molecules}
            subject={subject?.isChosen === true ? subject : null}
            onChange={(changes) => {
              const { settings: now, keep: keepNow } = newest.current;
              keepNow({ ...now, molecules: { ...now.molecules, ...changes } });
            }}
            onSelect={(thing) => session.select({ kind: "thing", ...thing })}
          />
        </Suspense>
      )}
      {isEmpty && <p className="panel-note scene-empty">Nothing in this recording has a place in space now.</p>}
      <div className="scene-corner">
        <section ref={hud} hidden={!readings} aria-label="Readings" />
        <div ref={gaps} className="scene-gaps" role="status" aria-label="Ghosts" />
      </div>
    </div>
  );
}

function isSameAtom(picked: Selection | null, before: Selection | null): boolean {
  if (picked?.kind !== "thing" || before?.kind !== "thing" || picked.set !== "particles") return false;
  return picked.set === before.set && picked.id === before.id;
}

/** Whether what plays is what played before, or all of what was its head. */
function isSame(before: Deck, main: Deck | undefined): boolean {
  return before === main || (before.opened.isHead && before.place === main?.place);
}

/** Numbers of what is looked at; before them, which tick it is. */
function writeHud(view: SceneView, tick: Tick | null, system: UnitSystem): void {
  const { name, readings } = view.readings();
  const isTick = tick?.name === "tick" && tick.duration !== null && readings.length > 0;
  const first = isTick ? [{ label: "tick", value: Math.floor(view.time / tick.duration!), unit: "", digits: 0 }] : [];
  view.hud.write(name, [...first, ...readings.map((reading) => shownReading(reading, system))]);
}

function shownReading(reading: Reading, system: UnitSystem): Reading {
  const { unit, factor } = measureOfReading(reading.unit, system);
  if (typeof reading.value === "string" || factor === 1) return reading;
  return { ...reading, value: reading.value * factor, unit: unit!, digits: Math.max(1, reading.digits) };
}

/** One line for each ghost, in its colour. */
function writeGaps(place: HTMLElement, view: SceneView, decks: readonly Deck[]): void {
  const gaps = view.gaps(decks.slice(1).map(({ placement }) => placement.rate ?? 1));
  while (place.childElementCount > gaps.length) place.lastElementChild?.remove();
  for (const [i, gap] of gaps.entries()) {
    let line = place.children[i] as HTMLElement | undefined;
    if (line === undefined) {
      line = document.createElement("div");
      line.style.borderColor = ghostColor(i).getStyle();
      place.append(line);
    }
    const text = `ghost${gaps.length > 1 ? ` ${i + 1}` : ""}: ${gap === null ? "not there" : gapText(gap)}`;
    if (line.textContent !== text) line.textContent = text;
  }
}
