import { type Box3, Group, Vector3 } from "three";
import type { MovingState, Showing, State, Value } from "simtape";
import type { Passing } from "../protocol.ts";
import { Look } from "./drawing/look.ts";
import type { Models } from "./surroundings/models.ts";
import type { MoleculeFacts } from "./presenters/molecules/facts.ts";
import type { Choices, Crowd, Eye, Presenter, PresenterKind } from "./presenters/presenter.ts";
import { claimant, PRESENTERS } from "./presenters/registry.ts";
import type { Scans } from "./presenters/scans.ts";
import type { Origin } from "./things/origin.ts";
import { placeOf, type Spot } from "./things/pick.ts";

/** What is called between frames. */
export interface CastEvents {
  /** What is drawn has changed. */
  readonly redraw?: () => void;
  /** What draws a part of the things is being loaded. */
  readonly onLoad?: (part: Promise<unknown>) => void;
}

/** All that one recording shows: its presenters, made when a set they claim first comes. */
export class Cast {
  readonly object: Group = new Group();
  readonly look: Look;
  /** Shown last. */
  state: MovingState | null = null;
  crowds: readonly Crowd[] = [];
  readonly #origin: Origin;
  readonly #showing: Pick<Showing, "presenters" | "hands">;
  readonly #events: CastEvents;
  readonly #presenters = new Map<PresenterKind, Presenter>();
  readonly #sets = new Set<string>();
  #choices: Choices = { molecules: {}, skins: null, filler: null, single: null };
  #models: Models | null = null;
  #passings: readonly Passing[] = [];
  /** Presenters that know of them. */
  #marked = 0;
  #scans: Scans | null = null;
  #isLoading = false;
  #isGone = false;
  /** In which scans were looked for last. */
  #values: State["values"] | null = null;

  /**
   * `ghost`: which one it is, -1 for what is played. `showing`: what draws a set, by its name in `PRESENTERS`, and which
   * values are what things have in their hands.
   */
  constructor(
    origin: Origin,
    ghost: number,
    showing: Pick<Showing, "presenters" | "hands"> = {},
    events: CastEvents = {},
  ) {
    this.#origin = origin;
    this.#showing = showing;
    this.#events = events;
    this.look = new Look(ghost);
  }

  show(state: MovingState): void {
    this.state = state;
    for (const [name, set] of state.sets) {
      if (this.#sets.has(name)) continue;
      const kind = PRESENTERS.get(this.#showing.presenters?.[name] ?? "") ?? claimant(name, set);
      if (kind === undefined) continue;
      this.#sets.add(name);
      this.#presenterOf(kind).adopt(name);
      this.crowds = [...this.#presenters.values()].flatMap((presenter) => presenter.crowds);
    }
    if (this.#scans === null && state.values !== this.#values) this.#lookForScans(state);
    for (const presenter of this.#all()) presenter.update(state);
    if (this.#marked !== this.#presenters.size) this.mark(this.#passings);
  }

  /** What draws some things in place of their presenters; it is its own from now on. Null: nothing does. */
  set models(models: Models | null) {
    if (this.#models !== null) {
      this.object.remove(this.#models.object);
      this.#models.dispose();
    }
    this.#models = models;
    if (models !== null) this.object.add(models.object);
  }

  /** Leaves out of the picture what is looked out of, and what stands where the eye is; null: nothing. Draws models. */
  hide(spot: Spot | null, eye: Vector3 | null): void {
    let isOther = false;
    if (this.state !== null) this.#models?.stand(this.crowds, this.state);
    const within = new Map<Crowd, ReadonlySet<number | string>>();
    for (const crowd of this.crowds) {
      const inside = new Set(eye === null ? [] : around(crowd, eye));
      if (crowd === spot?.crowd) inside.add(crowd.poses.ids[spot.row]!);
      within.set(crowd, inside);
      const worn = this.#models?.wornIn(crowd, this.state?.sets.get(crowd.set));
      isOther = crowd.hide(worn === undefined ? inside : new Set([...inside, ...worn])) || isOther;
    }
    this.#models?.draw(this.crowds, within);
    if (isOther && this.state !== null) for (const presenter of this.#all()) presenter.update(this.state);
  }

  /** Takes what is chosen otherwise than before. */
  choose(changed: Partial<Choices>): void {
    this.#choices = { ...this.#choices, ...changed };
    for (const presenter of this.#presenters.values()) presenter.choose?.(this.#choices);
  }

  /** Of its molecules; null: it has none. */
  get facts(): MoleculeFacts | null {
    for (const { facts } of this.#presenters.values()) if (facts) return facts;
    return null;
  }

  /** Takes note who passes checkpoints when. */
  mark(passings: readonly Passing[]): void {
    this.#passings = passings;
    this.#marked = this.#presenters.size;
    for (const presenter of this.#presenters.values()) presenter.mark?.(passings);
  }

  /** Tells from where it is about to be drawn. */
  see(eye: Eye): void {
    for (const presenter of this.#presenters.values()) presenter.see?.(eye);
  }

  /** Takes note of the way of a thing; whether more is to be framed than before. */
  reach(set: string, places: Float32Array): boolean {
    const presenter = [...this.#presenters.values()].find(({ crowds }) => crowds.some((crowd) => crowd.set === set));
    return presenter?.reach?.(places) ?? false;
  }

  /** Widens the box by what should be seen at first. */
  frame(box: Box3): void {
    this.object.updateMatrixWorld();
    for (const presenter of this.#all()) presenter.frame(box);
  }

  /** Height of the ground; null when no presenter knows it. */
  get floor(): number | null {
    for (const { floor } of this.#presenters.values()) if (floor !== null) return floor;
    return null;
  }

  /** Groups of values that its presenters look at, though they are many in a crowd. */
  get reads(): readonly string[] {
    return [...this.#presenters.values()].flatMap(({ reads = [] }) => reads);
  }

  /** How it is best looked at: molecules from around them, in every format. */
  get usualMode(): "orbit" | "follow" {
    if (this.facts !== null) return "orbit";
    for (const { isJourney } of this.#presenters.values()) if (isJourney) return "follow";
    return "orbit";
  }

  describe(): string {
    return this.#all()
      .map((presenter) => presenter.describe())
      .join(", ");
  }

  dispose(): void {
    this.#isGone = true;
    this.models = null;
    for (const presenter of this.#all()) presenter.dispose();
  }

  /** What the colours of its scans stand for: how strongly beams came back; null: nothing. */
  get intensities(): readonly [least: number, most: number] | null {
    return this.#scans?.intensities ?? null;
  }

  #all(): readonly Presenter[] {
    return [...this.#presenters.values(), ...(this.#scans === null ? [] : [this.#scans])];
  }

  /** Scans are values, which no set leads to; what draws them is loaded with the first. */
  #lookForScans({ values }: State): void {
    this.#values = values;
    if (this.#isLoading || ![...values.values()].some(mayBeScan)) return;
    this.#isLoading = true;
    const load = this.#loadScans();
    load.catch(() => undefined);
    this.#events.onLoad?.(load);
  }

  async #loadScans(): Promise<void> {
    const { Scans } = await import("./presenters/scans.ts");
    if (this.#isGone) return;
    this.#scans = new Scans({ origin: this.#origin, look: this.look });
    if (this.state !== null) this.#scans.update(this.state);
    this.object.add(this.#scans.object);
  }

  #presenterOf(kind: PresenterKind): Presenter {
    let presenter = this.#presenters.get(kind);
    if (presenter === undefined) {
      const [{ hands }, { redraw, onLoad }] = [this.#showing, this.#events];
      presenter = kind.make({
        origin: this.#origin,
        look: this.look,
        ...(redraw && { redraw }),
        ...(onLoad && { onLoad }),
        ...(hands && { hands }),
      });
      presenter.choose?.(this.#choices);
      this.#presenters.set(kind, presenter);
      this.object.add(presenter.object);
    }
    return presenter;
  }
}

/** Whether it has ranges, as all that scanners tell has. */
function mayBeScan(value: Value): boolean {
  return typeof value === "object" && value !== null && ("ranges" in value || "range" in value);
}

/** How wide a body is about its middle, of the radius of the ball around it. */
const BODY = 0.36;
/** Metres before the eye in which it sees nothing whole. */
const BEFORE_EYE = 0.1;

/** Things in whose body the eye is: who stands at the same place is seen from within else. */
function* around(crowd: Crowd, eye: Vector3): Generator<number | string> {
  const { poses, frame, radius, top } = crowd;
  const scale = frame.matrixWorld.getMaxScaleOnAxis();
  const [reach, height] = [BODY * radius * scale + BEFORE_EYE, top * scale + BEFORE_EYE];
  for (let row = 0; row < poses.count; row++) {
    if (!poses.isKnown(row)) continue;
    const { x, y, z } = placeOf(crowd, row, PLACE);
    if (Math.hypot(eye.x - x, eye.z - z) < reach && Math.abs(eye.y - y) < height) yield poses.ids[row]!;
  }
}

const PLACE = new Vector3();
