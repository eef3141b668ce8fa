import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { directoryStore, fromFile, toFile } from "simtape/node";
import { compact, ghost, record, splits } from "simtape/record";
import { LineProtocol } from "simtape/serving";
import type { Line } from "../capture/capture.ts";

/** A line, and the ticks since the start at which it was said. */
type Said = readonly [tick: number, line: Line];

/** A run from start to finish. */
export interface FinishedRun {
  readonly lines: readonly Said[];
  /** From start to finish by the clock, and in ticks. */
  readonly durationMs: number;
  readonly ticks: number;
}

/** Lines of a run that are kept: some hours. With more it is no run any more. */
const MOST_LINES = 400_000;
const ID = "run";

/** What a runner says of itself between start and finish: a recording of its own, if it finishes. */
export class KeptRun {
  /** What is so at the moment, by the word that says it. */
  readonly #now = new Map<string, Line>();
  #lines: Said[] | null = null;
  #start = 0;

  /** A line of the player's own. */
  hear(line: Line, tick: number): void {
    const [word, told] = Object.entries(line)[0] as [string, Line];
    if (word === "join") this.#now.clear();
    if (word === "move" || word === "teleport") this.#now.set("join", { ...this.#now.get("join"), ...told });
    else if (LASTING.has(word)) this.#now.set(word, told);
    this.#add(line, tick);
  }

  /** A run starts here. */
  begin(tick: number): void {
    this.#start = tick;
    this.#lines = [...this.#now].map(([word, told]) => [0, { [word]: told }]);
    const { id, uuid, name, properties = [] } = this.#now.get("join") ?? {};
    this.#lines.push([0, { subject: { id, uuid, name, properties } }]);
  }

  mark(line: Line, tick: number): void {
    this.#add(line, tick);
  }

  drop(): void {
    this.#lines = null;
  }

  /** All that was said; null: it was too much. */
  finish(): readonly Said[] | null {
    const lines = this.#lines;
    this.#lines = null;
    return lines;
  }

  #add(line: Line, tick: number): void {
    if (this.#lines === null) return;
    this.#lines.push([tick - this.#start, line]);
    if (this.#lines.length > MOST_LINES) this.#lines = null;
  }
}

/** What stays so until it is said again. The first comes first. */
const LASTING: ReadonlySet<string> = new Set(["join", "state", "heldSlot"]);

/** Writes a run as one file, its ghost and splits in its metadata. Rejects when there is one of that name. */
export async function writeRun(path: string, header: Line, { lines, durationMs }: FinishedRun): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "simtape-run-"));
  try {
    const protocol = new LineProtocol({ open: (told) => record(directoryStore(folder), { ...told, id: ID }) });
    await protocol.give(header);
    let at = -1;
    for (const [tick, line] of lines) {
      if (tick > at) await protocol.give({ tick });
      at = Math.max(at, tick);
      await protocol.give(line);
    }
    await protocol.give({ tick: at + 1 });
    protocol.settle();
    await protocol.recorder!.close({ outcome: "completed", durationMs });
    await mkdir(dirname(path), { recursive: true });
    const options = { visitors: [splits(), ghost()] };
    await compact(fromFile(join(folder, ID, "meta.hcrp")), toFile(path, { keep: true }), options);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
