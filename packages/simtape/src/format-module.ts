import type { Kit } from "./kit.ts";
import type { Format } from "./model/format.ts";

/**
 * What a file gives that a format of another package is in: its default export makes the format out of simtape's kit. The
 * file is an ECMAScript module, and imports nothing but what lies beside it: so it runs in Node, pages and workers alike,
 * with the kit of the simtape that asks for it.
 */
export interface FormatModule {
  readonly default: (kit: Kit) => Format;
}

/**
 * The format that a module makes: `await formatFrom(await import("./poselog.js"), "poselog.js")`. `name` is for messages.
 * Rejects with `TypeError` for what is no such module, or makes no format.
 */
export async function formatFrom(module: FormatModule, name: string): Promise<Format> {
  const make: unknown = module.default;
  if (typeof make !== "function") {
    throw new TypeError(`expected a function as default export, found ${typeof make}: ${name}`);
  }
  const format: unknown = make(await import("./kit.ts"));
  const wrong = wrongIn(format);
  if (wrong !== null) throw new TypeError(`its default export makes no format, ${wrong}: ${name}`);
  return format as Format;
}

/** Null: it has what a format must have. */
function wrongIn(format: unknown): string | null {
  if (typeof format !== "object" || format === null) return `but ${format === null ? "null" : typeof format}`;
  const { id, name, extensions, sniff, open } = format as { readonly [K in keyof Format]?: unknown };
  if (typeof id !== "string" || !/^[a-z][a-z\d-]*$/.test(id)) return "its id is not of a-z, 0-9 and -";
  if (typeof name !== "string") return "it has no name";
  if (!Array.isArray(extensions)) return "it has no list of extensions";
  return typeof sniff === "function" && typeof open === "function" ? null : "it cannot sniff or open";
}
