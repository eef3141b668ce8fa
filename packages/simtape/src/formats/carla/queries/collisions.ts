import { NO_ACTOR } from "../layout/layout.ts";
import type { Recording } from "../../../model/recording.ts";
import { seconds, type Time } from "../../../model/values/time.ts";
import { type CarlaQueryOptions, type Frame, type Inspector, inspect, type Packet } from "./packets.ts";
import { toLeft, toRight, wholeText } from "./text.ts";

/** Which collisions, and how the text looks. */
export interface CarlaCollisionsOptions extends CarlaQueryOptions {
  /**
   * Two letters, which actor ran into which: `h` hero, `v` vehicle, `w` walker, `t` traffic light, `o` other, `a` any.
   * Order matters. Default `"aa"`.
   */
  readonly types?: string | undefined;
  /** Is given every collision that has a row, in order. */
  readonly onRow?: ((collision: CarlaCollision) => void) | undefined;
}

/** A row as data. */
export interface CarlaCollision {
  /** Nanoseconds since the start. */
  readonly time: Time;
  /** Who ran into whom: the actor with the sensor, and the other one. */
  readonly first: CarlaCollider;
  readonly second: CarlaCollider;
}

/** One side of a collision. */
export interface CarlaCollider {
  /** Null: no actor, but a part of the map. */
  readonly id: number | null;
  /** The letter in the row: see `types`. */
  readonly type: string;
  /** `""` where CARLA knows none. */
  readonly blueprint: string;
  readonly isHero: boolean;
}

/** By actor type. Signs (4) come out as `h` and sensors (5) as `a`, as in CARLA. */
const LETTERS = ["o", "v", "w", "t", "h", "a"] as const;
const COLLISION_BYTES = 14;

/**
 * The text of CARLA's `show_recorder_collisions`, piece by piece (semantics §3.2). Throws `RangeError` for a recording
 * of another format and for `types` that are not two of the letters.
 */
export function carlaCollisions(recording: Recording, options: CarlaCollisionsOptions = {}): AsyncGenerator<string> {
  const { types = "aa" } = options;
  if (!/^[hvwtoa]{2}$/.test(types)) throw new RangeError(`types are ${types}, not two letters of hvwtoa`);
  return inspect(recording, options, () => new Collisions(types[0]!, types[1]!, options.onRow));
}

interface Actor {
  readonly letter: string;
  readonly blueprint: string;
}

/** What CARLA knows of an actor that it does not know. */
const UNKNOWN: Actor = { letter: "o", blueprint: "" };

class Collisions implements Inspector {
  readonly title: string = `${row("Time", " Types", "Id", "Actor 1", "Id", "Actor 2")}`;
  readonly #first: string;
  readonly #second: string;
  readonly #actors = new Map<number, Actor>();
  #lastAdded = 0;
  #before = new Set<string>();
  #now = new Set<string>();
  #text = "";
  #hasRows = false;

  readonly #onRow: ((collision: CarlaCollision) => void) | undefined;

  constructor(first: string, second: string, onRow?: (collision: CarlaCollision) => void) {
    this.#onRow = onRow;
    this.#first = first;
    this.#second = second;
  }

  packet(packet: Packet): void {
    switch (packet.kind) {
      case "frame-start":
        this.#before = this.#now;
        this.#now = new Set();
        return;
      case "event-add":
        packet.actors(({ id, type, blueprint }) => {
          this.#actors.set(id, { letter: LETTERS[type] ?? "?", blueprint });
          this.#lastAdded = id;
        });
        return;
      case "event-del":
        // CARLA forgets the actor added last, not the one destroyed.
        packet.list(4);
        if (packet.whole > 0) this.#actors.delete(this.#lastAdded);
        return;
      case "collision":
        packet.list(COLLISION_BYTES);
        for (let n = 0; n < packet.whole; n++) this.#collision(packet, packet.first + n * packet.stride);
        return;
      default:
        return;
    }
  }

  get length(): number {
    return this.#text.length;
  }

  take(): string {
    const text = this.#text;
    this.#text = "";
    return text;
  }

  rest(): Iterable<string> {
    return [];
  }

  /** The first row leaves the stream without decimals. */
  duration(frame: Frame): string {
    return this.#hasRows ? wholeText(frame.elapsed) : frame.elapsedText;
  }

  #collision({ view, frame }: Packet, at: number): void {
    const id1 = view.getUint32(at + 4, true);
    const id2 = view.getUint32(at + 8, true);
    const actor1 = this.#actor(id1);
    const actor2 = this.#actor(id2);
    const [isHero1, isHero2] = [view.getUint8(at + 12) !== 0, view.getUint8(at + 13) !== 0];
    if (!passes(this.#first, actor1, isHero1)) return;
    if (!passes(this.#second, actor2, isHero2)) return;
    const pair = `${id1} ${id2}`;
    if (!this.#before.has(pair)) {
      const types = `  ${actor1.letter} ${actor2.letter} `;
      const { elapsed } = frame;
      this.#text += row(wholeText(elapsed), types, String(id1), actor1.blueprint, String(id2), actor2.blueprint);
      this.#hasRows = true;
      this.#onRow?.({
        time: seconds(elapsed),
        first: colliderOf(id1, actor1, isHero1),
        second: colliderOf(id2, actor2, isHero2),
      });
    }
    this.#now.add(pair);
  }

  #actor(id: number): Actor {
    return id === NO_ACTOR ? UNKNOWN : (this.#actors.get(id) ?? UNKNOWN);
  }
}

function colliderOf(id: number, { letter, blueprint }: Actor, isHero: boolean): CarlaCollider {
  return { id: id === NO_ACTOR || (id === 0 && blueprint === "") ? null : id, type: letter, blueprint, isHero };
}

function passes(filter: string, actor: Actor, isHero: boolean): boolean {
  return filter === "a" || filter === actor.letter || (filter === "h" && isHero);
}

function row(time: string, types: string, id1: string, name1: string, id2: string, name2: string): string {
  const actor1 = `${toRight(id1, 6)} ${toLeft(name1, 35)}`;
  const actor2 = `${toRight(id2, 6)} ${toLeft(name2, 35)}`;
  return `${toRight(time, 8)} ${toRight(types, 6)} ${actor1} ${actor2}\n`;
}
