import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { directoryStore, fromFile, toFile } from "simtape/node";
import { compact, EventRecorder, ghost, type LiveEvent, type LiveEvents, record, roomIn, splits } from "simtape/record";
import type { HeaderOptions } from "simtape/serving";
import { OwnTicks } from "./own-ticks.ts";

/** An event, with its ticks since the start. */
type RunEvent = readonly [tick: number, event: LiveEvent];

/** A run from start to finish. */
export interface FinishedRun {
  readonly events: readonly RunEvent[];
  /** Tick of the world in which the run started. */
  readonly start: number;
  /** Time from start to finish by the clock, and in ticks. */
  readonly durationMs: number;
  readonly ticks: number;
}

/** Most events of a run, enough for some hours. With more, the run is not saved. */
const MOST_EVENTS = 400_000;
const ID = "run";

/** Collects the events of a runner between start and finish; a finished run becomes a recording of its own. */
export class KeptRun {
  /** The player as it is now; null: it is not in the world. */
  #join: LiveEvents["join"] | null = null;
  /** Other lasting state, by its kind, in order of first appearance. */
  readonly #lasting = new Map<LiveEvent["kind"], LiveEvent>();
  #events: RunEvent[] | null = null;
  #start = 0;

  /** Adds an event of the player. */
  hear(event: LiveEvent, tick: number): void {
    if (event.kind === "join") {
      this.#lasting.clear();
      this.#join = event.value;
    } else if (event.kind === "move" || event.kind === "teleport") {
      if (this.#join !== null) this.#join = { ...this.#join, ...event.value };
    } else if (event.kind === "state" || event.kind === "heldSlot") this.#lasting.set(event.kind, event);
    this.#add(event, tick);
  }

  /** A run starts here. */
  begin(tick: number): void {
    this.#start = tick;
    this.#events = [];
    if (this.#join === null) return;
    const { id, uuid, name, properties = [] } = this.#join;
    this.#events.push([0, { kind: "join", value: this.#join }]);
    for (const event of this.#lasting.values()) this.#events.push([0, event]);
    this.#events.push([0, { kind: "subject", value: { id, uuid, name, properties } }]);
  }

  mark(event: LiveEvent, tick: number): void {
    this.#add(event, tick);
  }

  drop(): void {
    this.#events = null;
  }

  /** Returns all events, each step in a tick of its own; null: there were too many. */
  finish(): readonly RunEvent[] | null {
    const events = this.#events;
    this.#events = null;
    if (events === null) return null;
    const own = new OwnTicks(-1);
    for (const [order, [tick, event]] of events.entries()) own.add(event, tick, order);
    return own.take(Number.POSITIVE_INFINITY).map(({ tick, event }): RunEvent => [tick, event]);
  }

  #add(event: LiveEvent, tick: number): void {
    if (this.#events === null) return;
    this.#events.push([tick - this.#start, event]);
    if (this.#events.length > MOST_EVENTS) this.#events = null;
  }
}

/** Writes a run as one file, with its ghost and splits in its metadata. Rejects when the name is taken. */
export async function writeRun(
  path: string,
  header: HeaderOptions,
  { events, durationMs }: FinishedRun,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "simtape-run-"));
  try {
    const recorder = await record(directoryStore(folder), { ...header, id: ID });
    const recorded = new EventRecorder(recorder);
    let at = 0;
    for (const [tick, event] of events) {
      if (tick > at) recorded.goTo(tick);
      at = Math.max(at, tick);
      recorded.record(event);
      if (recorder.ready !== null) await roomIn(recorder);
    }
    recorded.goTo(at + 1);
    await recorder.close({ outcome: "completed", durationMs });
    await mkdir(dirname(path), { recursive: true });
    const options = { visitors: [splits(), ghost()] };
    await compact(fromFile(join(folder, ID, "meta.hcrp")), toFile(path, { keep: true }), options);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
