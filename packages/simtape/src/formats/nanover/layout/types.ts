import { CHANNEL_NAMES } from "./layout.ts";

/** Kinds of parts a message can have; more than were ever met, and they fit the bits of one number. */
export const MAX_TYPES = 24;

/** Top-level keys of messages, numbered as they are met: their numbers are the channels' ids. */
export class Types {
  readonly names: string[] = [...CHANNEL_NAMES];

  /** Id of the channel of that name, made when new; -1 when there is no room for another. */
  id(name: string): number {
    const found = this.names.indexOf(name);
    if (found >= 0) return found;
    if (this.names.length === MAX_TYPES) return -1;
    this.names.push(name);
    return this.names.length - 1;
  }

  /** One bit for each of `names`; those there is no room for are left out. */
  mask(names: readonly string[]): number {
    let mask = 0;
    for (const name of names) {
      const id = this.id(name);
      if (id >= 0) mask |= 1 << id;
    }
    return mask;
  }
}
