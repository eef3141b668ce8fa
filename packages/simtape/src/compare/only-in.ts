import type { Time } from "../model/values/time.ts";
import type { OnlyIn } from "./report.ts";

/** Those of each side that are listed. */
const MOST = 1000;

/** Notes what only one of the two has, and from when to when. */
export class OnlyNotes {
  readonly #open = new Map<string, { readonly first: Time; readonly note: { last: Time } & Omit<OnlyIn, "last"> }>();
  readonly #listed = new Map<string, { last: Time } & Omit<OnlyIn, "last">>();
  /** Notes that are not listed. */
  more = 0;

  /** At this moment it is in one alone; true: it was not so at the moment before. */
  note(path: string, what: OnlyIn["what"], time: Time): boolean {
    if (this.#open.has(path)) return false;
    const known = this.#listed.get(path);
    const note = known ?? { path, what, first: time, last: time };
    this.#open.set(path, { first: time, note });
    if (known === undefined && this.#listed.size < MOST) this.#listed.set(path, note);
    else if (known === undefined) this.more++;
    return true;
  }

  /** At this moment both have it; it was in one alone until the moment `before`. */
  settle(path: string, before: Time): void {
    const open = this.#open.get(path);
    if (open === undefined) return;
    open.note.last = before;
    this.#open.delete(path);
  }

  end(time: Time): readonly OnlyIn[] {
    for (const { note } of this.#open.values()) note.last = time;
    return [...this.#listed.values()];
  }
}
