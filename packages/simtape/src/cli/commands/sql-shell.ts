import { mkdir, readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface, type Interface } from "node:readline/promises";
import type { SqlSession } from "../../sql/session.ts";
import type { Catalogue } from "../../sql/tables.ts";
import { type AnswerFormat, writeAnswer } from "../output/answer-rows.ts";
import { toStandardOutput } from "../output/put.ts";
import { linesOfPlans, linesOfTables } from "../output/sql-lines.ts";
import { EXIT, failureOf } from "../run/failure.ts";
import { Output, say } from "../run/terminal.ts";

const WORDS =
  "select from where group by order limit join left using on and or not in between like is null as with having distinct count sum avg min max describe summarize".split(
    " ",
  );
const COMMANDS = [".tables", ".columns", ".explain", ".help", ".quit"];
const HELP = [
  "A statement ends with ; and may have several lines.",
  ".tables            tables and columns",
  ".columns TABLE     columns of a table",
  ".explain SELECT    what a statement would read",
  ".quit              also Ctrl-D",
];
const MOST_LINES = 1000;

/** Reads statements from standard input until it ends or `.quit`; gives the exit code. */
export async function shell(session: SqlSession, format: AnswerFormat): Promise<number> {
  const isTerminal = process.stdin.isTTY === true;
  const file = historyFile();
  const tables: Catalogue = await session.tables();
  const lines = createInterface({
    input: process.stdin,
    output: process.stderr,
    terminal: isTerminal,
    history: isTerminal ? await historyIn(file) : [],
    historySize: MOST_LINES,
    removeHistoryDuplicates: true,
    completer: (line: string) => completions(line, tables),
  });
  lines.on("history", (history: readonly string[]) => void keep(file, history));
  if (isTerminal) say(`${tables.size} tables; .help shows the commands`);
  try {
    return await answerAll(lines, session, tables, { format, isTerminal });
  } finally {
    lines.close();
  }
}

async function answerAll(
  lines: Interface,
  session: SqlSession,
  tables: Catalogue,
  { format, isTerminal }: { readonly format: AnswerFormat; readonly isTerminal: boolean },
): Promise<number> {
  let text = "";
  let exit: number = EXIT.done;
  let running: AbortController | null = null;
  const prompt = (): void => {
    lines.setPrompt(text === "" ? "sql> " : "...> ");
    if (isTerminal) lines.prompt();
  };
  lines.on("SIGINT", () => {
    if (running !== null) running.abort();
    else if (text === "" && lines.line === "") lines.close();
    else {
      text = "";
      say("");
      prompt();
    }
  });
  const ask = async (work: (signal: AbortSignal) => Promise<void>): Promise<void> => {
    running = new AbortController();
    try {
      await work(running.signal);
    } catch (error) {
      const failure = failureOf(error);
      if (running.signal.aborted) say("simtape: stopped");
      else if (failure.code === "internal") throw error;
      else say(`simtape: ${failure.message}`);
      // on a terminal the user sees it and asks again
      if (!isTerminal) exit = Math.max(exit, failure.exit);
    } finally {
      running = null;
    }
  };
  const statement = (sql: string): Promise<void> =>
    ask(async (signal) => void (await writeAnswer(await session.query(sql, { signal }), format, toStandardOutput())));
  prompt();
  for await (const line of lines) {
    const word = line.trim();
    if (text === "" && word.startsWith(".")) {
      if (/^\.(quit|exit|q)\b/.test(word)) return exit;
      await ask(() => command(word, session, tables));
    } else {
      text += text === "" ? line : `\n${line}`;
      if (/;\s*$/.test(text)) {
        const sql = text;
        text = "";
        await statement(sql);
      } else if (text.trim() === "") text = "";
    }
    prompt();
  }
  if (text.trim() !== "") await statement(text);
  return exit;
}

async function command(words: string, session: SqlSession, tables: Catalogue): Promise<void> {
  const [name, ...rest] = words.split(/\s+/);
  const out = new Output();
  if (name === ".tables") await out.lines(linesOfTables(tables));
  else if (name === ".columns") {
    const found = [...tables].filter(([table]) => table.toLowerCase() === rest[0]?.toLowerCase());
    await out.lines(found.length > 0 ? found.flatMap(([, columns]) => columns) : [`no table ${rest[0] ?? ""}`]);
  } else if (name === ".explain") await out.lines(linesOfPlans(await session.explain(rest.join(" ")), session.count));
  else await out.lines(HELP);
  await out.flush();
}

/** The words that the last word of a line may become. */
export function completions(line: string, tables: Catalogue): [found: string[], word: string] {
  const word = /[\w.]*$/.exec(line)![0];
  const start = line.slice(0, line.length - word.length).trim() === "" && word.startsWith(".");
  const last = word.slice(word.lastIndexOf(".") + 1).toLowerCase();
  const before = word.slice(0, word.length - last.length);
  if (start) return [COMMANDS.filter((one) => one.startsWith(word)), word];
  const all = [...tables.keys(), ...[...tables.values()].flat(), ...WORDS];
  const found = [...new Set(all)].filter((one) => one.toLowerCase().startsWith(last));
  return [found.map((one) => before + one), word];
}

/** Statements that were typed before: of this user only. */
function historyFile(): string {
  const state = process.env["XDG_STATE_HOME"] ?? "";
  return join(state === "" ? join(homedir(), ".local", "state") : state, "simtape", "sql-history");
}

async function historyIn(file: string): Promise<string[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}

async function keep(file: string, history: readonly string[]): Promise<void> {
  await mkdir(dirname(file), { recursive: true }).catch(() => undefined);
  await writeFile(file, `${history.join("\n")}\n`, { mode: 0o600 }).catch(() => undefined);
}
