import { open, play, type Frame, type Player, type Recording, type Time } from "simtape";
import { fromFile } from "simtape/node";
import { encodedAll } from "../game/encoding.ts";
import type { Packet } from "../game/packet.ts";
import type { Adapter, Property } from "../scene/adapter.ts";
import { difference } from "../scene/difference.ts";
import { EMPTY, type Scene, SceneMaker } from "../scene/scene.ts";
import { GRID, type Thing } from "../scene/thing.ts";
import { Instants } from "../scene/instants.ts";
import { profilesOf } from "../scene/profiles.ts";
import type { Stored } from "../stored/recordings.ts";
import { isFor, REPORT } from "./points.ts";
import type { Scenery } from "./scenery.ts";
import type { Viewer } from "./viewer.ts";

/** Nanoseconds between two frames: a tick of the game. */
const TICK: Time = 50e6;
/** Most ticks that may pass in one frame and still count as movement. */
const SMOOTH = 30;
/** Milliseconds between two lines of the action bar when only its time changes. */
const NOTED = 500;
/** Milliseconds between checks for viewers that have taken all their bytes. */
const LOOK_BACK = 100;
/** The kind of a mark that is a report, by number (HCRP events §2). */
const REPORT_MARK = 3;
/** Blocks between the first player and a viewer who joins. */
const ASIDE = 6;

/** The world below a recording; null: not known. */
export type Below = (recording: Recording) => Promise<Scenery | null>;

/** One recording with one clock, and all its viewers. */
export class Session {
  readonly recording: Recording;
  readonly stored: Stored;
  readonly player: Player;
  readonly viewers: Set<Viewer> = new Set();
  /** The viewer who controls the clock. */
  leader: Viewer | null = null;
  scene: Scene = EMPTY;
  /** Null: its world is not in the store. */
  readonly scenery: Scenery | null;
  readonly #maker: SceneMaker;
  readonly #instants: Instants;
  readonly #skins: ReadonlyMap<string, readonly Property[]>;
  readonly #said = new Set<string>();
  readonly #looking: NodeJS.Timeout;
  #closed: Promise<void> | null = null;
  #notedAt = Number.NEGATIVE_INFINITY;
  #hasBegun = false;

  private constructor(stored: Stored, recording: Recording, scenery: Scenery | null, from: Time | undefined) {
    this.stored = stored;
    this.recording = recording;
    this.scenery = scenery;
    const { dataVersion, skins } = profilesOf(recording);
    this.#maker = new SceneMaker(stored.title, dataVersion);
    this.#instants = new Instants(recording);
    this.#skins = skins;
    this.player = play(recording, { interval: TICK, interpolate: false, at: from });
    this.player.subscribe((frame) => this.#advance(frame));
    this.player.onStatus(() => this.note());
    this.#looking = setInterval(() => this.#catchUp(), LOOK_BACK).unref();
  }

  /** Opens a recording, paused at its start or at another given time. Rejects like `open`. */
  static async open(stored: Stored, below: Below = () => Promise.resolve(null), from?: Time): Promise<Session> {
    const recording = await open(fromFile(stored.path));
    try {
      return new Session(stored, recording, await below(recording), from);
    } catch (error) {
      await recording.close();
      throw error;
    }
  }

  /** The name that viewers use. */
  get title(): string {
    return this.stored.title;
  }

  /** The session takes no more viewers. */
  get isClosed(): boolean {
    return this.#closed !== null;
  }

  add(viewer: Viewer): void {
    this.viewers.add(viewer);
    this.leader ??= viewer;
    viewer.over(this.scenery, this.scene.dimension);
    viewer.put(this.#aside());
    viewer.show(this.scene, this.skin, true);
    if (this.scenery === null) viewer.tell("Its world is not in the store: you see only the edited blocks.", "gray");
    this.#tellUnknown(viewer);
    this.note();
  }

  /** Removes a viewer, who then sees nothing. If that viewer led, the first of the others becomes the leader. */
  remove(viewer: Viewer): void {
    if (!this.viewers.delete(viewer)) return;
    viewer.look(null);
    viewer.show(EMPTY, this.skin, true);
    viewer.over(null);
    if (this.leader === viewer) {
      this.leader = this.viewers.values().next().value ?? null;
      this.leader?.tell("You lead now.", "gold");
    }
    this.note();
  }

  /** Starts playing, unless it has started; `isPlaying`: false leaves it paused. */
  begin(isPlaying = true): void {
    if (!this.#hasBegun && isPlaying) this.player.play();
    this.#hasBegun = true;
  }

  /** Sends a line of chat to all viewers, or to some. */
  tell(text: string, color: string, to: Iterable<Viewer> = this.viewers): void {
    this.#sendAll(to, (adapter) => adapter.chat({ text, color }));
  }

  close(): Promise<void> {
    this.#closed ??= this.#finish();
    return this.#closed;
  }

  readonly skin = (thing: Thing): readonly Property[] => this.#skins.get(thing.uuid) ?? [];

  /** Sends the text of the action bar to all viewers. */
  note(): void {
    this.#notedAt = performance.now();
    const { phase, time, rate, bounds, error } = this.player.status;
    const at = `${clock(time - (bounds?.start ?? 0))} / ${clock((bounds?.end ?? 0) - (bounds?.start ?? 0))}`;
    const says =
      error === null ? (phase === "playing" ? `▶ ${rate}×` : phase === "paused" ? "⏸" : phase) : error.message;
    const count = this.viewers.size;
    const text = `${at}   ${says}   ${count} ${count === 1 ? "viewer" : "viewers"}`;
    this.#sendAll(this.viewers, (adapter) => adapter.actionBar({ text, color: error === null ? "white" : "red" }));
  }

  async #finish(): Promise<void> {
    clearInterval(this.#looking);
    await this.player.close();
    await this.recording.close();
  }

  async #advance({ since, recorded }: Frame): Promise<void> {
    const scene = this.#maker.sceneOf(recorded);
    if (scene.blocks !== this.scene.blocks) await this.scenery?.backdrop.learn(scene.dimension, scene.blocks.keys());
    const before = this.scene.time;
    const isFirst = this.scene === EMPTY;
    this.scene = scene;
    // viewers who joined before there was anything to see
    if (isFirst) for (const viewer of this.viewers) viewer.put(this.#aside());
    const isJump = since === null || Math.abs(scene.time - before) > SMOOTH * TICK;
    this.#showAll(isJump);
    if (!isJump && scene.time > before) await this.#happen(before, scene.time);
    if (performance.now() - this.#notedAt >= NOTED) this.note();
  }

  /** Viewers of one version who see the same get the same bytes. */
  #showAll(isJump: boolean): void {
    const behind = [...this.viewers].filter((viewer) => viewer.shown !== this.scene && !viewer.isBehind);
    for (const ofVersion of groups(behind, ({ adapter }) => adapter.version)) {
      for (const group of groups(ofVersion, ({ shown }) => shown)) {
        const [{ adapter, shown }] = group;
        const base = this.scenery?.backdrop.base(shown.dimension);
        const packets = difference(shown, this.scene, adapter, this.skin, isJump, base);
        const buffers = encodedAll(adapter.version, packets);
        for (const viewer of group) {
          viewer.sees(this.scene, buffers);
          this.#tellUnknown(viewer, adapter.unknown);
        }
      }
    }
  }

  /** Sends packets that are made once for each version. */
  #sendAll(viewers: Iterable<Viewer>, make: (adapter: Adapter) => Packet[]): void {
    const taking = [...viewers].filter(({ isBehind }) => !isBehind);
    for (const group of groups(taking, ({ adapter }) => adapter.version)) {
      const [{ adapter }] = group;
      const buffers = encodedAll(adapter.version, make(adapter));
      for (const viewer of group) viewer.sendEncoded(buffers);
    }
  }

  /** Shows the present scene to viewers who were behind. */
  #catchUp(): void {
    for (const viewer of this.viewers) if (viewer.isGone) this.remove(viewer);
    this.#showAll(true);
    const { scenery } = this;
    if (scenery === null) return;
    for (const viewer of this.viewers) {
      // a viewer that was behind requests its chunks again
      viewer.goes(viewer.place);
      this.#tellUnknown(viewer, scenery.unknown(viewer.adapter.version));
      for (const problem of scenery.problems) this.#tellOnce(viewer, problem, problem);
    }
  }

  async #happen(since: Time, until: Time): Promise<void> {
    for await (const { kind, entity, text, amount, sound } of this.#instants.between(since, until)) {
      const thing = entity === null ? undefined : this.scene.things.get(entity);
      if (kind === "mark") {
        const point = { kind: amount === REPORT_MARK ? REPORT : "mark" };
        this.tell(
          text,
          "gold",
          [...this.viewers].filter((viewer) => isFor(point, viewer)),
        );
      } else if (kind === "chat") this.tell(thing === undefined ? text : `<${thing.name}> ${text}`, "gray");
      else if (sound !== null) this.#sendAll(this.viewers, (adapter) => adapter.sound(sound));
      else if (thing !== undefined)
        this.#sendAll(this.viewers, (adapter) =>
          kind === "swing" ? adapter.swing(thing, amount === 1) : adapter.hurt(thing, amount),
        );
    }
  }

  #tellUnknown(viewer: Viewer, unknown = viewer.adapter.unknown): void {
    for (const name of unknown)
      this.#tellOnce(viewer, name, `${viewer.adapter.version} has no ${name}: something else stands for it.`);
  }

  #tellOnce(viewer: Viewer, what: string, text: string): void {
    const key = `${viewer.name} ${what}`;
    if (this.#said.has(key)) return;
    this.#said.add(key);
    viewer.tell(text, "red");
  }

  #aside(): Viewer["place"] {
    const first = [...this.scene.things.values()][0];
    if (first === undefined) return { x: 0, y: 80, z: 0, yaw: 0, pitch: 0 };
    return { x: first.x / GRID, y: first.y / GRID + 3, z: first.z / GRID - ASIDE, yaw: 0, pitch: 20 };
  }
}

/** Groups viewers by their key. */
function groups(viewers: readonly Viewer[], keyOf: (viewer: Viewer) => unknown): Iterable<[Viewer, ...Viewer[]]> {
  const found = new Map<unknown, [Viewer, ...Viewer[]]>();
  for (const viewer of viewers) {
    const same = found.get(keyOf(viewer));
    if (same === undefined) found.set(keyOf(viewer), [viewer]);
    else same.push(viewer);
  }
  return found.values();
}

/** In the form `1:02.5`. */
export function clock(time: Time): string {
  const seconds = Math.max(0, time) / 1e9;
  return `${Math.floor(seconds / 60)}:${(seconds % 60).toFixed(1).padStart(4, "0")}`;
}
