import type { Packet } from "../game/packet.ts";
import type { Adapter, Guise } from "../scene/adapter.ts";
import { difference } from "../scene/difference.ts";
import { EMPTY, type Scene } from "../scene/scene.ts";
import { GRID, type Thing } from "../scene/thing.ts";
import type { Point } from "./box.ts";
import type { Ghost } from "./ghost.ts";
import { gapsText, splitText } from "./split.ts";
import type { GhostTeam } from "./team.ts";

/** How ghosts differ from the things of a server. */
export const GHOSTLY: Guise = { firstId: 2_000_000, isListed: false, isApart: true };

/** Most ghosts in a race. */
export const MOST_GHOSTS = 8;
/** Blocks: a ghost that is nearer to its runner would block the runner's view. */
const NEAR = 2;
/** Most ticks that may pass in one frame and still count as movement. */
const SMOOTH = 30;
/** Ticks between two messages of the gaps, and for which a split stays. */
const GAPS_EVERY = 20;
const SPLIT_STAYS = 60;

/** The ghosts of one runner: sends its client their moves, tick by tick. */
export class Race {
  readonly #adapter: Adapter;
  readonly #team: GhostTeam;
  /** False: the packets could not be sent, and the client still sees the previous state. */
  readonly #send: (packets: readonly Packet[]) => boolean;
  #ghosts: readonly Ghost[] = [];
  #shown: Scene = EMPTY;
  /** Ticks since the start that the client sees. */
  #tick = 0;
  /** Whether the runner sees how far ahead of the ghosts it is, all along. */
  hasGaps = true;
  /** When the action bar was written last, and until when it stays. */
  #written = Number.NEGATIVE_INFINITY;
  #until = Number.NEGATIVE_INFINITY;

  constructor(adapter: Adapter, team: GhostTeam, send: (packets: readonly Packet[]) => boolean) {
    this.#adapter = adapter;
    this.#team = team;
    this.#send = send;
  }

  /** The ghosts to race against; they appear in the next frame. */
  set ghosts(ghosts: readonly Ghost[]) {
    this.#ghosts = ghosts.slice(0, MOST_GHOSTS);
  }

  get ghosts(): readonly Ghost[] {
    return this.#ghosts;
  }

  /** Shows the ghosts at this many ticks after the start. `runner`: the position of the runner. */
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
    this.#gaps(tick, runner);
  }

  /** By how much later the runner is where each ghost was. A split stays long enough to be read. */
  #gaps(tick: number, runner: Point): void {
    if (tick < this.#written) this.#written = this.#until = Number.NEGATIVE_INFINITY;
    if (!this.hasGaps || tick < GAPS_EVERY || tick < this.#until || tick - this.#written < GAPS_EVERY) return;
    const text = gapsText(this.#ghosts.map((ghost, id) => [ghost.nameAs(id), tick - ghost.passed(runner, tick)]));
    if (text === "") return;
    this.#written = tick;
    this.#send(this.#adapter.actionBar({ text, color: "gray" }));
  }

  /** Hides all ghosts. False: they could not be removed now. */
  hide(): boolean {
    return this.#become(EMPTY, [], true);
  }

  /** The client has entered another world. */
  forget(isNew: boolean): void {
    // the client keeps its list of players in a new world, but not in a new connection
    if (isNew) this.#shown = EMPTY;
    else this.hide();
  }

  /** The runner is at a checkpoint, from 1 on: shows its time against all ghosts, in ticks. */
  split(checkpoint: number, ticks: number): void {
    this.#bar(`Checkpoint ${checkpoint}`, ticks, (ghost) => ghost.checkpoints[checkpoint - 1]);
  }

  /** The runner has finished. */
  finish(ticks: number): void {
    this.#bar("Finish", ticks, (ghost) => ghost.ticks);
  }

  /** Sends a line of chat. False: it could not be sent. */
  tell(text: string, color: string): boolean {
    return this.#send(this.#adapter.chat({ text, color }));
  }

  #bar(what: string, ticks: number, of: (ghost: Ghost) => number | undefined): void {
    this.#until = ticks + SPLIT_STAYS;
    const against = this.#ghosts.map((ghost, id) => [ghost.nameAs(id), of(ghost)] as const);
    this.#send(this.#adapter.actionBar({ text: splitText(what, ticks, against), color: "gold" }));
  }

  /** `names`: of all ghosts, also of those that are not visible now. */
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

/** Unchanged things stay the same object: no packets are sent for them. */
function unchanged(before: Thing | undefined, after: Thing): Thing {
  if (before === undefined) return after;
  return (Object.keys(after) as (keyof Thing)[]).every((key) => before[key] === after[key]) ? before : after;
}
