import type { TestProject } from "vitest/node";
import { deskOf } from "../../../simtape/test/support/desk.ts";
import { startPostgres, type TestPostgres } from "./postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where a test asks for the address of a new, empty database. */
    readonly postgres: string;
  }
}

let starting: Promise<TestPostgres> | null = null;
const desk = deskOf(async () => {
  starting ??= startPostgres();
  return (await starting).database();
});

/** One PostgreSQL for all files of a run: started when the first of them asks, ended with the run. */
export async function setup(project: TestProject): Promise<void> {
  project.provide("postgres", await desk.open());
}

export async function teardown(): Promise<void> {
  desk.close();
  await (await starting?.catch(() => null))?.stop();
}
