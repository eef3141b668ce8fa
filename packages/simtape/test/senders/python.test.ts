import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { has, NO_PYTHON, SENDERS } from "./programs.ts";

const FILES = ["simtape_sender.py", "carla_sender.py"].map((name) => join(SENDERS, "python", name));
const hasMypy = spawnSync("python3", ["-m", "mypy", "--version"]).status === 0;

test.skipIf(!has("python3"))(`the files in Python compile${has("python3") ? "" : ` (${NO_PYTHON})`}`, () => {
  const cache = mkdtempSync(join(tmpdir(), "simtape-pycache-"));
  const { status, stderr } = spawnSync("python3", ["-m", "py_compile", ...FILES], {
    env: { ...process.env, PYTHONPYCACHEPREFIX: cache },
    encoding: "utf8",
  });
  rmSync(cache, { recursive: true, force: true });
  expect([status, stderr]).toEqual([0, ""]);
});

test.skipIf(!has("python3"))("the sender imports the standard library alone", () => {
  const script = [
    "import ast, sys",
    "tree = ast.parse(open(sys.argv[1]).read())",
    "names = [a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names]",
    "names += [n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]",
    "print([n for n in names if n.split('.')[0] not in getattr(sys, 'stdlib_module_names', names)])",
  ].join("\n");
  const { stdout } = spawnSync("python3", ["-c", script, FILES[0]!], { encoding: "utf8" });
  expect(stdout.trim()).toBe("[]");
});

test.skipIf(!hasMypy)(`the types of the sender are strict${hasMypy ? "" : " (no mypy)"}`, () => {
  const cache = mkdtempSync(join(tmpdir(), "simtape-mypy-"));
  const { status, stdout } = spawnSync("python3", ["-m", "mypy", "--strict", "--cache-dir", cache, FILES[0]!], {
    encoding: "utf8",
  });
  rmSync(cache, { recursive: true, force: true });
  expect(status, stdout).toBe(0);
});
