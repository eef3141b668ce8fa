import type { Finding } from "../model/error.ts";
import type { Recording } from "../model/recording.ts";
import type { Answer } from "./answer.ts";
import { Database } from "./duckdb.ts";
import { SqlError } from "./error.ts";
import { type Fact, factColumns, FACTS, isFact } from "./facts.ts";
import { failureOf, missingIn } from "./failure.ts";
import { type KnownCells, knownRow, knownRows } from "./known.ts";
import { Failures } from "./failures.ts";
import type { Elsewhere, FarReading } from "./elsewhere.ts";
import { Intake, Loaded, type Loading } from "./load.ts";
import { existing, literal, quoted } from "./names.ts";
import { type Columns, missingRename, namesIn, noColumn, scopeAt } from "./no-column.ts";
import { type Parsed, parse } from "./parse.ts";
import { planOf } from "./plan.ts";
import { partsOf } from "./rows-once.ts";
import { describedOf, lateBy, type SqlOptions, type SqlProblem, type SqlSource } from "./source.ts";
import { isHeld, SteppedAnswer } from "./stepped.ts";
import { StreamedAnswer } from "./streamed.ts";
import { type Catalogue, catalogueOf, rowsOf } from "./tables.ts";
import { unitOf, unitsOf } from "./units.ts";
import { EVERYTHING, type TablePlan } from "./wanted.ts";
import type { MissingColumn } from "./wordings.ts";

/** Recordings whose tables are named where a statement names one that none has, at most. */
const MOST_LOOKED_AT = 50;

/** What ends a statement early. */
interface Stop {
  readonly signal: AbortSignal;
  /** Called when it ended. */
  readonly end: () => void;
}

/** Recordings as a database that answers statements. Close it. */
export class SqlSession implements AsyncDisposable {
  readonly #database: Database;
  readonly #sources: readonly SqlSource[];
  readonly #options: SqlOptions;
  readonly #problems = new Map<string, SqlProblem>();
  /** Tables that are loaded, by their names in lower case, with the plan that loaded each. */
  readonly #loaded = new Map<string, { readonly key: string; readonly table: Loaded }>();

  /** The answer whose rows are read while they are taken; null: there was none yet. */
  #stepped: SteppedAnswer | null = null;

  private constructor(database: Database, sources: readonly SqlSource[], options: SqlOptions) {
    this.#database = database;
    this.#sources = sources;
    this.#options = options;
  }

  /** Opens no recording. Rejects with `SqlError` (`missing`) where DuckDB is not installed. */
  static async open(sources: readonly SqlSource[], options: SqlOptions = {}): Promise<SqlSession> {
    const names = new Set<string>();
    for (const { name } of sources) {
      if (names.has(name)) throw new TypeError(`two recordings have the same name: ${name}`);
      names.add(name);
    }
    return new SqlSession(await Database.open(options, [...names]), sources, options);
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
      let parsed = await this.#parsed(sql);
      if (parsed.listsTables) parsed = await this.#parsed(rowsNamed(await this.#tables(this.#sources, stop.signal)));
      const plans = await planOf(
        this.#database,
        parsed,
        this.#sources.map(({ name }) => name),
        this.#prunes,
      );
      await this.#stepped?.close();
      this.#stepped = await this.#steppedAnswer(parsed, plans, stop);
      if (this.#stepped !== null) return this.#stepped;
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
    return this.#tables(this.#sources, this.#options.signal);
  }

  async #tables(sources: readonly SqlSource[], signal: AbortSignal | undefined): Promise<Catalogue> {
    const { more = [] } = this.#options;
    const facts = FACTS.map((fact) => [fact, factColumns(fact, EVERYTHING, more).map(({ name }) => name)] as const);
    const found = new Map<string, Set<string>>(facts.map(([fact, names]) => [fact, new Set(names)]));
    await this.#each(sources, signal, async (recording) => {
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
    await this.#stepped?.close();
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
  #stop(signal: AbortSignal | undefined): Stop {
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

  /**
   * Null: the statement needs all rows at once, its rows are of several recordings or loaded already, or it fails: then the
   * usual way tells why.
   */
  async #steppedAnswer(parsed: Parsed, plans: readonly TablePlan[], stop: Stop): Promise<SteppedAnswer | null> {
    const [plan, ...others] = plans;
    const { signal } = stop;
    const source = this.#sources.find(({ name }) => plan?.recordings.has(name) === true);
    if (parsed.rowByRow === null || parsed.renames || plan === undefined || source === undefined || !this.#prunes)
      return null;
    const name = plan.name.toLowerCase();
    const loaded = this.#loaded.get(name);
    if (others.length > 0 || plan.recordings.size > 1 || isFact(name) || loaded?.key === plan.key) return null;
    const { limit } = parsed.rowByRow;
    const isEarly = plan.wanted.columns !== null || isHeld(limit);
    // its columns are known at the end: rows that can wait on disk are read once, others twice
    if (!isEarly && this.#options.spill !== undefined) return null;
    let recording: Recording | null = null;
    let table: Loaded | null = null;
    const release = async (): Promise<void> => {
      await table?.drop();
      if (source.closes !== false) await recording?.close();
    };
    try {
      recording = await source.open(signal);
      const rows = await rowsOf({ name: source.name, recording }, plan.name, null, { ...plan.wanted, isEarly, signal });
      if (rows !== null) {
        await loaded?.table.drop();
        this.#loaded.delete(name);
        table = new Loaded(this.#database, plan.name);
        const failures = new Failures(this.#problems);
        const units = unitsOf([rows.columns]);
        return await SteppedAnswer.begin({
          ...{ database: this.#database, table, name: plan.name, rows, limit },
          streaming: {
            statement: parsed,
            unit: (column) => unitOf(parsed.units, column, units),
            signal,
          },
          onFailure: (error) => {
            signal.throwIfAborted();
            failures.add(source, error, true);
          },
          onEnd: async () => {
            await release();
            this.#options.onProgress?.(1, 1);
            stop.end();
          },
        });
      }
    } catch {
      // the same happens in the usual way, which reports it
    }
    await release();
    return null;
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
    try {
      await this.#fill(loading, signal);
    } catch (error) {
      // the next statement may name the same tables
      for (const { plan, table } of loading)
        if (this.#loaded.get(plan.name.toLowerCase())?.table !== table) await table.drop();
      throw error;
    }
  }

  async #fill(loading: readonly Loading[], signal: AbortSignal): Promise<void> {
    const { more = [] } = this.#options;
    const known = new Set<string>();
    for (const { plan, table } of loading) {
      if (plan.name.toLowerCase() !== "recordings") continue;
      const rows: KnownCells[] = [];
      for (const source of this.#sources) {
        const row = plan.recordings.has(source.name) ? knownRow(source, plan.wanted, more) : null;
        if (row === null) continue;
        known.add(source.name);
        rows.push(row);
      }
      if (rows.length > 0) await table.add(knownRows(rows, plan.wanted, more));
    }
    const reads = ({ name, recordings }: TablePlan, source: string): boolean =>
      recordings.has(source) && !(name.toLowerCase() === "recordings" && known.has(source));
    const needed = this.#sources.filter(({ name }) => loading.some(({ plan }) => reads(plan, name)));
    // what does not open is a row of them
    const isOfFindings = loading.every(({ plan }) => plan.name.toLowerCase() === "findings");
    const hasKnown = loading.some(({ plan }) =>
      this.#sources.some(({ name }) => plan.recordings.has(name) && !reads(plan, name)),
    );
    const mayAllFail = isOfFindings || hasKnown;
    const { elsewhere } = this.#options;
    // events and counts are found sooner than they are handed from thread to thread
    const areRows = loading.some(({ plan }) => !isFact(plan.name.toLowerCase()));
    if (areRows && elsewhere?.takes(needed) === true)
      await this.#readElsewhere(elsewhere, needed, loading, reads, signal, mayAllFail);
    else
      await this.#each(
        needed,
        signal,
        async (recording, source, finding) => {
          for (const { plan, table } of loading) {
            if (!reads(plan, source.name)) continue;
            const described = describedOf(source, more);
            if (finding !== null) await table.addFinding(source.name, finding, plan);
            else if (recording !== null) {
              const intake = new Intake(table);
              const wanted = { ...plan.wanted, signal };
              try {
                for await (const part of partsOf({ name: source.name, recording }, plan.name, described, wanted))
                  await intake.put(part);
              } finally {
                await intake.end();
              }
            }
          }
        },
        mayAllFail,
      );
    for (const { plan, table } of loading) {
      if (!table.isMade && isFact(plan.name.toLowerCase())) await table.makeFact(plan, more);
      if (!table.isMade) {
        if (plan.isOwn) continue;
        const made = await this.#elsewhere(plan, table, signal);
        if (!made) throw await this.#noTable(plan);
      }
      await table.show();
      this.#loaded.set(plan.name.toLowerCase(), { key: plan.key, table });
    }
  }

  /** As `#each` in turn, while threads read the next ones already. */
  async #readElsewhere(
    elsewhere: Elsewhere,
    sources: readonly SqlSource[],
    loading: readonly Loading[],
    reads: (plan: TablePlan, source: string) => boolean,
    signal: AbortSignal,
    mayAllFail: boolean,
  ): Promise<void> {
    const { more = [] } = this.#options;
    const begun: { readonly tables: readonly Loading[]; readonly reading: FarReading }[] = [];
    const begin = (source: SqlSource): void => {
      const tables = loading.filter(({ plan }) => reads(plan, source.name));
      const asked = tables.map(({ plan: { name, wanted } }) => ({ name, wanted }));
      begun.push({ tables, reading: elsewhere.read(source, asked, more) });
    };
    const failures = new Failures(this.#problems);
    try {
      for (const [done, source] of sources.entries()) {
        while (begun.length < Math.min(sources.length, done + elsewhere.room)) begin(sources[begun.length]!);
        const { tables, reading } = begun[done]!;
        let intake: Intake | null = null;
        let isOpen = false;
        try {
          try {
            for await (const part of reading.parts) {
              signal.throwIfAborted();
              if (part.how === "open") isOpen = true;
              else if (part.how === "table") {
                await intake?.end();
                intake = new Intake(tables[part.table]!.table);
              } else await intake!.put(part);
            }
          } finally {
            await intake?.end();
          }
        } catch (error) {
          signal.throwIfAborted();
          const finding = failures.add(source, error, isOpen);
          if (!isOpen) for (const { plan, table } of tables) await table.addFinding(source.name, finding, plan);
        }
        this.#options.onProgress?.(done + 1, sources.length);
      }
    } finally {
      for (const { reading } of begun) reading.close();
    }
    failures.check(sources.length, mayAllFail);
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
    parsed: Parsed,
    plans: readonly TablePlan[],
    signal: AbortSignal,
    known: Columns | null = null,
  ): Promise<StreamedAnswer> {
    const renamed = missingRename(parsed, known ?? this.#columnsOf(plans));
    if (renamed !== null) return this.#lacking(parsed, plans, signal, known, renamed, { at: null });
    try {
      const tables = plans.map(({ name }) => this.#loaded.get(name.toLowerCase())?.table.columns ?? []);
      const units = unitsOf(tables);
      return await StreamedAnswer.of(this.#database, {
        statement: parsed,
        unit: (column) => unitOf(parsed.units, column, units),
        signal,
      });
    } catch (error) {
      signal.throwIfAborted();
      const failure = failureOf(error);
      const missing = failure.code === "no-column" ? missingIn(failure) : null;
      if (missing === null) throw failure;
      return this.#lacking(parsed, plans, signal, known, missing, failure);
    }
  }

  /** Runs the statement again where the column is one of other times; rejects where it does not exist. */
  async #lacking(
    parsed: Parsed,
    plans: readonly TablePlan[],
    signal: AbortSignal,
    known: Columns | null,
    missing: MissingColumn,
    failure: Pick<SqlError, "at" | "cause">,
  ): Promise<StreamedAnswer> {
    const name = missing.name.toLowerCase();
    const scope = scopeAt(parsed, missing, failure.at);
    const found = known ?? (await this.#addLacking(plans, name, signal));
    const isThere = namesIn(found, scope).some((one) => one.toLowerCase() === name);
    if (isThere && known === null) return this.#run(parsed, plans, signal, found);
    throw noColumn(missing, scope, found, failure, parsed.sql);
  }

  /** The columns of the tables as they are loaded. */
  #columnsOf(plans: readonly TablePlan[]): Columns {
    const all = plans.map(({ name }) => name.toLowerCase());
    return new Map(
      all.map((name) => {
        const columns = this.#loaded.get(name)?.table.columns ?? [];
        return [name, new Map(columns.map((column) => [column.name.toLowerCase(), column.name]))];
      }),
    );
  }

  /**
   * Columns that only other times have join the tables; gives all columns. A channel that has the column `name` is loaded
   * again: of all its messages other members may be columns.
   */
  async #addLacking(plans: readonly TablePlan[], name: string, signal: AbortSignal): Promise<Columns> {
    const all = new Map<string, Map<string, string>>();
    const add = (table: string, columns: readonly { readonly name: string }[]): void => {
      const own = all.get(table.toLowerCase()) ?? new Map<string, string>();
      all.set(table.toLowerCase(), own);
      for (const column of columns) own.set(column.name.toLowerCase(), column.name);
    };
    const isFactPlan = (plan: TablePlan): boolean => isFact(plan.name.toLowerCase());
    for (const { name: fact } of plans.filter(isFactPlan))
      add(fact, factColumns(fact.toLowerCase() as Fact, EVERYTHING, this.#options.more ?? []));
    const others = plans.filter((plan) => !isFactPlan(plan));
    if (others.length === 0) return all;
    const again = new Set<TablePlan>();
    await this.#each(this.#sources, signal, async (recording, source) => {
      if (recording === null) return;
      for (const plan of others) {
        const table = this.#loaded.get(plan.name.toLowerCase())?.table;
        if (table === undefined) continue;
        const rows = await rowsOf({ name: source.name, recording }, plan.name, null, { ...EVERYTHING, signal });
        if (rows === null) continue;
        add(plan.name, rows.columns);
        if (rows.isChannel === true && rows.columns.some((column) => column.name.toLowerCase() === name.toLowerCase()))
          again.add(plan);
        await table.addColumns(rows.columns);
        await table.show();
      }
    });
    await this.#load(
      [...again].map((plan) => ({
        ...plan,
        key: `${plan.key}, learned whole`,
        wanted: { ...plan.wanted, isLearnedWhole: true },
      })),
      signal,
    );
    return all;
  }

  async #noTable({ name, at }: TablePlan): Promise<SqlError> {
    const tables = [...(await this.#tables(this.#sources.slice(0, MOST_LOOKED_AT), this.#options.signal)).keys()];
    return new SqlError("no-table", `no table ${quoted(name)}; ${existing(name, tables)}`, undefined, at);
  }

  /** Does `work` for each recording in turn; one that is damaged is a problem and keeps no other from its turn. */
  async #each(
    sources: readonly SqlSource[],
    signal: AbortSignal | undefined,
    work: (recording: Recording | null, source: SqlSource, finding: Finding | null) => Promise<void>,
    mayAllFail = false,
  ): Promise<void> {
    const failures = new Failures(this.#problems);
    for (const [done, source] of sources.entries()) {
      signal?.throwIfAborted();
      let recording: Recording | null = null;
      try {
        recording = await source.open(signal);
        await work(recording, source, null);
      } catch (error) {
        signal?.throwIfAborted();
        const finding = failures.add(source, error, recording !== null);
        if (recording === null) await work(null, source, finding);
      } finally {
        if (source.closes !== false) await recording?.close();
      }
      this.#options.onProgress?.(done + 1, sources.length);
    }
    failures.check(sources.length, mayAllFail);
  }
}

/** The statement that gives the names of tables as its rows. */
function rowsNamed(tables: Catalogue): string {
  return `SELECT unnest([${[...tables.keys()].map(literal).join(", ")}]) AS name`;
}
