import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MAIN } from "../cli/run.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const page = join(root, "docs/jobs.md");
const folder = mkdtempSync(join(tmpdir(), "simtape-jobs-"));

beforeAll(() => {
  symlinkSync(join(root, "examples"), join(folder, "examples"));
  cpSync(join(root, "packages/simtape/test/fixtures/mira/patrol-torn.tape"), join(folder, "broken.tape"));
  writeFileSync(join(folder, "simtape"), `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`);
  chmodSync(join(folder, "simtape"), 0o700);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What a person sees who types it: both streams in the order in which they come. */
function seen(command: string): string {
  const { stdout } = spawnSync("sh", ["-c", `{ ${command}; } 2>&1`], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, PATH: `${folder}:${process.env["PATH"]}`, NO_COLOR: "1", TZ: "UTC" },
  });
  return stdout;
}

/** `npx vitest run packages/simtape/test/docs/jobs.test.ts -u` writes the page again. */
test("the jobs of docs/jobs.md are twenty commands with their true output", async () => {
  const jobs = /^```console\n\$ (.*)\n[\s\S]*?^```$/gm;
  const text = readFileSync(page, "utf8");
  expect(text.match(/^### \d+\. /gm)).toHaveLength(20);
  expect(text.match(jobs)).toHaveLength(20);
  const shown = text.replace(jobs, (_, command: string) => `\`\`\`console\n$ ${command}\n${seen(command)}\`\`\``);
  await expect(shown).toMatchFileSnapshot(page);
});
