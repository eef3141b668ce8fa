import { createHash } from "node:crypto";
import { open } from "simtape";
import { fromFile } from "simtape/node";
import { passing, type TimedWay } from "simtape/race";
import { type Ghost as Way, ghostOf } from "simtape/record";
import type { Property } from "../scene/adapter.ts";
import { profilesOf } from "../scene/profiles.ts";
import { GRID, type Thing } from "../scene/thing.ts";
import type { Stored } from "../stored/recordings.ts";
import type { Point } from "./box.ts";
import type { Course } from "./course.ts";
import { marksOf, type RunMarks } from "./marks.ts";
import { Passage } from "./passage.ts";

/** Bit of a thing's flags. */
const INVISIBLE = 0x20;
/** Ticks for which a ghost stands at its end. */
const STAYS = 40;
/** Blocks: a runner farther from the way of a ghost is not on it. */
const REACH = 12;
/** Most letters of a name that the game accepts. */
const LONGEST_NAME = 16;

/** A recorded run to race against: the runner's position at each tick from the start on. */
export class Ghost {
  /** The name of the recording in the store. */
  readonly title: string;
  /** The name of the player. */
  readonly player: string;
  readonly skin: readonly Property[];
  /** Ticks from the start to each checkpoint in order; checkpoints that the run did not reach are missing. */
  readonly checkpoints: readonly number[];
  /** Ticks from the start to the end of the run. */
  readonly ticks: number;
  readonly #way: Way;
  readonly #uuid: string;
  /** The way in ticks and blocks, made when it is wanted first. */
  #timed: TimedWay | null = null;

  constructor(title: string, player: string, skin: readonly Property[], way: Way, checkpoints: readonly number[]) {
    this.title = title;
    this.player = player;
    this.skin = skin;
    this.checkpoints = checkpoints;
    this.ticks = (way.x.length - 1) * way.step;
    this.#way = way;
    this.#uuid = uuidOf(title);
  }

  /** Reads a recording. Rejects when the recording is missing or damaged, or has no player. */
  static async load({ title, path }: Stored, course: Course): Promise<Ghost> {
    const way = await ghostOf(fromFile(path));
    if (way === null || way.x.length === 0) throw new RangeError("no player is in it");
    await using recording = await open(fromFile(path));
    const marks = marksOf(recording);
    const skin = profilesOf(recording).skins.get(marks.uuid) ?? [];
    return new Ghost(title, marks.player, skin, way, checkpointsOf(marks, way, course));
  }

  /** The ghost at a tick of the run, as a thing of that number; null: it has left. `isSolid`: it is not transparent. */
  at(tick: number, id: number, isSolid: boolean): Thing | null {
    if (tick > this.ticks + STAYS) return null;
    const { step, yaw } = this.#way;
    const row = Math.min(Math.max(tick, 0), this.ticks) / step;
    const [before, part] = [Math.floor(row), row % 1];
    const turn = (yaw[before]! / 65_536) * 360;
    return {
      id,
      kind: "minecraft:player",
      name: this.nameAs(id),
      uuid: this.#uuid,
      ...placeAt(this.#way, before, part),
      yaw: turn,
      pitch: 0,
      head: turn,
      onGround: true,
      pose: 0,
      flags: isSolid ? 0 : INVISIBLE,
      gameMode: 0,
      items: NO_ITEMS,
    };
  }

  /** The tick at which the run came by a place, the one nearest to `tick`; NaN: it never came near. */
  passed([x, y, z]: Point, tick: number): number {
    this.#timed ??= timedOf(this.#way);
    return passing(this.#timed, x, y, z, REACH, tick);
  }

  /** The name over its head. A player's name never has a space, so it is not confused with a present player. */
  nameAs(id: number): string {
    return `${id + 1} ${this.player}`.slice(0, LONGEST_NAME);
  }
}

const NO_ITEMS: ReadonlyMap<number, string> = new Map();

/** Position on the grid; between two rows, of which a long run has fewer than ticks, it is interpolated. */
function placeAt({ x, y, z }: Way, row: number, part: number): { x: number; y: number; z: number } {
  const at = (column: Float64Array): number => {
    const here = column[row]!;
    return part === 0 ? here : Math.round(here + (column[row + 1]! - here) * part);
  };
  return { x: at(x), y: at(y), z: at(z) };
}

/** From the marks, if they name all checkpoints; otherwise from the boxes that the path went through. */
function checkpointsOf({ checkpoints, hasStart }: RunMarks, way: Way, course: Course): readonly number[] {
  if (hasStart && checkpoints.length >= course.checkpoints.length) return checkpoints;
  const passage = new Passage({ ...course, start: null });
  const passed: number[] = [];
  for (let row = 0; row < way.x.length; row++) {
    const at = [way.x[row]! / GRID, way.y[row]! / GRID, way.z[row]! / GRID] as const;
    if (row === 0) passage.begin(at);
    for (const event of passage.step(at, false)) if (typeof event === "object") passed.push(row * way.step);
  }
  return passed;
}

/** In ticks and blocks: the race of recordings reckons with it. */
function timedOf({ x, y, z, step }: Way): TimedWay {
  const times = Float64Array.from(x, (_, row) => row * step);
  const places = new Float64Array(3 * x.length);
  for (let row = 0; row < x.length; row++) places.set([x[row]! / GRID, y[row]! / GRID, z[row]! / GRID], 3 * row);
  return { times, places };
}

/** A UUID of its own, so that it differs from every player's. */
function uuidOf(title: string): string {
  const hash = createHash("sha256").update(`ghost\n${title}`).digest("hex");
  return hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-4$3-8$4-$5");
}
