import type { Line } from "../capture/capture.ts";
import type { Person } from "./world-ring.ts";

/** Players that are remembered. */
const MOST = 10_000;

/** Who was seen in a world, by name. */
export class People {
  readonly #known = new Map<string, Person>();

  /** A line of the world. */
  hear(line: Line): void {
    const told = (line["join"] ?? line["spawn"]) as (Partial<Person> & { readonly type?: string }) | undefined;
    if (told === undefined || (line["spawn"] !== undefined && told.type !== "minecraft:player")) return;
    const { uuid, name } = told;
    if (uuid !== undefined && name !== undefined && this.#known.size < MOST)
      this.#known.set(name.toLowerCase(), { uuid, name });
  }

  /** Case does not count; null: none of that name was seen. */
  named(name: string): Person | null {
    return this.#known.get(name.toLowerCase()) ?? null;
  }
}
