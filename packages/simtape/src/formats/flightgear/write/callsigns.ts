import type { Place } from "../../../model/poses/place.ts";

const LETTERS = 7;

/** Callsigns that were given: seven letters at most, each to one pilot only (spec §5.1). */
export class Callsigns {
  readonly #given: Set<string>;

  /** `taken`: callsigns that no pilot gets. */
  constructor(...taken: readonly string[]) {
    this.#given = new Set(taken);
  }

  /** A new one, after the label or the id. */
  of({ set, id, label }: Pick<Place, "set" | "id" | "label">): string {
    const wish = label !== "" && set === "aircraft" ? label : String(typeof id === "string" ? id : label || id);
    const clean = wish.replace(/[^\x21-\x7e]/g, "").slice(0, LETTERS) || set.slice(0, LETTERS);
    let callsign = clean;
    for (let n = 2; this.#given.has(callsign); n++) callsign = `${clean.slice(0, LETTERS - String(n).length)}${n}`;
    this.#given.add(callsign);
    return callsign;
  }
}
