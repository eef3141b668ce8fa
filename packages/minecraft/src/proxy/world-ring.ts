import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Value } from "simtape";
import { fromFile, toFile } from "simtape/node";
import { changeMetadata, Ring } from "simtape/record";
import { type HeaderOptions, RingTarget } from "simtape/serving";
import type { Line } from "../capture/capture.ts";
import { plain, stamp } from "./names.ts";
import { TimedLines } from "./timed-lines.ts";

/** A player who is, or was, in the world. */
export interface Person {
  readonly uuid: string;
  readonly name: string;
}

/** What a player says of another. */
export interface Report {
  readonly subject: Person;
  readonly reporter: Person;
  /** Its words; may be empty. */
  readonly reason: string;
}

/** A clip that was kept. */
export interface KeptClip {
  readonly id: string;
  readonly ticks: number;
}

export interface RingLengths {
  /** Seconds that are kept, at least. */
  readonly seconds: number;
  /** Seconds behind a report that belong to its clip. */
  readonly tail: number;
}

const TICKS_PER_SECOND = 20;
/** A clip is made longer by reports that come while it waits for its end, but only so many times. */
const MOST_REPORTS = 16;
/** Milliseconds between two clips that one player begins. */
const BETWEEN = 30_000;

/** The last minutes of a dimension and all players in it, in memory; reports make clips of them. */
export class WorldRing {
  readonly lines: TimedLines<RingTarget>;
  readonly #store: string;
  readonly #lengths: RingLengths;
  /** When each player has begun a clip last, by UUID. */
  readonly #began = new Map<string, number>();
  /** The clip that waits for its end; null: none does. */
  #pending: { readonly id: string; readonly reports: Value[]; readonly kept: Promise<KeptClip> } | null = null;

  /** `failed` is called when it cannot begin. */
  constructor(store: string, header: Line, lengths: RingLengths, failed: (error: unknown) => void) {
    this.#store = store;
    this.#lengths = lengths;
    this.lines = new TimedLines(header, (told) => open(store, told, lengths.seconds * TICKS_PER_SECOND), failed);
  }

  /**
   * Keeps a clip. One that waits for its end becomes longer, and is of both reports. `id`: its name; `kept` rejects where
   * the store does not take it. A text: why none is kept.
   */
  report({ subject, reporter, reason }: Report): { readonly id: string; readonly kept: Promise<KeptClip> } | string {
    const ring = this.lines.target?.ring;
    const pending = this.#pending;
    if (ring === undefined) return "Nothing is kept at the moment.";
    if (pending !== null && pending.reports.length >= MOST_REPORTS) return "There are enough reports of this.";
    const waits = (this.#began.get(reporter.uuid) ?? Number.NEGATIVE_INFINITY) + BETWEEN - performance.now();
    if (pending === null && waits > 0) return `Wait ${Math.ceil(waits / 1000)} seconds for the next report.`;
    if (pending === null) this.#began.set(reporter.uuid, performance.now());
    this.lines.goToNow();
    this.lines.settle();
    const label = `${subject.name}${reason === "" ? "" : `: ${reason}`} (reported by ${reporter.name})`;
    const told = { at: new Date().toISOString(), reason, subject: { ...subject }, reporter: { ...reporter } };
    const id = pending?.id ?? `report-${plain(subject.name)}-${stamp()}`;
    const path = join(this.#store, `${id}.hcrp`);
    const reports: Value[] = pending?.reports ?? [];
    reports.push(told);
    let isOver = false;
    const end = (): void => {
      isOver = true;
      if (this.#pending?.id === id) this.#pending = null;
    };
    const saved = ring.save(label, this.#lengths.tail * TICKS_PER_SECOND, () => {
      // what is said from now on is for another clip
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

  /** Clips that wait are kept as long as they are. */
  async close(): Promise<void> {
    this.lines.goToNow();
    await this.lines.opened;
    if (this.lines.target === null) return;
    this.lines.settle();
    const pending = this.#pending;
    await this.lines.target.ring.finish();
    // who has reported learns of a failure
    await pending?.kept.catch(() => undefined);
  }
}

async function open(store: string, header: HeaderOptions, ticks: number): Promise<RingTarget> {
  const { epoch, worldId, worldVersion, dataVersion } = header;
  await mkdir(store, { recursive: true });
  return new RingTarget(await Ring.create({ ticks, epoch, worldId, worldVersion, dataVersion, profile: "cinema" }));
}
