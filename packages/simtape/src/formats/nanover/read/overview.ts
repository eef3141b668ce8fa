import { LayoutError } from "../../../bytes/error.ts";
import { listOf, membersOf, wholeOf } from "../../../model/kept/shapes.ts";
import type { Schema, Value } from "../../../model/values/value.ts";
import { type Frame, PARTICLE_COUNT, SIMULATION_NAME } from "../layout/layout.ts";

/** Frames looked into after each reset: an empty one comes first, and counts may come late (spec §3.1). */
const FRAMES_AFTER_RESET = 4;
/** Resets whose frames are looked into. */
const MAX_RESETS = 32;

/** What is known of a recording as a whole, gathered while its frames pass in file order. */
export class Overview {
  readonly #schema: Schema<Frame>;
  #frames = 0;
  #resets = 0;
  #firstIndex: number | null = null;
  /** Frames still to be looked into since the last reset. */
  #left = 0;
  #atoms: number[] = [];
  #simulations: string[] = [];

  constructor(schema: Schema<Frame>) {
    this.#schema = schema;
  }

  get frames(): number {
    return this.#frames;
  }

  /** Counts a frame, null or -1 being an unknown index. True: show its payload to `look`. */
  count(index: number | null): boolean {
    if (this.#frames === 0) {
      this.#firstIndex = index === -1 ? null : index;
      this.#left = FRAMES_AFTER_RESET;
    }
    this.#frames++;
    if (index === 0) {
      this.#resets++;
      if (this.#resets <= MAX_RESETS) this.#left = FRAMES_AFTER_RESET;
    }
    if (this.#left === 0) return false;
    this.#left--;
    return true;
  }

  /** Takes number of atoms and name of the simulation from a frame; damaged ones tell nothing. */
  look(payload: Uint8Array): void {
    try {
      const frame = this.#schema.decode(payload, null);
      const count = frame[PARTICLE_COUNT];
      const positions = frame["particle.positions"];
      if (typeof count === "number") this.#addAtoms(count);
      else if (positions instanceof Float32Array) this.#addAtoms(positions.length / 3);
      const name = frame[SIMULATION_NAME];
      if (typeof name === "string" && !this.#simulations.includes(name)) this.#simulations.push(name);
    } catch (error) {
      if (!(error instanceof LayoutError)) throw error;
    }
  }

  /** What the frames taught, for `recall`. */
  learned(): Value {
    const { atoms, simulations } = { atoms: this.#atoms.slice(), simulations: this.#simulations.slice() };
    return { frames: this.#frames, resets: this.#resets, firstIndex: this.#firstIndex, atoms, simulations };
  }

  /** Knows what another learned, in place of being shown frames. */
  recall(learned: Value): void {
    const { frames, resets, firstIndex, atoms, simulations } = membersOf(learned);
    this.#frames = wholeOf(frames);
    this.#resets = wholeOf(resets);
    this.#firstIndex = firstIndex as number | null;
    this.#atoms = [...(listOf(atoms) as readonly number[])];
    this.#simulations = [...(listOf(simulations) as readonly string[])];
  }

  metadata(container: string): Record<string, Value> {
    const metadata: Record<string, Value> = { container };
    if (this.#frames > 0) {
      metadata["firstIndex"] = this.#firstIndex;
      metadata["resets"] = this.#resets;
      metadata["atoms"] = this.#atoms;
    }
    if (this.#simulations.length > 0) metadata["simulations"] = this.#simulations;
    return metadata;
  }

  /** One entry for each change. */
  #addAtoms(count: number): void {
    if (this.#atoms.at(-1) !== count) this.#atoms.push(count);
  }
}
