import {
  Box3,
  Group,
  type PerspectiveCamera,
  Plane,
  type Ray,
  Raycaster,
  Scene,
  Vector2,
  Vector3,
  type WebGLRenderer,
} from "three";
import type { Frame, Showing, State } from "simtape";
import type { Watcher, Pointing } from "../company.ts";
import type { Gaze } from "../gaze.ts";
import type { Passing } from "../protocol.ts";
import type { Selection, Sight } from "../session.ts";
import type { Subject, Thing as Named } from "../subject.ts";
import type { Scheme } from "../theme.ts";
import { Bearings } from "./bearings.ts";
import { CameraRig, type CameraMode, type CameraPlace } from "./camera-rig.ts";
import { Cast } from "./cast.ts";
import type { Chart } from "./chart/chart.ts";
import type { Watchers } from "./watchers.ts";
import { type Course, runsOf } from "./course.ts";
import { Curtain } from "./curtain.ts";
import { Dots } from "./dots.ts";
import { Effort, QUALITIES, type Quality } from "./effort.ts";
import { Framed } from "./framed.ts";
import { placeFor } from "./gaze.ts";
import { type Gap, counterpart, gapTo } from "./gap.ts";
import { Ground } from "./ground.ts";
import { Hud } from "./hud.ts";
import { Lane, paintLanes } from "./lane.ts";
import { Labels } from "./labels.ts";
import { Lighting } from "./lighting.ts";
import { colorOf, ghostColor, type Look } from "./look.ts";
import type { Models } from "./models.ts";
import { Marker } from "./marker.ts";
import { clockOf, Pace } from "./pace.ts";
import { find, pick, placeOf, principal, type Spot } from "./pick.ts";
import type { MoleculeFacts } from "./presenters/molecules/facts.ts";
import type { MoleculeSettings } from "./presenters/molecules/settings.ts";
import type { WornSkins } from "./presenters/presenter.ts";
import type { Reading } from "./presenters/readings.ts";
import { FINE, QUICK } from "./quick.ts";
import { Ribbon, sizeRibbons } from "./ribbon.ts";
import { drawsInSoftware, rendererOn } from "./renderer.ts";
import { Sky } from "./sky.ts";
import { Smooth } from "./smooth.ts";
import { Trails } from "./trails.ts";
import { Origin } from "./origin.ts";
import { World } from "./world.ts";
import type { Overlay } from "./overlay.ts";
import type { Instruments } from "./instruments/instruments.ts";

export interface SceneEvents {
  onPick(selection: Selection | null): void;
  /** What is looked at where nothing was chosen. */
  onSubject(thing: Named): void;
  onCamera(place: CameraPlace): void;
  /** What there is to see has become more or less, without a frame. */
  onSight(): void;
  /** A part of the picture is being loaded. */
  onLoad?(part: Promise<unknown>): void;
  /** These groups of values are looked at, though they are many in a crowd; others no longer are. */
  onReads(groups: readonly string[]): void;
}

/** Set, id and name of a thing that can be chosen. */
export interface Thing {
  readonly set: string;
  readonly id: number | string;
  readonly label: string;
}

/** The ground is not pointed at from so many times as far as what is looked at. */
const FAR_OFF = 30;
/** From so many metres away the coast is seen, and what draws it is loaded. */
const AFAR = 30_000;
/** Metres around what flies that are seen from above at first, at least. */
const AROUND_FLIGHT = 1500;
/** With more things than this, nothing casts a shadow. */
const SHADED = 3000;

/**
 * The picture: recording and ghosts in one scene. It draws when something has changed, and only then. `data-time` of
 * its element is the time drawn, `data-quality` whether all is drawn ("full") or, where that is slow and the picture
 * changes, some of it ("less").
 */
export class SceneView {
  /** Where it draws: a canvas of its own, as a lost context does not come back. */
  readonly element: HTMLCanvasElement = document.createElement("canvas");
  readonly hud: Hud = new Hud();
  readonly bearings: Bearings = new Bearings();
  /** Over the picture: marks of those who watch elsewhere. */
  readonly over: HTMLElement = document.createElement("div");
  readonly labels: Labels;
  readonly #renderer: WebGLRenderer;
  /** Null: edges are smooth of themselves. */
  readonly #smooth: Smooth | null;
  readonly #pace: Pace;
  readonly #scene = new Scene();
  readonly #rig: CameraRig;
  readonly #sky = new Sky();
  readonly #lighting = new Lighting();
  readonly #ground = new Ground();
  readonly #dots = new Dots();
  readonly #marker = new Marker();
  /** What is around the things. */
  readonly world: World;
  #trails = new Trails();
  #origin = new Origin();
  /** The first is what plays. */
  #casts: Cast[] = [];
  /** Of what plays, beside the picture of it. */
  #recorded: State | null = null;
  #showings: readonly Showing[] = [];
  readonly #courses = new Map<
    string,
    { readonly course: Course; readonly object: Group; readonly parts: readonly (Ribbon | Lane | Curtain)[] }
  >();
  #subject: Subject | null = null;
  #scheme: Scheme = "dark";
  #molecules: MoleculeSettings = {};
  #skins: WornSkins | null = null;
  #dresser: ((look: Look) => Models) | null = null;
  readonly #overlays = new Set<Overlay>();
  #instruments: Instruments | null = null;
  /** Undefined: it is being loaded. */
  #chart: Chart | null | undefined = null;
  #areLabelsOn = true;
  #areTrailsOn = true;
  /** Height of the ground where the world says nothing of it. */
  #floor = 0;
  #reads: readonly string[] = [];
  #hasHome = false;
  /** Whether the camera is where `home` has put it. */
  #isHome = false;
  /** Which crowds had figures. */
  #there = "";
  #kept: CameraPlace | null = null;
  /** Where the camera is at a time, whatever its mode; null: where the user has it. */
  #gaze: ((time: number) => Gaze) | null = null;
  readonly #ratio: number | null;
  #company: readonly Watcher[] = [];
  /** Loaded when the first of them comes; most who watch are alone. */
  #watchers: Watchers | null = null;
  /** Where the mouse is, pixels of the page; null: not over the picture. */
  #mouse: Vector2 | null = null;
  #width = 1;
  #height = 1;
  #count = 0;
  readonly #events: SceneEvents;
  readonly #removals = new AbortController();

  /**
   * Throws when the browser has no WebGL 2. With `ratio`, pixels of the picture for each of the page, it draws for a
   * video: only what `picture` asks for, and everything at once where it is.
   */
  constructor(events: SceneEvents, ratio: number | null = null) {
    this.#events = events;
    this.#ratio = ratio;
    this.labels = ratio === null ? new Labels() : new Labels(() => ratio);
    this.element.setAttribute("role", "img");
    this.over.className = "scene-watchers";
    const isSoftware = drawsInSoftware();
    this.world = new World(isSoftware, () => this.#see());
    this.world.reset(this.#origin);
    this.#renderer = rendererOn(this.element, isSoftware);
    this.#smooth = isSoftware ? new Smooth(this.#renderer) : null;
    const clock = clockOf(this.#renderer.getContext() as WebGL2RenderingContext);
    this.#pace = new Pace((quality) => this.#draw(quality), new Effort(isSoftware), clock);
    this.#rig = new CameraRig(
      this.element,
      () => this.invalidate(),
      () => {
        this.#isHome = false;
        events.onCamera(this.#rig.place);
      },
    );
    this.#pace.isHeld = ratio !== null;
    this.#rig.eases = ratio === null;
    this.#scene.background = this.#sky.haze;
    this.#scene.add(
      this.#sky.object,
      this.#lighting.object,
      this.#ground.object,
      this.#dots.object,
      this.#marker.object,
      this.#trails.object,
      this.world.object,
    );
    this.#listen();
  }

  /** What is shown, in words. */
  get description(): string {
    return [this.#casts[0]?.describe() ?? "", this.world.describe()].filter((text) => text !== "").join(", ");
  }

  /** Whether nothing of the recording has a place now. */
  get isEmpty(): boolean {
    const crowds = this.#casts[0]?.crowds ?? [];
    return crowds.every(({ poses }) => poses.ids.every((_, row) => !poses.isKnown(row)));
  }

  /** Things of the recording that can be chosen, at most `limit`. */
  things(limit: number): Thing[] {
    const things: Thing[] = [];
    for (const crowd of this.#casts[0]?.crowds ?? []) {
      if (!crowd.isMain) continue;
      for (let row = 0; row < crowd.poses.count && things.length < limit; row++) {
        const label = crowd.label(row);
        if (label !== "") things.push({ set: crowd.set, id: crowd.poses.ids[row]!, label });
      }
    }
    return things;
  }

  get origin(): Origin {
    return this.#origin;
  }

  /** Of what plays, as it was given last: drawn already, or about to be. */
  get time(): number {
    return this.#casts[0]?.state?.time ?? Number.NaN;
  }

  show(frame: Frame): void {
    const hasNewCast = this.#casts.length === 0;
    this.#castAt(0).show(frame.state);
    this.#recorded = frame.recorded;
    for (const [i, ghost] of frame.ghosts.entries()) this.#castAt(i + 1).show(ghost);
    while (this.#casts.length > frame.ghosts.length + 1) this.#drop(this.#casts.pop()!);
    if (frame.since === null || hasNewCast) this.#trails.clear();
    this.#scene.updateMatrixWorld();
    for (const cast of this.#casts) this.#trails.update(cast);
    this.world.update(frame.state);
    this.#count = 0;
    for (const { crowds } of this.#casts) for (const { poses } of crowds) this.#count += poses.count;
    const reads = [...new Set(this.#casts.flatMap((cast) => cast.reads))];
    if (reads.join() !== this.#reads.join()) {
      this.#reads = reads;
      this.#events.onReads(reads);
    }
    this.#regard();
    // What was empty at first may be what it is about.
    const there = this.#casts[0]!.crowds.map(({ poses }) => (poses.count > 0 ? 1 : 0)).join("");
    const isOther = this.#isHome && there !== this.#there;
    this.#there = there;
    if (!this.#hasHome || isOther) this.home();
    if (hasNewCast) this.#watchers?.show(this.#company, this.#origin);
    this.#pace.change();
  }

  /** Another recording: everything that was is gone. */
  reset(): void {
    for (const cast of this.#casts) this.#drop(cast);
    this.#casts = [];
    for (const key of [...this.#courses.keys()]) this.#forget(key);
    this.#scene.remove(this.#trails.object);
    this.#trails.dispose();
    this.#trails = new Trails();
    this.#trails.object.visible = this.#areTrailsOn;
    this.#scene.add(this.#trails.object);
    this.#origin = new Origin();
    this.#dropChart();
    this.world.reset(this.#origin);
    this.#hasHome = false;
    this.#watchers?.show([], this.#origin);
  }

  /** How this recording is best looked at. */
  get usualMode(): CameraMode {
    return this.#casts[0]?.usualMode ?? "orbit";
  }

  /** The first view again. */
  home(): void {
    const cast = this.#casts[0];
    if (cast === undefined) return;
    const box = new Framed();
    cast.frame(box);
    if (box.isEmpty()) box.union(new Box3(new Vector3(-5, 0, -5), new Vector3(5, 2, 5)));
    else this.#hasHome = this.#isHome = true;
    this.#floor = cast.floor ?? box.min.y;
    if (this.#rig.mode === "top" && this.flies) this.#frameFlight(box);
    this.#rig.home(box, this.#followed());
    if (this.#kept !== null) {
      this.#rig.place = this.#kept;
      this.#isHome = false;
    }
    this.#kept = null;
    this.invalidate();
  }

  /** What the user asks for next is gone to, not leapt to. */
  ease(): void {
    this.#rig.ease();
  }

  get mode(): CameraMode {
    return this.#rig.mode;
  }

  set mode(mode: CameraMode) {
    const isOther = mode !== this.#rig.mode;
    this.#rig.setMode(mode, this.#followed());
    // A map of a flight shows where it goes.
    if (isOther && mode === "top" && this.flies) this.home();
    this.invalidate();
  }

  /** Where the camera is to be when the first frame has come. */
  set camera(place: CameraPlace | null) {
    this.#kept = place;
  }

  set scheme(scheme: Scheme) {
    this.#scheme = scheme;
    for (const part of [this.#sky, this.#lighting, this.#ground, this.labels, this.#marker, this.world])
      part.scheme = scheme;
    this.invalidate();
  }

  set subject(subject: Subject | null) {
    this.#subject = subject;
    this.#regard();
    const [main] = this.#casts;
    if (main !== undefined) main.single = this.#singled;
    this.invalidate();
  }

  /** What draws some things of a recording in place of how they are drawn else; null: nothing. */
  set dresser(dresser: ((look: Look) => Models) | null) {
    this.#dresser = dresser;
    for (const cast of this.#casts) cast.models = dresser?.(cast.look) ?? null;
    this.invalidate();
  }

  set molecules(settings: MoleculeSettings) {
    this.#molecules = settings;
    for (const cast of this.#casts) cast.molecules = settings;
    this.invalidate();
  }

  /** What edited blocks wear; null: plain colours. */
  set skins(skins: WornSkins | null) {
    this.#skins = skins;
    for (const cast of this.#casts) cast.skins = skins;
    this.invalidate();
  }

  /** Of the molecules that play; null: there are none. */
  get facts(): MoleculeFacts | null {
    return this.#casts[0]?.facts ?? null;
  }

  /** What the colours of laser scans stand for: how strongly beams came back; null: nothing. */
  get intensities(): readonly [least: number, most: number] | null {
    return this.#casts[0]?.intensities ?? null;
  }

  /** Draws something over the picture, until the function given back is called. */
  lay(overlay: Overlay): () => void {
    this.#overlays.add(overlay);
    this.labels.element.after(overlay.element);
    this.invalidate();
    return () => {
      this.#overlays.delete(overlay);
      overlay.element.remove();
      this.invalidate();
    };
  }

  /** Those of what flies, over the picture; null: there are none. */
  set instruments(instruments: Instruments | null) {
    this.#instruments?.element.remove();
    this.#instruments = instruments;
    if (instruments !== null) this.over.after(instruments.element);
    this.invalidate();
  }

  /** Whether what is looked at flies. */
  get flies(): boolean {
    return this.#followed()?.crowd.flies ?? false;
  }

  /** What a thing is called; where it is not there now, by its set and id. */
  nameOf({ set, id }: Named): string {
    const spot = find(this.#casts[0]?.crowds ?? [], set, id);
    return (spot === null ? "" : spot.crowd.label(spot.row)) || `${set}/${id}`;
  }

  set areLabelsOn(isOn: boolean) {
    this.#areLabelsOn = isOn;
    this.invalidate();
  }

  set trails(isOn: boolean) {
    this.#areTrailsOn = isOn;
    this.#trails.object.visible = isOn;
    for (const { object } of this.#courses.values()) object.visible = isOn;
    this.invalidate();
  }

  /** The way of a thing, drawn; of recording 0 or of a ghost. */
  setCourse(cast: number, set: string, id: number | string, course: Course): void {
    const key = courseKey(cast, set, id);
    this.#forget(key);
    const color = cast === 0 ? colorOf(typeof id === "string" ? (id.split("/")[1] ?? id) : id) : ghostColor(cast - 1);
    const style = { color, width: 1.5, opacity: 0.4, isFading: false };
    const crowd = this.#casts[cast]?.crowds.find((one) => one.set === set);
    const lane = crowd?.lane ?? 0;
    const above = crowd?.bottom ?? 0;
    const flies = crowd?.flies ?? false;
    const parts = runsOf(course).flatMap(([first, last]): (Ribbon | Lane | Curtain)[] => {
      const places = course.places.subarray(3 * first, 3 * last + 3);
      const ribbon = new Ribbon(places, style);
      if (cast === 0 && flies) return [ribbon, new Curtain(places, color, this.#floor)];
      return lane > 0 && cast === 0 ? [ribbon, new Lane(places, lane, above)] : [ribbon];
    });
    const object = new Group();
    object.add(...parts.map((part) => part.object));
    object.visible = this.#areTrailsOn;
    this.#courses.set(key, { course, object, parts });
    this.#scene.add(object);
    const isMore = cast === 0 && this.#casts[0]?.reach(set, course.places) === true;
    const isMapped = cast === 0 && flies && this.#rig.mode === "top";
    if ((isMore || isMapped) && this.#isHome) this.home();
    this.invalidate();
  }

  /** Names of the sets whose things travel, of recording 0 or of a ghost. */
  travellers(cast: number): readonly string[] {
    const crowds = this.#casts[cast]?.crowds ?? [];
    return crowds.filter(({ travels }) => travels).map(({ set }) => set);
  }

  /** How the recordings are shown: what plays first, then its ghosts; said before their first frame. */
  set showings(showings: readonly Showing[]) {
    this.#showings = showings;
  }

  /** Who passes checkpoints when, in what plays. */
  set passings(passings: readonly Passing[]) {
    this.#casts[0]?.mark(passings);
    this.invalidate();
  }

  /** What is looked at, and numbers of it. */
  readings(): { readonly name: string; readonly readings: readonly Reading[] } {
    const recorded = this.#recorded;
    if (recorded === null) return { name: "", readings: [] };
    const spot = this.#followed();
    if (spot !== null) return { name: spot.crowd.label(spot.row), readings: spot.crowd.readings(spot.row, recorded) };
    if (this.#subject !== null) return { name: "", readings: [] };
    // Where no thing is looked at, what holds for all of them.
    const told = (this.#casts[0]?.crowds ?? []).map((crowd) =>
      crowd.poses.count > 0 ? crowd.readings(0, recorded) : [],
    );
    return { name: "", readings: told.find(({ length }) => length > 0) ?? [] };
  }

  /** From what is followed to the same thing in each ghost, which run at `rates`; null where there is none. */
  gaps(rates: readonly number[]): (Gap | null)[] {
    const spot = this.#followed();
    return this.#casts.slice(1).map((ghost, i) => {
      const other = spot === null ? null : counterpart(spot, ghost);
      if (spot === null || other === null) return null;
      const key = courseKey(i + 1, other.crowd.set, other.crowd.poses.ids[other.row]!);
      const clock = { time: ghost.state?.time ?? 0, rate: rates[i] ?? 1 };
      return gapTo(spot, other, clock, this.#courses.get(key)?.course ?? null);
    });
  }

  /** Those who watch elsewhere. */
  set company(company: readonly Watcher[]) {
    const isFirst = this.#company.length === 0 && company.length > 0;
    this.#company = company;
    if (isFirst && this.#watchers === null) void this.#meet();
    this.#watchers?.show(this.#casts.length > 0 ? company : [], this.#origin);
    this.invalidate();
  }

  /** Where the mouse points, at a thing or at the ground, and from where it is looked; null before the first frame. */
  pointing(): Pointing | null {
    if (this.#casts.length === 0) return null;
    const { position } = this.#rig.camera;
    const at = this.#mouse === null ? null : this.#placeUnder(this.#mouse.x, this.#mouse.y);
    return {
      at: at === null ? null : this.#inRecording(at),
      camera: [...this.#inRecording(position), ...this.#inRecording(this.#rig.target)],
    };
  }

  /** Where in the picture a thing is, as `Sight` says. */
  sightOf(set: string, id: number | string): ReturnType<Sight> {
    const spot = find(this.#casts[0]?.crowds ?? [], set, id);
    if (spot === null) return null;
    const { x, y, z } = placeOf(spot.crowd, spot.row, new Vector3()).project(this.#rig.camera);
    return z > 1 ? null : { x: (1 + x) / 2, y: (1 - y) / 2 };
  }

  resize(width: number, height: number): void {
    if (width === this.#width && height === this.#height) return;
    this.#width = Math.max(1, width);
    this.#height = Math.max(1, height);
    this.#renderer.setSize(this.#width, this.#height, false);
    this.#rig.fit(this.#width, this.#height);
    if (this.#isHome) this.home();
    // Setting the size empties the picture: it is drawn again before that is seen.
    if (!this.#pace.isHeld) this.#pace.drawNow();
  }

  /** Draws in the next animation frame. */
  invalidate(): void {
    this.#pace.request();
  }

  /** Drawn now, with everything. */
  picture(): HTMLCanvasElement {
    this.#pace.complete();
    const canvas = document.createElement("canvas");
    canvas.width = this.element.width;
    canvas.height = this.element.height;
    this.copyTo(canvas.getContext("2d")!);
    return canvas;
  }

  /** Draws everything now, for `copyTo` at once after it. */
  complete(): void {
    this.#pace.complete();
  }

  /** Copies what was just drawn over all of a canvas; with names and measures, or without. */
  copyTo(context: CanvasRenderingContext2D, areNamed = true): void {
    const { width, height } = context.canvas;
    context.drawImage(this.element, 0, 0, width, height);
    if (!areNamed) return;
    if (this.#chart) context.drawImage(this.#chart.element, 0, 0, width, height);
    context.drawImage(this.labels.element, 0, 0, width, height);
    for (const { element, isInPictures } of this.#overlays) {
      if (isInPictures) context.drawImage(element, 0, 0, width, height);
    }
  }

  /** Where the camera is, in the recording; null before the first frame. */
  get gaze(): Gaze | null {
    if (this.#casts.length === 0) return null;
    const { camera, target } = this.#rig;
    return { position: this.#inRecording(camera.position), target: this.#inRecording(target), field: camera.fov };
  }

  /**
   * Puts the camera somewhere in the recording, or where it is at the time drawn, nanoseconds, whatever its mode, until
   * it is given null. The camera goes on from where it is then.
   */
  set gaze(gaze: Gaze | ((time: number) => Gaze) | null) {
    const wasPut = this.#gaze !== null;
    this.#gaze = gaze === null || typeof gaze === "function" ? gaze : () => gaze;
    if (gaze === null) this.#rig.field = null;
    else this.#isHome = false;
    if (gaze === null && wasPut) this.#events.onCamera(this.#rig.place);
    this.invalidate();
  }

  /** Puts the camera somewhere in the recording, from where the user has it. */
  place(gaze: Gaze): void {
    this.#isHome = false;
    this.#rig.place = placeFor(gaze, this.#casts[0]?.crowds ?? [], this.#origin);
    this.#events.onCamera(this.#rig.place);
    this.invalidate();
  }

  dispose(): void {
    this.#pace.dispose();
    this.#removals.abort();
    this.reset();
    for (const part of [this.#trails, this.#dots, this.#marker, this.#rig]) part.dispose();
    for (const part of [this.#sky, this.#lighting, this.#ground]) part.dispose();
    this.#smooth?.dispose();
    this.#renderer.dispose();
    this.#renderer.forceContextLoss();
  }

  #draw(quality: Quality): void {
    // Setting it allocates pictures again, even where it is the same.
    const ratio = (this.#ratio ?? pixelRatio()) * quality.scale;
    if (this.#renderer.getPixelRatio() !== ratio) this.#renderer.setPixelRatio(ratio);
    this.#ground.scale = quality.scale;
    this.#lighting.shadows = this.#ground.shadows = quality.shadows && this.#count < SHADED;
    const { camera } = this.#rig;
    camera.layers.set(0);
    camera.layers.enable(quality.shadows ? FINE : QUICK);
    const followed = this.#followed();
    if (this.#gaze === null) this.#rig.follow(followed);
    else this.#gazeAt(this.#gaze(this.time));
    this.#showFlight(followed);
    const isUnderWay = this.#rig.settle();
    const isInside = this.#rig.mode === "first-person" && followed !== null && this.#gaze === null;
    for (const cast of this.#casts) cast.hide(isInside ? followed : null, isInside ? camera.position : null);
    this.#rig.fit(this.#width, this.#height);
    this.bearings.show(this.#casts[0]?.crowds ?? [], followed, this.#rig, slope(camera) / this.#height);
    const { target, distance } = this.#rig;
    const height = this.world.floor ?? this.#floor;
    this.#ground.height = height;
    this.world.look(target, followed === null ? null : placeOf(followed.crowd, followed.row, FEET).y);
    // A map has lines of its own.
    const isMapped = this.#chart != null && this.#rig.mode === "top" && this.world.ground === "grid";
    this.#ground.style = isMapped ? "plain" : this.world.ground;
    this.#ground.place(target, distance, Math.abs(camera.position.y - height));
    this.#lighting.place(target, distance, Math.max(0, target.y - height));
    sizeRibbons(this.#width, this.#height);
    paintLanes(this.world.ground === "grid" ? this.#scheme : null, Math.max(distance, camera.position.y - height));
    const chosen = this.#chosen();
    EYE.position.copy(camera.position);
    EYE.pixels = (this.#height * ratio) / slope(camera);
    EYE.seen = this.#height / slope(camera);
    for (const cast of this.#casts) cast.see(EYE);
    this.#marker.update(chosen);
    this.#dots.update(this.#casts, camera.position);
    this.labels.update(
      this.#casts,
      this.#areLabelsOn ? followed : chosen,
      this.#areLabelsOn,
      camera,
      this.#width,
      this.#height,
    );
    this.#drawChart(distance);
    for (const overlay of this.#overlays)
      overlay.draw(this.#casts[0]?.crowds ?? [], camera, this.#width, this.#height, this.#scheme);
    this.#watchers?.place(this.#casts[0]?.crowds ?? [], camera, this.#width, this.#height);
    (quality.smooth && this.#smooth !== null ? this.#smooth : this.#renderer).render(this.#scene, camera);
    if (isUnderWay) this.#pace.request();
    this.element.dataset["time"] = String(this.#casts[0]?.state?.time ?? "");
    this.element.dataset["quality"] = quality === QUALITIES[0] ? "full" : "less";
  }

  /** All the way of what flies, and something around it. */
  #frameFlight(box: Box3): void {
    const { x, z } = box.getCenter(FEET);
    const way = new Box3(
      new Vector3(x - AROUND_FLIGHT, 0, z - AROUND_FLIGHT),
      new Vector3(x + AROUND_FLIGHT, 0, z + AROUND_FLIGHT),
    );
    for (const [key, { course }] of this.#courses) {
      if (!key.startsWith("0 ")) continue;
      for (let at = 0; at < course.places.length; at += 3)
        way.expandByPoint(FEET.set(course.places[at]!, 0, course.places[at + 2]!));
    }
    box.union(way);
  }

  /** Lines of the earth on a map, and the coast from far away; loaded when the first of them is to be seen. */
  #drawChart(distance: number): void {
    if (!this.#origin.isGeodetic) return;
    const isFromAbove = this.#rig.mode === "top" && this.#gaze === null;
    if (this.#chart === null && (isFromAbove || distance > AFAR)) {
      this.#chart = undefined;
      const load = this.#loadChart(this.#origin);
      load.catch(() => undefined);
      this.#events.onLoad?.(load);
    }
    const { strips } = this.world;
    this.#chart?.draw(this.#rig.camera, distance, isFromAbove, this.#width, this.#height, this.#scheme, strips);
  }

  async #loadChart(origin: Origin): Promise<void> {
    const { Chart } = await import("./chart/chart.ts");
    if (origin !== this.#origin) return;
    this.#chart = new Chart(origin, () => this.#ratio ?? pixelRatio());
    this.#scene.add(this.#chart.object);
    this.labels.element.before(this.#chart.element);
    this.invalidate();
  }

  #dropChart(): void {
    if (this.#chart) {
      this.#scene.remove(this.#chart.object);
      this.#chart.dispose();
    }
    this.#chart = null;
  }

  #gazeAt(gaze: Gaze): void {
    this.#rig.field = gaze.field;
    this.#rig.place = placeFor(gaze, this.#casts[0]?.crowds ?? [], this.#origin);
  }

  /** How it flies is shown once: by the instruments, or beside its numbers. */
  #showFlight(spot: Spot | null): void {
    const state = this.#casts[0]?.state ?? null;
    this.hud.lean(this.#instruments === null ? spot : null, state);
    if (this.#instruments === null) return;
    const key = spot === null ? "" : courseKey(0, spot.crowd.set, spot.crowd.poses.ids[spot.row]!);
    const course = this.#courses.get(key)?.course ?? null;
    this.#instruments.show(spot, this.#recorded, state, course, this.#origin);
  }

  async #meet(): Promise<void> {
    const { Watchers } = await import("./watchers.ts");
    this.#watchers ??= new Watchers(this.over);
    this.company = this.#company;
  }

  #castAt(index: number): Cast {
    let cast = this.#casts[index];
    if (cast === undefined) {
      const { presenters, hands } = this.#showings[index] ?? {};
      cast = new Cast(
        this.#origin,
        index - 1,
        presenters,
        () => this.invalidate(),
        (part) => this.#expect(part),
        hands,
      );
      cast.molecules = this.#molecules;
      cast.skins = this.#skins;
      cast.models = this.#dresser?.(cast.look) ?? null;
      if (index === 0) cast.single = this.#singled;
      this.#casts.push(cast);
      this.#scene.add(cast.object);
    }
    return cast;
  }

  #drop(cast: Cast): void {
    this.#scene.remove(cast.object);
    cast.dispose();
  }

  /** A part of the things is being loaded: it is framed, too. */
  #expect(part: Promise<unknown>): void {
    const shown = part.then(() => {
      if (this.#isHome) this.home();
      this.#see();
    });
    shown.catch(() => undefined);
    this.#events.onLoad?.(shown);
  }

  /** More of the world is there, or less. */
  #see(): void {
    this.invalidate();
    this.#events.onSight();
  }

  #forget(key: string): void {
    const drawn = this.#courses.get(key);
    if (drawn === undefined) return;
    this.#scene.remove(drawn.object);
    for (const part of drawn.parts) part.dispose();
    this.#courses.delete(key);
  }

  get #singled(): Named | null {
    return this.#subject?.isChosen === true ? this.#subject : null;
  }

  #chosen(): Spot | null {
    return this.#subject?.isChosen === true ? this.#followed() : null;
  }

  /** The subject, where it is now; null: it is not there. */
  #followed(): Spot | null {
    return this.#subject === null ? null : find(this.#casts[0]?.crowds ?? [], this.#subject.set, this.#subject.id);
  }

  /** What it is about where nothing was chosen, or where that has gone. */
  #regard(): void {
    if (this.#subject?.isChosen === true || this.#followed() !== null) return;
    const spot = principal(this.#casts[0]?.crowds ?? []);
    if (spot === null) return;
    const { set, poses } = spot.crowd;
    this.#subject = { set, id: poses.ids[spot.row]!, isChosen: false };
    this.#events.onSubject(this.#subject);
  }

  /** A click that did not drag chooses. */
  #listen(): void {
    const { signal } = this.#removals;
    const down = new Vector2();
    for (const kind of ["pointermove", "pointerdown"] as const) {
      this.element.addEventListener(
        kind,
        ({ clientX, clientY }) => {
          this.#mouse ??= new Vector2();
          this.#mouse.set(clientX, clientY);
        },
        { signal },
      );
    }
    const leave = (): void => {
      this.#mouse = null;
    };
    this.element.addEventListener("pointerleave", leave, { signal });
    this.element.addEventListener("pointerdown", (event) => down.set(event.clientX, event.clientY), { signal });
    this.element.addEventListener(
      "pointerup",
      (event) => {
        if (event.button !== 0 || Math.hypot(event.clientX - down.x, event.clientY - down.y) > 4) return;
        const spot = this.#spotAt(event.clientX, event.clientY);
        this.#events.onPick(
          spot === null ? null : { kind: "thing", set: spot.crowd.set, id: spot.crowd.poses.ids[spot.row]! },
        );
      },
      { signal },
    );
  }

  #spotAt(clientX: number, clientY: number): Spot | null {
    return pick(this.#aim(clientX, clientY), this.#casts[0]?.crowds ?? [], slope(this.#rig.camera) / this.#height);
  }

  /** Of the thing there, else of the ground. */
  #placeUnder(clientX: number, clientY: number): Vector3 | null {
    const spot = this.#spotAt(clientX, clientY);
    if (spot !== null) return placeOf(spot.crowd, spot.row, new Vector3());
    const ground = new Plane(new Vector3(0, 1, 0), -this.#ground.height);
    const place = this.#aim(clientX, clientY).intersectPlane(ground, new Vector3());
    // Near the horizon it would be anywhere.
    return place === null || place.distanceTo(this.#rig.camera.position) > FAR_OFF * this.#rig.distance ? null : place;
  }

  #aim(clientX: number, clientY: number): Ray {
    const { left, top, width, height } = this.element.getBoundingClientRect();
    const at = new Vector2(((clientX - left) / width) * 2 - 1, 1 - ((clientY - top) / height) * 2);
    const caster = new Raycaster();
    caster.setFromCamera(at, this.#rig.camera);
    return caster.ray;
  }

  /** A place of the scene where it is in the recording. */
  #inRecording(place: Vector3): [number, number, number] {
    const out: [number, number, number] = [place.x, place.y, place.z];
    this.#origin.toRecording(out, 0);
    return out;
  }
}

/** How high what is seen is, of the distance. */
function slope(camera: PerspectiveCamera): number {
  return 2 * Math.tan((camera.fov * Math.PI) / 360);
}

function pixelRatio(): number {
  return Math.min(2, devicePixelRatio);
}

const FEET = new Vector3();
const EYE = { position: new Vector3(), pixels: 0, seen: 0 };

function courseKey(cast: number, set: string, id: number | string): string {
  return `${cast} ${set} ${typeof id} ${id}`;
}
