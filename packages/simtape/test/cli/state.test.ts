import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { simtape } from "./run.ts";

const town = fileURLToPath(new URL("../../../../examples/town.log", import.meta.url));

interface Shown {
  readonly values: Readonly<Record<string, unknown>>;
  readonly sets: Readonly<
    Record<
      string,
      {
        readonly ids: readonly (number | string)[];
        readonly columns: Readonly<Record<string, { readonly unit: string | null; readonly data: readonly unknown[] }>>;
      }
    >
  >;
}

async function shown(...paths: readonly string[]): Promise<Shown> {
  const words = ["state", town, "--at", "1s", "--json", ...paths.flatMap((path) => ["--path", path])];
  const { exit, stdout, stderr } = await simtape(words);
  expect([exit, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout) as Shown;
}

test("a number is named as a table names it, and is the same there", async () => {
  const { sets, values } = await shown("vehicles/24/position.x");
  expect(values).toEqual({});
  const rows = await simtape([
    "table",
    town,
    "--id",
    "24",
    "--columns",
    "position",
    "--from",
    "1s",
    "--until",
    "1.01s",
  ]);
  const [head, row] = rows.stdout.split("\n").map((line) => line.split(","));
  const column = head!.indexOf("position.x [cm]");
  expect(sets).toMatchObject({
    vehicles: { ids: [24], columns: { "position.x": { unit: "cm", data: [Number(row![column])] } } },
  });
  expect(Object.keys(sets["vehicles"]!.columns)).toEqual(["position.x"]);
});

test("of things and columns there is all that the whole state has of them", async () => {
  const { vehicles } = (await shown("vehicles")).sets;
  const position = vehicles!.columns["position"]!.data;
  const part = (await shown("vehicles/*/position")).sets["vehicles"]!;
  expect(part.ids).toEqual(vehicles!.ids);
  const columns = ["position.x", "position.y", "position.z"];
  expect(Object.keys(part.columns)).toEqual(columns);
  for (const [k, name] of columns.entries())
    expect(part.columns[name]!.data).toEqual(position.filter((_, i) => i % 3 === k));
  const one = (await shown("vehicles/24", "frame")).sets["vehicles"]!;
  expect(one.ids).toEqual([24]);
  expect(one.columns["label"]!.data).toEqual([vehicles!.columns["label"]!.data[vehicles!.ids.indexOf(24)]]);
});

test("a part is a table for people, too", async () => {
  const { stdout } = await simtape(["state", town, "--at", "1s", "--path", "vehicles/24/position.?"]);
  expect(stdout).toMatch(/^vehicles \(1\)\n {2}24 {2}position\.x=\S+ cm {2}position\.y=\S+ cm {2}position\.z=\S+ cm$/m);
});
