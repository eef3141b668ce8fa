import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { deskOf } from "../../../simtape/test/support/desk.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where a test asks for the folder of the run's demo recordings. */
    readonly demos: string;
  }
}

const CLI = fileURLToPath(new URL("../../../simtape/bin/simtape.js", import.meta.url));
const FORMATS = ["nanover", "carla", "mira", "flightgear", "hcrp"];

let folder: string | null = null;
const desk = deskOf(async () => (folder ??= made()));

/** A short demo recording of each format for all files of a run, made when the first of them asks. */
export async function setup(project: TestProject): Promise<void> {
  project.provide("demos", await desk.open());
}

export function teardown(): void {
  desk.close();
  if (folder !== null) rmSync(folder, { recursive: true, force: true });
}

function made(): string {
  const to = mkdtempSync(join(tmpdir(), "simtape-demos-"));
  for (const format of FORMATS)
    execFileSync(process.execPath, [CLI, "demo", format, "-o", to, "--seconds", "4"], { stdio: "ignore" });
  return to;
}
