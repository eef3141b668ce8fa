import { LayoutError } from "../../bytes/error.ts";
import { nanover } from "../../formats/nanover/format.ts";
import type { Container } from "../../formats/nanover/meaning/schema.ts";
import type { Entry } from "../../formats/nanover/write/entries.ts";
import { restate } from "../../formats/nanover/write/restate.ts";
import type { MessageBatch } from "../../model/messages/batch.ts";
import { type Origin, unsetOrigin } from "../../model/axes/geodesy.ts";
import { RecordingError } from "../../model/error.ts";
import type { Time } from "../../model/values/time.ts";
import type { Frame } from "../../play/frame.ts";
import type { Loaded } from "../deck.ts";
import { layoutOf, Particles, STANDING } from "./particles.ts";
import { IDENTITY, SCENE, sceneEntry } from "./pose.ts";
import { Passing, type Update, updateOf, updateOfMade } from "./recorded.ts";
import { entryOf } from "./said.ts";
import { Shower, shownOf } from "./shown.ts";
import type { NanoverStage } from "./stage.ts";

/** Milliseconds between two frames that are made, and not recorded ones (NanoVer semantics §5.1). */
const FRAME_EVERY = 33;
/** A jump forward that is no longer is run through, nanoseconds. */
const NEAR: Time = 2e9;

/** Shows one loaded recording on a stage, until it is stopped. */
export interface Show {
  /** What it has put into the shared state is gone when this returns. */
  stop(): Promise<void>;
}

/** `scale`: nm for each metre of things of other formats; null: by their extent. */
export function show(stage: NanoverStage, loaded: Loaded, scale: number | null): Show {
  const isOwn = loaded.recording.is(nanover);
  const made = isOwn ? new RecordedShow(stage, loaded) : new ParticleShow(stage, loaded, scale);
  made.begin();
  return made;
}

/** What both kinds have: frames one after the other, and an end. */
abstract class AnyShow implements Show {
  protected readonly stage: NanoverStage;
  protected readonly loaded: Loaded;
  protected readonly shower: Shower;
  #leave: () => void = () => undefined;
  protected isStopped = false;
  #busy: Promise<void> = Promise.resolve();

  constructor(stage: NanoverStage, loaded: Loaded) {
    this.stage = stage;
    this.loaded = loaded;
    this.shower = new Shower(stage, loaded.name);
  }

  begin(): void {
    this.#leave = this.loaded.player.subscribe((frame) => {
      this.#busy = this.#take(frame);
      return this.#busy;
    });
  }

  protected abstract take(frame: Frame): Promise<void>;
  protected abstract end(): Promise<void>;

  async stop(): Promise<void> {
    this.isStopped = true;
    this.#leave();
    // at once: the next recording may say the same keys
    this.shower.share([], new Set());
    await this.#busy;
    await this.end();
  }

  async #take(frame: Frame): Promise<void> {
    try {
      if (!this.isStopped) await this.take(frame);
    } catch (error) {
      const isClosed = error instanceof RecordingError && error.code === "closed";
      if (this.isStopped || isClosed) return;
      // As NanoVer's runner does when a simulation fails (NanoVer semantics §2).
      this.stage.put([entryOf("system.simulation.exception", error instanceof Error ? error.message : String(error))]);
      this.loaded.player.pause();
    }
  }
}

/**
 * A recording of NanoVer: forwards its messages as they were recorded, each of them; elsewhere what they add up to.
 */
class RecordedShow extends AnyShow {
  readonly #passing: Passing;
  readonly #container: Container;
  /** Everything up to here has been said. */
  #at: Time | null = null;
  #isPlaced = false;

  constructor(stage: NanoverStage, loaded: Loaded) {
    super(stage, loaded);
    this.#passing = new Passing(loaded.recording);
    this.#container = loaded.recording.info.version as Container;
  }

  protected async take({ time, since, recorded }: Frame): Promise<void> {
    const at = this.#at;
    this.#at = time;
    if (at !== null && time >= at && (since !== null || time - at <= NEAR)) {
      if (!this.#isPlaced) await this.#passing.moveBehind(at);
      this.#isPlaced = true;
      await this.#passing.until(time, (batch, row) => this.#say(batch, row));
    } else if (at !== null && since !== null) {
      this.#isPlaced = false;
      this.shower.show(shownOf(recorded));
      await pause(FRAME_EVERY);
    } else await this.#jump(time);
  }

  protected end(): Promise<void> {
    return this.#passing.end();
  }

  async #jump(time: Time): Promise<void> {
    const { recording, name } = this.loaded;
    this.shower.forget();
    const { start } = await recording.timeline();
    if (this.isStopped) return;
    if (time <= start) {
      this.stage.reset(name);
      this.shower.share([], new Set());
      if (this.stage.shared.get(SCENE) === undefined) this.stage.update([sceneEntry(IDENTITY)], []);
      await this.#passing.move(start);
      this.#isPlaced = true;
      await this.#passing.until(time, (batch, row) => this.#say(batch, row));
      return;
    }
    this.#isPlaced = false;
    const frame = new Map<string, Entry>();
    const shared = new Map<string, Entry>();
    const messages = await restate(recording.reader, time);
    if (this.isStopped) return;
    for (const made of messages) {
      const update = updateOfMade(made, this.#container);
      for (const entry of update.frame ?? []) frame.set(entry.key, entry);
      for (const entry of update.updates) shared.set(entry.key, entry);
      for (const key of update.removals) shared.delete(key);
    }
    if (this.stage.frame.size === 0) this.stage.reset(name);
    this.shower.turnTo([...frame.values()], new Set(frame.keys()), true);
    this.shower.share([...shared.values()], new Set(shared.keys()));
  }

  /** A message that does not decode says nothing. */
  #say(batch: MessageBatch, row: number): void {
    if (this.isStopped) return;
    let update: Update;
    try {
      update = updateOf(batch, row, this.#container);
    } catch (error) {
      if (error instanceof LayoutError) return;
      throw error;
    }
    const { frame, isReset, isUpdate, updates, removals } = update;
    if (frame !== null) {
      this.shower.forget();
      // the clear of a jump to the start is enough
      if (isReset && [...this.stage.frame.keys()].some((key) => !key.startsWith("system.simulation.")))
        this.stage.reset(this.loaded.name);
      this.stage.put(frame);
    }
    if (!isUpdate) return;
    for (const { key } of updates) this.shower.recorded.add(key);
    this.stage.update(updates, removals);
  }
}

/** A recording of another format: its things are particles. */
class ParticleShow extends AnyShow {
  readonly #origin: Origin = unsetOrigin();
  readonly #scale: number | null;
  #particles: Particles | null = null;

  constructor(stage: NanoverStage, loaded: Loaded, scale: number | null) {
    super(stage, loaded);
    this.#scale = scale;
  }

  protected async take({ state }: Frame): Promise<void> {
    if (this.#particles === null) {
      const layout = await layoutOf(this.loaded.recording, this.#origin, this.#scale);
      if (this.isStopped) return;
      this.#particles = new Particles(layout, this.#origin);
      this.stage.reset(this.loaded.name);
      this.stage.update([sceneEntry(STANDING)], []);
    }
    const { shown, isOther } = this.#particles.of(state);
    if (isOther) this.shower.forget();
    this.shower.show(shown, isOther);
    await pause(FRAME_EVERY);
  }

  protected end(): Promise<void> {
    return Promise.resolve();
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
