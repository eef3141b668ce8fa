import { copyFileSync, mkdtempSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open, type Recording } from "simtape";
import { fromFile } from "simtape/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { simtape } from "../../simtape/test/cli/run.ts";
import { describeDatabases } from "./support/databases.ts";
import { makeDemos } from "./support/demos.ts";
import { json, startNode, type TestNode, until } from "./support/node.ts";

const NAMES = ["molecule.nanover.zip", "town.log", "robot.tape", "flight.fgtape", "race.hcrp"] as const;

interface Event {
  readonly time: number;
  readonly kind: string;
}
interface Events {
  readonly events: readonly Event[];
  readonly cursor: string | null;
}
interface Answered {
  readonly series: readonly {
    readonly path: string;
    readonly time: readonly number[];
    readonly value: readonly (number | string | null)[];
  }[];
}
interface Problem {
  readonly status: number;
  readonly detail: string;
  readonly existing?: readonly string[];
}

const printed = new Map<string, string>();

/** What the command prints of a recording, which is the same with every database. */
async function printedOf(folder: string, command: string, name: string, ...words: readonly string[]): Promise<string> {
  const key = [command, name, ...words].join(" ");
  let text = printed.get(key);
  if (text === undefined) {
    // of a damaged one it exits with 3
    text = (await simtape([command, join(folder, name), ...words, "--json"])).stdout;
    printed.set(key, text);
  }
  return text;
}

describeDatabases("what is in a recording, over HTTP", (database) => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-answers-"));
  let node: TestNode;
  const ids = new Map<string, string>();

  beforeAll(async () => {
    await makeDemos(folder);
    copyFileSync(join(folder, "town.log"), join(folder, "cut.log"));
    truncateSync(join(folder, "cut.log"), Math.floor(readFileSync(join(folder, "town.log")).length / 2));
    node = await startNode([folder, ...(await database())]);
    const { recordings } = await until(
      () => json<{ recordings: { id: string; name: string; state: string }[] }>(node.address, "/api/recordings"),
      (page) => page.recordings.length === 6 && page.recordings.every(({ state }) => state === "indexed"),
    );
    for (const { id, name } of recordings) ids.set(name, id);
  });
  afterAll(async () => {
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const at = (name: string, rest: string): string => `/api/recordings/${ids.get(name)!}/${rest}`;
  const refused = async (path: string): Promise<Problem> => {
    const answer = await fetch(node.address + path);
    expect(answer.headers.get("content-type")).toContain("application/problem+json");
    return (await answer.json()) as Problem;
  };

  describe.each(NAMES)("%s", (name) => {
    test("the state is what the command tells, byte for byte", async () => {
      for (const time of ["0", "61.8%"]) {
        const answer = await fetch(node.address + at(name, `state?at=${encodeURIComponent(time)}`));
        expect(`${await answer.text()}\n`).toBe(await printedOf(folder, "state", name, "--at", time));
      }
    });

    test("the events are those that the command lists, however they are paged", async () => {
      const listed = (await printedOf(folder, "events", name))
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Event);
      const all = await json<Events>(node.address, at(name, "events?limit=10000"));
      expect(all.events).toEqual(listed);
      const paged: Event[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const from: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
        const page: Events = await json(node.address, at(name, `events?limit=7${from}`));
        expect(page.events.length).toBeLessThanOrEqual(7);
        paged.push(...page.events);
        cursor = page.cursor;
      }
      expect(paged).toEqual(listed);
      const [kind] = listed.map((event) => event.kind);
      if (kind === undefined) return;
      const some = await json<Events>(node.address, at(name, `events?kind=${encodeURIComponent(kind)}&from=10%25`));
      const [start, end] = [await bounds("start"), await bounds("end")];
      const since = start + 0.1 * (end - start);
      expect(some.events).toEqual(listed.filter((event) => event.kind === kind && event.time >= since));

      async function bounds(which: "start" | "end"): Promise<number> {
        await using recording = await open(fromFile(join(folder, name)));
        return (await recording.timeline())[which];
      }
    });

    test("series are those of the library", async () => {
      await using recording = await open(fromFile(join(folder, name)));
      const paths = await some(recording);
      const query = new URLSearchParams([...paths.map((path) => ["path", path]), ["points", "50"]]);
      const { series } = await json<Answered>(node.address, at(name, `series?${query}`));
      const expected = await recording.series(paths, { points: 50 });
      expect(series.map(({ path }) => path)).toEqual(paths);
      for (const [index, { time, value, valid, texts }] of expected.entries()) {
        expect(series[index]!.time).toEqual([...time]);
        const shown = Array.from(value, (one, row) =>
          valid[row] === 0 ? null : texts !== null ? texts[one] : Number.isNaN(one) ? null : one,
        );
        expect(series[index]!.value).toEqual(shown);
      }
    });
  });

  test("series are rows of text for those who ask for them", async () => {
    const { sets } = await json<{ sets: { vehicles: { ids: number[] } } }>(node.address, at("town.log", "state?at=1"));
    const thing = `vehicles/${sets.vehicles.ids[0]}/position.x`;
    const path = at("town.log", `series?path=${thing}&points=5&mode=sample`);
    const answer = await fetch(node.address + path, { headers: { accept: "text/csv" } });
    expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    const { series } = await json<Answered>(node.address, path);
    const rows = series[0]!.time.map((time, row) => `${thing},${time},${series[0]!.value[row]}`);
    expect(await answer.text()).toBe(`path,time,value\n${rows.join("\n")}\n`);
  });

  test("an answer has an ETag, and is not sent again", async () => {
    const path = node.address + at("race.hcrp", "state?at=1");
    const etag = (await fetch(path)).headers.get("etag")!;
    expect(etag).toMatch(/^"[\w-]+"$/);
    expect((await fetch(path, { headers: { "if-none-match": etag } })).status).toBe(304);
    expect((await fetch(`${path}.5`, { headers: { "if-none-match": etag } })).status).toBe(200);
  });

  test("what is wrong with a recording stands in its answers", async () => {
    const answer = await (await fetch(node.address + at("cut.log", "state?at=1"))).text();
    expect(`${answer}\n`).toBe(await printedOf(folder, "state", "cut.log", "--at", "1"));
    expect((JSON.parse(answer) as { findings: unknown[] }).findings).not.toEqual([]);
  });

  test("what cannot be answered is said, with what there is", async () => {
    const wrong = await refused(at("town.log", "series?path=vehicles/1/posiiton.x"));
    expect(wrong).toMatchObject({
      status: 400,
      existing: expect.arrayContaining([expect.stringContaining("vehicles/")]),
    });
    expect(await refused(at("town.log", "events?kind=colission"))).toMatchObject({
      status: 400,
      detail: expect.stringContaining("collision"),
    });
    expect((await refused(at("town.log", "state?at=yesterday"))).status).toBe(400);
    expect((await refused(at("town.log", "state?at=99999"))).status).toBe(400);
    expect((await refused(at("town.log", "state"))).status).toBe(400);
    expect((await refused(at("town.log", "events?cursor=nonsense"))).status).toBe(400);
    const many = Array.from({ length: 50 }, () => "path=x").join("&");
    expect((await refused(at("town.log", `series?points=20000&${many}`))).status).toBe(400);
    expect((await refused("/api/recordings/nothing/state?at=1")).status).toBe(404);
  });

  test("many who ask at once are all answered", async () => {
    const times = Array.from({ length: 40 }, (_, i) => i);
    const answers = await Promise.all(
      times.map((time) => json<{ time: number }>(node.address, at("town.log", `state?at=${time}%25`))),
    );
    expect(answers.map(({ time }) => time)).toEqual(answers.map(({ time }) => time).toSorted((a, b) => a - b));
  });
});

/** A few paths of a recording, numbers and texts. */
async function some(recording: Recording): Promise<string[]> {
  const { start, end } = await recording.timeline();
  const all = await recording.paths({ at: (start + end) / 2 });
  const picked = all.filter((_, index) => index % Math.ceil(all.length / 6) === 0);
  return picked.map(({ text }) => text);
}
