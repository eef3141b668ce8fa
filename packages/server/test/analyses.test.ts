import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { printed } from "./support/command.ts";
import { startNode, type TestNode, until } from "./support/node.ts";
import { Caller, PASSWORD, userCommand } from "./support/people.ts";

const CLI = fileURLToPath(new URL("../../simtape/bin/simtape.js", import.meta.url));
const CORPUS = fileURLToPath(new URL("../../corpus/cases", import.meta.url));
const schemaOf = (name: string): object =>
  JSON.parse(readFileSync(new URL(`../../../docs/${name}.schema.json`, import.meta.url), "utf8")) as object;

interface Job {
  readonly state: string;
  readonly error: string | null;
  readonly result: { readonly analysis: string; readonly same: boolean | null } | null;
}
interface Shown {
  readonly id: string;
  readonly kind: string;
  readonly recording: string;
  readonly other: string | null;
  readonly options: object;
  readonly same: boolean | null;
}
interface Whole extends Shown {
  readonly result: Readonly<Record<string, unknown>>;
}
interface Item {
  readonly id: string;
  readonly key: string;
  readonly state: string;
}

describe("statistics and comparisons by the server", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-analyses-"));
  const ids: Record<string, string> = {};
  let node: TestNode;
  let admin: Caller;

  beforeAll(async () => {
    copyFileSync(join(CORPUS, "carla/0.9.15/town.log"), join(folder, "a.log"));
    copyFileSync(join(CORPUS, "carla/0.9.15/town.log"), join(folder, "same.log"));
    copyFileSync(join(CORPUS, "hcrp/walk/run.hcrp"), join(folder, "run.hcrp"));
    // the other one begins later, and has fewer events
    const cut = ["trim", join(folder, "a.log"), "--from", "20%", "-o", join(folder, "b.log")];
    await printed(cut);
    await userCommand(["add", "admin", folder, "--role", "admin"]);
    node = await startNode([folder, "--public", "all"]);
    admin = await Caller.signedIn(node, "admin");
    const { recordings } = await until(
      () => admin.json<{ recordings: Item[] }>("GET", "/api/recordings?limit=100"),
      (page) => page.recordings.length === 4 && page.recordings.every(({ state }) => state === "indexed"),
    );
    for (const { key, id } of recordings) ids[key] = id;
  });
  afterAll(async () => {
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const done = async (key: string, what: "stats" | "compare", body: object, caller = admin): Promise<Job> => {
    const { id } = await caller.json<{ id: number }>("POST", `/api/recordings/${ids[key]}/${what}`, body);
    return until(
      () => caller.json<Job>("GET", `/api/jobs/${id}`),
      ({ state }) => state === "done" || state === "failed",
    );
  };
  const listOf = async (key: string, caller = admin): Promise<readonly Shown[]> =>
    (await caller.json<{ analyses: Shown[] }>("GET", `/api/recordings/${ids[key]}/analyses`)).analyses;
  const whole = (key: string, analysis: string): Promise<Whole> =>
    admin.json("GET", `/api/recordings/${ids[key]}/analyses/${analysis}`);
  /** What the command prints of the same files, named as in the library. */
  const printedOf = (...words: readonly string[]): unknown => {
    const { stdout } = spawnSync(process.execPath, [CLI, ...words, "--json"], { cwd: folder, encoding: "utf8" });
    return JSON.parse(stdout);
  };
  const fits = (name: string, value: unknown): unknown => {
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schemaOf(name));
    return validate(value) ? [] : validate.errors;
  };

  test.each(["a.log", "run.hcrp"])("statistics of %s are those of the command", async (key) => {
    const { result } = await done(key, "stats", {});
    const found = await whole(key, result!.analysis);
    expect(found.result).toEqual(printedOf("stats", key));
    expect(fits("statistics", found.result)).toEqual([]);
    expect(found).toMatchObject({ kind: "stats", recording: ids[key], other: null, options: {}, same: null });
    const part = await done(key, "stats", { from: "10%", until: "60%" });
    const { result: some, options } = await whole(key, part.result!.analysis);
    expect(some).toEqual(printedOf("stats", key, "--from", "10%", "--until", "60%"));
    expect(options).toEqual({ from: "10%", until: "60%" });
    expect((await listOf(key)).map(({ id }) => id)).toEqual([part.result!.analysis, result!.analysis]);
  });

  test("a comparison is that of the command, and is kept with both recordings", async () => {
    const same = await done("a.log", "compare", { other: ids["same.log"] });
    expect(same.result!.same).toBe(true);
    const asked = { other: ids["b.log"], align: "utc", rules: ["vehicles/*.position: 0.5 m"], until: "90%" };
    const { result } = await done("a.log", "compare", asked);
    expect(result!.same).toBe(false);
    const found = await whole("b.log", result!.analysis);
    const words = ["--align", "utc", "--rule", "vehicles/*.position: 0.5 m", "--until", "90%"];
    expect(found.result).toEqual(printedOf("compare", "a.log", "b.log", ...words));
    expect(fits("comparison", found.result)).toEqual([]);
    const { other, ...options } = asked;
    expect(found).toMatchObject({ kind: "compare", recording: ids["a.log"], other, options, same: false });
    expect(await listOf("b.log")).toEqual([expect.objectContaining({ id: result!.analysis })]);
    // the same question again replaces its answer
    const before = await listOf("a.log");
    expect((await done("a.log", "compare", { align: "utc", until: "90%", rules: asked.rules, other })).result).toEqual(
      result,
    );
    expect((await listOf("a.log")).length).toBe(before.length);
  });

  test.each([
    ["stats", { from: "never" }, "never"],
    ["stats", { from: "2h" }, "2h"],
    ["compare", { rules: ["nonsense"] }, "nonsense"],
    ["compare", { align: "sideways" }, "sideways"],
    ["compare", { align: "correlate:no/such/path" }, "no/such/path"],
  ] as const)("a question that does not fit fails with its reason: %s %o", async (what, options, named) => {
    const body = what === "compare" ? { ...options, other: ids["b.log"] } : options;
    const { state, error } = await done("a.log", what, body);
    expect(state).toBe("failed");
    expect(error).toContain(named);
  });

  test("a body with more than there is is refused", async () => {
    for (const body of [{ other: ids["b.log"], rule: "x" }, { align: "utc" }, { other: ids["b.log"], near: -1 }])
      expect((await admin.ask("POST", `/api/recordings/${ids["a.log"]}/compare`, body)).status).toBe(400);
  });

  test("who may not read both recordings sees no comparison of them, and cannot ask for one", async () => {
    await admin.json("POST", "/api/users", { name: "vera", role: "viewer", password: PASSWORD });
    const vera = await Caller.signedIn(node, "vera");
    const { id } = await admin.json<{ id: number }>("POST", `/api/recordings/${ids["a.log"]}/compare`, {
      other: ids["run.hcrp"],
    });
    const { result } = await until(
      () => vera.json<Job>("GET", `/api/jobs/${id}`),
      ({ state }) => state === "done",
    );
    const path = `/api/recordings/${ids["a.log"]}/analyses/${result!.analysis}`;
    expect((await vera.ask("GET", path)).status).toBe(200);
    const { id: hidden } = await admin.json<{ id: string }>("POST", "/api/collections", { name: "h", public: "off" });
    await admin.json("PUT", `/api/recordings/${ids["run.hcrp"]}/collection`, { collection: hidden });
    await until(
      () => vera.ask("GET", `/api/recordings/${ids["run.hcrp"]}`),
      ({ status }) => status === 404,
    );
    expect((await vera.ask("GET", path)).status).toBe(404);
    expect((await vera.ask("GET", `/api/jobs/${id}`)).status).toBe(404);
    expect((await listOf("a.log", vera)).map((one) => one.id)).not.toContain(result!.analysis);
    const refusal = async (other: string | undefined): Promise<unknown> => {
      const answer = await vera.ask("POST", `/api/recordings/${ids["a.log"]}/compare`, { other });
      const { request: _, ...rest } = (await answer.json()) as { request: string };
      return rest;
    };
    expect(await refusal(ids["run.hcrp"])).toEqual(await refusal("nothing"));
    expect(await refusal("nothing")).toMatchObject({ status: 404 });
    // of those that they may read they may ask
    expect((await done("a.log", "compare", { other: ids["same.log"] }, vera)).result!.same).toBe(true);
  });

  test("what was found of a recording as it was is not shown of it as it is", async () => {
    const { result } = await done("same.log", "stats", {});
    expect((await listOf("same.log")).map(({ id }) => id)).toContain(result!.analysis);
    writeFileSync(join(folder, "same.log"), readFileSync(join(folder, "b.log")));
    await until(
      () => listOf("same.log"),
      (found) => found.length === 0,
    );
    const path = `/api/recordings/${ids["same.log"]}/analyses/${result!.analysis}`;
    expect((await admin.ask("GET", path)).status).toBe(404);
    await until(
      () => admin.json<Item>("GET", `/api/recordings/${ids["same.log"]}`),
      ({ state }) => state === "indexed",
    );
    const again = await done("same.log", "stats", {});
    expect((await whole("same.log", again.result!.analysis)).result).toEqual(printedOf("stats", "same.log"));
  });
});
