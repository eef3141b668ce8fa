import { afterAll, beforeAll, describe } from "vitest";
import { startPostgres, type TestPostgres, withoutPostgres } from "./postgres.ts";

/** Words for `simtape serve` that choose a new, empty database; none for the embedded one. */
export type NewDatabase = () => Promise<readonly string[]>;

/** Runs the same tests with the embedded database and with a real PostgreSQL, where that is installed. */
export function describeDatabases(name: string, tests: (database: NewDatabase) => void): void {
  describe(`${name}, embedded database`, () => tests(() => Promise.resolve([])));
  describe.skipIf(withoutPostgres !== null)(`${name}, PostgreSQL`, () => {
    let postgres: TestPostgres;
    beforeAll(async () => {
      postgres = await startPostgres();
    });
    afterAll(() => postgres.stop());
    tests(async () => ["--database", await postgres.database(), "--bus", "postgres"]);
  });
}
