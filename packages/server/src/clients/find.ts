import { type Command, Option } from "commander";
import {
  byteSize,
  EXIT,
  type FindCommand,
  findWhere,
  type NamedPlace,
  Output,
  paint,
  say,
  seeks,
  toJson,
  UsageError,
} from "simtape/command";
import { Remote } from "./remote.ts";

/** Most recordings of a page. */
const PAGE = 200;

interface Item {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly format: string | null;
  readonly bytes: number;
  readonly started: string | null;
  readonly seconds: number | null;
  readonly summary: string;
  readonly url: string;
  readonly page: string;
}

/** Said where nothing was found. */
const NOTHING =
  'no recording has all of this. What can be asked, alone or together: race, "several words", -without, two vehicles, format:carla, event:collision, longer than 30 s, altitude above 3,000 ft';

/** The parameters of `GET /api/recordings`, and their meaning. */
const FILTERS = {
  format: "carla, flightgear, hcrp, mcap, mira, nanover",
  state: "new, indexed, failed, live",
  event: "a kind of event that it has",
  with: "who or what is in it: name or id",
  from: "began then or later: ISO date",
  until: "began before: ISO date",
  longer: "seconds",
  shorter: "seconds",
  path: "a number in it, for --above and --below",
  above: "that number is at some time above: 3000 ft",
  below: "that number is at some time below",
  meta: "key=value of its metadata",
  tag: "a tag",
  collection: "id or name",
  owner: "id of an account",
  digest: "SHA-256 of it or of one of its files",
} as const;

type Options = { readonly [name in keyof typeof FILTERS]?: string } & Partial<FindCommand> & {
    readonly findings?: boolean;
    readonly duplicates?: boolean;
    readonly sort?: string;
    readonly limit: number;
  };

export function addFind(program: Command): void {
  const command = seeks(program.command("find"))
    .summary("search the recordings of a server")
    .description(
      "Searches the library of a server, and prints the address of each recording found, which simtape info, state and other commands read. The token comes from SIMTAPE_SERVER_TOKEN. With --where it reads the recordings that the rest of the question finds, or those of a folder.",
    )
    .argument("<server>", "address of the server; with --where also a folder, a recording or s3://BUCKET/PREFIX")
    .argument(
      "[words...]",
      'what to look for: words, "several", -without, altitude > 3000 ft, format:carla, longer than 30 s, two vehicles',
    );
  for (const [name, help] of Object.entries(FILTERS)) command.option(`--${name} <text>`, help);
  command
    .option("--where <expression>", "an expression over paths: only recordings in which it is ever true, and how often")
    .option("--whether", "with --where only whether it is ever true, not how often: reading stops at the first time")
    .option("--findings", "has findings")
    .option("--duplicates", "another recording has the same content")
    .addOption(
      new Option("--sort <by>", "newest or largest first").choices(["added", "started", "seconds", "name", "bytes"]),
    )
    .option("--limit <count>", "largest number of results", parseLimit, 100)
    .option("--json", "one JSON object for each recording")
    .addHelpText(
      "after",
      '\nExamples:\n  $ simtape find http://127.0.0.1:8000 race\n  $ simtape find https://tapes.example.org altitude above 3,000 ft --format flightgear\n  $ simtape find https://tapes.example.org --event collision --longer 60 --json | jq -r .url\n  $ simtape find https://tapes.example.org --format carla --where "event(collision)"\n  $ simtape find runs --where "any vehicles (speed > 100 km/h)"\nExpressions: docs/ask.md.',
    )
    .action(async (server: string, words: readonly string[], options: Options) => {
      const { where } = options;
      if (where !== undefined) return findWhere(await placesOf(server, words, options), { ...options, where });
      const remote = new Remote(server);
      const output = new Output();
      let isFound = false;
      for await (const item of itemsOf(remote, words, options)) {
        isFound = true;
        const there = { ...item, url: remote.at(item.url), page: remote.at(item.page) };
        if (options.json === true) await output.line(toJson(there));
        else await output.lines(linesOf(there));
      }
      await output.flush();
      if (!isFound) say(NOTHING);
      process.exitCode = EXIT.done;
      return undefined;
    });
}

/** Recordings in which an expression is looked for: those that a server finds by all else, or those at another place. */
async function placesOf(
  place: string,
  words: readonly string[],
  options: Options,
): Promise<string | readonly NamedPlace[]> {
  const remote = /^https?:/.test(place) ? new Remote(place) : null;
  if (remote === null || !(await isServer(remote))) {
    if (words.length > 0 || queryOf([], options, 0, "").size > 1)
      throw new UsageError(`only a server looks for words and facts, and this is none: ${place}; quote the expression`);
    return place;
  }
  const found: NamedPlace[] = [];
  for await (const { name, url } of itemsOf(remote, words, options)) found.push({ name, place: remote.at(url) });
  return found;
}

/** Whether it answers as a server does, and not as a file does. */
async function isServer(remote: Remote): Promise<boolean> {
  const answer = await remote.ask("GET", "api/recordings?limit=1");
  await answer.body?.cancel();
  return answer.status !== 404 && answer.headers.get("content-type")?.includes("json") === true;
}

async function* itemsOf(remote: Remote, words: readonly string[], options: Options): AsyncGenerator<Item> {
  let left = options.limit;
  for (let cursor: string | null = ""; cursor !== null && left > 0; ) {
    const query = queryOf(words, options, Math.min(left, PAGE), cursor);
    const page: { recordings: Item[]; cursor: string | null } = await remote.json(`api/recordings?${query}`);
    yield* page.recordings;
    left -= page.recordings.length;
    ({ cursor } = page);
  }
}

function parseLimit(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`--limit takes a whole number, not ${JSON.stringify(text)}`);
  return Number(text);
}

function queryOf(words: readonly string[], options: Options, limit: number, cursor: string): URLSearchParams {
  const query = new URLSearchParams({ limit: String(limit) });
  if (words.length > 0) query.set("q", words.join(" "));
  for (const name of Object.keys(FILTERS) as (keyof typeof FILTERS)[])
    if (options[name] !== undefined) query.set(name, options[name]);
  if (options.findings === true) query.set("findings", "true");
  if (options.duplicates === true) query.set("duplicates", "true");
  if (options.sort !== undefined) query.set("sort", options.sort);
  if (cursor !== "") query.set("cursor", cursor);
  return query;
}

function linesOf({ name, format, state, bytes, started, seconds, summary, url }: Item): string[] {
  const length = seconds === null ? "" : `${Math.round(seconds * 10) / 10} s`;
  const day = started === null ? "" : started.slice(0, 16).replace("T", " ");
  const facts = [state === "indexed" ? "" : state, format ?? "", length, byteSize(bytes), day, summary];
  return [`${paint.bold(name)}  ${facts.filter((fact) => fact !== "").join("  ")}`, `  ${paint.dim(url)}`];
}
