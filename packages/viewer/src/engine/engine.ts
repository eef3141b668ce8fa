import {
  bundleAt,
  filesBundle,
  type Format,
  FORMATS,
  open,
  type Player,
  type PlayerStatus,
  play,
  type Port,
  type Recording,
  servePlayer,
  SIDE_CAR_ENDING,
  type SourceBundle,
} from "simtape";
import type { Ask, Opened, Locator, Progress } from "../protocol.ts";
import { firstPlaces } from "./first.ts";
import { formatsAt } from "./formats.ts";
import { Given } from "./given.ts";
import { Heads, isWorthHead } from "./head.ts";
import { showingOf } from "./showing.ts";

/** Sets whose things walk: with their speeds comes how far their legs swing. */
const WALKING = ["players", "walkers"];
/** Between two reports of progress, milliseconds. */
const REPORT_EVERY = 50;

/** The recordings that are open, and the one player. Lives in the worker. */
export class Engine {
  readonly #recordings = new Map<number, Recording>();
  /** The files of each. */
  readonly #files = new Map<number, SourceBundle>();
  #count = 0;
  #player: Player | null = null;
  #leave = new AbortController();
  /** Until the player has loaded where it is to be. */
  #loading: { readonly promise: Promise<void>; readonly end: () => void } | null = null;

  /** Settles when the player has something to show; null: it has. */
  get loading(): Promise<void> | null {
    return this.#loading?.promise ?? null;
  }

  /** Throws `RangeError` when there is none of that number. */
  recording(id: number): Recording {
    const found = this.#recordings.get(id);
    if (found === undefined) throw new RangeError(`no open recording ${id}`);
    return found;
  }

  /** The files that a recording was opened from. */
  filesOf(id: number): SourceBundle | null {
    return this.#files.get(id) ?? null;
  }

  async open(
    place: Locator,
    signal: AbortSignal,
    report: (progress: Progress) => void,
    files: readonly File[] = [],
    modules: readonly string[] = [],
    isOffered = false,
  ): Promise<Opened> {
    const formats = [...FORMATS, ...(await formatsAt(modules))];
    const bundle = place.kind === "url" ? bundleAt(new URL(place.url)) : filesBundle(place.files, place.main);
    const given = new Given(files, formats);
    const heads = new Heads(await given.beside(bundle));
    let [reported, hasHead, isOver] = [0, false, false];
    const showHead = async (done: number, total: number): Promise<void> => {
      const partial = await this.#openHead(heads, formats, signal);
      if (isOver && partial !== null) await this.close(partial.recording);
      else if (partial !== null) report({ done, total, partial });
    };
    try {
      const recording = await open(heads.whole, {
        signal,
        formats,
        seekIndex: isOffered && place.kind === "url" && (await hasIndex(place.url, signal)) ? "beside" : false,
        onProgress: (done, total) => {
          if (!hasHead && total !== null && isWorthHead(total)) {
            hasHead = true;
            void showHead(done, total);
          }
          const now = performance.now();
          if (now - reported < REPORT_EVERY) return;
          reported = now;
          report({ done, total });
        },
      });
      const opened = await this.#opened(recording, formats, signal, false);
      this.#files.set(opened.recording, heads.bundle);
      return opened;
    } catch (error) {
      throw place.kind === "url" ? explainFar(given.explain(error), place.url) : given.explain(error);
    } finally {
      isOver = true;
    }
  }

  /** What the beginning shows before all is read; null: nothing in it is anywhere, or it cannot be read alone. */
  async #openHead(heads: Heads, formats: readonly Format[], signal: AbortSignal): Promise<Opened | null> {
    try {
      const recording = await open(heads.head(signal), { signal, formats, seekIndex: false });
      const opened = await this.#opened(recording, formats, signal, true);
      // The page may not hear of it any more.
      signal.addEventListener("abort", () => void this.close(opened.recording), { once: true });
      if (opened.placed !== null) return opened;
      await this.close(opened.recording);
    } catch {
      // what is wrong is found when all of it is read
    }
    return null;
  }

  /** All that is known of it; of a head, nothing is wrong with it but that the rest is missing. */
  async #opened(
    recording: Recording,
    formats: readonly Format[],
    signal: AbortSignal,
    isHead: boolean,
  ): Promise<Opened> {
    const showing = await showingOf(recording, formats);
    const placed = await firstPlaces(recording, showing, signal).catch(() => null);
    if (signal.aborted) {
      await recording.close();
      throw signal.reason;
    }
    const id = this.#count++;
    this.#recordings.set(id, recording);
    return {
      recording: id,
      isHead,
      info: recording.info,
      showing,
      placed,
      timeline: await recording.timeline(),
      channels: recording.channels.map(({ id, name, metadata, schema }) => ({
        id,
        name,
        schema: schema.name,
        metadata,
      })),
      motion: recording.motion?.id ?? null,
      findings: isHead ? [] : recording.findings,
    };
  }

  async close(id: number): Promise<null> {
    const recording = this.#recordings.get(id);
    this.#recordings.delete(id);
    this.#files.delete(id);
    await recording?.close();
    return null;
  }

  async play({ recording, port, ghosts, at, rate, loop, isBeside = false }: Ask<"play">): Promise<null> {
    if (isBeside) {
      const player = play(this.recording(recording), {
        ghosts: ghosts.map((ghost) => ({ ...ghost, recording: this.recording(ghost.recording) })),
        at: at ?? undefined,
        speeds: WALKING,
      });
      void servePlayer(player, port as Port).then(() => {
        port.close();
        return player.close();
      });
      return null;
    }
    this.#leave.abort();
    this.#leave = new AbortController();
    const before = this.#player;
    this.#player = play(this.recording(recording), {
      ghosts: ghosts.map((ghost) => ({ ...ghost, recording: this.recording(ghost.recording) })),
      at: at ?? undefined,
      speeds: WALKING,
      rate,
      loop,
      interactive: true,
    });
    this.#noteLoading(this.#player);
    void servePlayer(this.#player, port as Port, this.#leave.signal).then(() => port.close());
    await before?.close();
    return null;
  }

  #noteLoading(player: Player): void {
    const note = ({ phase }: PlayerStatus): void => {
      if (player !== this.#player) return;
      if (phase !== "loading" && phase !== "buffering") {
        this.#loading?.end();
        this.#loading = null;
      } else if (this.#loading === null) {
        let end: () => void = () => undefined;
        const promise = new Promise<void>((resolve) => {
          end = resolve;
        });
        this.#loading = { promise, end };
      }
    };
    player.onStatus(note);
    note(player.status);
  }
}

/** Whether the server of this page has a seek index of a recording that it serves. */
async function hasIndex(url: string, signal: AbortSignal): Promise<boolean> {
  const address = new URL(url);
  address.pathname += SIDE_CAR_ENDING;
  const { status } = await fetch(address, { method: "HEAD", signal });
  return status === 200;
}

/** A browser does not tell a server that cannot be reached from one that does not let this page read: both are said. */
function explainFar(error: unknown, url: string): unknown {
  const isForeign = new URL(url).origin !== location.origin;
  if (!isForeign || !(error instanceof Error) || !error.message.includes("cannot reach the server")) return error;
  const message = `${error.message}. Or the server does not allow this page to read the file (CORS): then download the file, and drop it here.`;
  return Object.assign(new Error(message, { cause: error }), { code: "code" in error ? error.code : null });
}
