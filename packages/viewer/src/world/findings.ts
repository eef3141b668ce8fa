import type { CompanionFinding } from "./companion.ts";

/** Findings of one kind are counted behind the first few. */
const MOST_ALIKE = 5;

/** What is wrong with a file, so many of each kind. */
export class Findings {
  readonly #by = new Map<string, { readonly list: CompanionFinding[]; count: number }>();

  add(severity: CompanionFinding["severity"], code: string, message: string): void {
    let alike = this.#by.get(code);
    if (alike === undefined) {
      alike = { list: [], count: 0 };
      this.#by.set(code, alike);
    }
    alike.count++;
    if (alike.list.length < MOST_ALIKE) alike.list.push({ severity, code, message });
  }

  get list(): readonly CompanionFinding[] {
    return [...this.#by].flatMap(([code, { list, count }]) => {
      const more = count - list.length;
      if (more === 0) return list;
      return [...list, { severity: list[0]!.severity, code, message: `${more} more of this kind` }];
    });
  }
}
