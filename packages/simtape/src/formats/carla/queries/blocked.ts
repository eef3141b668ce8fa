import type { Recording } from "../../../model/recording.ts";
import { seconds, type Time } from "../../../model/values/time.ts";
import { type CarlaQueryOptions, type Frame, type Inspector, inspect, type Packet } from "./packets.ts";
import { toLeft, toRight, wholeText } from "./text.ts";

/** Which actors stood still, and how the text looks. */
export interface CarlaBlockedOptions extends CarlaQueryOptions {
  /** Seconds that an actor stood at least. Default 30. */
  readonly minTime?: number | undefined;
  /** cm: an actor that stays nearer than this to where it stopped has not moved. Default 10. */
  readonly minDistance?: number | undefined;
  /** Is given every row, in order. */
  readonly onRow?: ((blocked: CarlaBlocked) => void) | undefined;
}

/** A row as data: an actor that stood, since when and how long, in nanoseconds. */
export interface CarlaBlocked {
  readonly id: number;
  /** `""` where CARLA knows none. */
  readonly blueprint: string;
  readonly time: Time;
  readonly duration: Time;
}

/** Rows in one piece of text. */
const ROWS = 4096;

/**
 * The text of CARLA's `show_recorder_actors_blocked`, piece by piece (semantics §3.3): who stood, longest first; equally
 * long ones as they were found, and those still standing at the end in the order in which they were added (CARLA leaves
 * that open). Rows are kept until the file has been read. Throws `RangeError` for a recording of another format.
 */
export function carlaBlocked(recording: Recording, options: CarlaBlockedOptions = {}): AsyncGenerator<string> {
  const { minTime = 30, minDistance = 10 } = options;
  if (Number.isNaN(minTime)) throw new RangeError("minTime is not a number");
  if (Number.isNaN(minDistance)) throw new RangeError("minDistance is not a number");
  return inspect(recording, options, () => new Blocked(minTime, minDistance, options.onRow));
}

class Actor {
  readonly blueprint: string;
  /** Where it was seen to move last. */
  x = 0;
  y = 0;
  z = 0;
  /** Seconds: since when it stands, and for how long. */
  time = 0;
  duration = 0;

  constructor(blueprint: string) {
    this.blueprint = blueprint;
  }
}

interface Row {
  readonly time: number;
  readonly duration: number;
  readonly id: number;
  readonly blueprint: string;
}

class Blocked implements Inspector {
  readonly title: string = row("Time", "Id", "Actor", "Duration");
  readonly #minTime: number;
  readonly #minDistance: number;
  readonly #actors = new Map<number, Actor>();
  readonly #rows: Row[] = [];
  #lastAdded = 0;

  readonly #onRow: ((blocked: CarlaBlocked) => void) | undefined;

  constructor(minTime: number, minDistance: number, onRow?: (blocked: CarlaBlocked) => void) {
    this.#onRow = onRow;
    this.#minTime = minTime;
    this.#minDistance = minDistance;
  }

  packet(packet: Packet): void {
    switch (packet.kind) {
      case "event-add":
        packet.actors(({ id, blueprint }) => {
          this.#actors.set(id, new Actor(blueprint));
          this.#lastAdded = id;
        });
        return;
      case "event-del":
        // CARLA forgets the actor added last, not the one destroyed.
        packet.list(4);
        if (packet.whole > 0) this.#actors.delete(this.#lastAdded);
        return;
      case "position":
        this.#positions(packet);
        return;
      default:
        return;
    }
  }

  get length(): number {
    return 0;
  }

  take(): string {
    return "";
  }

  *rest(): Generator<string> {
    for (const [id, actor] of this.#actors) if (actor.duration >= this.#minTime) this.#row(id, actor);
    this.#rows.sort((a, b) => b.duration - a.duration || 0);
    let text = "";
    for (let n = 0; n < this.#rows.length; n++) {
      const { time, id, blueprint, duration } = this.#rows[n]!;
      this.#onRow?.({ id, blueprint, time: seconds(time), duration: seconds(duration) });
      text += row(wholeText(time), String(id), blueprint, wholeText(duration));
      if (n % ROWS === ROWS - 1) {
        yield text;
        text = "";
      }
    }
    if (text !== "") yield text;
  }

  duration(frame: Frame): string {
    return frame.elapsedText;
  }

  #positions(packet: Packet): void {
    const scalar = packet.vectors();
    const { view, whole, stride, frame } = packet;
    let at = packet.first;
    for (let n = 0; n < whole; n++, at += stride) {
      const id = view.getUint32(at, true);
      let actor = this.#actors.get(id);
      if (actor === undefined) {
        actor = new Actor("");
        this.#actors.set(id, actor);
      }
      const x = scalar === 4 ? view.getFloat32(at + 4, true) : view.getFloat64(at + 4, true);
      const y = scalar === 4 ? view.getFloat32(at + 8, true) : view.getFloat64(at + 12, true);
      const z = scalar === 4 ? view.getFloat32(at + 12, true) : view.getFloat64(at + 20, true);
      const distance = scalar === 4 ? distance32(actor, x, y, z) : distance64(actor, x, y, z);
      if (distance < this.#minDistance) {
        if (actor.duration === 0) actor.time = frame.elapsed;
        actor.duration += frame.duration;
      } else {
        if (actor.duration >= this.#minTime) this.#row(id, actor);
        actor.duration = 0;
        actor.x = x;
        actor.y = y;
        actor.z = z;
      }
    }
  }

  #row(id: number, { time, duration, blueprint }: Actor): void {
    this.#rows.push({ time, duration, id, blueprint });
  }
}

/** In the arithmetic of UE4: every step is rounded to f32. */
function distance32(from: Actor, x: number, y: number, z: number): number {
  const { fround } = Math;
  const dx = fround(x - from.x);
  const dy = fround(y - from.y);
  const dz = fround(z - from.z);
  return fround(Math.sqrt(fround(fround(fround(dx * dx) + fround(dy * dy)) + fround(dz * dz))));
}

function distance64(from: Actor, x: number, y: number, z: number): number {
  const dx = x - from.x;
  const dy = y - from.y;
  const dz = z - from.z;
  return Math.sqrt(dx * dx + dy * dy + dz * dz);
}

function row(time: string, id: string, name: string, duration: string): string {
  return `${toRight(time, 8)} ${toRight(id, 6)} ${toLeft(name, 35)} ${toRight(duration, 10)}\n`;
}
