import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeDemos } from "./support/demos.ts";
import { json, startNode, type TestNode, until } from "./support/node.ts";
import { describeSetUps, type SetUp } from "./support/set-ups.ts";

interface Item {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly format: string;
  readonly bytes: number;
  readonly seconds: number;
  readonly url: string;
}

interface Page {
  readonly recordings: readonly Item[];
  readonly cursor: string | null;
}

const demos = mkdtempSync(join(tmpdir(), "simtape-server-"));
beforeAll(() => makeDemos(demos));
afterAll(() => rmSync(demos, { recursive: true, force: true }));

describeSetUps("a library", (setUp) => {
  let library: SetUp["library"];
  let node: TestNode;

  beforeAll(async () => {
    const { words, environment, library: store } = await setUp();
    library = store;
    for (const name of readdirSync(demos)) await library.put(name, readFileSync(join(demos, name)));
    await library.put("README.md", Buffer.from("# no recording\n"));
    node = await startNode(words, environment);
  });

  afterAll(() => node?.stop());

  const listed = (query = ""): Promise<Page> => json<Page>(node.address, `/api/recordings${query}`);
  const indexed = ({ recordings }: Page): boolean =>
    recordings.length === 5 && recordings.every(({ state }) => state === "indexed");

  test("finds the recordings of all formats by itself, and nothing else", async () => {
    const { recordings, cursor } = await until(() => listed(), indexed);
    expect(cursor).toBeNull();
    expect(recordings.map(({ format }) => format).sort()).toEqual(["carla", "flightgear", "hcrp", "mira", "nanover"]);
    for (const { seconds, name } of recordings) expect(seconds, name).toBeGreaterThan(1);
  });

  test("gives the world that a recording was made in, and no other", async () => {
    const { recordings } = await until(() => listed(), indexed);
    const [race, town] = ["hcrp", "carla"].map((kind) => recordings.find(({ format }) => format === kind)!.id);
    const { metadata } = await json<{ metadata: { worldId: string; worldVersion: string } }>(
      node.address,
      `/api/recordings/${race}`,
    );
    const { worldId, worldVersion } = metadata;
    const chunkKey = `worlds/${worldId}/chunks/${"0a".repeat(32)}`;
    const regionKey = `worlds/${worldId}/v.${worldVersion}/minecraft/overworld/r.0.0`;
    for (const [key, text] of [
      [chunkKey, "a chunk"],
      [regionKey, "a region"],
    ] as const)
      await library.put(key, Buffer.from(text));
    const ask = (id: string, key: string, headers = {}): Promise<Response> =>
      fetch(`${node.address}/api/recordings/${id}/world/${key}`, { headers });
    const chunk = await ask(race!, chunkKey);
    expect([chunk.status, await chunk.text()]).toEqual([200, "a chunk"]);
    expect(chunk.headers.get("cache-control")).toBe("private, max-age=31536000, immutable");
    const region = await ask(race!, regionKey);
    expect([region.status, await region.text()]).toEqual([200, "a region"]);
    expect(region.headers.get("cache-control")).toBe("private, no-cache");
    const tag = region.headers.get("etag")!;
    expect((await ask(race!, regionKey, { "If-None-Match": tag })).status).toBe(304);
    const part = await ask(race!, chunkKey, { Range: "bytes=2-" });
    expect([part.status, await part.text()]).toEqual([206, "chunk"]);
    expect((await ask(race!, regionKey.replace("r.0.0", "r.9.9"))).status).toBe(204);
    const wrong = [
      chunkKey.replace(worldId.slice(0, 8), "0f5ba7a2"),
      regionKey.replace("/v.", "/v.ff"),
      "race.hcrp",
      "worlds",
      `${chunkKey}/..`,
    ];
    for (const key of [...wrong, `worlds/%2e%2e/${recordings[0]!.name}`])
      expect((await ask(race!, key)).status, key).toBe(404);
    expect((await ask(town!, chunkKey)).status).toBe(404);
    expect((await ask("none", chunkKey)).status).toBe(404);
  });

  test("is searched by words and format, a page at a time", async () => {
    await until(() => listed(), indexed);
    expect((await listed("?q=town")).recordings.map(({ format }) => format)).toEqual(["carla"]);
    expect((await listed("?format=mira")).recordings).toHaveLength(1);
    expect((await listed("?q=nothing-is-called-so")).recordings).toEqual([]);
    const names: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: Page = await listed(`?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`);
      names.push(...page.recordings.map(({ name }) => name));
      ({ cursor } = page);
    }
    expect(new Set(names).size).toBe(5);
    expect(names).toHaveLength(5);
  });

  test("gives bytes by ranges, with strong ETags and conditions", async () => {
    const { recordings } = await until(() => listed(), indexed);
    for (const { id, name, url } of recordings) {
      const content = readFileSync(join(demos, decodeURIComponent(url.split("/").at(-1)!)));
      for (const at of [`/api/recordings/${id}/data`, url]) {
        const whole = await fetch(node.address + at);
        const bytes = Buffer.from(await whole.arrayBuffer());
        expect(createHash("sha256").update(bytes).digest("hex"), name).toBe(
          createHash("sha256").update(content).digest("hex"),
        );
        const etag = whole.headers.get("etag")!;
        expect(etag).toMatch(/^"[^"]+"$/);
        const part = await fetch(node.address + at, { headers: { range: "bytes=10-29", "if-range": etag } });
        expect(part.status).toBe(206);
        expect(part.headers.get("content-range")).toBe(`bytes 10-29/${content.length}`);
        expect(Buffer.from(await part.arrayBuffer())).toEqual(content.subarray(10, 30));
        expect((await fetch(node.address + at, { headers: { "if-none-match": etag } })).status).toBe(304);
        expect((await fetch(node.address + at, { headers: { "if-match": '"other"' } })).status).toBe(412);
        const beyond = await fetch(node.address + at, { headers: { range: `bytes=${content.length}-` } });
        expect(beyond.status).toBe(416);
        expect(beyond.headers.get("content-range")).toBe(`bytes */${content.length}`);
        const head = await fetch(node.address + at, { method: "HEAD" });
        expect(head.headers.get("content-length")).toBe(String(content.length));
      }
    }
  });

  test("notices a recording that comes, changes and goes", async () => {
    await until(() => listed(), indexed);
    const content = readFileSync(join(demos, "race.hcrp"));
    await library.put("deeper/second.hcrp", content);
    const { recordings } = await until(
      () => listed("?q=second"),
      (page) => page.recordings[0]?.state === "indexed",
    );
    expect(recordings[0]!.bytes).toBe(content.length);
    await library.put("deeper/second.hcrp", content.subarray(0, content.length >> 1));
    const changed = await until(
      () => listed("?q=second"),
      (page) => page.recordings[0]?.bytes === content.length >> 1 && page.recordings[0].state !== "new",
    );
    expect(changed.recordings[0]!.id).toBe(recordings[0]!.id);
    await library.delete("deeper/second.hcrp");
    await until(
      () => listed("?q=second"),
      (page) => page.recordings.length === 0,
    );
    expect((await fetch(`${node.address}/api/recordings/${recordings[0]!.id}`)).status).toBe(404);
  });

  test("answers what is wrong with problem details", async () => {
    for (const [path, status] of [
      ["/api/recordings/nothing", 404],
      ["/api/recordings?limit=0", 400],
      ["/api/recordings?cursor=zzz", 400],
      ["/nowhere", 404],
    ] as const) {
      const answer = await fetch(node.address + path);
      expect(answer.status, path).toBe(status);
      expect(answer.headers.get("content-type")).toContain("application/problem+json");
      expect(await answer.json()).toMatchObject({ status, request: answer.headers.get("x-request-id") });
    }
  });
});
