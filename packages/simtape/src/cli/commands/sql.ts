import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { SqlSession } from "../../sql/session.ts";
import type { SqlSource } from "../../sql/source.ts";
import type { TablePlan } from "../../sql/wanted.ts";
import { commandPath } from "../input/command-path.ts";
import { type ReadOptions, contentOf, seeks } from "../input/recordings.ts";
import { sizeOf } from "../input/size.ts";
import { sqlSources } from "../input/sql-sources.ts";
import { parseDuration } from "../input/time.ts";
import { ANSWER_FORMATS, type AnswerFormat, isBinary, writeAnswer } from "../output/answer-rows.ts";
import { toJson } from "../../model/values/json.ts";
import { report } from "../output/report.ts";
import type { Target } from "../output/target.ts";
import { targetOf } from "../output/target-of.ts";
import { heed, whenOver } from "../run/ending.ts";
import { UsageError } from "../run/failure.ts";
import { byteSize, counted, Output, Progress } from "../run/terminal.ts";
import { linesOfPlans, linesOfTables } from "../output/sql-lines.ts";
import { toStandardOutput } from "../output/put.ts";

interface SqlCommand extends ReadOptions {
  readonly format?: AnswerFormat;
  readonly output?: string;
  readonly force?: boolean;
  readonly json?: boolean;
  readonly query?: string;
  readonly tables?: boolean;
  readonly explain?: boolean;
  readonly shell?: boolean;
  readonly limitMemory?: number;
  readonly limitTime?: number;
}

export function addSql(program: Command): void {
  seeks(program.command("sql"))
    .summary("questions in SQL to one recording or many")
    .description(
      "Answers a SELECT over recordings, by DuckDB. Tables: recordings, channels, events, findings; one for each set of the state (vehicles, atoms, players, aircraft, poses) with recording, time in seconds, utc, id and typed columns; one for each channel. A folder stands for all recordings in it. Only the recordings, tables, columns and times that the statement names are read.",
    )
    .argument("<recording...>", "paths, folders, URLs; the last word is the statement")
    .option("-q, --query <file>", "file with the statement; then all words are recordings")
    .addOption(
      new Option(
        "--format <format>",
        "how to write the answer; by default as the name of the output says, else table on a terminal and CSV",
      ).choices(ANSWER_FORMATS),
    )
    .option(
      "-o, --output <file>",
      "where to write: x.csv, x.json, x.ndjson, x.parquet, x.arrow; default standard output",
    )
    .option("--force", "overwrite an existing file")
    .option("--json", "with -o: the report as one JSON object; without: the same as --format json")
    .option("--tables", "list tables and columns instead")
    .option("--explain", "show which recordings, tables, columns and times would be read; reads none")
    .option("--shell", "ask one statement after the other")
    .option("--limit-memory <size>", "memory that the database may take, as 512MiB", sizeOf)
    .option("--limit-time <time>", "give up a statement after this long, as 30s", millisecondsOf)
    .addHelpText(
      "after",
      `\nNames in SQL have letters, digits and _: position.x is position_x, /robot/Odometry is robot_Odometry.\nA channel that has the name of a set is channel_NAME. Columns called like a word of SQL need quotes: "end".\nNeeds the package @duckdb/node-api. A recording that cannot be read is left out, and the exit code is 3.\n\nExamples:\n  $ simtape sql runs "select recording, count(*) from events where kind = 'collision' group by all"\n  $ simtape sql town.log "select time, position_x from vehicles where id = 24 and time between 5 and 6"\n  $ simtape sql flights/*.fgtape "select max(position_z) from aircraft" --format json\n  $ simtape sql runs "from findings where severity = 'damage'" -o damage.parquet\n  $ simtape sql town.log --tables\n  $ simtape sql runs --shell`,
    )
    .action(async (words: readonly string[], options: SqlCommand) => {
      const { recordings, statement } = await wordsOf(words, options);
      const sources = await sqlSources(recordings, options);
      const target = statement === null ? null : await fileFor(recordings[0]!, options);
      const format = formatOf(target, options);
      await using session = await opened(sources, options);
      if (options.tables === true) await listTables(session, options);
      else if (statement === null) process.exitCode = await (await import("./sql-shell.ts")).shell(session, format);
      else if (options.explain === true) await explain(session, statement, sources.length, options);
      else await answer(session, sources, statement, target, format, options);
      tell(session, sources);
    });
}

function millisecondsOf(text: string): number {
  const time = parseDuration(text);
  if (time === null || time < 1e6) throw new InvalidArgumentError("a time such as 500ms, 30s or 2m.");
  return time / 1e6;
}

/** The recordings and the statement; null: there is none. */
async function wordsOf(
  words: readonly string[],
  { query, tables, shell }: SqlCommand,
): Promise<{ recordings: readonly string[]; statement: string | null }> {
  if (query !== undefined) return { recordings: words, statement: new TextDecoder().decode(await contentOf(query)) };
  if (tables === true || shell === true) return { recordings: words, statement: null };
  const statement = words.at(-1)!;
  if (words.length < 2)
    throw new UsageError(
      `say the statement behind the recordings: simtape sql ${statement} "select ..."; or --tables, or --shell`,
    );
  if (!/\s/.test(statement.trim()))
    throw new UsageError(`the last word is the statement, and this is not one: ${statement}`);
  return { recordings: words.slice(0, -1), statement };
}

async function opened(sources: readonly SqlSource[], options: SqlCommand): Promise<SqlSession> {
  const spill = await mkdtemp(join(tmpdir(), "simtape-sql-"));
  whenOver(() => rm(spill, { recursive: true, force: true }));
  const progress = new Progress("recordings");
  const { RowsThreads } = await import("../find/rows-threads.ts");
  const threads = new RowsThreads(options);
  whenOver(() => threads.close());
  return SqlSession.open(sources, {
    elsewhere: threads,
    loadDuckDB: () => createRequire(import.meta.url)("@duckdb/node-api") as unknown,
    memory: options.limitMemory,
    time: options.limitTime,
    spill,
    onProgress: (done, total) => {
      if (total > 1) progress.show(done, total, String);
      if (done === total) progress.end();
    },
  });
}

async function answer(
  session: SqlSession,
  sources: readonly SqlSource[],
  statement: string,
  target: Target | null,
  format: AnswerFormat,
  options: SqlCommand,
): Promise<void> {
  const found = await session.query(statement);
  if (target === null) {
    await writeAnswer(found, format, toStandardOutput());
    return;
  }
  const sink = await target.sink.open();
  let rows = 0;
  try {
    rows = await writeAnswer(found, format, (piece) =>
      sink.write(typeof piece === "string" ? Buffer.from(piece) : piece),
    );
    await sink.close();
  } catch (error) {
    await sink.abort();
    throw error;
  }
  const columns = found.columns.map(({ name, type, unit }) => ({ name, type, unit }));
  const size = byteSize(target.files.get(target.main) ?? 0);
  const line = `${target.main}: ${counted(rows, "row")} of ${counted(columns.length, "column")}, ${size}`;
  // the report has their findings
  tell(session, sources);
  await report(target, options, { rows, columns, unread: session.problems.length }, [line]);
}

async function explain(session: SqlSession, statement: string, count: number, options: SqlCommand): Promise<void> {
  const plans = await session.explain(statement);
  const out = new Output();
  await out.lines(options.json === true ? [toJson(plans.map(plainPlan))] : linesOfPlans(plans, count));
  await out.flush();
}

function plainPlan({ name, recordings, wanted }: TablePlan): Record<string, unknown> {
  const { columns, spans, ids, kinds } = wanted;
  const bound = (value: number): number | null => (Number.isFinite(value) ? value : null);
  return {
    ...{ table: name, recordings: [...recordings], columns: columns === null ? null : [...columns] },
    spans:
      spans?.map(({ from, until, fromUtc, untilUtc }) => ({
        ...{ from: bound(from), until: bound(until), fromUtc: bound(fromUtc), untilUtc: bound(untilUtc) },
      })) ?? null,
    ...{ ids: ids?.map(({ id }) => id) ?? null, kinds },
  };
}

async function listTables(session: SqlSession, { json }: SqlCommand): Promise<void> {
  const tables = await session.tables();
  const out = new Output();
  await out.lines(json === true ? [toJson(Object.fromEntries(tables))] : linesOfTables(tables));
  await out.flush();
}

/** Recordings that could not be read are damaged in the words of every command, and the exit code says so. */
function tell({ problems }: SqlSession, sources: readonly SqlSource[]): void {
  for (const { recording, finding } of problems) {
    const path = sources.find(({ name }) => name === recording)?.file ?? recording;
    heed(path, { findings: [finding] });
  }
}

/** Null: standard output. */
async function fileFor(input: string, { output, force }: SqlCommand): Promise<Target | null> {
  if (output === undefined || output === "-") return null;
  if (output.endsWith("/") || (await commandPath(output).kind()) === "folder")
    throw new UsageError(`a folder: say what the file in it is called: ${output}`);
  return targetOf(undefined, { output, ...(force === undefined ? {} : { force }) }, input);
}

/** As asked for, or as the name of the file says. */
function formatOf(target: Target | null, { format, json }: SqlCommand): AnswerFormat {
  const isTerminal = process.stdout.isTTY === true;
  if (target === null) {
    const found = format ?? (json === true ? "json" : isTerminal ? "table" : "csv");
    if (isBinary(found) && isTerminal) throw new UsageError(`${found} is no text for a terminal: say -o FILE`);
    return found;
  }
  const ending = /\.([^./]*)$/.exec(target.main)?.[1]?.toLowerCase() ?? "";
  const byEnding: Readonly<Record<string, AnswerFormat>> = { jsonl: "ndjson", txt: "table" };
  const found = format ?? byEnding[ending] ?? ANSWER_FORMATS.find((one) => one === ending);
  if (found !== undefined) return found;
  throw new UsageError(`cannot tell the format from the name ${target.main}: say --format ${ANSWER_FORMATS.join("|")}`);
}
