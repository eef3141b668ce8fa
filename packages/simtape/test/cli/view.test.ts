import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import fc from "fast-check";
import { zipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { belongsTo, entriesOf, worldEntriesOf } from "../../src/cli/view/entries.ts";
import type { ViewFacts } from "../../src/cli/view/facts.ts";
import { ViewIndexes } from "../../src/cli/view/indexes.ts";
import { ViewList } from "../../src/cli/view/list.ts";
import { isReachedFromElsewhere, Names, originOf } from "../../src/cli/view/reach.ts";
import { serveView, type ViewServer } from "../../src/cli/view/server.ts";
import { FORMATS, open } from "../../src/index.ts";
import { fromFile } from "../../src/io/node/index.ts";
import { makeTown, RELEASES } from "../fixtures/carla/make.ts";
import { fixtures as makeHcrp } from "../fixtures/hcrp/make.ts";
import { fixtures as makeNanover } from "../fixtures/nanover/make.ts";
import { tries } from "../soak.ts";

const POLICY = "default-src 'none'";
const LARGE = "export const words = 'again and again';\n".repeat(100);
const CHUNK = `worlds/0f5ba7a2-6a0e-4d3b-9c55-0123456789ab/chunks/${"0a".repeat(32)}`;
const REGION = "worlds/0f5ba7a2-6a0e-4d3b-9c55-0123456789ab/v.00ff/minecraft/overworld";
const town = makeTown(RELEASES[5]!);
let folder: string;
let server: ViewServer;
let base: string;

beforeAll(async () => {
  const root = mkdtempSync(join(tmpdir(), "simtape-view-"));
  const page = join(root, "page");
  folder = join(root, "recordings");
  mkdirSync(join(page, "assets"), { recursive: true });
  mkdirSync(join(folder, "parkour"), { recursive: true });
  writeFileSync(
    join(page, "index.html"),
    `<meta http-equiv="Content-Security-Policy" content="${POLICY.replaceAll("'", "&#39;")}"><meta name="simtape-recordings" content=""><meta name="simtape-formats" content="">`,
  );
  writeFileSync(join(page, "assets/page.js"), "export {};");
  writeFileSync(join(page, "assets/large.js"), LARGE);
  writeFileSync(join(page, "assets/large.png"), LARGE);
  writeFileSync(join(root, "secret.txt"), "secret");
  writeFileSync(join(folder, "town.log"), town);
  writeFileSync(join(folder, "notes.txt"), "no recording");
  for (const name of ["town.region", "parkour/region", "save/DIM-1/region"]) {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, "r.0.-1.mca"), `blocks of ${name}`);
    writeFileSync(join(folder, name, "notes.txt"), "no region");
    symlinkSync(join(root, "secret.txt"), join(folder, name, "r.1.1.mca"));
  }
  symlinkSync(join(root, "secret.txt"), join(folder, "short.state.dict"));
  const nanover = makeNanover();
  for (const name of ["short.traj", "short.state"]) writeFileSync(join(folder, name), nanover.get(name)!);
  const hcrp = await makeHcrp();
  for (const [path, bytes] of hcrp) {
    const name = /^segmented\/(.+)$/.exec(path)?.[1];
    if (name !== undefined) writeFileSync(join(folder, "parkour", name), bytes);
  }
  symlinkSync(join(root, "secret.txt"), join(folder, "parkour", "seg-99999999.hcs"));
  mkdirSync(join(folder, dirname(CHUNK)), { recursive: true });
  mkdirSync(join(folder, REGION), { recursive: true });
  writeFileSync(join(folder, CHUNK), "a chunk");
  writeFileSync(join(folder, dirname(CHUNK), "notes"), "no chunk");
  writeFileSync(join(folder, REGION, "r.0.-1"), "a region");
  symlinkSync(join(root, "secret.txt"), join(folder, REGION, "r.0.0"));
  const own = realpathSync(root);
  mkdirSync(join(own, "pose log/lib"), { recursive: true });
  const scripts = ["pose log/my format.js", "pose log/lib/reader.mjs", "elsewhere.js"].map((name) => join(own, name));
  for (const script of scripts) writeFileSync(script, "export default () => null;");
  writeFileSync(join(own, "pose log/secret.json"), "{}");
  symlinkSync(scripts[2]!, join(own, "pose log/link.js"));
  symlinkSync(join(own, "secret.txt"), join(own, "pose log/secret.js"));
  const entries = await entriesOf([folder, "https://example.org/far%20away.hcrp?v=1"]);
  const worlds = await worldEntriesOf([folder, join(folder, "save/DIM-1/region"), join(folder, "town.region/")]);
  server = await serveView({ folder: page, entries, worlds, modules: [scripts[0]!] });
  base = server.address([]);
});

afterAll(() => server.close());

interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** As it is written: `fetch` would tidy a path up before it is sent. */
function get(path: string, headers: Readonly<Record<string, string>> = {}, method = "GET"): Promise<Got> {
  const { port } = new URL(base);
  return new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port, path, method, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(parts) }),
      );
    })
      .on("error", reject)
      .end();
  });
}

const at = (path: string): string => new URL(base).pathname + path;

describe("the server of the viewer", () => {
  test.each([
    ["files/2/town.region/r.0.-1.mca", "blocks of town.region"],
    // of a recording that is a folder
    ["files/0/meta/region/r.0.-1.mca", "blocks of parkour/region"],
    ["files/0/parkour/meta/region/r.0.-1.mca", "blocks of parkour/region"],
    ["worlds/0/DIM-1/region/r.0.-1.mca", "blocks of save/DIM-1/region"],
    ["worlds/1/town.region/r.0.-1.mca", "blocks of town.region"],
  ])("gives region files of a world of blocks: %s", async (path, content) => {
    expect((await get(at(path), { Range: "bytes=0-5" })).body.toString()).toBe("blocks");
    expect((await get(at(path))).body.toString()).toBe(content);
    const [folderAt, beside] = [path.replace(/[^/]*$/, ""), path.replace("r.0.-1", "r.7.7")];
    expect((await get(at(folderAt), {}, "HEAD")).status).toBe(200);
    expect((await get(at(beside), {}, "HEAD")).status).toBe(204);
    // a link that leads out, and what is no region
    for (const name of ["r.1.1.mca", "notes.txt"]) expect((await get(at(folderAt + name))).status).toBe(204);
  });

  test("takes a resource pack for what shows a world, and no other zip", async () => {
    const [pack, other] = [join(folder, "pack.zip"), join(folder, "other.zip")];
    writeFileSync(pack, zipSync({ "assets/minecraft/textures/block/stone.png": new Uint8Array(9) }));
    writeFileSync(other, zipSync({ "notes.txt": new Uint8Array(9) }));
    const town = join(folder, "town.log");
    expect((await worldEntriesOf([town, pack, other])).map(({ name }) => name)).toEqual(["pack.zip"]);
    expect((await entriesOf([town, pack])).map(({ name }) => name)).toEqual(["town.log"]);
    expect((await entriesOf([other])).map(({ name }) => name)).toEqual(["other.zip"]);
    for (const path of [pack, other]) rmSync(path);
  });

  test("says of a folder of region files that is not there that there is none, and of others nothing", async () => {
    expect((await get(at("files/2/town/region/"), {}, "HEAD")).status).toBe(204);
    expect((await get(at("files/2/parkour/region/"), {}, "HEAD")).status).toBe(404);
    expect((await get(at("worlds/7/region/r.0.0.mca"))).status).toBe(404);
    expect(server.address([])).not.toContain("world=");
  });

  test("lists the recordings in a folder, a pair as one and a folder of segments as one", async () => {
    const list = JSON.parse((await get(at("recordings.json"))).body.toString()) as { name: string; url: string }[];
    expect(list.map(({ name, url }) => [name, url])).toEqual([
      ["far away.hcrp", "https://example.org/far%20away.hcrp?v=1"],
      ["parkour", "files/0/parkour/meta.hcrp"],
      ["short.traj", "files/1/short.traj"],
      ["town.log", "files/2/town.log"],
    ]);
  });

  test("gives the files of a recording that is a folder below its name, and below no other", async () => {
    const plain = await get(at("files/0/meta.hcrp"));
    expect((await get(at("files/0/parkour/meta.hcrp"))).body).toEqual(plain.body);
    expect((await get(at("files/0/tower/meta.hcrp"))).status).toBe(404);
    expect((await get(at("files/2/town.log/town.log"))).status).toBe(404);
    expect((await get(at("files/0/parkour/..%2Fnotes.txt"))).status).toBe(404);
  });

  test("writes into the page where the list is, and sends its policy as a header", async () => {
    const { body, headers } = await get(at(""));
    expect(body.toString()).toContain('name="simtape-recordings" content="recordings.json"');
    expect(headers["content-security-policy"]).toBe(`${POLICY}; frame-ancestors 'none'`);
    expect((await get(at("assets/page.js"))).headers["content-type"]).toMatch(/^text\/javascript/);
  });

  test.each([
    ["gzip, deflate, br, zstd", "br"],
    ["gzip", "gzip"],
    ["br;q=0, gzip;q=0.5", "gzip"],
    ["*", "br"],
    ["zstd", undefined],
    ["gzip;q=0.0", undefined],
    [undefined, undefined],
  ])("compresses the page for a browser that reads %s as %s", async (accepted, coding) => {
    const headers = accepted === undefined ? {} : { "Accept-Encoding": accepted };
    for (const again of [false, true]) {
      const got = await get(at("assets/large.js"), headers);
      expect([got.headers["content-encoding"], got.headers["vary"], again]).toEqual([coding, "Accept-Encoding", again]);
      const plain =
        coding === undefined ? got.body : coding === "br" ? brotliDecompressSync(got.body) : gunzipSync(got.body);
      expect(plain.toString()).toBe(LARGE);
      if (coding !== undefined) expect(got.body.length).toBeLessThan(LARGE.length / 10);
    }
  });

  test("leaves recordings, their ranges, pictures and what is small as they are", async () => {
    const headers = { "Accept-Encoding": "gzip, br" };
    const range = await get(at("files/2/town.log"), { ...headers, Range: "bytes=4-2003" });
    expect([range.headers["content-encoding"], range.body.equals(town.subarray(4, 2004))]).toEqual([undefined, true]);
    for (const path of ["files/2/town.log", "assets/large.png", "assets/page.js"]) {
      expect([path, (await get(at(path), headers)).headers["content-encoding"]]).toEqual([path, undefined]);
    }
  });

  test("says what to do under another name, and without the path", async () => {
    const refused = await get(at(""), { Host: "localhost:9000" });
    expect([refused.status, refused.headers["content-type"]]).toEqual([403, "text/plain; charset=utf-8"]);
    expect(refused.body.toString()).toContain("simtape view RECORDING --public-origin http://localhost:9000\n");
    expect((await get(at(""), { Host: "<b>:1" })).body.toString()).not.toContain("<");
    const astray = await get("/");
    expect([astray.status, astray.body.toString()]).toEqual([404, expect.stringContaining("the whole address")]);
  });

  test("writes into the page where the format modules are, and gives out the scripts beside them", async () => {
    const address = "formats/0/my%20format.js";
    expect((await get(at(""))).body.toString()).toContain(`name="simtape-formats" content="${address}"`);
    for (const script of [address, "formats/0/lib/reader.mjs"]) {
      const { status, headers, body } = await get(at(script));
      expect([status, body.toString()]).toEqual([200, "export default () => null;"]);
      expect(headers["content-type"]).toMatch(/^text\/javascript/);
    }
  });

  test.each([
    ["what is no script", "formats/0/secret.json"],
    ["what leads to no script", "formats/0/secret.js"],
    ["a script elsewhere", "formats/0/link.js"],
    ["a script above", "formats/0/..%2Felsewhere.js"],
    ["a script that is not there", "formats/0/none.js"],
    ["a module that was not named", "formats/1/my%20format.js"],
  ])("does not give out %s beside a format module", async (_, path) => {
    expect((await get(at(path))).status).toBe(404);
  });

  test.each([
    ["bytes=0-3", 206, [0, 4]],
    [`bytes=${town.length - 2}-`, 206, [town.length - 2, town.length]],
    ["bytes=-5", 206, [town.length - 5, town.length]],
    [`bytes=4-${town.length + 100}`, 206, [4, town.length]],
    [`bytes=${town.length}-`, 416, [0, 0]],
    ["lines=1-2", 200, [0, town.length]],
  ] as const)("answers the range %s with %i", async (range, status, [start, end]) => {
    const answer = await get(at("files/2/town.log"), { Range: range });
    expect(answer.status).toBe(status);
    expect(answer.body.equals(town.subarray(start, end))).toBe(true);
    expect(answer.headers["etag"]).toMatch(/^"[0-9a-z]+-[0-9a-z]+"$/);
  });

  test("knows what a browser has already, and sends all when it was another", async () => {
    const { headers } = await get(at("files/2/town.log"));
    const etag = String(headers["etag"]);
    expect((await get(at("files/2/town.log"), { "If-None-Match": etag })).status).toBe(304);
    const since = { Range: "bytes=0-3", "If-Range": '"other"' };
    expect((await get(at("files/2/town.log"), since)).status).toBe(200);
    const head = await get(at("files/2/town.log"), {}, "HEAD");
    expect([head.status, head.body.length, head.headers["content-length"]]).toEqual([200, 0, String(town.length)]);
  });

  test.each([
    ["a file that is no recording", "files/2/notes.txt"],
    ["another recording's file", "files/2/short.traj"],
    ["the folder above", "files/2/../secret.txt"],
    ["the folder above, encoded", "files/2/..%2Fsecret.txt"],
    ["the folder above the page", "..%2Fsecret.txt"],
    ["a link out of the folder", "files/0/seg-99999999.hcs"],
    ["a recording that is not there", "files/7/town.log"],
    ["a URL's file", "files/3/far%20away.hcrp"],
    ["what cannot be decoded", "files/2/%ff"],
  ])("does not give %s", async (_, path) => {
    expect((await get(at(path))).status).toBe(404);
  });

  test("gives nothing without the token, to another host's page, or to who wants to write", async () => {
    expect((await get("/")).status).toBe(404);
    expect((await get("/files/2/town.log")).status).toBe(404);
    expect((await get(at("files/2/town.log"), { Host: "evil.example" })).status).toBe(403);
    expect((await get(at("files/2/town.log"), {}, "PUT")).status).toBe(405);
  });

  test("gives nothing but what belongs to a recording, whatever is asked for", async () => {
    const parts = [
      "..",
      ".",
      "files",
      "0",
      "1",
      "2",
      "3",
      "99",
      "-1",
      "town.log",
      "short.traj",
      "secret.txt",
      "meta.hcrp",
    ];
    parts.push(
      "seg-99999999.hcs",
      "pipe.hcs",
      "short.state.dict",
      "recordings",
      "assets",
      "%2e%2e",
      "%2F",
      "%5c",
      "%00",
      "",
    );
    const joints = fc.constantFrom("/", "/", "/", "%2f", "\\", "//", "/../");
    const path = fc.array(fc.tuple(fc.constantFrom(...parts), joints), { maxLength: 6 });
    const header = fc.constantFrom("bytes=0-", "bytes=-5", "bytes=0-1,2-3", "bytes=9-1", "x");
    await fc.assert(
      fc.asyncProperty(path, header, fc.boolean(), async (steps, range, hasToken) => {
        const asked = steps.flat().join("");
        const { status, body } = await get(hasToken ? at(asked) : `/${asked}`, { Range: range });
        if (!hasToken) expect([404, 400]).toContain(status);
        expect(body.toString("latin1")).not.toContain("secret");
      }),
      { seed: 14, numRuns: tries(300, 20_000) },
    );
  });

  test("waits for no pipe, and takes no link to what is no recording", async () => {
    execFileSync("mkfifo", [join(folder, "parkour", "seg-00000077.hcs")]);
    expect((await get(at("files/0/seg-00000077.hcs"))).status).toBe(404);
    const trap = join(folder, "../trap");
    mkdirSync(trap);
    symlinkSync(join(folder, "../secret.txt"), join(trap, "meta.hcrp"));
    await expect(entriesOf([trap])).rejects.toThrow("a folder without recordings");
    const linked = join(folder, "../linked");
    mkdirSync(linked);
    symlinkSync(join(folder, "parkour", "meta.hcrp"), join(linked, "meta.hcrp"));
    expect(await entriesOf([linked])).toHaveLength(1);
  });

  test.each(["localhost", "127.0.0.1", "evil.example", "127.0.0.1.evil.example", "0.0.0.0", "[::1]"])(
    "answers to no other name of this machine, such as %j",
    async (name) => {
      const { port } = new URL(base);
      const hosts = name === "localhost" || name === "127.0.0.1" ? [name, `${name}:1`] : [name, `${name}:${port}`];
      for (const host of hosts) expect((await get(at("files/2/town.log"), { Host: host })).status).toBe(403);
    },
  );

  test("gives a dictionary that was named, beside recordings of HCRP only", async () => {
    const entries = await entriesOf([join(folder, "town.log"), join(folder, "parkour")]);
    const given = await serveView({ folder: join(folder, "../page"), entries, given: new Map([["32769.dict", town]]) });
    const statusOf = async (path: string): Promise<number> => (await fetch(new URL(path, given.address([])))).status;
    try {
      expect(await statusOf("files/1/32769.dict")).toBe(200);
      expect(await statusOf("files/1/32770.dict")).toBe(404);
      expect(await statusOf("files/0/32769.dict")).toBe(404);
    } finally {
      await given.close();
    }
  });

  test("gives the worlds beside recordings, of a folder of segments too, and nothing else there", async () => {
    const indexes = [2, 0];
    for (const index of indexes) {
      const chunk = await get(at(`world/${index}/${CHUNK}`));
      expect([chunk.status, String(chunk.body)]).toEqual([200, "a chunk"]);
      expect(chunk.headers).toMatchObject({ "cache-control": "private, max-age=31536000, immutable" });
      const region = await get(at(`world/${index}/${REGION}/r.0.-1`));
      expect([region.status, String(region.body)]).toEqual([200, "a region"]);
      expect(region.headers).toMatchObject({ "cache-control": "no-cache" });
      // one that is not there is no fault, and a link that leads elsewhere is not there
      for (const name of ["r.1.0", "r.0.0"])
        expect((await get(at(`world/${index}/${REGION}/${name}`))).status).toBe(204);
    }
    const wrong = ["worlds", dirname(CHUNK), `${dirname(CHUNK)}/notes`, REGION, "town.log", "worlds/../town.log"];
    wrong.push(
      `worlds/%2e%2e/chunks/${"0a".repeat(32)}`,
      `${REGION}/../../r.0.-1`,
      `${CHUNK}/`,
      `worlds//chunks/${"0a".repeat(32)}`,
    );
    for (const key of wrong) expect((await get(at(`world/${indexes[0]}/${key}`))).status, key).toBe(404);
    expect((await get(at(`world/99/${CHUNK}`))).status).toBe(404);
    expect((await get(at(`world/3/${CHUNK}`))).status).toBe(404);
  });

  test("tells the address at which recordings are open", async () => {
    const entries = await entriesOf([join(folder, "town.log"), join(folder, "short.traj")]);
    await using two = Object.assign(await serveView({ folder: join(folder, "../page"), entries }), {
      async [Symbol.asyncDispose]() {
        await two.close();
      },
    });
    expect(new URL(two.address(entries)).search).toBe("?url=files/0/town.log&url=files/1/short.traj");
  });
});

test("a list has what came later, too, by name as people sort, each under a number of its own", async () => {
  const own = join(dirname(folder), "growing");
  mkdirSync(own);
  const log = readFileSync(join(folder, "town.log"));
  for (const name of ["run 10.log", "run 9.log"]) writeFileSync(join(own, name), log);
  const list = new ViewList(await entriesOf([own]), () => entriesOf([own]));
  const listed = async (): Promise<unknown[]> =>
    (JSON.parse(await list.json()) as { name: string; url: string }[]).map(({ name, url }) => [name, url]);
  const before = [
    ["run 9.log", "files/1/run%209.log"],
    ["run 10.log", "files/0/run%2010.log"],
  ];
  expect(await listed()).toEqual(before);
  writeFileSync(join(own, "Run 1.log"), log);
  expect(await listed()).toEqual([["Run 1.log", "files/2/Run%201.log"], ...before]);
  rmSync(join(own, "run 9.log"));
  expect(await listed()).toEqual([["Run 1.log", "files/2/Run%201.log"], before[1]]);
  rmSync(own, { recursive: true });
  expect(await listed()).toHaveLength(2);
});

test("a list tells of a recording what it is, how long, and where things were; of what cannot be read nothing", async () => {
  const own = join(dirname(folder), "given");
  mkdirSync(own);
  writeFileSync(join(own, "town.log"), readFileSync(join(folder, "town.log")));
  const list = new ViewList(await entriesOf([own]));
  await using recording = await open(new Uint8Array(readFileSync(join(folder, "town.log"))));
  const { start, end } = await recording.timeline();
  const facts = JSON.parse((await list.facts(0))!) as ViewFacts;
  expect(facts).toMatchObject({ format: recording.info.format, seconds: (end - start) / 1e9 });
  expect(facts.places.length).toBeGreaterThan(0);
  for (const part of facts.places.flat()) expect(part >= 0 && part <= 1).toBe(true);
  expect(await list.facts(1)).toBeNull();
  rmSync(own, { recursive: true });
  expect(await new ViewList([list.entry(0)!]).facts(0)).toBe("null");
});

test("names no recording that is none, and no folder without one", async () => {
  await expect(entriesOf([join(folder, "nowhere")])).rejects.toThrow(/nothing there/);
  const empty = mkdtempSync(join(tmpdir(), "simtape-empty-"));
  await expect(entriesOf([empty])).rejects.toThrow(/without recordings/);
});

test("knows which files can belong to one recording", () => {
  expect(belongsTo("run.traj", "run.state")).toBe(true);
  expect(belongsTo("run.traj", "other.state")).toBe(false);
  expect(belongsTo("meta.hcrp", "seg-00000001.hcs")).toBe(true);
  expect(belongsTo("meta.hcrp", "id_rsa")).toBe(false);
  expect(belongsTo("race.hcrp", "7.dict")).toBe(true);
});

test.each([
  [{}, "http://127.0.0.1:8123", ["127.0.0.1:8123", "localhost:8123"], ["[::1]:8123", "localhost", "10.0.0.7:8123"]],
  [
    { publicOrigin: "http://localhost:9000" },
    "http://localhost:9000",
    ["localhost:9000", "127.0.0.1:8123"],
    ["localhost:9001", "127.0.0.1:9000", "evil.example:9000"],
  ],
  [
    { publicOrigin: "https://tapes.example" },
    "https://tapes.example",
    ["tapes.example", "localhost:8123"],
    ["tapes.example:80x", "tapes.example:9000", "tapes.example@localhost:8123", "localhost:8123/x", ""],
  ],
  [{ host: "::1" }, "http://[::1]:8123", ["[::1]:8123"], ["localhost:8123"]],
  [{ host: "10.0.0.7" }, "http://10.0.0.7:8123", ["10.0.0.7:8123"], ["localhost:8123", "evil.example:8123"]],
  [
    { host: "0.0.0.0" },
    `http://${hostname().toLowerCase()}:8123`,
    ["10.0.0.7:8123", "[fe80::1]:8123", "localhost:8123", `${hostname()}:8123`],
    ["10.0.0.7", "evil.example:8123"],
  ],
])("served at %j, the page is at %s", (reach, origin, answered, refused) => {
  const names = new Names(8123, reach);
  expect(names.origin).toBe(origin);
  expect(answered.filter((host) => !names.include(host))).toEqual([]);
  expect(refused.filter((host) => names.include(host))).toEqual([]);
});

test("knows what is an origin, and what other machines can reach", async () => {
  expect(originOf("HTTPS://Tapes.example:443/")).toBe("https://tapes.example");
  for (const text of ["localhost:9000", "ftp://a", "http://a/b", "http://a?b", "http://u@a", ""])
    expect(() => originOf(text), text).toThrow("an origin is http://");
  for (const host of ["127.0.0.1", "127.1.2.3", "localhost", "::1"])
    expect([host, await isReachedFromElsewhere(host)]).toEqual([host, false]);
  for (const host of ["0.0.0.0", "::", "10.0.0.7"])
    expect([host, await isReachedFromElsewhere(host)]).toEqual([host, true]);
});

describe("the seek indexes of the viewer", () => {
  const ENDING = ".simtape-index";

  test("are made when a recording is first opened, are given out as long as they fit, and go with the server", async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "simtape-view-index-")));
    mkdirSync(join(root, "page"));
    writeFileSync(join(root, "page/index.html"), '<meta name="simtape-recordings" content="">');
    const path = join(root, "town.log");
    writeFileSync(path, town);
    const made: string[] = [];
    const { makeSideCar } = await import("../../src/ops/side-car.ts");
    const indexes = new ViewIndexes(async (at) => {
      made.push(at);
      writeFileSync(at + ENDING, (await makeSideCar(fromFile(at), FORMATS)).bytes);
    }, 1);
    const entries = await entriesOf([path]);
    const own = await serveView({ folder: join(root, "page"), entries, indexes });
    const address = new URL(`files/0/town.log`, own.address([]));
    const index = async (): Promise<Response> => fetch(new URL(address.href + ENDING));
    expect((await index()).status).toBe(204);
    expect(made).toEqual([]);
    await (await fetch(address)).arrayBuffer();
    await indexes.want(entries[0] as never);
    expect(made).toEqual([path]);
    const recording = await open(address, { seekIndex: "beside" });
    expect(recording.info.seekIndex).toBe("kept");
    await recording.close();
    await (await fetch(address)).arrayBuffer();
    await indexes.want(entries[0] as never);
    expect(made).toEqual([path]);
    expect((await index()).status).toBe(200);
    writeFileSync(path, town.subarray(0, -1));
    expect((await index()).status).toBe(204);
    await own.close();
  });

  test("are not made of what opens at once anyway, nor given out by a server without them", async () => {
    const indexes = new ViewIndexes(() => Promise.reject(new Error("not to be made")));
    const [entry] = (await entriesOf([join(folder, "town.log")])) as never[];
    await indexes.want(entry!);
    expect((await get(at(`files/2/town.log${ENDING}`))).status).toBe(404);
  });
});
