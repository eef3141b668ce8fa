import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Value } from "simtape";
import { fromFile, toFile } from "simtape/node";
import { changeMetadata, Ring, RingTarget } from "simtape/record";
import type { HeaderOptions } from "simtape/serving";
import { reportText } from "../stored/report.ts";
import { plain, stamp } from "./names.ts";
import { TimedEvents } from "./timed-events.ts";
import { Turns } from "./turns.ts";

/** A player who is in the world, or was. */
export interface Person {
  readonly uuid: string;
  readonly name: string;
}

/** What a player reports about another. */
export interface Report {
  readonly subject: Person;
  readonly reporter: Person;
  /** The words of the report; may be empty. */
  readonly reason: string;
}

/** A clip that was saved. */
export interface KeptClip {
  readonly id: string;
  readonly ticks: number;
}

export interface RingLengths {
  /** Least number of seconds in memory. */
  readonly seconds: number;
  /** Seconds after a report that its clip includes. */
  readonly tail: number;
}

const TICKS_PER_SECOND = 20;
/** Reports that arrive while a clip waits for its end make it longer, but only this many times. */
const MOST_REPORTS = 16;

/** Keeps the last minutes of a dimension and of all its players in memory; reports save clips of them. */
export class WorldRing {
  readonly events: TimedEvents<RingTarget>;
  readonly #store: string;
  readonly #lengths: RingLengths;
  /** Turns of the players who begin clips. */
  readonly #turns = new Turns();
  /** The clip that waits for its end; null: none. */
  #pending: { readonly id: string; readonly reports: Value[]; readonly kept: Promise<KeptClip> } | null = null;

  /** `failed` is called when the ring cannot start. */
  constructor(store: string, header: HeaderOptions, lengths: RingLengths, failed: (error: unknown) => void) {
    this.#store = store;
    this.#lengths = lengths;
    this.events = new TimedEvents(
      header,
      (options) => open(store, options, lengths.seconds * TICKS_PER_SECOND),
      failed,
    );
  }

  /**
   * Saves a clip. A clip that still waits for its end becomes longer, and covers both reports. `id`: its name; `kept`
   * rejects when the store does not take the clip. Returns a text when no clip is saved: the reason.
   */
  report({ subject, reporter, reason }: Report): { readonly id: string; readonly kept: Promise<KeptClip> } | string {
    const ring = this.events.target?.ring;
    const pending = this.#pending;
    if (ring === undefined) return "Nothing is kept at the moment.";
    if (pending !== null && pending.reports.length >= MOST_REPORTS) return "There are enough reports of this.";
    const waits = pending === null ? this.#turns.take(reporter.uuid) : null;
    if (waits !== null) return waits;
    this.events.flush();
    const label = `${reportText(subject.name, reason)} (reported by ${reporter.name})`;
    const { uuid, name } = subject;
    const report = { at: new Date().toISOString(), reason, subject: { uuid, name }, reporter: { ...reporter } };
    const id = pending?.id ?? `report-${plain(subject.name)}-${stamp()}`;
    const path = join(this.#store, `${id}.hcrp`);
    const reports: Value[] = pending?.reports ?? [];
    reports.push(report);
    let isOver = false;
    const end = (): void => {
      isOver = true;
      if (this.#pending?.id === id) this.#pending = null;
    };
    const saved = ring.save(label, this.#lengths.tail * TICKS_PER_SECOND, () => {
      // later reports begin another clip
      end();
      return toFile(path, { keep: true });
    });
    if (pending !== null) return pending;
    const kept = saved.finally(end).then(async ({ from, until }) => {
      await changeMetadata(fromFile(path), toFile(path), { values: { reports } });
      return { id, ticks: until - from };
    });
    const clip = { id, reports, kept };
    if (!isOver) this.#pending = clip;
    return clip;
  }

  /** Saves clips that still wait for their end with their present length. */
  async close(): Promise<void> {
    const target = await this.events.finish();
    if (target === null) return;
    const pending = this.#pending;
    await target.ring.finish();
    // a player who has reported is informed of a failure
    await pending?.kept.catch(() => undefined);
  }
}

async function open(store: string, header: HeaderOptions, ticks: number): Promise<RingTarget> {
  const { epoch, worldId, worldVersion, dataVersion } = header;
  await mkdir(store, { recursive: true });
  return new RingTarget(await Ring.create({ ticks, epoch, worldId, worldVersion, dataVersion, profile: "cinema" }));
}
