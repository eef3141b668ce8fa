import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { removeFolder, temporaryFolder } from "../../src/cli/run/temporary-folder.ts";
import { newMark } from "../../src/io/node/owner.ts";

const folder = mkdtempSync(join(tmpdir(), "simtape-temporary-test-"));
beforeAll(() => void vi.stubEnv("TMPDIR", folder));
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

test("a temporary folder takes along what killed processes left, and nothing else", async () => {
  const [machine, pid, start, id] = newMark().split(".") as [string, string, string, string];
  const ended = spawn("true");
  await once(ended, "exit");
  const stay = {
    "simtape-render-aB3dE9": "a folder of a name without a mark",
    [`simtape-render-${"0".repeat(12)}.${pid}.1.${id}`]: "of a process of another machine",
    [`simtape-render-${newMark()}`]: "of a process that runs",
    [`simtape-live-${machine}.${ended.pid}.${start}.${id}`]: "of another kind",
  };
  const go = {
    [`simtape-render-${machine}.${ended.pid}.${start}.${id}`]: "of a process that has ended",
    [`simtape-render-${machine}.${pid}.1.${id}`]: "of a process whose id is used again",
  };
  for (const name of [...Object.keys(stay), ...Object.keys(go)]) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, "file"), "text");
  }
  // as the browser of a killed process, which ends by itself a moment later
  const left = join(folder, Object.keys(go)[0]!);
  const writing = setInterval(() => {
    if (existsSync(left)) for (let n = 0; n < 50; n++) writeFileSync(join(left, `${n}`), "text");
  }, 1);
  setTimeout(() => clearInterval(writing), 2500);
  const made = await temporaryFolder("render");
  const name = made.slice(folder.length + 1);
  expect(readdirSync(folder)).toContain(name);
  await removeFolder(made);
  clearInterval(writing);
  expect(readdirSync(folder).toSorted()).toEqual(Object.keys(stay).toSorted());
});
