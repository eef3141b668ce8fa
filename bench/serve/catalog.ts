/**
 * Measures how long a search takes in a large library:
 * `npm run bench:catalog [-- --database embedded --recordings 50000]`. Makes the facts of a million recordings in
 * PostgreSQL (50,000 in the embedded database), and then asks each kind of search over HTTP, one after the other, with
 * other values each time. Aims: the first page in 50 ms, 95 of 100 searches of each kind in 100 ms. `--keep ADDRESS`
 * uses that database, and fills it if it is empty.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { joinDatabase } from "../../packages/server/dist/database/database.js";
import { startPostgres } from "../../packages/server/test/support/postgres.ts";
import { fillFacts } from "./facts.ts";

const CLI = fileURLToPath(new URL("../../packages/simtape/bin/simtape.js", import.meta.url));
const { values } = parseArgs({
  options: {
    database: { type: "string", default: "postgres" },
    recordings: { type: "string" },
    asks: { type: "string", default: "40" },
    keep: { type: "string" },
    only: { type: "string", default: "" },
  },
});
const isEmbedded = values.database === "embedded";
const recordings = Number(values.recordings ?? (isEmbedded ? 50_000 : 1_000_000));
const asks = Number(values.asks);

/** The same numbers with every run. */
let seed = 7;
const random = (below: number): number => {
  seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
  return seed % below;
};
const one = <T>(all: readonly T[]): T => all[random(all.length)]!;
const WORDS = ["night", "rain", "merge", "junction", "overtake", "parking", "taxiway", "descent", "protein", "water"];
const FORMATS = ["carla", "mira", "hcrp", "flightgear", "nanover"];
const KINDS = ["collision", "lap", "chat", "landing", "reset", "door"];
const player = (): string => `player${random(20_000)}`;
const day = (): string => `${2023 + random(3)}-0${1 + random(9)}-1${random(9)}`;
const list = (query: string): string => `/api/recordings?${query}`;

/** Each kind of search; `as`: asked by an account with that role. */
const SEARCHES: readonly (readonly [name: string, path: () => string, as?: "player" | "viewer"])[] = [
  ["first page", () => list("")],
  ["one recording", () => `/api/recordings/r${1 + random(recordings)}`],
  ["sorted by begin", () => list(`sort=started&order=${one(["asc", "desc"])}`)],
  ["sorted by length", () => list(`sort=seconds&order=${one(["asc", "desc"])}`)],
  ["sorted by name", () => list(`sort=name&order=${one(["asc", "desc"])}`)],
  ["sorted by size", () => list(`sort=bytes&order=${one(["asc", "desc"])}`)],
  ["common word", () => list(`q=${one(WORDS)}`)],
  ["rare word", () => list(`q=${player()}`)],
  ["no such word", () => list(`q=zebra${random(1000)}`)],
  ["beginning of a word", () => list(`q=${one(["junc", "over", "pla", "tow", "player12", "n", "town1"])}`)],
  ["two common words", () => list(`q=${one(WORDS)} ${one(WORDS)} `)],
  ["common and rare word", () => list(`q=${one(WORDS)} ${player()} `)],
  ["phrase", () => list(`q="${one(WORDS)} ${one(WORDS)}"`)],
  ["without a word", () => list(`q=${WORDS[random(5)]} -${WORDS[5 + random(5)]} `)],
  ["word, by length", () => list(`q=${one([one(WORDS), player()])} &sort=seconds`)],
  ["format", () => list(`format=${one(FORMATS)}`)],
  ["format, by name", () => list(`format=${one(FORMATS)}&sort=name`)],
  ["state", () => list(`state=${one(["failed", "indexed", "new"])}`)],
  ["begun between", () => list(`from=${day()}T00:00:00Z&until=2026-01-01T00:00:00Z`)],
  ["begun on a day", () => ((at) => list(`from=${at}T00:00:00Z&until=${at}T23:59:59Z`))(day())],
  ["longer, shorter", () => list(`longer=${random(1000)}&shorter=${1000 + random(1000)}`)],
  ["longest of all", () => list(`longer=${8000 + random(90)}`)],
  ["common event", () => list(`event=${one(KINDS)}`)],
  ["rare event", () => list("event=explosion")],
  ["no such event", () => list("event=nothing")],
  ["with a player", () => list(`with=${player()}`)],
  ["with what many have", () => list(`with=${one(["hero", "model 7", "model 33"])}`)],
  ["path, many", () => list(`path=${one(["number-7", "position.x"])}&above=${random(100)}`)],
  ["path, few", () => list(`path=${one(["number-7", "speed"])}&above=${21_900 + random(100)}`)],
  ["altitude, in words", () => list(`q=altitude above ${one(["100", "3,000", "21,900"])} ${one(["ft", "m"])}`)],
  ["path, by length", () => list(`path=speed&above=${one([10, 21_000, 21_990])}&sort=seconds`)],
  ["metadata, common", () => list(`meta=weather=${one(["rain", "fog"])}`)],
  ["metadata, rare", () => list(`meta=seed=${random(100_000)}`)],
  ["metadata, inside", () => list(`meta=server.name=host-${random(40)}`)],
  ["findings", () => list(`findings=${one(["true", "false"])}`)],
  ["findings, by length", () => list("findings=true&sort=seconds")],
  ["tag", () => list(`tag=tag${random(30)}`)],
  ["tag, by name", () => list(`tag=tag${random(30)}&sort=name`)],
  ["collection", () => list(`collection=collection ${random(40)}`)],
  ["collection, by size", () => list(`collection=c${random(40)}&sort=bytes`)],
  ["owner", () => list(`owner=u${random(200)}`)],
  ["digest", () => list(`digest=${random(10)}0a1b2c3d`)],
  ["duplicates", () => list("duplicates=true")],
  ["format and begin", () => list(`format=${one(FORMATS)}&from=${day()}T00:00:00Z`)],
  ["word, format, findings", () => list(`q=${one(WORDS)} &format=${one(FORMATS)}&findings=true`)],
  ["player and event", () => list(`with=${player()}&event=${one(KINDS)}`)],
  ["word and player", () => list(`q=${one(WORDS)} &with=${player()}`)],
  ["two events and a tag", () => list(`event=${one(KINDS)}&tag=tag${random(30)}`)],
  ["rare event, by name", () => list("event=explosion&sort=name")],
  ["event and path", () => list(`event=${one(KINDS)}&path=speed&above=${one([10, 21_000, 21_990])}`)],
  ["tag and collection", () => list(`tag=tag${random(30)}&collection=c${random(40)}`)],
  ["word and begin", () => list(`q=${one([one(WORDS), player()])} &from=${day()}T00:00:00Z`)],
  ["of a player", () => list(""), "player"],
  ["of a player, a word", () => list(`q=${one([one(WORDS), player()])} `), "player"],
  ["of a viewer", () => list(""), "viewer"],
  ["of a viewer, an event", () => list(`event=${one([...KINDS, "explosion"])}`), "viewer"],
  ["counts of all", () => "/api/facets"],
  ["counts of a word", () => `/api/facets?q=${one([one(WORDS), player()])} `],
  ["counts of a format", () => `/api/facets?format=${one(FORMATS)}`],
  ["counts with a player", () => `/api/facets?with=${player()}`],
];

const folder = mkdtempSync(join(tmpdir(), "simtape-catalog-"));
const postgres = isEmbedded || values.keep !== undefined ? null : await startPostgres();
let node: ChildProcess | null = null;
try {
  const address = values.keep ?? (postgres === null ? `embedded:${folder}/database` : await postgres.database());
  await fill(address);
  // without jobs, because a scan would find all files missing
  const words = ["serve", folder, "--port", "0", "--workers", "0", "--database", address];
  node = spawn(process.execPath, [CLI, ...words, "--requests-per-minute", "1000000", "--public", "own"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(node.stdout!.setEncoding("utf8"), "data")) as [string];
  let met = 0;
  console.log(`${recordings} recordings, ${isEmbedded ? "embedded database" : "PostgreSQL"}; ms of ${asks} searches`);
  console.log(`${"".padEnd(28)} ${"p50".padStart(8)} ${"p95".padStart(8)} ${"most".padStart(8)}`);
  const chosen = SEARCHES.filter(([name]) => name.includes(values.only));
  for (const [name, path, as] of chosen) {
    const times: number[] = [];
    let worst = "";
    for (let ask = 0; ask < asks; ask++) {
      const asked = path();
      const before = performance.now();
      const answer = await fetch(encodeURI(line.trim() + asked), {
        headers: as === undefined ? {} : { authorization: `Bearer simtape_${as}` },
      });
      await answer.text();
      const time = performance.now() - before;
      if (!answer.ok) throw new Error(`${answer.status} of ${asked}`);
      if (time > Math.max(0, ...times)) worst = asked;
      times.push(time);
    }
    times.sort((a, b) => a - b);
    const [p50, p95] = [times[times.length >> 1]!, times[Math.floor(times.length * 0.95)]!];
    const isMet = p95 < (name === "first page" ? 50 : 100);
    if (isMet) met++;
    const row = [p50, p95, times.at(-1)!].map((time) => time.toFixed(1).padStart(8)).join(" ");
    console.log(`${name.padEnd(28)} ${row}${isMet ? "" : `  missed: ${worst}`}`);
  }
  console.log(`${met} of ${chosen.length} kinds within their aim`);
} finally {
  node?.kill();
  if (node !== null) await once(node, "exit");
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function fill(address: string): Promise<void> {
  const database = await joinDatabase(address);
  const client = await database.connect();
  try {
    const { rows } = await client.query("select from recordings limit 1");
    if (rows.length === 0) await fillFacts(client, recordings, (text) => process.stderr.write(`\r\x1b[K${text}`));
    process.stderr.write("\n");
  } finally {
    await client.end();
    await database.close();
  }
}
