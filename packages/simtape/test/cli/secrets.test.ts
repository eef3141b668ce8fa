import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shownUrl } from "../../src/cli/serving.ts";
import { entriesOf } from "../../src/cli/view/entries.ts";
import { serveView } from "../../src/cli/view/server.ts";
import { bundleAt, http, open, s3Store } from "../../src/index.ts";
import * as bad from "../io/bad-server.ts";
import { SOUND } from "../specimens.ts";
import { tries } from "../soak.ts";
import { simtape } from "./run.ts";

const [USER, PASSWORD, SIGNATURE, TOKEN] = [
  "agent-eleven",
  "pa55/w0rd+x y",
  "0123456789abcdef0123456789abcdef",
  "tok_9",
];
const QUERY = `X-Amz-Credential=AKIDEXAMPLE00000%2F20260101&X-Amz-Signature=${SIGNATURE}&token=${TOKEN}&v=1`;
const NEEDLES = [USER, PASSWORD, encodeURIComponent(PASSWORD), SIGNATURE, TOKEN, "AKIDEXAMPLE"];

let folder = "";
let server: Server;
let port = 0;
const files = new Map<string, Uint8Array>();
const unauthorized: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "simtape-secrets-"));
  for (const { files: all } of SOUND) for (const [name, bytes] of Object.entries(all)) files.set(name, bytes);
  files.set("broken.log", files.get("town.log")!.subarray(0, 3000));
  files.set("nothing.log", new Uint8Array(5000).fill(7));
  server = createServer((request, response) => {
    const name = decodeURIComponent(new URL(request.url!, "http://x").pathname.split("/").at(-1)!);
    const basic = Buffer.from(`${USER}:${PASSWORD}`).toString("base64");
    if (request.headers.authorization !== `Basic ${basic}`) unauthorized.push(request.url!);
    const bytes = files.get(name);
    if (bytes === undefined) response.writeHead(name.startsWith("fails") ? 500 : 404).end();
    else bad.wellBehaved(request, response, bytes, 1);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

function urlOf(name: string, at = port): string {
  return `http://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${at}/tapes/${name}?${QUERY}`;
}

/** Secrets in a text; base64 of them too. */
function found(text: string): string[] {
  const coded = Buffer.from(`${USER}:${PASSWORD}`).toString("base64");
  return [...NEEDLES, coded].filter((needle) => text.includes(needle));
}

/** What is in the files below a folder. */
function foundIn(path: string): string[] {
  return (readdirSync(path, { recursive: true }) as string[]).flatMap((name) => {
    const at = join(path, name);
    return [...found(name), ...(statSync(at).isFile() ? found(readFileSync(at).toString("latin1")) : [])];
  });
}

describe("name, password and signature of a URL", () => {
  test.each([
    "town.log",
    "short.traj",
    "patrol.tape",
    "flight.fgtape",
    "race.hcrp",
    "buckyball.nanover.zip",
    "broken.log",
    "nothing.log",
    "not-there.log",
  ])("are in no output and no file of any command that reads %s", async (name) => {
    const url = urlOf(name);
    const out = mkdtempSync(join(folder, "out-"));
    const local = join(out, name);
    writeFileSync(local, files.get(name) ?? "");
    writeFileSync(join(out, "list.json"), JSON.stringify({ version: 1, operations: [{ op: "join", files: [url] }] }));
    const ending = name.slice(name.indexOf("."));
    const lines = [
      ["info", url],
      ["info", url, "--json"],
      ["state", url, "--at", "0s"],
      ["cat", url, "--limit", "1"],
      ["cat", url, "-c", "none"],
      ["tail", url, "--from", "start", "--idle-exit", "1ms", "--follow-interval", "1ms"],
      ["records", url, "--limit", "1"],
      ["check", url],
      ["check", url, "--json"],
      ["verify", url],
      ["verify", url, "--json"],
      ["meta", "get", url],
      ["meta", "set", url, "a=1"],
      ["carla", "info", url],
      ["copy", url, join(out, `copy${ending}`)],
      ["copy", local, url],
      ["convert", url, join(out, "converted.hcrp")],
      ["convert", url, join(out, "converted.fgtape"), "--json"],
      ["compact", url, join(out, "compact.hcrp")],
      ["repair", url, join(out, `repair${ending}`)],
      ["trim", url, join(out, `trim${ending}`), "--until", "1s"],
      ["annotate", url, join(out, `note${ending}`), "--at", "0s", "--text", "x"],
      ["join", local, url, "-o", join(out, `join${ending}`)],
      ["edit", url, "--list", join(out, "list.json"), "-o", join(out, `edit${ending}`)],
      ["dictionary", "train", url, "--id", "40000", "-o", join(out, "a.dict")],
      ["record", url],
      ["record", join(out, "run"), "--input", url],
      ["recover", url],
      ["retain", url, "--policy", url],
      ["info", url, "--dictionary", url],
      ["demo", "-o", url],
      ["nonsense", url],
      ["info", url, `--nonsense=${url}`],
      ["copy", local, `-o${url}`],
    ];
    // the shortest has them all
    const each = name === "short.traj" ? 1 : tries(5, 1);
    for (const words of lines.filter((_, i) => (i + name.length) % each === 0)) {
      const { stdout, stderr } = await simtape(words);
      expect([words[0], found(stdout), found(stderr), stderr.includes("    at ")]).toEqual([words[0], [], [], false]);
    }
    rmSync(join(out, "list.json"));
    expect(foundIn(out)).toEqual([]);
    for (const other of readdirSync(out).filter(
      (one) => /^(trim|note|join|edit)/.test(one) && !one.endsWith(".json"),
    )) {
      const { stdout, stderr } = await simtape(["info", join(out, other), "--json"]);
      expect([other, found(stdout + stderr)]).toEqual([other, []]);
    }
    rmSync(out, { recursive: true });
  });

  test("still open what they are for", () => expect(unauthorized).toEqual([]));

  test("are in the error of no bad URL", async () => {
    const urls = [
      `http://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:99999/x?${QUERY}`,
      `https://${USER}:${PASSWORD}@ /x?${QUERY}`,
      `s3://${USER}:${SIGNATURE}@bucket?token=${TOKEN}`,
      `ftp://${USER}:${SIGNATURE}@host/run.log?${QUERY}`,
    ];
    for (const url of urls) {
      for (const words of [
        ["info", url],
        ["tail", url],
        ["view", url],
        ["copy", url, "x.log"],
        ["join", "a", url, "-o", "b"],
      ]) {
        const { stdout, stderr } = await simtape(words);
        expect([words, found(stdout + stderr)]).toEqual([words, []]);
      }
      expect(found(shownUrl(url))).toEqual([]);
    }
  });

  test("are in no error of the library and what caused it, however the server behaves", async () => {
    const content = files.get("town.log")!;
    const manners: [string, bad.Manner][] = [
      ["well", bad.wellBehaved],
      ["silent", bad.silentAboutSize],
      ["whole", bad.noRanges],
      ["chunked", bad.chunked],
      ["wrong", bad.wrongRange],
      ["changed", bad.changes("etag", 2)],
      ["cut", bad.cuts(10, 99)],
      ["cut whole", bad.cutsWhole(10, 99)],
      ["forbidden", bad.fails(403, 99)],
      ["failing", bad.fails(503, 99)],
      ["refusing", bad.refusesRanges],
      ["compressing", bad.compresses],
      [
        "redirecting",
        (_, response) => void response.writeHead(302, { location: `http://${USER}:x@127.0.0.1:1/?${QUERY}` }).end(),
      ],
      ["lost", (_, response) => void response.writeHead(302, { location: `http://[${SIGNATURE}` }).end()],
      ["gone", (_, response) => void response.destroy()],
    ];
    let failures = 0;
    for (const [how, manner] of manners) {
      const { url, close } = await bad.serve(content, manner);
      const secret = urlOf("run.log", Number(new URL(url).port));
      const wait = (): Promise<void> => Promise.resolve();
      try {
        const recording = await open(bundleAt(new URL(secret), { wait }));
        for await (const _ of recording.batches()) void _;
        expect(found(inspect([recording.info, recording.findings], { depth: 9 }))).toEqual([]);
        await recording.close();
      } catch (error) {
        failures++;
        expect([how, found(inspect(error, { depth: 20, showHidden: true }))]).toEqual([how, []]);
      }
      await close();
    }
    expect(failures).toBeGreaterThan(6);
  });

  test("are in no error that a caller's own fetch throws", async () => {
    const texts = fc.constantFrom(PASSWORD, SIGNATURE, TOKEN, urlOf("a"), QUERY, "plain");
    await fc.assert(
      fc.asyncProperty(fc.array(texts, { maxLength: 4 }), fc.boolean(), async (parts, isDeep) => {
        const inner = Object.assign(new Error(parts.join(" ")), { code: "EBAD", input: parts.join("|") });
        const error = isDeep ? new TypeError("fetch failed", { cause: inner }) : inner;
        const source = http(urlOf("a.log"), { retries: 0, fetch: () => Promise.reject(error) });
        const thrown = await source.read(0, 1).catch((reason: unknown) => reason);
        expect(found(inspect(thrown, { depth: 20, showHidden: true }))).toEqual([]);
        expect(String(thrown)).toContain("EBAD");
      }),
      { seed: 14, numRuns: tries(200, 100_000) },
    );
  });

  test("are not in what a store says, even when the server repeats them", async () => {
    const credentials = { accessKeyId: "AKID", secretAccessKey: SIGNATURE, sessionToken: PASSWORD };
    const body = `<Error><Code>Bad</Code><Message>you said ${SIGNATURE} and ${PASSWORD}</Message></Error>`;
    const fetch = (): Promise<Response> => Promise.resolve(new Response(body, { status: 400 }));
    const store = s3Store({ bucket: "bucket", endpoint: "http://127.0.0.1:1", credentials, fetch });
    const error: unknown = await store.get("a").catch((reason: unknown) => reason);
    expect([found(inspect(error)), String(error)]).toEqual([[], expect.stringContaining("you said … and …")]);
    const endpoint = `http://${USER}:${SIGNATURE}@127.0.0.1`;
    expect(() => s3Store({ bucket: "bucket", endpoint, credentials })).toThrow("an endpoint has no name");
  });

  test("stay with the server of the viewer, which reads in the page's stead", async () => {
    const page = join(folder, "page");
    mkdirSync(page);
    writeFileSync(join(page, "index.html"), '<meta name="simtape-recordings" content="">');
    const entries = await entriesOf([urlOf("short.traj"), urlOf("not-there.log")]);
    const view = await serveView({ folder: page, entries });
    try {
      const base = new URL(view.address([]));
      expect(found(view.address(entries))).toEqual([]);
      expect(found(await (await fetch(new URL("recordings.json", base))).text())).toEqual([]);
      const get = (path: string, range = "bytes=0-9"): Promise<Response> =>
        fetch(new URL(path, base), { headers: { range } });
      const part = await get("files/0/short.traj");
      expect([part.status, part.headers.get("etag")]).toEqual([206, '"one"']);
      expect(part.headers.get("content-range")).toBe(`bytes 0-9/${files.get("short.traj")!.length}`);
      expect(new Uint8Array(await part.arrayBuffer())).toEqual(files.get("short.traj")!.slice(0, 10));
      expect((await get("files/0/short.state")).status).toBe(206);
      // another file of the same server is not named
      expect((await get("files/0/town.log")).status).toBe(404);
      expect((await get("files/0/..%2Ftown.log")).status).toBe(404);
      expect((await get("files/1/not-there.log")).status).toBe(404);
    } finally {
      await view.close();
    }
  });
});
