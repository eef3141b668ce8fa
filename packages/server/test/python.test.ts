import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordingsIn } from "simtape/serving";
import { makeDemos } from "./support/demos.ts";
import { startNode, type TestNode, until } from "./support/node.ts";
import { simtape } from "../../simtape/test/cli/run.ts";
import { Caller, userCommand } from "./support/people.ts";

/** Debian's, which has Debian's numpy and pandas; else any. `PYTHON` names another. */
const PYTHON = [process.env["PYTHON"], "/usr/bin/python3", "python3"].find(
  (name) => name !== undefined && runs(name, "import sys; sys.exit(sys.version_info < (3, 9))"),
);
const CLI = fileURLToPath(new URL("../../simtape/bin/simtape.js", import.meta.url));
const CLIENT = fileURLToPath(new URL("../../../clients/python", import.meta.url));

/** The tests start the command some eighty times. */
const LONG = { timeout: 600_000 };

function runs(python: string, code: string): boolean {
  return spawnSync(python, ["-c", code], { stdio: "ignore" }).status === 0;
}

/** What the command prints of a recording; see `printed` in `world.py`. */
async function printedOf(path: string): Promise<unknown> {
  const print = async (...words: readonly string[]): Promise<unknown[]> => {
    const { exit, stdout, stderr } = await simtape([...words, "--json"]);
    expect(exit, stderr).toBe(0);
    return stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as unknown);
  };
  const [info] = (await print("info", path)) as [{ timeline: { start: number; end: number } }];
  const { start, end } = info.timeline;
  const statesAt = async (times: readonly number[]): Promise<object> => {
    const states: Record<string, unknown> = {};
    for (const time of times) [states[String(time)]] = await print("state", path, `--at=${(time / 1e9).toFixed(9)}s`);
    return states;
  };
  let seed = 30;
  const chance = (): number => {
    seed = (seed * 48_271) % 0x7fff_ffff;
    return seed / 0x7fff_ffff;
  };
  return {
    info,
    events: await print("events", path),
    states: await statesAt(Array.from({ length: 50 }, () => Math.floor(start + chance() * (end - start)))),
    steps: await statesAt(Array.from({ length: 20 }, (_, step) => start + Math.round((step * (end - start)) / 20))),
  };
}

const has = (module: string): boolean => PYTHON !== undefined && runs(PYTHON, `import ${module}`);

describe.skipIf(PYTHON === undefined)("the package for Python (needs python3, 3.9 or later)", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-python-"));
  let node: TestNode;
  let environment: NodeJS.ProcessEnv = {};

  beforeAll(async () => {
    await makeDemos(folder);
    const names = (await recordingsIn(folder)).map(({ path }) => basename(path));
    mkdirSync(join(folder, ".printed"));
    for (const name of names)
      writeFileSync(join(folder, ".printed", `${name}.json`), JSON.stringify(await printedOf(join(folder, name))));
    await userCommand(["add", "admin", folder, "--role", "admin"]);
    node = await startNode([folder]);
    const admin = await Caller.signedIn(node, "admin");
    const { token } = await admin.json<{ token: string }>("POST", "/api/tokens", {
      name: "python",
      scopes: ["read", "write"],
    });
    await until(
      () => admin.json<{ recordings: { state: string }[] }>("GET", "/api/recordings"),
      ({ recordings }) => recordings.length === 5 && recordings.every(({ state }) => state === "indexed"),
    );
    environment = {
      ...process.env,
      SIMTAPE: `"${process.execPath}" "${CLI}"`,
      SIMTAPE_TEST_FOLDER: folder,
      SIMTAPE_TEST_SQL: "1",
      SIMTAPE_TEST_URL: node.address,
      SIMTAPE_TEST_TOKEN: token,
      SIMTAPE_SERVER_TOKEN: token,
      PYTHONDONTWRITEBYTECODE: "1",
      PYTHONPATH: CLIENT,
    };
  }, 400_000);
  afterAll(async () => {
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function python(...words: readonly string[]): Promise<string> {
    const child = spawn(PYTHON!, words, { cwd: CLIENT, env: environment });
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        said += text;
      });
    const code = await new Promise((resolve) => child.once("close", resolve));
    expect(code, said).toBe(0);
    return said;
  }

  const tests = ["-W", "error", "-m", "unittest", "discover", "-t", ".", "-s", "tests"];

  test.skipIf(!has("numpy, pandas"))(
    "passes its tests with numpy and pandas (needs python3-pandas)",
    LONG,
    async () => {
      const said = await python(...tests);
      expect(said).toMatch(/^OK$/m);
      expect(Number(/^Ran (\d+) tests/m.exec(said)?.[1])).toBeGreaterThan(50);
    },
  );

  test("passes its tests with the standard library alone", LONG, async () => {
    // -S: without the folders in which other packages are
    const some = ["test_http", "test_values", "test_server", "test_table"].flatMap((name) => ["-k", name]);
    const said = await python("-S", ...tests, ...some);
    expect(said).toMatch(/^OK \(skipped=\d\)$/m);
  });

  const examples = readdirSync(join(CLIENT, "examples")).filter((name) => name.endsWith(".py"));
  test.skipIf(!has("numpy, pandas")).each(examples)("the example %s runs (needs python3-pandas)", async (name) => {
    const said = await python(join("examples", name), ...(name.startsWith("server") ? [node.address] : [folder]));
    expect(said.split("\n").length).toBeGreaterThan(3);
  });

  const pages = ["clients/python/README.md", "docs/python.md"];
  test.skipIf(!has("numpy, pandas")).each(pages)("the code of %s runs (needs python3-pandas)", LONG, async (page) => {
    const text = readFileSync(join(CLIENT, "../..", page), "utf8");
    const blocks = [...text.matchAll(/^```python\n([\s\S]*?)^```$/gm)].map(([, block]) => block!);
    expect(blocks.length).toBeGreaterThan(1);
    const code = blocks
      .join("\n")
      .replaceAll("https://tapes.example.org", node.address)
      .replaceAll(', token="simtape_…"', "");
    const cwd = mkdtempSync(join(tmpdir(), "simtape-python-docs-"));
    try {
      for (const name of readdirSync(folder).filter((one) => !one.startsWith(".")))
        copyFileSync(join(folder, name), join(cwd, name));
      await python("-c", `import os; os.chdir(${JSON.stringify(cwd)})\n${code}`);
    } finally {
      rmSync(cwd, { recursive: true, force: true });
    }
  });

  test.skipIf(!has("setuptools, pip"))("installs without a network (needs python3-pip)", async () => {
    const target = mkdtempSync(join(tmpdir(), "simtape-python-install-"));
    try {
      const source = join(target, "source");
      await python("-c", `import shutil; shutil.copytree(${JSON.stringify(CLIENT)}, ${JSON.stringify(source)})`);
      const where = join(target, "site");
      const words = ["--no-index", "--no-build-isolation", "--no-deps", "--quiet", "--target", where, source];
      await python("-m", "pip", "install", ...words);
      const code = `import sys; sys.path[:] = [p for p in sys.path if p != ${JSON.stringify(CLIENT)}]; sys.path.insert(0, ${JSON.stringify(where)}); import simtape; print(simtape.__file__)`;
      expect((await python("-P", "-c", code)).trim()).toBe(join(where, "simtape", "__init__.py"));
    } finally {
      rmSync(target, { recursive: true, force: true });
    }
  });
});
