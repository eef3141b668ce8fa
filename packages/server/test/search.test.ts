import { cpSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { open } from "simtape";
import { fromFile } from "simtape/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { printed } from "./support/command.ts";
import { describeDatabases } from "./support/databases.ts";
import { makeDemos } from "./support/demos.ts";
import { json, startNode, type TestNode, until } from "./support/node.ts";

const EXAMPLE = fileURLToPath(new URL("../../../examples/town.log", import.meta.url));

interface Item {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly format: string;
  readonly tags: readonly string[];
  readonly duplicate: boolean;
  readonly seconds: number;
}

interface Facets
  extends Readonly<
    Record<
      "formats" | "events" | "people" | "maps" | "lengths" | "days",
      readonly { readonly value: string; readonly count: number }[]
    >
  > {
  readonly total: number;
}

interface Extent {
  readonly path: string;
  readonly unit: string | null;
  readonly least: number;
  readonly most: number;
}

describeDatabases("a catalog", (database) => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-search-"));
  const library = join(folder, "library");
  let node: TestNode;

  beforeAll(async () => {
    await makeDemos(library);
    // a zip of something else
    writeFileSync(join(library, "other.zip"), Buffer.from("504b0304140000000000", "hex"));
    node = await startNode([library, ...(await database())]);
    await until(
      () => find(),
      (all) => all.length === 5 && all.every(({ state }) => state === "indexed"),
    );
  });

  afterAll(async () => {
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const find = async (query = ""): Promise<readonly Item[]> =>
    (await json<{ recordings: readonly Item[] }>(node.address, `/api/recordings?${query}`)).recordings;
  const formats = async (query: string): Promise<readonly string[]> =>
    (await find(query)).map(({ format }) => format).sort();

  test("finds by what is typed so far, phrases and what must not be there", async () => {
    expect(await formats("q=vehic")).toEqual(["carla"]);
    const all = await formats("");
    expect(await formats("q=-vehicles")).toEqual(all.filter((format) => format !== "carla"));
    expect(await formats('q="nothing of the kind"')).toEqual([]);
    expect(await formats("q=%00%27%3A*%26")).toEqual(all);
  });

  test("finds by format, length, event and who is in it", async () => {
    expect(await formats("format=mira,carla")).toEqual(["carla", "mira"]);
    expect(await formats("format=mira&format=carla")).toEqual(["carla", "mira"]);
    expect(await find("longer=1000")).toEqual([]);
    expect(await find("shorter=1000")).toHaveLength(5);
    for (const { id } of await find()) {
      const { entities, events } = await json<{
        entities: readonly { name: string; label: string }[];
        events: readonly { kind: string; title: string }[];
      }>(node.address, `/api/recordings/${id}`);
      for (const { kind, title } of events) {
        expect(title).not.toBe("");
        expect((await find(`event=${encodeURIComponent(kind)}`)).map((one) => one.id)).toContain(id);
      }
      for (const who of entities.slice(0, 1).flatMap(({ name, label }) => [name, label.toUpperCase()]))
        expect((await find(`with=${encodeURIComponent(who)}`)).map((one) => one.id)).toContain(id);
    }
    expect(await find("event=never")).toEqual([]);
    expect(await find("with=nothing")).toEqual([]);
  });

  test("finds by how far a number goes, in any unit", async () => {
    const [flight] = await find("format=flightgear");
    const { extents } = await json<{ extents: readonly Extent[] }>(node.address, `/api/recordings/${flight!.id}`);
    const altitude = extents.find(({ path }) => path.endsWith("altitude-ft"))!;
    expect(altitude.unit).toBe("ft");
    expect(altitude.most).toBeGreaterThan(altitude.least);
    const middle = (altitude.most + altitude.least) / 2;
    const metres = (feet: number): string => encodeURIComponent(`${feet * 0.3048} m`);
    expect(await formats(`path=altitude&above=${middle}`)).toContain("flightgear");
    expect(await formats(`path=altitude-ft&above=${metres(altitude.most - 0.1)}`)).toEqual(["flightgear"]);
    expect(await formats(`path=altitude-ft&above=${metres(altitude.most + 0.1)}`)).toEqual([]);
    expect(await formats(`path=altitude-ft&below=${metres(altitude.least + 0.1)}`)).toEqual(["flightgear"]);
    expect(await formats(`path=altitude-ft&below=${metres(altitude.least - 0.1)}`)).toEqual([]);
    expect(await formats(`q=${encodeURIComponent(`altitude-ft above ${Math.floor(altitude.most)} ft`)}`)).toEqual([
      "flightgear",
    ]);
    expect(await formats(`q=${encodeURIComponent(`altitude-ft > ${Math.ceil(altitude.most)} ft`)}`)).toEqual([]);
    const wrong = await fetch(`${node.address}/api/recordings?path=altitude&above=3+parsnips`);
    expect(wrong.status).toBe(400);
  });

  test("finds what the words ask for, and nothing that is not there", async () => {
    const all = await find();
    const asked = async (words: string): Promise<readonly string[]> => formats(`q=${encodeURIComponent(words)}`);
    for (const { format, seconds } of all) {
      expect(await asked(`format:${format}`)).toEqual([format]);
      expect(await asked(`Format:${format} longer than ${seconds - 0.5} s`)).toEqual([format]);
      expect(await asked(`format:${format} longer than ${seconds + 0.5} seconds`)).toEqual([]);
      expect(await asked(`shorter than ${(seconds - 0.5) / 60} min`)).not.toContain(format);
    }
    expect(await asked("event:collision")).toEqual(await formats("event=collision"));
    expect(await asked("format:carla event:never")).toEqual([]);
    const refused = await fetch(`${node.address}/api/recordings?q=format:`);
    expect([refused.status, ((await refused.json()) as { detail: string }).detail]).toEqual([
      400,
      "format: needs a value, as format:carla",
    ]);
  });

  test("finds a number of one thing, and a speed, where it was that", async () => {
    const asked = async (words: string): Promise<boolean> =>
      (await find(`format=carla&q=${encodeURIComponent(words)}`)).length > 0;
    const town = await open(fromFile(join(library, "town.log")));
    const paths = await town.paths();
    const vehicles = (await town.state((await town.timeline()).end)).sets.get("vehicles")!.ids;
    const count = new Set(paths.flatMap(({ path }) => ("set" in path && path.set === "vehicles" ? [path.id] : [])))
      .size;
    const { summary } = (await find("format=carla"))[0] as unknown as { summary: string };
    for (const [n, word] of ["one", "two", "three", "four", "five"].entries())
      expect(await asked(`${word} ${n === 0 ? "vehicle" : "vehicles"}`), summary).toBe(
        new RegExp(`(^|\\D)${n + 1} vehicles?\\b`).test(summary),
      );
    expect(count).toBeGreaterThan(1);
    for (const id of vehicles.slice(0, 3)) {
      const { extent } = paths.find(({ text }) => text === `vehicles/${id}/position.x`)!;
      for (const bound of [extent!.least - 1, (extent!.least + extent!.most) / 2, extent!.most + 1]) {
        expect(await asked(`vehicles/${id}/position.x > ${bound.toFixed(3)}`)).toBe(bound < extent!.most);
        expect(await asked(`vehicles/${id}/position.x < ${bound.toFixed(3)}`)).toBe(bound > extent!.least);
      }
    }
    expect(await asked("vehicles/99999/position.x > -1000000")).toBe(false);
    const speeds = paths.filter(({ text }) => /^vehicles\/\d+\/velocity\.length$/.test(text));
    const most = Math.max(...speeds.map(({ extent }) => extent!.most)) * 3.6;
    await town.close();
    expect(await asked(`velocity.length above ${(most * 0.9).toFixed(2)} km/h`)).toBe(true);
    expect(await asked(`speed above ${(most * 0.9).toFixed(2)} km/h`)).toBe(true);
  });

  test("sorts by each column, both ways, a page at a time", async () => {
    // with words, pages are found in other ways
    for (const sort of ["added", "started&q=-nothing", "seconds", "name&q=-nothing", "bytes"])
      for (const order of ["asc", "desc"]) {
        const ids: string[] = [];
        for (let cursor: string | null = ""; cursor !== null; ) {
          const page: { recordings: readonly Item[]; cursor: string | null } = await json(
            node.address,
            `/api/recordings?sort=${sort}&order=${order}&limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`,
          );
          ids.push(...page.recordings.map(({ id }) => id));
          ({ cursor } = page);
        }
        const whole = await find(`sort=${sort}&order=${order}`);
        expect(ids, `${sort} ${order}`).toEqual(whole.map(({ id }) => id));
        expect(new Set(ids).size).toBe(5);
      }
    const names = (await find("sort=name")).map(({ name }) => name);
    expect(names).toEqual(names.toSorted());
    const first = await json<{ cursor: string }>(node.address, "/api/recordings?limit=1&sort=name");
    expect((await fetch(`${node.address}/api/recordings?sort=bytes&cursor=${first.cursor}`)).status).toBe(400);
  });

  test("counts what there is, and what was found", async () => {
    const all = await until(
      () => json<Facets>(node.address, "/api/facets"),
      ({ total }) => total >= 5,
    );
    expect(all.formats).toHaveLength(5);
    // what else could be chosen of the same kind is counted, too
    const one = await json<Facets>(node.address, "/api/facets?format=carla");
    expect([one.total, one.formats]).toEqual([1, all.formats]);
    expect(one.events.length).toBeLessThan(all.events.length);
    const carla = await find("format=carla");
    expect(one.maps).toMatchObject([{ count: 1 }]);
    expect(await find(`map=${encodeURIComponent(one.maps[0]!.value)}`)).toEqual(carla);
    const none = await json<Facets>(node.address, "/api/facets?format=carla&map=nowhere");
    expect([none.total, none.formats, none.maps]).toEqual([0, [], one.maps]);
  });

  test("what is counted of a property is what the filter of it finds", async () => {
    const zone = "Pacific/Kiritimati";
    const all = await until(
      () => json<Facets>(node.address, `/api/facets?zone=${zone}&q=-nothing`),
      ({ total }) => total >= 5,
    );
    const filters = { formats: "format", events: "event", people: "with", maps: "map", lengths: "length", days: "day" };
    for (const [facet, filter] of Object.entries(filters)) {
      const counts = all[facet as "formats"];
      expect(counts, facet).not.toEqual([]);
      for (const { value, count } of counts) {
        const words = `${filter}=${encodeURIComponent(value)}&zone=${zone}`;
        expect(await find(words), words).toHaveLength(count);
      }
      const words = counts.map(({ value }) => `${filter}=${encodeURIComponent(value)}`).join("&");
      const some = await find(`${words}&zone=${zone}`);
      expect(some.length).toBe(new Set(some.map(({ id }) => id)).size);
      expect((await json<Facets>(node.address, `/api/facets?${words}&zone=${zone}`)).total).toBe(some.length);
    }
    for (const wrong of ["day=today", "day=2026-13-99", "length=long", "zone=Middle/Earth&day=2026-01-01"])
      expect((await fetch(`${node.address}/api/recordings?${wrong}`)).status, wrong).toBe(400);
  });

  test("counts the names that a recording has now, after its bytes have changed", async () => {
    const file = join(library, "changing.log");
    const counted = async (isFitting: (facets: Facets) => boolean): Promise<Facets> =>
      until(() => json<Facets>(node.address, "/api/facets?q=changing"), isFitting);
    const hits = ({ events }: Facets): number => events.find(({ value }) => value === "collision")?.count ?? 0;
    cpSync(EXAMPLE, file);
    const before = await counted((facets) => hits(facets) === 1);
    await printed(["trim", EXAMPLE, join(folder, "changed.log"), "--until", "0.5s"]);
    cpSync(join(folder, "changed.log"), file);
    const after = await counted((facets) => hits(facets) === 0);
    expect([before.total, after.total]).toEqual([1, 1]);
    expect(after.events).not.toEqual([]);
    rmSync(file);
    await counted(({ total, events }) => total === 0 && events.length === 0);
  });

  test("keeps the id of what is renamed, and marks what is there twice", async () => {
    const [race] = await find("format=hcrp");
    cpSync(join(library, "race.hcrp"), join(library, "copy.hcrp"));
    const twins = await until(
      () => find("duplicates=true"),
      (found) => found.length === 2,
    );
    expect(twins.every(({ duplicate }) => duplicate)).toBe(true);
    rmSync(join(library, "copy.hcrp"));
    await until(
      () => find("duplicates=true"),
      (found) => found.length === 0,
    );
    renameSync(join(library, "race.hcrp"), join(library, "final race.hcrp"));
    const [renamed] = await until(
      () => find("q=final"),
      (found) => found.length === 1,
    );
    expect(renamed).toMatchObject({ id: race!.id, state: "indexed", name: "final race.hcrp" });
    expect(await find("format=hcrp")).toHaveLength(1);
  });

  test("finds words within words of a name", async () => {
    cpSync(join(library, "final race.hcrp"), join(library, "HotLap2_run_0.3.hcrp"));
    for (const query of ["lap", "hot", "HotLap", "hotlap2", "la", "run", "0.3"])
      await until(
        () => find(`q=${query}`),
        (found) => found.some(({ name }) => name === "HotLap2_run_0.3.hcrp"),
      );
    expect(await find("q=ap")).toEqual([]);
    rmSync(join(library, "HotLap2_run_0.3.hcrp"));
  });

  // `scan-hints.test.ts` shows how soon
  test("sees a new file, and one that is being written when it is whole", async () => {
    writeFileSync(join(library, "fresh.hcrp"), "");
    cpSync(join(library, "final race.hcrp"), join(library, "fresh.hcrp"));
    await until(
      () => find("q=fresh"),
      (found) => found.length === 1,
    );
    await until(
      () => find("q=fresh"),
      ([one]) => one?.state === "indexed",
    );
    rmSync(join(library, "fresh.hcrp"));
    await until(
      () => find("q=fresh"),
      (found) => found.length === 0,
    );
  });
});
