import type { Finding } from "../model/error.ts";
import type { Filled } from "./appender.ts";
import { createTable, type Database } from "./duckdb.ts";
import type { TablePart } from "./elsewhere.ts";
import { failureOf } from "./failure.ts";
import { type Fact, factColumns, findingBatch } from "./facts.ts";
import { shownAs, type SqlBatch, type SqlColumn, type SqlRows, storedType, unitedKind } from "./kinds.ts";
import { quoted } from "./names.ts";
import type { TablePlan } from "./wanted.ts";

/** A table that is loaded, and what it is loaded for. */
export interface Loading {
  readonly plan: TablePlan;
  readonly table: Loaded;
}

/** Rows on their way into a table. */
export interface Adding {
  append(batch: SqlBatch): void;
  /** Makes them a part of the table. */
  end(): void;
}

/** What is done to a table and may be undone. */
export interface Attempt {
  keep(): Promise<void>;
  undo(): Promise<void>;
}

/** Takes rows of a recording into a table as they are read. What is read of one that is damaged stays. */
export class Intake {
  readonly #table: Loaded;
  #adding: Adding | null = null;
  /** Null: what is read is not taken back. */
  #attempt: Attempt | null = null;
  /** Rows had no room: nothing more can be done to the table but to undo. */
  #hasFailed = false;

  constructor(table: Loaded) {
    this.#table = table;
  }

  async put(part: TablePart): Promise<void> {
    if (part.how === "rows") this.#append(part.batch);
    else if (part.how === "again") await this.#leave(false);
    else {
      if (part.isTried) this.#attempt = await this.#table.attempt();
      this.#adding = await this.#table.begin(part.columns);
    }
  }

  /** To be called in any case, also when reading has failed. */
  end(): Promise<void> {
    return this.#leave(true);
  }

  #append(batch: SqlBatch): void {
    try {
      this.#adding!.append(batch);
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    }
  }

  async #leave(isKept: boolean): Promise<void> {
    const [adding, attempt] = [this.#adding, this.#attempt];
    this.#adding = this.#attempt = null;
    let isWhole = false;
    try {
      adding?.end();
      isWhole = true;
    } catch (error) {
      // of two failures the first says what happened
      if (!this.#hasFailed) throw error;
    } finally {
      await (isWhole && isKept ? attempt?.keep() : attempt?.undo());
    }
  }
}

/** A table in DuckDB that grows by the rows of one recording after the other; its columns are those of all of them. */
export class Loaded {
  readonly #database: Database;
  readonly #name: string;
  readonly #columns: SqlColumn[] = [];
  isMade = false;

  constructor(database: Database, name: string) {
    this.#database = database;
    this.#name = name.toLowerCase();
  }

  /** Its columns so far. */
  get columns(): readonly SqlColumn[] {
    return this.#columns;
  }

  /** Adds rows that are all there. */
  async add(rows: SqlRows): Promise<void> {
    const adding = await this.begin(rows.columns);
    try {
      for await (const batch of rows.batches()) adding.append(batch);
    } finally {
      adding.end();
    }
  }

  /** Rows of these columns follow; nothing else is done to the table until their end. */
  async begin(columns: readonly SqlColumn[]): Promise<Adding> {
    await this.addColumns(columns);
    const places = new Map(columns.map(({ name, kind }, place) => [name.toLowerCase(), { place, kind }]));
    const filled: Filled = this.#columns.map((column) => ({
      column,
      from: places.get(column.name.toLowerCase()) ?? null,
    }));
    const appender = await this.#database.appender(this.#name);
    return {
      append: (batch) => failing(() => appender.append(batch, filled)),
      end: () => failing(() => appender.close()),
    };
  }

  /** From here on everything that is done to it can be undone, until it is kept. */
  async attempt(): Promise<Attempt> {
    const [columns, isMade] = [[...this.#columns], this.isMade];
    await this.#database.run("BEGIN TRANSACTION");
    return {
      keep: () => this.#database.run("COMMIT"),
      undo: async () => {
        await this.#database.run("ROLLBACK");
        this.#columns.splice(0, this.#columns.length, ...columns);
        this.isMade = isMade;
      },
    };
  }

  /** A recording that does not open is a row of `findings`. */
  async addFinding(name: string, finding: Finding, { wanted }: TablePlan): Promise<void> {
    if (this.#name !== "findings") return;
    const { columns, batch } = findingBatch(name, [finding], wanted);
    await this.add({
      columns,
      batches: async function* () {
        yield batch;
      },
    });
  }

  /** Makes a table that every recording has, where none was read. */
  async makeFact({ wanted }: TablePlan, more: readonly string[]): Promise<void> {
    await this.addColumns(factColumns(this.#name as Fact, wanted, more));
  }

  /** Columns that are new join the table; those of another kind become one that holds both. */
  async addColumns(columns: readonly SqlColumn[]): Promise<void> {
    if (!this.isMade) {
      this.#columns.push(...columns);
      // a table without columns has no rows, and rows are counted
      if (columns.length === 0) this.#columns.push(ROW);
      await this.#database.run(createTable(this.#name, this.#columns));
      this.isMade = true;
      return;
    }
    for (const column of columns) {
      const at = this.#columns.findIndex(({ name }) => name.toLowerCase() === column.name.toLowerCase());
      const table = `ALTER TABLE kept.${quoted(this.#name)}`;
      if (at < 0) {
        await this.#database.run(`${table} ADD COLUMN ${quoted(column.name)} ${storedType(column.kind)}`);
        this.#columns.push(column);
        continue;
      }
      const known = this.#columns[at]!;
      const kind = unitedKind(known.kind, column.kind);
      const unit = known.unit === column.unit ? known.unit : null;
      if (kind !== known.kind) {
        const name = quoted(known.name);
        const using = kind === "string" ? `CAST(${shownAs(known.kind, name)} AS VARCHAR)` : name;
        await this.#database.run(`${table} ALTER COLUMN ${name} SET DATA TYPE ${storedType(kind)} USING ${using}`);
      }
      this.#columns[at] = { name: known.name, kind, unit };
    }
  }

  /** Makes it visible to statements. */
  async show(): Promise<void> {
    const list = this.#columns.map(({ name, kind }) => `${shownAs(kind, quoted(name))} AS ${quoted(name)}`).join(", ");
    await this.#database.run(
      `CREATE OR REPLACE VIEW main.${quoted(this.#name)} AS SELECT ${list} FROM kept.${quoted(this.#name)}`,
    );
  }

  /** Lets go of its rows. */
  async empty(): Promise<void> {
    await this.#database.run(`DROP TABLE kept.${quoted(this.#name)}`);
    await this.#database.run(createTable(this.#name, this.#columns));
  }

  async drop(): Promise<void> {
    if (!this.isMade) return;
    await this.#database.run(`DROP VIEW IF EXISTS main.${quoted(this.#name)}`);
    await this.#database.run(`DROP TABLE kept.${quoted(this.#name)}`);
    this.isMade = false;
  }
}

/** Does something in DuckDB; what it throws is an `SqlError`. */
function failing(work: () => void): void {
  try {
    work();
  } catch (error) {
    throw failureOf(error);
  }
}

const ROW: SqlColumn = { name: "recording", kind: "recording", unit: null };
