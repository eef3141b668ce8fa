import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { directoryStore } from "simtape/node";
import { record } from "simtape/record";
import { LineProtocol } from "simtape/serving";
import { expect, test } from "vitest";
import { ReplayServer } from "../../src/serve/server.ts";
import { worldVersion } from "../../src/world/names.ts";
import { anvilOf, namesOf, oldChunk, regionFile } from "../support/anvil.ts";
import { BIN, command } from "../support/command.ts";
import { Folder } from "../support/demo.ts";
import { Looker } from "../support/looker.ts";

const ID = "5ba7a26a-0e4d-4b9c-8155-0123456789ab";
const REAL = join(
  dirname(createRequire(import.meta.url).resolve("prismarine-provider-anvil/package.json")),
  "test/fixtures",
);
const STEVE = { id: "p", uuid: "069a79f4-44e9-4726-a5be-fca90e38aaf5", name: "Steve" };

/** Five chunks of two dimensions, two of which are the same but for their place. */
function world(folder: Folder): string {
  const put = (below: string, ...names: readonly string[]): void => {
    mkdirSync(folder.at(below), { recursive: true });
    const slots = names.map((name, x) => ({ x, z: 0, kind: 3, bytes: oldChunk({ x, palette: [name] }) }));
    writeFileSync(folder.at(`${below}/r.0.0.mca`), regionFile(slots));
  };
  put("world/region", "minecraft:stone", "minecraft:dirt", "minecraft:sand");
  put("world/DIM-1/region", "minecraft:netherrack", "minecraft:lava");
  return folder.at("world");
}

function chunksOf(folder: Folder): string[] {
  const path = folder.at(`store/worlds/${ID}/chunks`);
  return existsSync(path) ? readdirSync(path).filter((name) => /^[0-9a-f]{64}$/.test(name)) : [];
}

const named = (folder: Folder, version = "spring"): string[] => [
  "--store",
  folder.at("store"),
  "--id",
  ID,
  "--version",
  version,
];

test("import, list and check, and what is missing or another by then", () => {
  using folder = new Folder();
  const [store, path] = [folder.at("store"), world(folder)];
  const done = command("world", "import", path, ...named(folder));
  expect([done.status, done.stdout.split("\n")]).toEqual([
    0,
    [
      `${ID}, version ${worldVersion("spring")}: 5 chunks, 5 of them new`,
      "  minecraft:overworld: 3",
      "  minecraft:the_nether: 2",
      "",
    ],
  ]);
  const again = command("world", "import", path, ...named(folder), "--dimension", "the_nether", "--json");
  expect([again.status, JSON.parse(again.stdout)]).toEqual([
    0,
    {
      id: ID,
      version: worldVersion("spring"),
      dimensions: { "minecraft:the_nether": 2 },
      chunks: 2,
      added: 0,
      unfinished: 0,
      damaged: [],
    },
  ]);
  command("world", "import", join(path, "region"), ...named(folder, "0f"), "--dimension", "moon:far/side");
  const versions = [worldVersion("0f"), worldVersion("spring")];
  expect(command("world", "list", "--store", store).stdout.split("\n")).toEqual([
    `${ID}  ${versions[0]}  moon:far/side 3`,
    `${ID}  ${versions[1]} (spring)  minecraft:overworld 3, minecraft:the_nether 2`,
    "",
  ]);
  const listed = command("world", "list", "--store", store, "--json");
  expect(
    listed.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as object),
  ).toEqual([
    { id: ID, version: versions[0], dimensions: { "moon:far/side": 3 } },
    { id: ID, version: versions[1], dimensions: { "minecraft:overworld": 3, "minecraft:the_nether": 2 } },
  ]);
  expect(command("world", "check", "--store", store)).toMatchObject({
    status: 0,
    stdout: "",
    stderr: "all is whole\n",
  });
  // one chunk gone, one changed, a region cut
  const chunks = chunksOf(folder).map((name) => join(store, `worlds/${ID}/chunks`, name));
  expect(chunks).toHaveLength(5);
  rmSync(chunks[0]!);
  const bytes = readFileSync(chunks[1]!);
  bytes[bytes.length - 12]! ^= 1;
  writeFileSync(chunks[1]!, bytes);
  truncateSync(join(store, `worlds/${ID}/v.${versions[0]}/moon/far/side/r.0.0`), 40);
  const check = command("world", "check", "--store", store, "--json");
  const problems = check.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { version: string; key: string });
  const keys = problems.map(({ version, key }) => [version, key]).sort((a, b) => (a.join() < b.join() ? -1 : 1));
  expect([check.status, keys]).toEqual([
    3,
    [
      [versions[0], `worlds/${ID}/v.${versions[0]}/moon/far/side/r.0.0`],
      ...chunks.slice(0, 2).map((chunk) => [versions[1], chunk.slice(store.length + 1)]),
    ],
  ]);
  expect(command("world", "check", "--store", store, "--id", ID, "--version", "0f")).toMatchObject({
    status: 3,
    stderr: "problems: 1\n",
  });
  // what is named is removed, and imported again
  for (const { key } of problems) rmSync(join(store, key), { force: true });
  expect(command("world", "import", path, ...named(folder))).toMatchObject({ status: 0 });
  expect(command("world", "check", "--store", store)).toMatchObject({ status: 0, stderr: "all is whole\n" });
});

test("damage is named, and the exit code is 3", () => {
  using folder = new Folder();
  const path = world(folder);
  truncateSync(join(path, "region/r.0.0.mca"), 8192 + 2 * 4096);
  writeFileSync(join(path, "DIM-1/region/r.3.-1.mca"), "x");
  const { status, stdout, stderr } = command("world", "import", path, ...named(folder));
  expect([status, stdout.split("\n")[0], stderr.trim().split("\n")]).toEqual([
    3,
    `${ID}, version ${worldVersion("spring")}: 4 chunks, 4 of them new`,
    [
      expect.stringMatching(/^simtape-mc: region\/r.0.0.mca: chunk 2, 0 left out: 1 sectors at 4 of a file of 4$/),
      "simtape-mc: DIM-1/region/r.3.-1.mca: all left out: the file ends within the table of chunks",
    ],
  ]);
});

test.each([
  [["world", "import", "."], /required option '--store/],
  [
    ["world", "import", ".", "--store", "s", "--id", "no", "--version", "v"],
    /^simtape-mc: the id of a world is a UUID/,
  ],
  [
    ["world", "import", "src", "--store", "s", "--id", ID, "--version", "v"],
    /^simtape-mc: a folder without region files/,
  ],
  [
    ["world", "import", ".", "--store", "s", "--id", ID, "--version", "v", "--dimension", "../x"],
    /^simtape-mc: --dimension is a name/,
  ],
  [["world", "check", "--store", "nowhere"], /^simtape-mc: no such world in nowhere/],
  [["world", "rename"], /unknown command 'rename'/],
] as const)("wrong usage is one line: %j", (words, line) => {
  const { status, stdout, stderr } = command(...words);
  expect([status, stdout]).toEqual([2, ""]);
  expect(stderr.replace("(add --help for the options)\n", "").trim()).toMatch(line);
  expect(stderr.replace("(add --help for the options)\n", "").trim()).not.toContain("\n");
  expect(existsSync("s")).toBe(false);
});

test("killed half way and begun again, it is whole", async () => {
  using folder = new Folder();
  const words = ["world", "import", join(REAL, "1.14.4"), ...named(folder)];
  const child = spawn(process.execPath, [BIN, ...words], { stdio: "ignore" });
  const chunks = folder.at(`store/worlds/${ID}/chunks`);
  await expect.poll(() => (existsSync(chunks) ? readdirSync(chunks).length : 0), { interval: 5 }).toBeGreaterThan(20);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(command(...words).stdout).toContain("299 chunks, 299 of them new");
  expect(command("world", "check", "--store", folder.at("store"))).toMatchObject({ status: 0, stdout: "" });
  expect(chunksOf(folder)).toHaveLength(299);
});

test("a recording is seen over the world that was imported", async () => {
  using folder = new Folder();
  const version = worldVersion("spring");
  cpSync(join(REAL, "1.16"), folder.at("world/region"), { recursive: true });
  expect(command("world", "import", folder.at("world"), ...named(folder)).status).toBe(0);
  const anvil = anvilOf("1.16", folder.at("world/region"));
  const [cx, cz] = [6, -6];
  const column = await anvil.load(cx, cz);
  await anvil.close();
  const store = directoryStore(folder.at("store"));
  const lines = new LineProtocol({ open: (header) => record(store, { id: "run", ...header }) });
  await lines.give({ simtape: 1, dataVersion: 2586, protocol: 754, worldId: ID, worldVersion: version });
  await lines.give({ tick: 0 });
  await lines.give({ dimension: "minecraft:overworld" });
  await lines.give({ join: { ...STEVE, at: [16 * cx + 8, 80, 16 * cz + 8] } });
  await lines.give({ tick: 40 });
  await lines.finish();
  await lines.recorder!.close();
  const server = await ReplayServer.listen({ store: folder.at("store"), port: 0, isInsecure: true });
  try {
    await using looker = await Looker.join(server.port, "1.16.5", "Eyes", "run.replays.example");
    // it stands by the player, far from where worlds begin
    await expect.poll(() => looker.ground.nameAt(16 * cx, 0, 16 * cz)).toBe("bedrock");
    const [shown, kept] = [namesOf("1.16.5"), namesOf("1.16")];
    const wrong: string[] = [];
    let solid = 0;
    for (let y = 0; y < 256; y++)
      for (let i = 0; i < 256; i++) {
        const seen = shown(looker.ground.stateAt(16 * cx + (i & 15), y, 16 * cz + (i >> 4))!);
        const wanted = kept(column.getBlockStateId({ x: i & 15, y, z: i >> 4 }));
        if (wanted !== "minecraft:air") solid++;
        if (seen !== wanted) wrong.push(`${seen}, not ${wanted}`);
      }
    expect([wrong, solid > 10_000]).toEqual([[], true]);
  } finally {
    await server.close();
  }
});
