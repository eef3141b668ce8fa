import { describe, inject } from "vitest";
import { withoutPostgres } from "./postgres.ts";

/** Words for `simtape serve` that choose a new, empty database; none for the embedded one. */
export type NewDatabase = () => Promise<readonly string[]>;

/** Runs the same tests with the embedded database and with a real PostgreSQL, where that is installed. */
export function describeDatabases(name: string, tests: (database: NewDatabase) => void): void {
  describe(`${name}, embedded database`, () => tests(() => Promise.resolve([])));
  describe.skipIf(withoutPostgres !== null)(`${name}, PostgreSQL`, () => tests(newPostgres));
}

/** A new, empty database in the PostgreSQL of this run. */
export async function newPostgres(): Promise<readonly string[]> {
  const answer = await fetch(inject("postgres"));
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return ["--database", text, "--bus", "postgres"];
}
