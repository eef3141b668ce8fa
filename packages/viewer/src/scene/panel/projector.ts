import { type UnitSystem, UNITS, unitSystem } from "../../measures.ts";
import { pickMeasured } from "../../measure/measuring.ts";
import { Observable } from "../../observable.ts";
import type { Deck, Selection, Session } from "../../session.ts";
import type { Subject } from "../../subject.ts";
import type { Scheme } from "../../theme.ts";
import type { Molecule, Robot, ThingModel } from "../../world/companion.ts";
import { followCompanions } from "../../world/follow-companions.ts";
import type { CameraMode } from "../camera/camera-rig.ts";
import { drawCourses } from "../ways/courses.ts";
import { drawPassings } from "../ways/passings.ts";
import type { SkinPictures } from "../../blocks/skins.ts";
import type { AskChunk } from "../surroundings/backdrop.ts";
import { followBlocks, skinsIn } from "../surroundings/follow-blocks.ts";
import { lend } from "./lend.ts";
import { once } from "./once.ts";
import { keepOrigin, originOf } from "../things/origins.ts";
import type { MoleculeFacts } from "../presenters/molecules/facts.ts";
import { PARTS } from "../presenters/molecules/settings.ts";
import { SceneView } from "../scene-view.ts";
import { SCENE, sceneSettings, type SceneSettings } from "./settings.ts";
import type { SceneStage } from "./stage.ts";
import type { Thing } from "../over/said.ts";
import { writeGaps, writeReadings } from "../over/words.ts";

/** What is in the scene, as bars and lists beside it say it. */
export interface Seen {
  /** Nothing of the recording has a place now. */
  readonly isEmpty: boolean;
  /** What is looked at flies. */
  readonly flies: boolean;
  /** How this recording is best looked at. */
  readonly usualMode: CameraMode;
  /** Those that can be chosen, some hundred of them at most. */
  readonly things: readonly Thing[];
  /** Of the molecules that play; null: there are none. */
  readonly facts: MoleculeFacts | null;
  /** What the colours of laser scans stand for: how strongly beams came back; null: nothing. */
  readonly intensities: readonly [least: number, most: number] | null;
  /** The recording was made in a world of blocks that is there. */
  readonly hasBlocks: boolean;
  /** Files beside it show its world. */
  readonly hasScenery: boolean;
}

/** While nothing is there. */
export const UNSEEN: Seen = {
  isEmpty: false,
  flies: false,
  usualMode: "orbit",
  things: [],
  facts: null,
  intensities: null,
  hasBlocks: false,
  hasScenery: false,
};

/** Where the parts of a scene are put. */
export interface ScenePlaces {
  readonly view: HTMLElement;
  readonly readings: HTMLElement;
  readonly gaps: HTMLElement;
}

/** Things in the list to choose from. */
const LISTED = 200;
/** Between two changes of words, milliseconds. */
const WORDS_EVERY = 200;

/** The world of what plays: the same in all scenes of a page. */
const followCompanionsOnce = once(followCompanions);
const followBlocksOnce = once(followBlocks);

/** Shows what a session plays in a scene, as the settings in its address say; needs no React. */
export class Projector {
  readonly view: SceneView;
  readonly seen: Observable<Seen> = new Observable(UNSEEN);
  readonly #session: Session;
  readonly #places: ScenePlaces;
  readonly #stage: SceneStage | null;
  /** Where its settings are in the address. */
  readonly #panel: string;
  readonly #stops: (() => void)[] = [];
  /** What was applied last. */
  #settings: SceneSettings | null = null;
  #mode: CameraMode | null = null;
  #system: UnitSystem = "everyday";
  #subject: Subject | null = null;
  #areInstrumentsOn = false;
  /** What plays in the scene, and the decks whose ways are drawn. */
  #main: Deck | null = null;
  #decks: readonly Deck[] = [];
  #ways = new AbortController();
  #unread = (): void => undefined;
  /** What is asked for chunks of blocks, and what they wear. */
  #askChunk: AskChunk | null = null;
  #skins: SkinPictures | null = null;
  #models: readonly ThingModel[] = [];
  #molecules: readonly Molecule[] = [];
  #words = { shown: 0, timer: 0 };

  /** Throws when the browser has no WebGL 2. */
  constructor(session: Session, places: ScenePlaces, scheme: Scheme, stage: SceneStage | null = null, panel = SCENE) {
    this.#session = session;
    this.#places = places;
    this.#stage = stage;
    this.#panel = panel;
    let made: SceneView | null = null;
    const view = new SceneView(
      {
        onPick: (picked) => this.#pick(picked),
        onSubject: (thing) => session.regard(thing),
        onCamera: (camera) => this.#keep({ ...this.settings, camera }),
        onSight: () => made !== null && this.#write(),
        onLoad: (part) => stage?.onLoad(part),
        onReads: (groups) => {
          this.#unread();
          this.#unread = session.read(groups);
        },
      },
      stage?.ratio,
    );
    this.view = made = view;
    places.view.append(view.element, view.labels.element, view.over, view.bearings.element);
    places.readings.append(view.hud.element);
    // Until there is something to describe.
    view.element.setAttribute("aria-label", "Scene");
    view.camera = this.settings.camera ?? null;
    this.#stops.push(lend(session, panel, view));
    stage?.onView(view);
    const fit = (): void => view.resize(places.view.clientWidth, places.view.clientHeight);
    // before the first frame, which is drawn once then
    fit();
    const observer = new ResizeObserver(fit);
    observer.observe(places.view);
    this.scheme = scheme;
    this.#apply();
    this.#follow();
    this.#stops.push(() => observer.disconnect());
  }

  get settings(): SceneSettings {
    return sceneSettings(this.#session, this.#panel);
  }

  set scheme(scheme: Scheme) {
    this.view.scheme = scheme;
  }

  /** The camera in another mode begins where that mode does, and moves there. */
  change(changes: Partial<SceneSettings>): void {
    const { camera, ...others } = this.settings;
    const isOther = changes.mode !== undefined;
    if (isOther) this.view.ease();
    // Where the camera was in one mode is nowhere in another.
    this.#keep({ ...(!isOther && camera ? { camera } : {}), ...others, ...changes });
  }

  /** The first view again. */
  home(): void {
    this.view.ease();
    this.view.home();
    const { camera: _, ...others } = this.settings;
    this.#keep(others);
  }

  dispose(): void {
    const { view } = this;
    for (const stop of this.#stops) stop();
    this.#unread();
    this.#ways.abort();
    clearTimeout(this.#words.timer);
    this.#models = [];
    this.#molecules = [];
    this.#askChunk = null;
    view.instruments = view.world.blocks = null;
    view.world.sceneries = [];
    view.dispose();
    for (const part of [view.element, view.labels.element, view.over, view.bearings.element, view.hud.element])
      part.remove();
  }

  #keep(settings: SceneSettings): void {
    this.#session.share(this.#panel, settings);
  }

  #follow(): void {
    const { view } = this;
    const session = this.#session;
    const showCompany = (): void => {
      view.company = session.company.value;
    };
    const showScenery = (): void => {
      const companions = session.companions.value;
      view.world.sceneries = companions;
      const worn = skinsIn(companions) ?? null;
      view.choose({ skins: worn });
      const skins = worn?.pictures ?? null;
      if (skins !== this.#skins) this.#surround(this.#askChunk, skins);
      const hasScenery = companions.some(({ scenery: { parts, bodies = [] } }) => parts.length + bodies.length > 0);
      this.#see({ hasScenery });
      this.#dress(
        companions.flatMap(({ scenery }) => scenery.models ?? []),
        companions.flatMap(({ scenery }) => scenery.robots ?? []),
      );
      this.#fill(companions.flatMap(({ scenery }) => scenery.molecules ?? []));
    };
    showCompany();
    // A stage shows those of the page.
    if (this.#stage === null) this.#stops.push(followCompanionsOnce(session, () => undefined));
    showScenery();
    this.#stops.push(
      session.company.subscribe(showCompany),
      session.companions.subscribe(showScenery),
      session.state.subscribe(() => this.#apply()),
      session.onFrame((frame) => this.#show(frame)),
      followBlocksOnce(session, (ask) => {
        this.#see({ hasBlocks: ask !== null });
        this.#surround(ask, this.#skins);
      }),
    );
  }

  /** What draws blocks is loaded with the first of them. */
  #surround(ask: AskChunk | null, skins: SkinPictures | null): void {
    this.#askChunk = ask;
    this.#skins = skins;
    this.view.world.blocks = null;
    if (ask === null) return;
    const load = import("../surroundings/backdrop.ts").then(({ backdropOf }) => {
      if (this.#askChunk === ask && this.#skins === skins) this.view.world.blocks = backdropOf(ask, skins);
    });
    load.catch(() => undefined);
    this.#stage?.onLoad(load);
  }

  /** What draws models is loaded with the first of them. */
  #dress(models: readonly ThingModel[], robots: readonly Robot[]): void {
    this.#models = models;
    if (models.length + robots.length === 0) {
      this.view.dresser = null;
      return;
    }
    const load = import("../surroundings/models.ts").then(({ Models }) => {
      const channels = this.#session.state.value.decks[0]?.opened.channels ?? [];
      if (this.#models === models) this.view.dresser = (look) => new Models(models, look, robots, channels);
    });
    load.catch(() => undefined);
    this.#stage?.onLoad(load);
  }

  /** What adds structure to molecules is loaded with the first of it. */
  #fill(molecules: readonly Molecule[]): void {
    this.#molecules = molecules;
    this.view.choose({ filler: null });
    if (molecules.length === 0) return;
    const load = import("../../world/pdb/fill.ts").then(({ filler }) => {
      if (this.#molecules === molecules) this.view.choose({ filler: filler(molecules) });
    });
    load.catch(() => undefined);
    this.#stage?.onLoad(load);
  }

  /** What the address says now, where it has changed, in the order in which a view that was just made needs it. */
  #apply(): void {
    const { view } = this;
    const { subject, shared } = this.#session.state.value;
    const { settings } = this;
    const system = unitSystem(shared[UNITS]);
    if (subject !== this.#subject || system !== this.#system) {
      this.#subject = subject;
      this.#system = system;
      view.subject = subject;
      this.#writeReadings();
    }
    const before = this.#settings;
    this.#settings = settings;
    this.#applyMode();
    if (settings === before) return;
    const { labels = true, trails = true, world = true, cut = false, readings = true, molecules = {} } = settings;
    if (labels !== (before?.labels ?? true)) view.areLabelsOn = labels;
    if (trails !== (before?.trails ?? true)) view.trails = trails;
    if (world !== (before?.world ?? true)) view.world.isOn = world;
    if (cut !== (before?.cut ?? false)) view.world.isCut = cut;
    this.#places.readings.hidden = !readings;
    if (settings.molecules !== before?.molecules) {
      view.choose({ molecules });
      this.#write();
    }
    this.#applyInstruments();
  }

  #applyMode(): void {
    const mode = this.settings.mode ?? this.seen.value.usualMode;
    if (mode === this.#mode) return;
    this.#mode = mode;
    this.view.mode = mode;
  }

  /** Instruments are loaded with the first that flies. */
  #applyInstruments(): void {
    const areOn = this.seen.value.flies && (this.settings.instruments ?? true);
    if (areOn === this.#areInstrumentsOn) return;
    this.#areInstrumentsOn = areOn;
    if (!areOn) {
      this.view.instruments = null;
      return;
    }
    const load = import("../instruments/instruments.ts").then(({ Instruments }) => {
      if (this.#areInstrumentsOn) this.view.instruments = new Instruments();
    });
    load.catch(() => undefined);
    this.#stage?.onLoad(load);
  }

  #show(frame: Parameters<SceneView["show"]>[0]): void {
    const { view } = this;
    const session = this.#session;
    const { decks } = session.state.value;
    const main = decks[0] ?? null;
    if (main !== null && this.#main !== null && isSame(this.#main, main)) keepOrigin(main.opened, view.origin);
    else view.reset(main === null ? undefined : originOf(main.opened));
    this.#main = main;
    view.showings = decks.map(({ opened }) => opened.showing);
    view.show(frame);
    this.#see({ usualMode: view.usualMode });
    this.#applyMode();
    // A frame of before a ghost came knows nothing of it.
    if (this.#decks !== decks && frame.ghosts.length === decks.length - 1) {
      this.#decks = decks;
      this.#ways.abort();
      this.#ways = new AbortController();
      const { signal } = this.#ways;
      drawCourses(session, view, frame, signal)
        .then(() => writeGaps(this.#places.gaps, view, decks))
        .catch(() => undefined);
      drawPassings(session, view, main, signal).catch(() => undefined);
    }
    this.#write();
  }

  /** Names, gaps and the description: now and then, and always those of the last frame of a movement. */
  #write(): void {
    const { view } = this;
    const words = this.#words;
    const now = performance.now();
    const wait = this.#stage === null ? words.shown + WORDS_EVERY - now : 0;
    clearTimeout(words.timer);
    if (wait > 0) {
      words.timer = window.setTimeout(() => this.#write(), wait);
      return;
    }
    words.shown = now;
    view.element.setAttribute("aria-label", view.description);
    const { isEmpty, flies, facts, intensities } = view;
    const before = this.seen.value;
    const things = view.things(LISTED);
    this.#see({
      isEmpty,
      flies,
      things: keyOf(things) === keyOf(before.things) ? before.things : things,
      facts: facts?.structure === before.facts?.structure ? before.facts : facts,
      intensities: intensities?.join() === before.intensities?.join() ? before.intensities : intensities,
    });
    this.#applyInstruments();
    writeGaps(this.#places.gaps, view, this.#session.state.value.decks);
    this.#writeReadings();
  }

  /** Listeners hear of what is another thing than before. */
  #see(changes: Partial<Seen>): void {
    const before = this.seen.value;
    const isSame = Object.entries(changes).every(([name, value]) => before[name as keyof Seen] === value);
    if (!isSame) this.seen.update(changes);
  }

  #writeReadings(): void {
    const [main] = this.#session.state.value.decks;
    writeReadings(this.view, main?.opened.timeline.tick ?? null, this.#system);
  }

  /** A click chooses; again on the same atom, its residue, then its chain. */
  #pick(picked: Selection | null): void {
    if (picked?.kind === "thing" && pickMeasured(picked)) return;
    const session = this.#session;
    if (isSameAtom(picked, session.state.value.selection)) {
      const { molecules = {} } = this.settings;
      const part = PARTS[(PARTS.indexOf(molecules.part ?? "atom") + 1) % PARTS.length]!;
      this.#keep({ ...this.settings, molecules: { ...molecules, part } });
    } else session.select(picked);
  }
}

function keyOf(things: readonly Thing[]): string {
  return things.map(({ set, id, label }) => `${set}/${id}/${label}`).join("\n");
}

function isSameAtom(picked: Selection | null, before: Selection | null): boolean {
  if (picked?.kind !== "thing" || before?.kind !== "thing" || picked.set !== "particles") return false;
  return picked.set === before.set && picked.id === before.id;
}

/** Whether what plays is what played before, or all of what was its head. */
function isSame(before: Deck, main: Deck | null): boolean {
  return before === main || (before.opened.isHead && before.place === main?.place);
}
