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
import type { Scenery } from "./scenery.ts";
import type { Viewer } from "./viewer.ts";

/** Between two frames, nanoseconds: a tick of the game. */
const TICK: Time = 50e6;
/** Ticks that may pass in one frame and still be movement. */
const SMOOTH = 30;
/** Milliseconds between two lines of the action bar, of which nothing but the time changes. */
const NOTED = 500;
/** Milliseconds after which those are looked for that have taken what they were sent. */
const LOOK_BACK = 100;
/** Blocks from the first player to one who comes. */
const ASIDE = 6;

/** What is below a recording; null: not known. */
export type Below = (recording: Recording) => Promise<Scenery | null>;

/** One recording on one clock, and all who look on. */
export class Session {
  readonly recording: Recording;
  readonly stored: Stored;
  readonly player: Player;
  readonly viewers: Set<Viewer> = new Set();
  /** The one who commands. */
  leader: Viewer | null = null;
  scene: Scene = EMPTY;
  /** Null: its world is not in the store. */
  readonly scenery: Scenery | null;
  readonly #maker: SceneMaker;
  readonly #instants: Instants;
  readonly #skins: ReadonlyMap<string, readonly Property[]>;
  readonly #told = new Set<string>();
  readonly #looking: NodeJS.Timeout;
  #closed: Promise<void> | null = null;
  #notedAt = Number.NEGATIVE_INFINITY;

  private constructor(stored: Stored, recording: Recording, scenery: Scenery | null) {
    this.stored = stored;
    this.recording = recording;
    this.scenery = scenery;
    const { dataVersion, skins } = profilesOf(recording);
    this.#maker = new SceneMaker(stored.title, dataVersion);
    this.#instants = new Instants(recording);
    this.#skins = skins;
    this.player = play(recording, { interval: TICK, interpolate: false });
    this.player.subscribe((frame) => this.#advance(frame));
    this.player.onStatus(() => this.note());
    this.#looking = setInterval(() => this.#catchUp(), LOOK_BACK).unref();
  }

  /** Opens a recording, paused at its start. Rejects as `open` does. */
  static async open(stored: Stored, below: Below = () => Promise.resolve(null)): Promise<Session> {
    const recording = await open(fromFile(stored.path));
    try {
      return new Session(stored, recording, await below(recording));
    } catch (error) {
      await recording.close();
      throw error;
    }
  }

  /** As viewers name it. */
  get title(): string {
    return this.stored.title;
  }

  /** It takes no viewer any more. */
  get isClosed(): boolean {
    return this.#closed !== null;
  }

  add(viewer: Viewer): void {
    this.viewers.add(viewer);
    this.leader ??= viewer;
    viewer.over(this.scenery, this.scene.dimension);
    viewer.put(this.#aside());
    viewer.show(this.scene, this.skin, true);
    if (this.scenery === null) viewer.tell("Its world is not in the store: what was edited is all there is.", "gray");
    this.#tellUnknown(viewer);
    this.note();
  }

  /** Takes a viewer out, who then sees nothing. The first of those who stay leads, if it did. */
  remove(viewer: Viewer): void {
    if (!this.viewers.delete(viewer)) return;
    if (viewer.eyes !== null) this.look(viewer, null);
    viewer.show(EMPTY, this.skin, true);
    viewer.over(null);
    if (this.leader === viewer) {
      this.leader = this.viewers.values().next().value ?? null;
      this.leader?.tell("You lead now.", "gold");
    }
    this.note();
  }

  /** Through the eyes of a thing of the recording, or its own again. */
  look(viewer: Viewer, thing: Thing | null): void {
    viewer.eyes = thing?.id ?? null;
    viewer.send(viewer.adapter.camera(thing, viewer.self));
  }

  close(): Promise<void> {
    this.#closed ??= this.#finish();
    return this.#closed;
  }

  readonly skin = (thing: Thing): readonly Property[] => this.#skins.get(thing.uuid) ?? [];

  /** What the action bar says, to all. */
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
    // who came before there was anything to see
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

  /** Sends what is made once for each version. */
  #sendAll(viewers: Iterable<Viewer>, make: (adapter: Adapter) => Packet[]): void {
    const taking = [...viewers].filter(({ isBehind }) => !isBehind);
    for (const group of groups(taking, ({ adapter }) => adapter.version)) {
      const [{ adapter }] = group;
      const buffers = encodedAll(adapter.version, make(adapter));
      for (const viewer of group) viewer.sendEncoded(buffers);
    }
  }

  /** Shows the present to who was behind. */
  #catchUp(): void {
    for (const viewer of this.viewers) if (viewer.isGone) this.remove(viewer);
    this.#showAll(true);
    const { scenery } = this;
    if (scenery === null) return;
    for (const viewer of this.viewers) {
      // one that was behind asks for its chunks again
      viewer.goes(viewer.place);
      this.#tellUnknown(viewer, scenery.unknown(viewer.adapter.version));
      for (const problem of scenery.problems) this.#tellOnce(viewer, problem, problem);
    }
  }

  async #happen(since: Time, until: Time): Promise<void> {
    for await (const { kind, entity, text, amount } of this.#instants.between(since, until)) {
      const thing = entity === null ? undefined : this.scene.things.get(entity);
      if (kind === "mark") this.#sendAll(this.viewers, (adapter) => adapter.chat({ text, color: "gold" }));
      else if (kind === "chat")
        this.#sendAll(this.viewers, (adapter) =>
          adapter.chat({ text: thing === undefined ? text : `<${thing.name}> ${text}`, color: "gray" }),
        );
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
    if (this.#told.has(key)) return;
    this.#told.add(key);
    viewer.tell(text, "red");
  }

  #aside(): Viewer["place"] {
    const first = [...this.scene.things.values()][0];
    if (first === undefined) return { x: 0, y: 80, z: 0, yaw: 0, pitch: 0 };
    return { x: first.x / GRID, y: first.y / GRID + 3, z: first.z / GRID - ASIDE, yaw: 0, pitch: 20 };
  }
}

/** Those with the same key, together. */
function groups(viewers: readonly Viewer[], keyOf: (viewer: Viewer) => unknown): Iterable<[Viewer, ...Viewer[]]> {
  const found = new Map<unknown, [Viewer, ...Viewer[]]>();
  for (const viewer of viewers) {
    const same = found.get(keyOf(viewer));
    if (same === undefined) found.set(keyOf(viewer), [viewer]);
    else same.push(viewer);
  }
  return found.values();
}

/** As `1:02.5`. */
export function clock(time: Time): string {
  const seconds = Math.max(0, time) / 1e9;
  return `${Math.floor(seconds / 60)}:${(seconds % 60).toFixed(1).padStart(4, "0")}`;
}
