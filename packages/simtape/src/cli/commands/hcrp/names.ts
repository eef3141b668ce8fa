import { readFile } from "node:fs/promises";
import type { NameFixer, NameKind } from "../../../formats/hcrp/chunk/names.ts";
import { UsageError } from "../../run/failure.ts";

const KINDS: readonly NameKind[] = ["block", "item", "entity-type", "sound", "particle", "dimension"];

/** Names that changed with a data version: for chunks of versions below it. Null: there is nothing like it any more. */
interface Step {
  readonly below: number;
  readonly names: ReadonlyMap<string, string | null>;
}

/**
 * A fixer out of a file: `[{ "below": 3700, "block": { "minecraft:grass": "minecraft:short_grass" } }]`. Steps apply
 * one after the other. A block's properties stay where only its name is given. Throws `UsageError` for what is none.
 */
export async function fixerFrom(path: string): Promise<NameFixer> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`cannot be read (${error.code ?? ""}): ${path}`);
  });
  const steps = stepsOf(text, path).sort((a, b) => a.below - b.below);
  return (kind, name, from) => {
    let found = name;
    for (const { below, names } of steps) {
      if (from >= below) continue;
      const next = stepped(names, kind, found);
      if (next === null) return null;
      found = next;
    }
    return found;
  };
}

function stepped(names: Step["names"], kind: NameKind, name: string): string | null {
  const whole = names.get(`${kind} ${name}`);
  if (whole !== undefined) return whole;
  const at = name.indexOf("[");
  if (at < 0) return name;
  const base = names.get(`${kind} ${name.slice(0, at)}`);
  return base === undefined ? name : base === null ? null : base + name.slice(at);
}

function stepsOf(text: string, path: string): Step[] {
  const wrong = (what: string): never => {
    throw new UsageError(`names: ${what}: ${path}`);
  };
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return wrong("no JSON");
  }
  if (!Array.isArray(found)) return wrong("expected a list of steps");
  return found.map((step: unknown, i): Step => {
    const { below, ...kinds } = (step ?? {}) as Record<string, unknown>;
    if (!Number.isInteger(below)) return wrong(`step ${i}: below: expected a data version`);
    const names = new Map<string, string | null>();
    for (const [kind, changes] of Object.entries(kinds)) {
      if (!(KINDS as readonly string[]).includes(kind))
        return wrong(`step ${i}: no kind ${JSON.stringify(kind)}; there are ${KINDS.join(", ")}`);
      for (const [name, to] of Object.entries(changes ?? {})) {
        if (to !== null && typeof to !== "string") return wrong(`step ${i}: ${name}: expected a name or null`);
        names.set(`${kind} ${name}`, to as string | null);
      }
    }
    return { below: Number(below), names };
  });
}
