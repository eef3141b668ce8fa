import { type Finding, RecordingError } from "../model/error.ts";
import type { Recording } from "../model/recording.ts";
import { SourceError } from "../io/source.ts";
import type { Answer } from "./answer.ts";
import { Database } from "./duckdb.ts";
import { SqlError } from "./error.ts";
import { FACTS, isFact } from "./facts.ts";
import { failureOf } from "./failure.ts";
import { Loaded, type Loading } from "./load.ts";
import type { Limits } from "./limits.ts";
import { existing, quoted } from "./names.ts";
import { type Parsed, parse } from "./parse.ts";
import { planOf } from "./plan.ts";
import { StreamedAnswer } from "./streamed.ts";
import { type Catalogue, catalogueOf, rowsOf } from "./tables.ts";
import { EVERYTHING, type TablePlan } from "./wanted.ts";

/** A recording that is opened when a statement needs it, and closed behind that. */
export interface SqlSource {
  /** In the column `recording` of every table. Each name once. */
  readonly name: string;
  /** Where it is, in `recordings.file`; absent: the name. */
  readonly file?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  open(signal?: AbortSignal): Promise<Recording>;
  /** Whether it is closed when the statement needs it no more; true by default. */
  readonly closes?: boolean | undefined;
}

/** How questions are answered. Everything is optional. */
export interface SqlOptions extends Limits {
  readonly signal?: AbortSignal | undefined;
  /** False: every row is read, whatever the statement asks for; the answer is the same. */
  readonly prune?: boolean | undefined;
  /** Called when a recording has been read, with how many there are to read. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** A recording, open: `SqlSession` leaves it open. */
export function openSource(name: string, recording: Recording): SqlSource {
  return { name, open: async () => recording, closes: false };
}

/** A recording that could not be read, or not to its end. */
export interface SqlProblem {
  readonly recording: string;
  readonly finding: Finding;
  readonly error: unknown;
}

/** Recordings as a database that answers statements. Close it. */
export class SqlSession implements AsyncDisposable {
  readonly #database: Database;
  readonly #sources: readonly SqlSource[];
  readonly #options: SqlOptions;
  readonly #problems = new Map<string, SqlProblem>();
  /** Tables that are loaded, by their names in lower case, with the plan that loaded each. */
  readonly #loaded = new Map<string, { readonly key: string; readonly table: Loaded }>();

  private constructor(database: Database, sources: readonly SqlSource[], options: SqlOptions) {
    this.#database = database;
    this.#sources = sources;
    this.#options = options;
  }

  /** Opens no recording. Rejects with `SqlError` (`missing`) where DuckDB is not installed. */
  static async open(sources: readonly SqlSource[], options: SqlOptions = {}): Promise<SqlSession> {
    const names = new Set(sources.map(({ name }) => name));
    if (names.size !== sources.length) throw new TypeError("two recordings have the same name");
    return new SqlSession(await Database.open(options), sources, options);
  }

  /** How many recordings there are. */
  get count(): number {
    return this.#sources.length;
  }

  /** Recordings that could not be read so far. */
  get problems(): readonly SqlProblem[] {
    return [...this.#problems.values()];
  }

  /** What a statement would read; reads no recording. Rejects as `query` does for what is no SELECT. */
  async explain(sql: string): Promise<readonly TablePlan[]> {
    return planOf(
      this.#database,
      await this.#parsed(sql),
      this.#sources.map(({ name }) => name),
      this.#prunes,
    );
  }

  /**
   * The answer to a SELECT. Recordings that cannot be read are left out, see `problems`; when none can, rejects with the
   * error of the first. Rejects with `SqlError`.
   */
  async query(sql: string, { signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<Answer> {
    const stop = this.#stop(signal ?? this.#options.signal);
    try {
      const parsed = await this.#parsed(sql);
      const plans = await planOf(
        this.#database,
        parsed,
        this.#sources.map(({ name }) => name),
        this.#prunes,
      );
      await this.#load(plans, stop.signal);
      return (await this.#run(parsed, plans, stop.signal)).endsWith(stop.end);
    } catch (error) {
      stop.end();
      stop.signal.throwIfAborted();
      throw error;
    }
  }

  /** The tables that the recordings have, with their columns: of sets those at the first and the last moment. */
  async tables(): Promise<Catalogue> {
    const found = new Map<string, Set<string>>();
    await this.#each(this.#sources, this.#options.signal, async (recording) => {
      if (recording === null) return;
      for (const [table, columns] of await catalogueOf(recording)) {
        const all = found.get(table) ?? new Set();
        found.set(table, all);
        for (const column of columns) all.add(column);
      }
    });
    return new Map([...found].map(([table, columns]) => [table, [...columns]]));
  }

  async close(): Promise<void> {
    this.#database.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #prunes(): boolean {
    return this.#options.prune !== false;
  }

  #parsed(sql: string): Promise<Parsed> {
    return parse(this.#database, sql);
  }

  /** A signal that ends reading and the statement: the caller's, or the limit of time. */
  #stop(signal: AbortSignal | undefined): { signal: AbortSignal; end: () => void } {
    const { time } = this.#options;
    const controller = new AbortController();
    const stop = (reason: unknown): void => {
      controller.abort(reason);
      this.#database.interrupt();
    };
    const stopped = (): void => stop(signal?.reason);
    const timer = time === undefined ? undefined : setTimeout(() => stop(lateBy(time)), time);
    signal?.addEventListener("abort", stopped);
    if (signal?.aborted === true) stopped();
    return {
      signal: controller.signal,
      end: () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", stopped);
      },
    };
  }

  async #load(plans: readonly TablePlan[], signal: AbortSignal): Promise<void> {
    const loading: Loading[] = [];
    for (const plan of plans) {
      const name = plan.name.toLowerCase();
      const before = this.#loaded.get(name);
      if (before?.key === plan.key) continue;
      if (before !== undefined) await before.table.drop();
      this.#loaded.delete(name);
      loading.push({ plan, table: new Loaded(this.#database, plan.name) });
    }
    const needed = this.#sources.filter(({ name }) => loading.some(({ plan }) => plan.recordings.has(name)));
    await this.#each(needed, signal, async (recording, source, finding) => {
      for (const { plan, table } of loading) {
        if (!plan.recordings.has(source.name)) continue;
        const described = { file: source.file ?? source.name, tags: source.tags ?? [] };
        if (finding !== null) await table.addFinding(source.name, finding, plan);
        else if (recording !== null) {
          const rows = await rowsOf({ name: source.name, recording }, plan.name, described, { ...plan.wanted, signal });
          if (rows !== null) await table.add(rows);
        }
      }
    });
    for (const { plan, table } of loading) {
      if (!table.isMade && isFact(plan.name.toLowerCase())) await table.makeFact(plan);
      if (!table.isMade) {
        if (plan.isOwn) continue;
        const made = await this.#elsewhere(plan, table, signal);
        if (!made) throw await this.#noTable(plan.name);
      }
      await table.show();
      this.#loaded.set(plan.name.toLowerCase(), { key: plan.key, table });
    }
  }

  /** A table that no recording has in the range asked for may be one of another time: then it has no rows. */
  async #elsewhere(plan: TablePlan, table: Loaded, signal: AbortSignal): Promise<boolean> {
    if (plan.isWhole) return false;
    await this.#each(this.#sources, signal, async (recording, source) => {
      if (table.isMade || recording === null) return;
      const rows = await rowsOf({ name: source.name, recording }, plan.name, null, { ...EVERYTHING, signal });
      if (rows !== null) await table.addColumns(rows.columns);
    });
    return table.isMade;
  }

  async #run(
    { sql }: Parsed,
    plans: readonly TablePlan[],
    signal: AbortSignal,
    isAgain = false,
  ): Promise<StreamedAnswer> {
    try {
      return await StreamedAnswer.of(this.#database, sql, signal);
    } catch (error) {
      signal.throwIfAborted();
      const failure = failureOf(error);
      const column =
        /column "?([^"]+?)"? not found|does not have a column named "([^"]+)"|Referenced column "([^"]+)"/i.exec(
          failure.message,
        );
      const name = column?.[1] ?? column?.[2] ?? column?.[3];
      if (failure.code !== "failed" || name === undefined || isAgain) throw failure;
      const found = await this.#addLacking(plans, signal);
      if (found.has(name.toLowerCase())) return this.#run({ sql } as Parsed, plans, signal, true);
      const all = plans.filter((plan) => this.#loaded.has(plan.name.toLowerCase()));
      const tables = all.map((plan) => plan.name).join(" or ");
      throw new SqlError(
        "no-column",
        `no column ${quoted(name)}${tables === "" ? "" : ` in ${tables}`}; ${existing(name, [...found.values()])}`,
      );
    }
  }

  /** Columns that only other times have join the tables; gives all columns, by their names in lower case. */
  async #addLacking(plans: readonly TablePlan[], signal: AbortSignal): Promise<Map<string, string>> {
    const all = new Map<string, string>();
    await this.#each(this.#sources, signal, async (recording, source) => {
      if (recording === null) return;
      for (const plan of plans) {
        const table = this.#loaded.get(plan.name.toLowerCase())?.table;
        if (table === undefined) continue;
        const described = { file: source.name, tags: [] };
        const rows = await rowsOf({ name: source.name, recording }, plan.name, described, { ...EVERYTHING, signal });
        if (rows === null) continue;
        for (const { name } of rows.columns) all.set(name.toLowerCase(), name);
        await table.addColumns(rows.columns);
        await table.show();
      }
    });
    return all;
  }

  async #noTable(name: string): Promise<SqlError> {
    const tables = this.#sources.length === 0 ? [...FACTS] : [...(await this.tables()).keys()];
    return new SqlError("no-table", `no table ${quoted(name)}; ${existing(name, tables)}`);
  }

  /** Does `work` for each recording in turn; one that is damaged is a problem and keeps no other from its turn. */
  async #each(
    sources: readonly SqlSource[],
    signal: AbortSignal | undefined,
    work: (recording: Recording | null, source: SqlSource, finding: Finding | null) => Promise<void>,
  ): Promise<void> {
    let failed = 0;
    let first: unknown;
    for (const [done, source] of sources.entries()) {
      signal?.throwIfAborted();
      let recording: Recording | null = null;
      try {
        recording = await source.open(signal);
        await work(recording, source, null);
      } catch (error) {
        signal?.throwIfAborted();
        if (!isOfRecording(error)) throw error;
        failed += recording === null ? 1 : 0;
        first ??= error;
        const finding = findingOf(error);
        this.#problems.set(source.name, { recording: source.name, finding, error });
        if (recording === null) await work(null, source, finding);
      } finally {
        if (source.closes !== false) await recording?.close();
      }
      this.#options.onProgress?.(done + 1, sources.length);
    }
    if (failed > 0 && failed === sources.length) throw first;
  }
}

function isOfRecording(error: unknown): boolean {
  return RecordingError.is(error) || error instanceof SourceError;
}

function findingOf(error: unknown): Finding {
  const code = RecordingError.is(error) ? error.code : "source-failed";
  return { code: `sql:${code}`, severity: "loss", message: error instanceof Error ? error.message : String(error) };
}

function lateBy(milliseconds: number): SqlError {
  return new SqlError("limit", `no answer within ${milliseconds / 1000} s`);
}
