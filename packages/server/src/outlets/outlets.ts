import { Worker as Thread } from "node:worker_threads";
import type { Context } from "../context.ts";
import type { Openness } from "../people/openness.ts";
import { Audit } from "../people/audit.ts";
import { notFound, Problem } from "../problem.ts";
import type { FromOutlets, Offered, OutletState, ToOutlets, Trouble, Wish } from "./messages.ts";
import { OutletError, Offers } from "./offers.ts";

/** Milliseconds between two looks at the catalog; a look takes a twentieth of the time at most. */
const LOOK_EVERY = 2000;
const SHARE = 20;
/** Milliseconds until a thread that failed is started again; doubled each time until one is ready. */
const AGAIN = 1000;
const LONGEST_AGAIN = 15_000;
/** Milliseconds that a recording has to be loaded. */
const TIMEOUT = 60_000;
/** Looks, a second apart, at which a thread that reports twice a second may have said nothing; then it is ended. */
const SILENT_LOOKS = 30;
/** Milliseconds that a thread has to end when the node does. */
const GOODBYE = 10_000;
/** MiB of the thread, and for its short-lived objects. */
const MEMORY = 1024;
const NEW_SPACE = 12;

/** Asked of the thread, not answered yet. */
interface Asked {
  readonly resolve: (state: OutletState) => void;
  readonly reject: (error: Error) => void;
}

/** The outlets of this node: clients of programs connect to them, and watch recordings of the library. */
export class Outlets {
  readonly #context: Context;
  readonly #audit: Audit;
  readonly offers: Offers;
  readonly #asked = new Map<number, Asked>();
  #thread: Thread | null = null;
  #states: readonly OutletState[] = [];
  /** By outlet: what was shown when the thread failed, until something else is. */
  readonly #broken = new Map<string, Trouble>();
  /** By outlet: what the staff loaded, which may be too old for the list. */
  readonly #pinned = new Map<string, string>();
  /** The list that the thread has, as text; null: not known. */
  #offered: string | null = null;
  #hasStarted = false;
  #number = 0;
  #again = AGAIN;
  #timer: NodeJS.Timeout | null = null;
  #isStopped = false;
  /** Looks at the catalog and loads, one after the other: a list never misses what is being loaded. */
  #changing: Promise<unknown> = Promise.resolve();

  constructor(context: Context, openness: Openness) {
    this.#context = context;
    this.#audit = new Audit(context.query);
    this.offers = new Offers(context, openness);
  }

  /** As they were half a second ago at most; empty: there are none, or their thread is being started again. */
  get states(): readonly OutletState[] {
    return this.#states.map((state) =>
      state.loaded === null && state.trouble === null
        ? { ...state, trouble: this.#broken.get(state.name) ?? null }
        : state,
    );
  }

  /** Settles when clients can connect. Rejects with `OutletError`. */
  async start(): Promise<void> {
    if (this.#context.settings.into.length === 0) return;
    await this.offers.check();
    await this.#startThread();
    this.#hasStarted = true;
    await this.#look();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    // one that hangs keeps nothing waiting: what was asked of it is refused when it ends
    const last = setTimeout(() => void this.#thread?.terminate(), GOODBYE);
    await this.#changing.catch(() => undefined);
    const thread = this.#thread;
    if (thread !== null) {
      const ended = new Promise((resolve) => thread.once("exit", resolve));
      this.#tell("stop");
      await ended;
    }
    clearTimeout(last);
  }

  /** Throws `Problem` when there is no outlet of this name. */
  check(name: string): void {
    if (!this.#states.some((state) => state.name === name)) throw notFound("the outlet");
  }

  /** Loads a recording into an outlet and plays it. Rejects with `Problem`. */
  load(outlet: string, id: string, wish: (recording: Offered) => Wish): Promise<OutletState> {
    return this.#next(async () => {
      const recording = await this.offers.one(id);
      if (recording === null) throw new Problem(409, "the recording is being made or read: load it later");
      // the thread adds it to its list: the next look compares nothing with that
      this.#offered = null;
      const state = await this.do(outlet, wish(recording));
      this.#pinned.set(outlet, id);
      return state;
    });
  }

  /** Rejects with `Problem`. */
  do(outlet: string, wish: Wish): Promise<OutletState> {
    this.check(outlet);
    const number = this.#number++;
    return new Promise<OutletState>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#asked.delete(number);
        reject(new Problem(503, "the outlet does not answer yet: it is reading"));
      }, TIMEOUT);
      const settle = (): void => clearTimeout(timer);
      this.#asked.set(number, {
        resolve: (state) => {
          settle();
          resolve(state);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      });
      this.#tell({ number, outlet, wish });
    });
  }

  #tell(message: ToOutlets): void {
    this.#thread?.postMessage(message);
  }

  #next<T>(change: () => Promise<T>): Promise<T> {
    const changing = this.#changing.then(change);
    this.#changing = changing.catch(() => undefined);
    return changing;
  }

  /** Offers what the catalog has now, and looks again later. */
  async #look(): Promise<void> {
    const began = performance.now();
    await this.#next(async () => {
      const shown = this.#states.flatMap(({ loaded }) => (loaded === null ? [] : [loaded.recording]));
      const list = await this.offers.list([...new Set([...this.#pinned.values(), ...shown])]);
      const text = JSON.stringify(list);
      if (text === this.#offered) return;
      this.#offered = text;
      this.#tell({ offered: list });
    }).catch((error: unknown) =>
      this.#context.log.warn({ error: String(error) }, "the list of outlets is not current"),
    );
    if (this.#isStopped) return;
    const pause = Math.max(LOOK_EVERY, SHARE * (performance.now() - began));
    this.#timer = setTimeout(() => void this.#look(), pause).unref();
  }

  /** Settles when its outlets listen. Rejects with `OutletError` if one cannot. */
  #startThread(): Promise<void> {
    const thread = new Thread(new URL("./thread.js", import.meta.url), {
      workerData: this.#context.settings,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY, maxYoungGenerationSizeMb: NEW_SPACE },
    });
    this.#thread = thread;
    let cause = "it ended by itself";
    let looks = 0;
    // looks and not the time are counted: a machine that slept is no thread that hangs
    const watch = setInterval(() => {
      if (++looks !== SILENT_LOOKS) return;
      cause = `it said nothing for ${SILENT_LOOKS} s`;
      void thread.terminate();
    }, 1000).unref();
    return new Promise((resolve, reject) => {
      thread.on("message", (message: FromOutlets) => {
        looks = 0;
        if ("refused" in message) {
          reject(new OutletError(message.refused));
          return;
        }
        if ("ready" in message) {
          this.#again = AGAIN;
          this.#states = message.ready;
          // a look may have offered the list while there was no thread
          this.#offered = null;
          resolve();
        } else this.#hear(message);
      });
      thread.on("error", (error) => {
        cause = String(error);
      });
      thread.on("exit", () => {
        clearInterval(watch);
        reject(new OutletError(`the thread of the outlets failed: ${cause}`));
        this.#ended(cause);
      });
    });
  }

  /** A thread that failed is started again: clients connect again, to outlets without a recording. */
  #ended(cause: string): void {
    this.#thread = null;
    if (!this.#isStopped && this.#hasStarted) {
      this.#context.log.error({ error: cause, again: this.#again }, "the thread of the outlets failed");
      const at = new Date().toISOString();
      for (const { name, loaded } of this.#states)
        if (loaded !== null)
          this.#broken.set(name, { recording: loaded.name, message: `the outlets failed: ${cause}`, at });
    }
    this.#states = [];
    this.#pinned.clear();
    for (const { reject } of this.#asked.values()) reject(new Problem(503, "the outlets are started again"));
    this.#asked.clear();
    if (this.#isStopped || !this.#hasStarted) return;
    setTimeout(() => void this.#restart(), this.#again).unref();
    this.#again = Math.min(LONGEST_AGAIN, 2 * this.#again);
  }

  async #restart(): Promise<void> {
    if (this.#isStopped) return;
    try {
      await this.#startThread();
    } catch (error) {
      this.#context.log.error({ error: String(error) }, "the outlets cannot be started again yet");
    }
  }

  #hear(message: Exclude<FromOutlets, { ready: unknown } | { refused: unknown }>): void {
    if ("states" in message) {
      this.#states = message.states;
      return;
    }
    if ("shown" in message) {
      this.#broken.delete(message.outlet);
      void this.#noteShown(message.shown, message.outlet);
      return;
    }
    const asked = this.#asked.get(message.number);
    this.#asked.delete(message.number);
    if (asked === undefined) return;
    if (!("state" in message)) {
      asked.reject(new Problem(message.status, message.message));
      return;
    }
    const { state } = message;
    this.#states = this.#states.map((one) => (one.name === state.name ? state : one));
    asked.resolve(state);
  }

  /** What is watched there is read by the account of the outlets. */
  async #noteShown(recording: string, outlet: string): Promise<void> {
    try {
      const { id, role } = await this.offers.person();
      await this.#audit.add({ who: id, role, action: "read", recording, details: { outlet } });
    } catch (error) {
      this.#context.log.warn({ recording, outlet, error: String(error) }, "a read is missing in the audit log");
    }
  }
}
