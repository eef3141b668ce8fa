import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { json, startNode, until } from "./support/node.ts";

interface Page {
  readonly recordings: readonly { readonly id: string; readonly format: string; readonly tags: readonly string[] }[];
}

const folder = mkdtempSync(join(tmpdir(), "simtape-demo-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a demo has recordings of all formats, tags, a collection and a report, and is made once", async () => {
  const seen: (readonly string[])[] = [];
  for (const start of ["first", "second"]) {
    const node = await startNode(["--demo", join(folder, "demo")]);
    try {
      await until(
        async () => node.said(),
        (said) => said.includes("the demo is complete"),
        110,
      );
      const of = async (query: string): Promise<Page["recordings"]> =>
        (await json<Page>(node.address, `/api/recordings?limit=100${query}`)).recordings;
      for (const tag of ["short", "long", "crowd"])
        expect(new Set((await of(`&tag=${tag}`)).map(({ format }) => format)).size, start).toBe(5);
      expect(await of("&collection=traffic")).toHaveLength(6);
      const { reviews } = await json<{ reviews: readonly unknown[] }>(node.address, "/api/reviews?state=pending");
      expect(reviews).toHaveLength(1);
      // with the clip of the report
      const all = await until(
        () => of(""),
        ({ length }) => length === 16,
      );
      seen.push(all.map(({ id }) => id).sort());
    } finally {
      expect(await node.stop()).toBe(0);
    }
  }
  expect(seen[1]).toEqual(seen[0]);
});
