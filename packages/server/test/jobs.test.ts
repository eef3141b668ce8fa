import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { printed } from "./support/command.ts";
import { describeDatabases } from "./support/databases.ts";
import { makeDemos } from "./support/demos.ts";
import { json, startNode, type TestNode, until } from "./support/node.ts";

interface Job {
  readonly id: number;
  readonly kind: string;
  readonly state: string;
  readonly progress: number;
  readonly error: string | null;
  readonly result: { status?: string; files?: { name: string; bytes: number }[]; report?: unknown } | null;
}

describeDatabases("jobs over HTTP", (database) => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-jobs-"));
  const library = join(folder, "library");
  const ids = new Map<string, string>();
  let node: TestNode;

  beforeAll(async () => {
    await makeDemos(library);
    const damaged = join(library, "damaged.tape");
    writeFileSync(damaged, readFileSync(join(library, "robot.tape")));
    truncateSync(damaged, 20_000);
    node = await startNode([library, ...(await database())]);
    interface Page {
      readonly recordings: readonly { id: string; name: string; state: string }[];
    }
    const { recordings } = await until(
      () => json<Page>(node.address, "/api/recordings"),
      (page) => page.recordings.length === 6 && page.recordings.every(({ state }) => state !== "new"),
    );
    for (const { id, name } of recordings) ids.set(name, id);
  });
  afterAll(async () => {
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const post = (path: string, body?: unknown): Promise<Response> =>
    fetch(node.address + path, {
      method: "POST",
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
  const begun = async (path: string, body?: unknown): Promise<number> => {
    const answer = await post(path, body);
    expect(answer.status).toBe(202);
    return ((await answer.json()) as { id: number }).id;
  };
  const over = (id: number): Promise<Job> =>
    until(
      () => json<Job>(node.address, `/api/jobs/${id}`),
      ({ state }) => ["done", "failed", "cancelled"].includes(state),
    );

  test("a check says what is wrong with a recording, and that nothing is", async () => {
    const sound = await over(await begun(`/api/recordings/${ids.get("robot.tape")}/check`));
    expect(sound).toMatchObject({
      kind: "check",
      state: "done",
      progress: 1,
      result: { status: "sound", findings: [] },
    });
    const damaged = await over(await begun(`/api/recordings/${ids.get("damaged.tape")}/check`));
    expect(damaged).toMatchObject({ state: "done", result: { status: "damaged" } });
  });

  test("an export is the recording in another format, or a table, and can be downloaded", async () => {
    const path = `/api/recordings/${ids.get("race.hcrp")}/exports`;
    const converted = await over(await begun(path, { format: "nanover" }));
    expect(converted).toMatchObject({ state: "done", error: null });
    const [file] = converted.result!.files!;
    const bytes = await fetch(`${node.address}/api/jobs/${converted.id}/files/${encodeURIComponent(file!.name)}`);
    const result = join(folder, file!.name);
    writeFileSync(result, Buffer.from(await bytes.arrayBuffer()));
    expect(JSON.parse(await printed(["check", result, "--json"]))).toMatchObject({
      status: "sound",
    });
    const table = await over(await begun(path, { table: "csv" }));
    const [rows] = table.result!.files!;
    const text = await (await fetch(`${node.address}/api/jobs/${table.id}/files/${rows!.name}`)).text();
    expect(text.split("\n")[0]).toMatch(/^time \[ns\],id,/);
    expect(Buffer.byteLength(text)).toBe(rows!.bytes);
    expect((await fetch(`${node.address}/api/jobs/${table.id}/files/..%2f..%2fdatabase`)).status).toBe(404);
  });

  test("what cannot be asked for is refused, and what cannot be done fails with the reason", async () => {
    const path = `/api/recordings/${ids.get("race.hcrp")}/exports`;
    expect((await post(path, { format: "betamax" })).status).toBe(400);
    expect((await post(path, { table: "csv", format: "mira" })).status).toBe(400);
    expect((await post("/api/recordings/nothing/exports", { table: "csv" })).status).toBe(404);
    rmSync(join(library, "town.log"));
    const failed = await over(await begun(`/api/recordings/${ids.get("town.log")}/exports`, { table: "csv" }));
    expect(failed).toMatchObject({ state: "failed" });
    expect(failed.error).toMatch(/town\.log/);
    const again = await post(`/api/jobs/${failed.id}/retry`);
    expect(again.status).toBe(200);
    expect((await again.json()) as Job).toMatchObject({ error: null });
    expect(await over(failed.id)).toMatchObject({ state: "failed" });
  });

  test("all are listed, a page at a time; one that is over cannot be cancelled", async () => {
    const { jobs } = await json<{ jobs: Job[] }>(node.address, "/api/jobs?state=done&kind=export&limit=1");
    expect(jobs).toHaveLength(1);
    expect(jobs[0]).toMatchObject({ kind: "export", state: "done" });
    const next = await json<{ jobs: Job[] }>(node.address, `/api/jobs?kind=export&before=${jobs[0]!.id}`);
    expect(next.jobs.every(({ id }) => id < jobs[0]!.id)).toBe(true);
    const refused = await post(`/api/jobs/${jobs[0]!.id}/cancel`);
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({ detail: "the job is done" });
    // looking at the library waits, to be done again in a moment
    const scans = await until(
      () => json<{ jobs: Job[] }>(node.address, "/api/jobs?kind=sweep-jobs&state=waiting"),
      (page) => page.jobs.length === 1,
    );
    expect(await (await post(`/api/jobs/${scans.jobs[0]!.id}/cancel`)).json()).toMatchObject({ state: "cancelled" });
  });
});
