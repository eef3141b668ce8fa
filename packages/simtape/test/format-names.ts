import { posix } from "node:path";

/** Files that bring everything together: the formats themselves, and what the command has for one of them alone. */
const ROOTS: readonly string[] = [
  "packages/simtape/src/formats.ts",
  "packages/simtape/src/making.ts",
  "packages/simtape/src/export/targets.ts",
  "packages/simtape/src/cli/commands.ts",
  "packages/simtape/src/cli/commands/checks.ts",
  "packages/simtape/src/cli/live/feeds.ts",
  "packages/simtape/src/cli/live/kinds.ts",
  "packages/simtape/src/cli/live/outlets.ts",
];

/** Comments, regular expressions, texts and words, in this order where they begin alike. */
const TOKEN = new RegExp(
  [
    String.raw`\/\/[^\n]*|\/\*[\s\S]*?\*\/`,
    String.raw`(?<=[(,=:[!&|?{};>]\s*|\breturn\s+)\/(?:[^\/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*`,
    String.raw`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|${"`"}(?:[^${"`"}\\]|\\.)*${"`"}`,
    String.raw`[\p{L}_$][\p{L}\d_$]*`,
  ].join("|"),
  "gu",
);

/**
 * Places of a source file where a format is known by its id: as a word, as a text, or by an import from its folder. `path`
 * is from the root of the repository. Formats, simulations, the recorder, and commands and targets for one format may know it.
 */
export function formatNamesIn(path: string, source: string, ids: readonly string[]): string[] {
  if (ROOTS.includes(path)) return [];
  const wrong: string[] = [];
  for (const { 0: token, index } of source.matchAll(TOKEN)) {
    for (const id of namedBy(token, path, ids)) {
      if (mayKnow(path, id)) continue;
      const line = source.slice(0, index).split("\n").length;
      wrong.push(`${path}, line ${line}: knows ${id} by name: ${token}`);
    }
  }
  return wrong;
}

function namedBy(token: string, path: string, ids: readonly string[]): readonly string[] {
  if (token.startsWith("/")) return [];
  if (token.startsWith("`")) {
    const words = [...token.matchAll(/\$\{([^}]*)\}/g)].flatMap(([, code]) => code!.match(/[\w$]+/g) ?? []);
    return ids.filter((id) => token === `\`${id}\`` || words.includes(id));
  }
  if (!/^["']/.test(token)) return ids.filter((id) => token === id);
  const text = token.slice(1, -1);
  const place = text.startsWith(".") ? posix.join(posix.dirname(path), text) : text;
  return ids.filter((id) => text === id || new RegExp(`(^|/)(formats|cli/commands)/${id}(/|$)`).test(place));
}

function mayKnow(path: string, id: string): boolean {
  const inside = path.replace(/^packages\/simtape\/src\//, "");
  if (inside === path) return false;
  // the recorder writes HCRP
  return (
    inside.startsWith("formats/") ||
    inside.startsWith(`cli/commands/${id}/`) ||
    // a target that is also a format
    inside.startsWith(`export/${id}/`) ||
    // what a running program says and hears
    inside.startsWith(`live/${id}/`) ||
    // a journal is an MCAP file, and what Foxglove says are the messages of one
    (id === "mcap" && (inside === "live/journal.ts" || inside.startsWith("live/foxglove/"))) ||
    (id === "hcrp" && inside.startsWith("record/"))
  );
}
