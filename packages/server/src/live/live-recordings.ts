import type { Store } from "simtape";
import type { Bus } from "../bus/bus.ts";
import { Problem } from "../problem.ts";
import type { Log } from "../log.ts";
import type { Leases } from "./leases.ts";
import { LiveRecording, type Report, type Surroundings } from "./live-recording.ts";
import type { Sender } from "./sender.ts";

/** Milliseconds between two checks of what is due, and between two writes to the database. */
const POLL_EVERY = 200;
const RENEW_EVERY = 1500;
/** Milliseconds that another node has to give up a recording, and between two tries. */
const HANDS_OVER = 4000;
const AGAIN = 100;
/** Milliseconds between two writes of the progress of one recording to the catalog. */
const NOTE_EVERY = 2000;
/** Topic of the bus on which a node asks another node for a recording. */
const ASKED = "live-asked";

interface Options {
  readonly store: Store;
  readonly leases: Leases;
  readonly bus: Bus;
  readonly log: Log;
  /** Milliseconds after which a recording ends when its sender is gone. */
  readonly silence: number;
  readonly report: Surroundings["report"];
  readonly judge: Surroundings["judge"];
}

/** The live recordings of this node. */
export class LiveRecordings {
  readonly #options: Options;
  readonly #recordings = new Map<string, LiveRecording>();
  readonly #ending = new Map<string, Promise<void>>();
  readonly #polling: NodeJS.Timeout;
  readonly #renewing: NodeJS.Timeout;
  readonly #unsubscribe: () => void;
  /** When the progress of each recording was last written to the catalog, and the progress that is not written yet. */
  readonly #noted = new Map<
    string,
    { readonly at: number; readonly waiting: { seconds: number; bytes: number } | null }
  >();
  #isClosed = false;

  constructor(options: Options) {
    this.#options = options;
    this.#polling = setInterval(() => this.#poll(), POLL_EVERY);
    this.#renewing = setInterval(() => void this.#renew(), RENEW_EVERY);
    this.#unsubscribe = options.bus.subscribe(ASKED, (id) => void this.#handOver(id));
  }

  /** Records what a sender sends until the sender is gone; returns the result. Throws `Problem`. */
  async take(id: string, sender: Sender): Promise<Report> {
    if (this.#isClosed) throw new Problem(503, "the server is shutting down; try again");
    await this.#ending.get(id);
    await this.#options.leases.check(id, sender.person);
    const recording =
      this.#recordings.get(id) ??
      new LiveRecording(id, {
        store: this.#options.store,
        begin: (...what) => this.#begin(...what),
        report: this.#options.report,
        judge: this.#options.judge,
      });
    this.#recordings.set(id, recording);
    try {
      await recording.take(sender);
    } finally {
      // no line was sent that could begin the recording
      if (!recording.hasBegun && !recording.isSending) this.#recordings.delete(id);
    }
    if (recording.failure !== null) throw new Problem(409, "another recorder has this recording now");
    if (recording.outcome !== null) await this.#end(id, recording);
    if (this.#isClosed) throw new Problem(503, "the server is shutting down; send the rest again");
    return recording.report();
  }

  /** Seconds of a recording that survive every crash; null: this node does not record it. */
  committedSeconds(id: string): number | null {
    const recording = this.#recordings.get(id);
    return recording?.hasBegun === true ? recording.report().committedSeconds : null;
  }

  /** Gives up all recordings: they continue when their senders connect again, to this node or another. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#polling);
    clearInterval(this.#renewing);
    this.#unsubscribe();
    await Promise.all(this.#ending.values());
    await Promise.all([...this.#recordings].map(([id, recording]) => this.#leave(id, recording)));
  }

  async #begin(id: string, { person }: Sender, started: Date | null): Promise<void> {
    const { leases, bus } = this.#options;
    await leases.begin({ id, person, via: "lines", started });
    for (const end = performance.now() + HANDS_OVER; !(await leases.claim(id)); ) {
      if (performance.now() > end)
        throw new Problem(409, "another node of this server records it for another sender, or has just been killed");
      bus.publish(ASKED, id);
      await new Promise((resolve) => setTimeout(resolve, AGAIN));
    }
  }

  #poll(): void {
    const { silence } = this.#options;
    for (const [id, recording] of this.#recordings) {
      const before = recording.recordingId;
      const progress = recording.poll();
      const present = recording.recordingId;
      if (present !== before) void this.#continued(before, present);
      else if (recording.hasBegun) this.#progress(present, progress);
      if (recording.hasBegun && recording.silence > silence) void this.#end(id, recording);
    }
  }

  /** Users who watch get every commit; the catalog, whose row has many indexes, gets some commits and the last one. */
  #progress(id: string, progress: { readonly seconds: number; readonly bytes: number } | null): void {
    const { leases } = this.#options;
    const noted = this.#noted.get(id) ?? { at: Number.NEGATIVE_INFINITY, waiting: null };
    const waiting = progress ?? noted.waiting;
    if (waiting === null) return;
    const isDue = performance.now() - noted.at >= NOTE_EVERY;
    if (isDue) leases.noteProgress(id, waiting).catch(this.#warn);
    else if (progress !== null) leases.tellProgress(id, progress);
    this.#noted.set(id, isDue ? { at: performance.now(), waiting: null } : { at: noted.at, waiting });
  }

  /** A limit has ended one recording, and another continues it. */
  async #continued(before: string, next: string): Promise<void> {
    const { leases } = this.#options;
    try {
      await leases.goOn(before, next);
      await leases.end(before);
    } catch (error) {
      this.#warn(error);
    }
  }

  async #renew(): Promise<void> {
    const begun = [...this.#recordings].filter(([, recording]) => recording.hasBegun);
    try {
      const ids = begun.map(([, { recordingId }]) => recordingId);
      const sending = begun.filter(([, { isSending }]) => isSending).map(([, { recordingId }]) => recordingId);
      const ours = await this.#options.leases.renew(ids, sending);
      for (const [id, recording] of begun) {
        const isLost = !ours.has(recording.recordingId) && ids.includes(recording.recordingId);
        if (!isLost || this.#recordings.get(id) !== recording) continue;
        this.#options.log.warn({ recording: id }, "another node has this live recording now");
        this.#recordings.delete(id);
        await recording.giveUp();
      }
    } catch (error) {
      this.#warn(error);
    }
  }

  async #end(id: string, recording: LiveRecording): Promise<void> {
    const running = this.#ending.get(id);
    if (running !== undefined) return running;
    const work = (async () => {
      try {
        await recording.end();
        await this.#options.leases.noteProgress(recording.recordingId, recording.poll() ?? sizeOf(recording));
        await this.#options.leases.end(recording.recordingId);
      } catch (error) {
        // otherwise the lease runs out, and the committed part is recovered
        this.#warn(error);
      } finally {
        this.#recordings.delete(id);
        this.#ending.delete(id);
        this.#noted.delete(recording.recordingId);
      }
    })();
    this.#ending.set(id, work);
    return work;
  }

  async #handOver(id: string): Promise<void> {
    const recording = this.#recordings.get(id);
    // keep a recording whose sender is connected here; when it is only beginning, its own sender is the one that asks
    if (recording === undefined || !recording.hasBegun || recording.isSending) return;
    await this.#leave(id, recording);
  }

  async #leave(id: string, recording: LiveRecording): Promise<void> {
    if (this.#recordings.get(id) === recording) this.#recordings.delete(id);
    try {
      await recording.leave();
      await this.#options.leases.release(recording.recordingId);
    } catch (error) {
      this.#warn(error);
    }
  }

  readonly #warn = (error: unknown): void => {
    this.#options.log.warn({ error: String(error) }, "live recordings: trying again");
  };
}

function sizeOf(recording: LiveRecording): { seconds: number; bytes: number } {
  const { seconds, bytes } = recording.report();
  return { seconds, bytes };
}
