import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Upload } from "tus-js-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeDatabases } from "./support/databases.ts";
import { makeDemos } from "./support/demos.ts";
import { json, startNode, type TestNode, until } from "./support/node.ts";
import { freePort } from "./support/postgres.ts";
import { startSwitch, type Switch } from "./support/switch.ts";

interface Item {
  readonly id: string;
  readonly name: string;
  readonly key: string;
  readonly state: string;
  readonly format: string | null;
  readonly url: string;
}
interface Status {
  readonly state: string;
  readonly received: number;
  readonly key: string | null;
}

const MIB = 1 << 20;
const VERSION = { "tus-resumable": "1.0.0" };
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const digest = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Sends all by a client that shares no code with the server; gives the address of the upload. */
function send(
  address: string,
  bytes: Buffer,
  metadata: Record<string, string>,
  onProgress: (sent: number) => void = () => undefined,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const upload = new Upload(bytes, {
      endpoint: `${address}/api/uploads`,
      metadata,
      chunkSize: 5 * MIB,
      retryDelays: Array.from({ length: 60 }, () => 250),
      onProgress,
      onSuccess: () => resolve(upload.url!),
      onError: reject,
    });
    upload.start();
  });
}

describeDatabases("uploads", (database) => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-uploads-"));
  const library = join(folder, "library");
  const demos = join(folder, "demos");
  let node: TestNode;
  let front: Switch;
  let words: readonly string[];

  beforeAll(async () => {
    await makeDemos(demos);
    await makeDemos(library);
    front = await startSwitch();
    const port = await freePort();
    front.to(`http://127.0.0.1:${port}`);
    const reached = ["--port", `${port}`, "--public-origin", front.address, "--access", "open"];
    words = [library, ...(await database()), "--upload-bytes", `${64 * MIB}`, ...reached];
    node = await startNode(words);
  });
  afterAll(async () => {
    await front?.close();
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const listed = async (): Promise<readonly Item[]> =>
    (await json<{ recordings: Item[] }>(front.address, "/api/recordings?limit=500")).recordings;
  const statusOf = async (upload: string): Promise<Status> =>
    json<Status>(front.address, new URL(upload, front.address).pathname);
  const placed = async (upload: string): Promise<string> =>
    (
      await until(
        () => statusOf(upload),
        ({ state }) => state === "placed",
      )
    ).key!;
  const ask = (
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: Uint8Array<ArrayBuffer>,
  ): Promise<Response> =>
    fetch(front.address + path, {
      method,
      headers: { ...VERSION, ...headers },
      ...(body === undefined ? {} : { body }),
    });
  const begin = (name: string, bytes: number, more = ""): Promise<Response> =>
    ask("POST", "/api/uploads", { "upload-length": `${bytes}`, "upload-metadata": `filename ${base64(name)}${more}` });

  test("a recording that is sent is in the library, byte for byte, and replaces nothing", async () => {
    const bytes = readFileSync(join(demos, "race.hcrp"));
    const keys = new Set<string>();
    for (const batch of ["b1", "b1", "b2"])
      keys.add(await placed(await send(front.address, bytes, { filename: "an upload.hcrp", batch })));
    expect([...keys]).toEqual([
      "uploads/operator/b1/an upload.hcrp",
      "uploads/operator/b1/an upload-2.hcrp",
      "uploads/operator/b2/an upload.hcrp",
    ]);
    for (const key of keys) expect(digest(readFileSync(join(library, key)))).toBe(digest(bytes));
    const items = await until(
      listed,
      (all) => all.filter(({ key, state }) => keys.has(key) && state === "indexed").length === 3,
    );
    expect(items.filter(({ key }) => keys.has(key)).map(({ format }) => format)).toEqual(["hcrp", "hcrp", "hcrp"]);
    const { url } = items.find(({ key }) => keys.has(key))!;
    expect(digest(Buffer.from(await (await fetch(front.address + url)).arrayBuffer()))).toBe(digest(bytes));
  });

  test("what is sent together is one recording, folders and all", async () => {
    const file = readFileSync(join(demos, "town.log"));
    await Promise.all(
      ["first/a.log", "second/a.log"].map(async (filename) =>
        placed(await send(front.address, file, { filename, batch: "many" })),
      ),
    );
    const items = await until(
      listed,
      (all) => all.filter(({ key }) => key.startsWith("uploads/operator/many/")).length === 2,
    );
    expect(items.filter(({ key }) => key.includes("/many/")).map(({ name }) => name)).toEqual(["a.log", "a.log"]);
  });

  test("a connection that breaks and a node that is killed cost nothing", async () => {
    const bytes = randomBytes(30 * MIB);
    let breaks = 0;
    const sending = send(front.address, bytes, { filename: "large.bin" }, (sent) => {
      if (breaks === 0 && sent > 7 * MIB) {
        breaks = 1;
        front.cut();
      } else if (breaks === 1 && sent > 16 * MIB) {
        breaks = 2;
        void again();
      }
    });
    const again = async (): Promise<void> => {
      await node.kill();
      node = await startNode(words);
    };
    const key = await placed(await sending);
    expect(breaks).toBe(2);
    expect(digest(readFileSync(join(library, key)))).toBe(digest(bytes));
    // nothing is left of it but where it went
    const left = readdirSync(join(library, ".simtape/uploads"), { recursive: true, encoding: "utf8" });
    expect(left.filter((name) => /\/0|facts/.test(name))).toEqual([]);
  });

  test("of two that send the same part, what comes is what one of them sent", async () => {
    const bytes = randomBytes(MIB);
    const begun = await begin("twice.bin", bytes.length);
    expect(begun.status, await begun.text()).toBe(201);
    const path = begun.headers.get("location")!;
    const patch = (): Promise<Response> =>
      ask("PATCH", path, { "upload-offset": "0", "content-type": "application/offset+octet-stream" }, bytes);
    const statuses = (await Promise.all([patch(), patch(), patch()])).map(({ status }) => status);
    expect(statuses.filter((status) => status === 204)).toHaveLength(1);
    expect(statuses.every((status) => status === 204 || status === 409 || status === 404)).toBe(true);
    const key = await placed(path);
    expect(digest(readFileSync(join(library, key)))).toBe(digest(bytes));
  });

  test("its progress can be read, and it can be deleted", async () => {
    const { headers, status } = await begin("part.bin", 100);
    expect(status).toBe(201);
    expect(Date.parse(headers.get("upload-expires")!)).toBeGreaterThan(Date.now());
    const path = headers.get("location")!;
    const type = { "content-type": "application/offset+octet-stream" };
    const half = await ask("PATCH", path, { ...type, "upload-offset": "0" }, Buffer.alloc(40));
    expect([half.status, half.headers.get("upload-offset")]).toEqual([204, "40"]);
    const head = await ask("HEAD", path);
    expect([head.headers.get("upload-offset"), head.headers.get("upload-length")]).toEqual(["40", "100"]);
    expect(await statusOf(path)).toMatchObject({ state: "receiving", received: 40, key: null });
    expect((await ask("PATCH", path, { ...type, "upload-offset": "39" }, Buffer.alloc(9))).status).toBe(409);
    expect((await ask("PATCH", path, { ...type, "upload-offset": "x" }, Buffer.alloc(9))).status).toBe(400);
    expect((await ask("DELETE", path)).status).toBe(204);
    expect((await ask("HEAD", path)).status).toBe(404);
    const known = await ask("OPTIONS", "/api/uploads");
    expect(known.headers.get("tus-extension")).toBe("creation,expiration,termination");
  });

  test.each([
    ["../up.log"],
    ["a/../../up.log"],
    ["/etc/up.log"],
    [".hidden"],
    ["a/.hidden/b"],
    ["a\\b"],
    ["a\0b"],
    [""],
    ["a//b"],
    ["a/b/c/d/e"],
    ["x".repeat(300)],
  ])("no file has the name %j", async (name) => {
    expect((await begin(name, 10)).status).toBe(400);
  });

  test("what cannot be taken is refused", async () => {
    expect((await begin("empty.log", 0)).status).toBe(400);
    expect((await begin("huge.log", 65 * MIB)).status).toBe(413);
    expect((await begin("x.log", 10, `,batch ${base64("../x")}`)).status).toBe(400);
    expect(
      (await fetch(`${front.address}/api/uploads`, { method: "POST", headers: { "upload-length": "1" } })).status,
    ).toBe(412);
    for (const path of ["nothing", "..%2f..%2fsecret", "a".repeat(65)])
      expect([400, 404]).toContain((await ask("HEAD", `/api/uploads/${path}`)).status);
    const wrong = await ask("PATCH", "/api/uploads/nothing", { "content-type": "text/plain" }, Buffer.alloc(1));
    expect([404, 415]).toContain(wrong.status);
    expect(existsSync(join(folder, "up.log"))).toBe(false);
  });
});
