import { Box3, Scene, Vector3, type WebGLRenderer } from "three";
import type { EntitySet, Frame, Showing, State } from "simtape";
import type { Watcher, Pointing } from "../company.ts";
import type { Gaze } from "../gaze.ts";
import type { Passing } from "../protocol.ts";
import type { Selection, Sight } from "../session.ts";
import type { Subject, Thing as Named } from "../subject.ts";
import type { Scheme } from "../theme.ts";
import { About, named } from "./about.ts";
import { Bearings } from "./over/bearings.ts";
import { CameraRig, type CameraMode, type CameraPlace } from "./camera/camera-rig.ts";
import { Cast } from "./cast.ts";
import { LateChart } from "./chart/late-chart.ts";
import type { Watchers } from "./over/watchers.ts";
import type { Going } from "./ways/course.ts";
import { Dots } from "./things/dots.ts";
import { Effort, QUALITIES, type Quality } from "./drawing/effort.ts";
import { Framed } from "./camera/framed.ts";
import { placeFor } from "./camera/gaze.ts";
import { type Gap, gapsTo } from "./ways/gap.ts";
import { Ground } from "./surroundings/ground.ts";
import { Hud } from "./over/hud.ts";
import { paintLanes } from "./ways/lane.ts";
import { Labels } from "./over/labels.ts";
import { slope } from "./camera/lens.ts";
import { Lighting } from "./drawing/lighting.ts";
import type { Look } from "./drawing/look.ts";
import type { Models } from "./surroundings/models.ts";
import { Marker } from "./over/marker.ts";
import { clockOf, Pace } from "./drawing/pace.ts";
import { find, placeOf, type Spot } from "./things/pick.ts";
import { Pointer, type Pointed } from "./camera/pointer.ts";
import type { MoleculeFacts } from "./presenters/molecules/facts.ts";
import type { Choices } from "./presenters/presenter.ts";
import { FINE, QUICK } from "./drawing/quick.ts";
import { sizeRibbons } from "./ways/ribbon.ts";
import { drawsInSoftware, rendererOn } from "./drawing/renderer.ts";
import { Sky } from "./drawing/sky.ts";
import { Smooth } from "./drawing/smooth.ts";
import { describe, isNowhere, readingsOf, type Thing, thingsIn, type Said } from "./over/said.ts";
import { Trails } from "./ways/trails.ts";
import { Origin } from "./things/origin.ts";
import { Ways } from "./ways/ways.ts";
import { World } from "./surroundings/world.ts";
import type { Overlay } from "./over/overlay.ts";
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
  readonly #ways = new Ways();
  #trails: Trails;
  #origin = new Origin();
  /** The first is what plays. */
  #casts: Cast[] = [];
  /** Of what plays, beside the picture of it. */
  #recorded: State | null = null;
  #showings: readonly Showing[] = [];
  readonly #about: About;
  #scheme: Scheme = "dark";
  #choices: Partial<Choices> = {};
  #dresser: ((look: Look) => Models) | null = null;
  readonly #overlays = new Set<Overlay>();
  #instruments: Instruments | null = null;
  readonly #chart: LateChart;
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
  #width = 1;
  #height = 1;
  #count = 0;
  readonly #events: SceneEvents;
  readonly #pointer: Pointer;

  /**
   * Throws when the browser has no WebGL 2. With `ratio`, pixels of the picture for each of the page, it draws for a
   * video: only what `picture` asks for, and everything at once where it is.
   */
  constructor(events: SceneEvents, ratio: number | null = null) {
    this.#events = events;
    this.#about = new About(this.#ways, (thing) => events.onSubject(thing));
    this.#ratio = ratio;
    // a video has none that depend on where it begins
    this.#trails = new Trails(this.#ways, ratio === null);
    this.labels = ratio === null ? new Labels() : new Labels(() => ratio);
    this.element.setAttribute("role", "img");
    this.over.className = "scene-watchers";
    const isSoftware = drawsInSoftware();
    this.world = new World(
      isSoftware,
      () => this.#see(),
      (part) => events.onLoad?.(part),
    );
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
    this.#chart = new LateChart(
      this.#origin,
      () => this.#ratio ?? pixelRatio(),
      (element) => {
        this.labels.element.before(element);
        this.invalidate();
      },
      (part) => events.onLoad?.(part),
      () => [
        this.hud.element,
        this.bearings.element,
        ...(this.#instruments === null ? [] : [this.#instruments.element]),
      ],
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
      this.#ways.object,
      this.#chart.object,
      this.world.object,
    );
    this.#pointer = new Pointer(
      this.element,
      () => this.#pointed(),
      (spot) => events.onPick(spot === null ? null : { kind: "thing", ...named(spot) }),
    );
  }

  /** What is shown, in words. */
  get description(): string {
    return describe(this.#casts[0], this.world);
  }

  /** Whether nothing of the recording has a place now. */
  get isEmpty(): boolean {
    return isNowhere(this.#casts[0]);
  }

  /** Things of the recording that can be chosen, at most `limit`. */
  things(limit: number): Thing[] {
    return thingsIn(this.#casts[0], limit);
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
    this.#about.crowds = this.#casts[0]!.crowds;
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
    // What was empty at first may be what it is about.
    const there = this.#about.crowds.map(({ poses }) => (poses.count > 0 ? 1 : 0)).join("");
    const isOther = there !== this.#there;
    this.#there = there;
    this.#about.regard(isOther);
    if (!this.#hasHome || (isOther && this.#isHome)) this.home();
    if (hasNewCast) this.#watchers?.show(this.#company, this.#origin);
    this.#pace.change();
  }

  /** Another recording, with its zero there: everything that was is gone. */
  reset(origin: Origin = new Origin()): void {
    for (const cast of this.#casts) this.#drop(cast);
    this.#casts = [];
    this.#about.crowds = [];
    this.#ways.clear();
    this.#scene.remove(this.#trails.object);
    this.#trails.dispose();
    this.#trails = new Trails(this.#ways, this.#ratio === null);
    this.#trails.object.visible = this.#areTrailsOn;
    this.#scene.add(this.#trails.object);
    this.#origin = origin;
    this.#chart.reset(this.#origin);
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
    this.#rig.home(box, this.#about.spot);
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
    this.#rig.setMode(mode, this.#about.spot);
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
    this.#about.subject = subject;
    this.#about.regard();
    this.#casts[0]?.choose({ single: this.#about.single });
    this.invalidate();
  }

  /** What draws some things of a recording in place of how they are drawn else; null: nothing. */
  set dresser(dresser: ((look: Look) => Models) | null) {
    this.#dresser = dresser;
    for (const cast of this.#casts) cast.models = dresser?.(cast.look) ?? null;
    this.invalidate();
  }

  /** Takes what is chosen otherwise than before, for all that plays. */
  choose(changed: Partial<Omit<Choices, "single">>): void {
    this.#choices = { ...this.#choices, ...changed };
    for (const cast of this.#casts) cast.choose(changed);
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
    return this.#about.spot?.crowd.flies ?? false;
  }

  /** What a thing is called; where it is not there now, by its set and id. */
  nameOf({ set, id }: Named): string {
    const spot = find(this.#about.crowds, set, id);
    return (spot === null ? "" : spot.crowd.label(spot.row)) || `${set}/${id}`;
  }

  set areLabelsOn(isOn: boolean) {
    this.#areLabelsOn = isOn;
    this.invalidate();
  }

  set trails(isOn: boolean) {
    this.#areTrailsOn = isOn;
    this.#trails.object.visible = isOn;
    this.#ways.object.visible = isOn;
    this.invalidate();
  }

  /** The ways of things, drawn; of recording 0 or of a ghost. */
  setCourses(cast: number, courses: readonly Going[]): void {
    let isMore = false;
    for (const { set, id, course } of courses) {
      this.#ways.set(cast, this.#casts[cast], set, id, course, this.#floor);
      isMore = (cast === 0 && this.#casts[0]?.reach(set, course.places) === true) || isMore;
    }
    const drawn = this.#casts[cast];
    if (drawn !== undefined) this.#trails.update(drawn);
    const isMapped = cast === 0 && this.flies && this.#rig.mode === "top";
    const isOther = cast === 0 && this.#about.regardMover();
    if ((isMore || isMapped || isOther) && this.#isHome) this.home();
    this.invalidate();
  }

  /** Sets whose things travel, of recording 0 or of a ghost, and these. */
  travellers(cast: number): readonly { readonly set: string; readonly ids: EntitySet["ids"] }[] {
    const crowds = this.#casts[cast]?.crowds ?? [];
    return crowds
      .filter(({ travels }) => travels)
      .map(({ set, poses }) => ({ set, ids: poses.ids.filter((_, row) => poses.leftOut?.[row] !== 1) }));
  }

  /** How the recordings are shown: what plays first, then its ghosts; said before their first frame. */
  set showings(showings: readonly Showing[]) {
    this.#showings = showings;
    this.#about.foremost = showings[0]?.things ?? [];
  }

  /** Who passes checkpoints when, in what plays. */
  set passings(passings: readonly Passing[]) {
    this.#casts[0]?.mark(passings);
    this.invalidate();
  }

  /** What is looked at, and numbers of it. */
  readings(): Said {
    return readingsOf(this.#casts[0], this.#about.spot, this.#about.subject, this.#recorded);
  }

  /** From what is followed to the same thing in each ghost, which run at `rates`; null where there is none. */
  gaps(rates: readonly number[]): (Gap | null)[] {
    return gapsTo(this.#about.spot, this.#casts.slice(1), rates, this.#ways);
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
    const at = this.#pointer.place();
    return {
      at: at === null ? null : this.#inRecording(at),
      camera: [...this.#inRecording(position), ...this.#inRecording(this.#rig.target)],
    };
  }

  /** Where in the picture a thing is, as `Sight` says. */
  sightOf(set: string, id: number | string): ReturnType<Sight> {
    const spot = find(this.#about.crowds, set, id);
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
    if (this.#casts.length === 0) this.invalidate();
    else if (!this.#pace.isHeld) this.#pace.drawNow();
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
    const chart = this.#chart.element;
    if (chart !== null) context.drawImage(chart, 0, 0, width, height);
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
    this.#rig.place = placeFor(gaze, this.#about.crowds, this.#origin);
    this.#events.onCamera(this.#rig.place);
    this.invalidate();
  }

  dispose(): void {
    this.#pace.dispose();
    this.#pointer.dispose();
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
    const followed = this.#about.spot;
    if (this.#gaze === null) this.#rig.follow(followed, this.#about.subject?.isChosen);
    else this.#gazeAt(this.#gaze(this.time));
    this.#showFlight(followed);
    const isUnderWay = this.#rig.settle();
    const isInside = this.#rig.mode === "first-person" && followed !== null && this.#gaze === null;
    for (const cast of this.#casts) cast.hide(isInside ? followed : null, isInside ? camera.position : null);
    this.#rig.fit(this.#width, this.#height);
    this.bearings.show(this.#about.crowds, followed, this.#rig, slope(camera) / this.#height);
    const { target, distance } = this.#rig;
    const height = this.world.floor ?? this.#floor;
    this.#ground.height = height;
    this.world.look(target, followed === null ? null : placeOf(followed.crowd, followed.row, FEET).y);
    // A map has lines of its own.
    const isMapped = this.#chart.element !== null && this.#rig.mode === "top" && this.world.ground === "grid";
    this.#ground.style = isMapped ? "plain" : this.world.ground;
    this.#ground.place(target, distance, Math.abs(camera.position.y - height));
    this.#lighting.place(target, distance, Math.max(0, target.y - height));
    sizeRibbons(this.#width, this.#height);
    paintLanes(this.world.ground === "grid" ? this.#scheme : null, Math.max(distance, camera.position.y - height));
    const chosen = this.#about.chosen;
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
    const isFromAbove = this.#rig.mode === "top" && this.#gaze === null;
    const { strips } = this.world;
    this.#chart.draw(camera, distance, isFromAbove, this.#width, this.#height, this.#scheme, strips);
    for (const overlay of this.#overlays)
      overlay.draw(this.#about.crowds, camera, this.#width, this.#height, this.#scheme);
    this.#watchers?.place(this.#about.crowds, camera, this.#width, this.#height);
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
    this.#ways.frame(way);
    box.union(way);
  }

  #gazeAt(gaze: Gaze): void {
    this.#rig.field = gaze.field;
    this.#rig.place = placeFor(gaze, this.#about.crowds, this.#origin);
  }

  /** How it flies is shown once: by the instruments, or beside its numbers. */
  #showFlight(spot: Spot | null): void {
    const state = this.#casts[0]?.state ?? null;
    this.hud.lean(this.#instruments === null ? spot : null, state);
    if (this.#instruments === null) return;
    const course = spot === null ? null : this.#ways.courseOf(0, spot);
    this.#instruments.show(spot, this.#recorded, state, course, this.#origin);
  }

  async #meet(): Promise<void> {
    const { Watchers } = await import("./over/watchers.ts");
    this.#watchers ??= new Watchers(this.over);
    this.company = this.#company;
  }

  #castAt(index: number): Cast {
    let cast = this.#casts[index];
    if (cast === undefined) {
      cast = new Cast(this.#origin, index - 1, this.#showings[index], {
        redraw: () => this.invalidate(),
        onLoad: (part) => this.#expect(part),
      });
      cast.choose({ ...this.#choices, single: index === 0 ? this.#about.single : null });
      cast.models = this.#dresser?.(cast.look) ?? null;
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

  #pointed(): Pointed {
    const { camera, distance } = this.#rig;
    return { crowds: this.#about.crowds, camera, distance, height: this.#ground.height };
  }

  /** A place of the scene where it is in the recording. */
  #inRecording(place: Vector3): [number, number, number] {
    const out: [number, number, number] = [place.x, place.y, place.z];
    this.#origin.toRecording(out, 0);
    return out;
  }
}

function pixelRatio(): number {
  return Math.min(2, devicePixelRatio);
}

const FEET = new Vector3();
const EYE = { position: new Vector3(), pixels: 0, seen: 0 };
