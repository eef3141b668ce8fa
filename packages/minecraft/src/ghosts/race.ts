import type { Packet } from "../game/packet.ts";
import type { Adapter, Guise } from "../scene/adapter.ts";
import { difference } from "../scene/difference.ts";
import { EMPTY, type Scene } from "../scene/scene.ts";
import { GRID, type Thing } from "../scene/thing.ts";
import type { Point } from "./box.ts";
import type { Ghost } from "./ghost.ts";
import { splitText } from "./split.ts";
import type { GhostTeam } from "./team.ts";

/** How ghosts are told from what a server has. */
export const GHOSTLY: Guise = { firstId: 2_000_000, isListed: false };

/** Ghosts in a race at most. */
export const MOST_GHOSTS = 8;
/** Blocks: a ghost that is nearer to its runner would be in its eyes. */
const NEAR = 2;
/** Ticks that may pass in one frame and still be movement. */
const SMOOTH = 30;

/** The ghosts of one runner: what its client is shown of them, tick by tick. */
export class Race {
  readonly #adapter: Adapter;
  readonly #team: GhostTeam;
  /** False: they could not be sent, and the client still sees what it saw. */
  readonly #send: (packets: readonly Packet[]) => boolean;
  #ghosts: readonly Ghost[] = [];
  #shown: Scene = EMPTY;
  /** Ticks since the start, as shown. */
  #tick = 0;

  constructor(adapter: Adapter, team: GhostTeam, send: (packets: readonly Packet[]) => boolean) {
    this.#adapter = adapter;
    this.#team = team;
    this.#send = send;
  }

  /** Those to be raced against; they are seen from the next frame on. */
  set ghosts(ghosts: readonly Ghost[]) {
    this.#ghosts = ghosts.slice(0, MOST_GHOSTS);
  }

  get ghosts(): readonly Ghost[] {
    return this.#ghosts;
  }

  /** The ghosts as they are so many ticks after the start. `runner`: where it is. */
  show(tick: number, runner: Point): void {
    const names = this.#ghosts.map((ghost, id) => ghost.nameAs(id));
    const isSolid = !this.#team.isSeenThrough;
    const things = new Map<number, Thing>();
    for (const [id, ghost] of this.#ghosts.entries()) {
      const thing = ghost.at(tick, id, isSolid);
      if (thing !== null && distance(thing, runner) >= NEAR)
        things.set(id, unchanged(this.#shown.things.get(id), thing));
    }
    const isJump = tick < this.#tick || tick - this.#tick > SMOOTH;
    if (this.#become({ ...EMPTY, things }, names, isJump)) this.#tick = tick;
  }

  /** No ghost is seen any more. False: they could not be taken away now. */
  hide(): boolean {
    return this.#become(EMPTY, [], true);
  }

  /** The client has come into another world. */
  forget(isNew: boolean): void {
    // a list of players outlasts a world, but not a connection
    if (isNew) this.#shown = EMPTY;
    else this.hide();
  }

  /** The runner is at a checkpoint, from 1 on: its time against all ghosts, in ticks. */
  split(checkpoint: number, ticks: number): void {
    this.#bar(`Checkpoint ${checkpoint}`, ticks, (ghost) => ghost.checkpoints[checkpoint - 1]);
  }

  /** The runner has finished. */
  finish(ticks: number): void {
    this.#bar("Finish", ticks, (ghost) => ghost.ticks);
  }

  /** A line of chat. False: it could not be sent. */
  tell(text: string, color: string): boolean {
    return this.#send(this.#adapter.chat({ text, color }));
  }

  #bar(what: string, ticks: number, of: (ghost: Ghost) => number | undefined): void {
    const against = this.#ghosts.map((ghost, id) => [ghost.nameAs(id), of(ghost)] as const);
    this.#send(this.#adapter.actionBar({ text: splitText(what, ticks, against), color: "gold" }));
  }

  /** `names`: of all ghosts, those that are not seen now included. */
  #become(scene: Scene, names: readonly string[], isJump: boolean): boolean {
    const skins = new Map([...scene.things].map(([id, { uuid }]) => [uuid, this.#ghosts[id]!.skin]));
    const skin = ({ uuid }: Thing) => skins.get(uuid) ?? [];
    const shown = difference(this.#shown, scene, this.#adapter, skin, isJump);
    const team = this.#team.plan(this.#adapter, names);
    if (shown.length + team.packets.length === 0) return true;
    if (!this.#send([...team.packets, ...shown])) return false;
    team.done();
    this.#shown = scene;
    return true;
  }
}

function distance({ x, y, z }: Thing, [px, py, pz]: Point): number {
  return Math.hypot(x / GRID - px, y / GRID - py, z / GRID - pz);
}

/** What is as it was stays the same object: nothing is sent of it. */
function unchanged(before: Thing | undefined, after: Thing): Thing {
  if (before === undefined) return after;
  return (Object.keys(after) as (keyof Thing)[]).every((key) => before[key] === after[key]) ? before : after;
}
