import { readFileSync } from "node:fs";
import minecraftData from "minecraft-data";
import { expect, test } from "vitest";
import { VERSIONS } from "../../src/scene/versions.ts";
import { Capture } from "../../src/capture/capture.ts";

const PAGE = readFileSync(new URL("../../../../docs/minecraft.md", import.meta.url), "utf8");

/** Names of packets in a part of the page: in the first column of a table, or anywhere in a list. */
function namesIn(title: string): Set<string> {
  const [, part = ""] = PAGE.split(`\n## ${title}\n`);
  const text = part.split("\n## ")[0]!.replaceAll(/^(\|[^|]*\|).*$/gm, "$1");
  return new Set([...text.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name!));
}

test.each(VERSIONS)("docs/minecraft.md says of every packet of %s what becomes of it", (version) => {
  const protocol = minecraftData(version).protocol as unknown as {
    play: { toClient: { types: { packet: [string, { name: string; type: [string, { mappings: object }] }[]] } } };
  };
  const [, fields] = protocol.play.toClient.types.packet;
  const names = Object.values(fields.find(({ name }) => name === "name")!.type[1].mappings) as string[];
  expect(names.length).toBeGreaterThan(80);
  const [carried, left] = [namesIn("Carried"), namesIn("Not carried")];
  expect(names.filter((name) => !carried.has(name) && !left.has(name))).toEqual([]);
  expect(names.filter((name) => carried.has(name) !== Capture.carries(name))).toEqual([]);
  expect(names.filter((name) => left.has(name) === Capture.carries(name))).toEqual([]);
});
