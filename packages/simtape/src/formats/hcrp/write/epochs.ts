import type { Epoch } from "../layout/metadata.ts";
import { isSameEpoch } from "./checks.ts";

/** What chunks are finished with: the epoch that holds. */
export interface HoldingEpoch {
  /** Place in the list (spec §9). */
  readonly number: number;
  readonly dataVersion: number;
  readonly schemaVersion: number;
}

/** The epochs of a recording that is written (spec §9); the last one holds. */
export class WriterEpochs {
  readonly #list: Epoch[];
  readonly #dataVersion: number;
  #revision = 0;

  /** `dataVersion` holds as long as there is no epoch. */
  constructor(epochs: readonly Epoch[], dataVersion: number) {
    this.#list = [...epochs];
    this.#dataVersion = dataVersion;
  }

  get list(): readonly Epoch[] {
    return this.#list;
  }

  /** Rises with every change. */
  get revision(): number {
    return this.#revision;
  }

  get holding(): HoldingEpoch {
    const last = this.#list.at(-1);
    return {
      number: Math.max(0, this.#list.length - 1),
      dataVersion: last?.dataVersion ?? this.#dataVersion,
      schemaVersion: last?.schemaVersion ?? 1,
    };
  }

  /** Holds from `epoch.chunk` on, the next one to be finished, unless it differs from the last in its start only. */
  begin(epoch: Epoch): void {
    const last = this.#list.at(-1);
    if (last === undefined || !isSameEpoch({ ...last, started: epoch.started }, epoch)) this.#push(epoch);
  }

  /** The same for the epoch of a chunk that is copied; null: its source tells none. */
  follow(epoch: Epoch | null, chunk: number): void {
    const last = this.#list.at(-1);
    if (epoch !== null && (last === undefined || !isSameEpoch(last, epoch))) this.#push({ ...epoch, chunk });
  }

  #push(epoch: Epoch): void {
    // one that no chunk was finished in
    if (this.#list.at(-1)?.chunk === epoch.chunk) this.#list.pop();
    this.#list.push(epoch);
    this.#revision++;
  }
}
