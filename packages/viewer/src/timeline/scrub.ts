import type { Time } from "simtape";
import type { Session } from "../session.ts";

/** Follows a pointer: one seek at a time, always to where the pointer was last. */
export class Scrub {
  readonly #session: Session;
  #wanted: Time | null = null;
  #isSeeking = false;

  constructor(session: Session) {
    this.#session = session;
  }

  to(time: Time): void {
    this.#wanted = time;
    if (!this.#isSeeking) void this.#follow();
  }

  async #follow(): Promise<void> {
    this.#isSeeking = true;
    while (this.#wanted !== null) {
      const time = this.#wanted;
      this.#wanted = null;
      await this.#session.seek(time);
    }
    this.#isSeeking = false;
  }
}
