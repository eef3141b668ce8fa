import type { Packet } from "../game/packet.ts";
import type { Adapter } from "../scene/adapter.ts";
import { storedIn, type Stored } from "../stored/recordings.ts";
import type { Point } from "./box.ts";
import { type Choice, chosen, topOf } from "./choice.ts";
import type { Course } from "./course.ts";
import { Ghost } from "./ghost.ts";
import { MOST_GHOSTS, Race } from "./race.ts";
import type { Runs } from "./runs.ts";
import { clockText } from "./split.ts";
import type { GhostTeam } from "./team.ts";

export interface OpponentsOptions {
  readonly adapter: Adapter;
  readonly course: Course;
  /** Folder of the recordings, and the runs in it. */
  readonly store: string;
  readonly runs: Runs;
  /** The runner's player. */
  readonly uuid: string;
  readonly team: GhostTeam;
  /** Sends packets to the runner's client alone. False: they cannot be sent now. */
  readonly send: (packets: readonly Packet[]) => boolean;
}

const WORD = "/ghost";
const MOST_WAITING = 8;
const MILLISECONDS_OF_A_TICK = 50;

/** The ghosts that one runner races against: chosen by commands, read from the store, and shown. */
export class Opponents {
  readonly #options: OpponentsOptions;
  readonly #race: Race;
  #choice: Choice = "best";
  /** By path: the ghosts that were read already. */
  #ghosts = new Map<string, Ghost>();
  /** The message that the runner got about this choice. */
  #said = new Set<string>();
  #loading: Promise<void> = Promise.resolve();
  /** Commands that wait for the store. */
  #waiting = 0;

  constructor(options: OpponentsOptions) {
    this.#options = options;
    this.#race = new Race(options.adapter, options.team, options.send);
  }

  /** Reads the ghosts of the choice; until then the runner sees the previous ones. */
  refresh(): void {
    this.#next(() => this.#load());
  }

  show(tick: number, runner: Point): void {
    this.#race.show(tick, runner);
  }

  hide(): void {
    this.#race.hide();
  }

  split(checkpoint: number, ticks: number): void {
    this.#race.split(checkpoint, ticks);
  }

  finish(ticks: number): void {
    this.#race.finish(ticks);
  }

  tell(text: string, color: string): void {
    this.#race.tell(text, color);
  }

  /** The client has entered a world; `isNew`: it has forgotten the things of all earlier worlds. */
  enter(isNew: boolean): void {
    this.#race.forget(isNew);
  }

  /** Handles a typed command, in the form `/ghost top`. */
  command(text: string): void {
    // commands that come faster than the store can be read are ignored
    if (this.#waiting >= MOST_WAITING) return;
    const [, ...words] = text.trim().split(/\s+/);
    const [first] = words;
    if (first === undefined) this.tell(`${WORD} best, top, off, list, gaps, or up to ${MOST_GHOSTS} names`, "gray");
    else if (first === "list") this.#next(() => this.#list());
    else if (first === "gaps" && words.length === 1) this.#switchGaps();
    else this.#choose(words);
  }

  #choose(words: readonly string[]): void {
    const [first] = words;
    const isWord = words.length === 1 && (first === "best" || first === "top" || first === "off");
    if (!isWord && words.length > MOST_GHOSTS) {
      this.tell(`At most ${MOST_GHOSTS} ghosts.`, "red");
      return;
    }
    this.#choice = isWord ? first : words;
    this.#said.clear();
    this.refresh();
    this.#next(() => {
      const names = this.#race.ghosts.map(({ title }) => title);
      this.tell(names.length === 0 ? "No ghosts." : `Ghosts: ${names.join(", ")}`, "gray");
    });
  }

  #switchGaps(): void {
    this.#race.hasGaps = !this.#race.hasGaps;
    this.tell(this.#race.hasGaps ? "Gaps are shown all along." : "Gaps are shown at checkpoints only.", "gray");
  }

  #next(work: () => Promise<void> | void): void {
    if (this.#waiting >= MOST_WAITING) return;
    this.#waiting++;
    this.#loading = this.#loading.then(work).finally(() => this.#waiting--);
  }

  /** Never rejects: the runner gets a message about what cannot be read. */
  async #load(): Promise<void> {
    const { store, runs, course, uuid } = this.#options;
    const choice = this.#choice;
    try {
      const found = choice === "off" ? [] : await runs.of(course.map);
      const { ghosts, missing } = chosen(choice, uuid, found, typeof choice === "string" ? [] : await storedIn(store));
      for (const name of missing) this.#tellOnce(`There is no run ${name}.`);
      const loaded = new Map<string, Ghost>();
      for (const stored of ghosts) {
        const ghost = await this.#ghostOf(stored);
        if (ghost !== null) loaded.set(stored.path, ghost);
      }
      this.#ghosts = loaded;
      this.#race.ghosts = [...loaded.values()];
    } catch (error) {
      this.#tellOnce(`Runs cannot be read: ${messageOf(error)}`);
    }
  }

  /** Null: the run cannot be read. */
  async #ghostOf(stored: Stored): Promise<Ghost | null> {
    try {
      return this.#ghosts.get(stored.path) ?? (await Ghost.load(stored, this.#options.course));
    } catch (error) {
      this.#tellOnce(`The run ${stored.title} cannot be read: ${messageOf(error)}`);
      return null;
    }
  }

  async #list(): Promise<void> {
    try {
      const runs = topOf(await this.#options.runs.of(this.#options.course.map));
      for (const [i, { stored, run }] of runs.entries()) {
        const ticks = Math.round(run.durationMs / MILLISECONDS_OF_A_TICK);
        this.tell(`${i + 1}. ${clockText(ticks)} ${run.subjects[0]?.name ?? ""}: ${stored.title}`, "gray");
      }
      if (runs.length === 0) this.tell("There are no runs yet.", "gray");
    } catch (error) {
      this.tell(`Runs cannot be read: ${messageOf(error)}`, "red");
    }
  }

  #tellOnce(text: string): void {
    if (!this.#said.has(text) && this.#race.tell(text, "red")) this.#said.add(text);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
