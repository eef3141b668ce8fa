import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { simtape } from "../../simtape/test/cli/run.ts";
import { printed } from "./support/command.ts";
import { describeDatabases } from "./support/databases.ts";
import { startNode, type TestNode, until } from "./support/node.ts";
import { Caller, PASSWORD, userCommand } from "./support/people.ts";

interface Details {
  readonly id: string;
  readonly key: string;
  readonly state: string;
  readonly companions: readonly { readonly name: string; readonly bytes: number }[];
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

describeDatabases("companions of recordings", (database) => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-companions-"));
  const library = join(folder, "library");
  const stored = join(library, ".simtape", "companions");
  const made = join(folder, "made");
  let node: TestNode;
  let admin: Caller;
  let viewer: Caller;

  beforeAll(async () => {
    mkdirSync(library);
    await printed(["demo", "carla", "-o", made, "--seconds", "2"]);
    await printed(["demo", "mira", "-o", made, "--seconds", "2"]);
    cpSync(join(made, "robot.tape"), join(library, "robot.tape"));
    const words = [library, ...(await database())];
    expect((await userCommand(["add", "admin", ...words.slice(0, 3), "--role", "admin"])).exit).toBe(0);
    node = await startNode([...words, "--public", "all", "--sign-ins-per-minute", "1000"]);
    admin = await Caller.signedIn(node, "admin");
    await admin.json("POST", "/api/users", { name: "vera", role: "viewer", password: PASSWORD });
    viewer = await Caller.signedIn(node, "vera");
  });
  afterAll(async () => {
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const listed = async (): Promise<readonly Details[]> =>
    (await admin.json<{ recordings: Details[] }>("GET", "/api/recordings?limit=500")).recordings;
  const recordingAt = async (key: string): Promise<string> =>
    (await until(listed, (all) => all.some((one) => one.key === key && one.state === "indexed"))).find(
      (one) => one.key === key,
    )!.id;
  const put = (caller: Caller, id: string, name: string, body: string): Promise<Response> =>
    fetch(`${node.address}/api/recordings/${id}/companions/${encodeURIComponent(name)}`, {
      method: "PUT",
      headers: caller.headers,
      body,
    });
  const companionsOf = async (id: string): Promise<Details["companions"]> =>
    (await admin.json<Details>("GET", `/api/recordings/${id}`)).companions;
  const textOf = async (caller: Caller, id: string, name: string): Promise<string> => {
    const answer = await caller.ask("GET", `/api/recordings/${id}/files/${encodeURIComponent(name)}`);
    return answer.ok ? answer.text() : String(answer.status);
  };
  const problemOf = async (answer: Response): Promise<readonly [number, string]> => [
    answer.status,
    ((await answer.json()) as { detail: string }).detail,
  ];

  test("are of the recording: all who may read it read them, under any name", async () => {
    const id = await recordingAt("robot.tape");
    expect((await put(admin, id, "Town 01.xodr", "<OpenDRIVE/>")).status).toBe(200);
    expect((await put(admin, id, "hero.glb", "glTF")).status).toBe(200);
    expect(await companionsOf(id)).toEqual([
      { name: "Town 01.xodr", bytes: 12, digest: sha256("<OpenDRIVE/>") },
      { name: "hero.glb", bytes: 4, digest: sha256("glTF") },
    ]);
    expect(await textOf(viewer, id, "Town 01.xodr")).toBe("<OpenDRIVE/>");
    const part = await viewer.ask("GET", `/api/recordings/${id}/files/Town%2001.xodr`, undefined, {
      range: "bytes=1-4",
    });
    expect([part.status, await part.text()]).toEqual([206, "Open"]);
    expect((await put(admin, id, "Town 01.xodr", "<another/>")).status).toBe(200);
    expect(await textOf(viewer, id, "Town 01.xodr")).toBe("<another/>");
    expect(readdirSync(stored)).toHaveLength(2);
    expect(await admin.status("DELETE", `/api/recordings/${id}/companions/hero.glb`)).toBe(204);
    expect(await admin.status("DELETE", `/api/recordings/${id}/companions/hero.glb`)).toBe(404);
    expect(await textOf(viewer, id, "hero.glb")).toBe("404");
    expect(readdirSync(stored)).toHaveLength(1);
  });

  test("what shows no world, is empty or too large is refused in one sentence", async () => {
    const id = await recordingAt("robot.tape");
    const before = await companionsOf(id);
    expect(await problemOf(await put(admin, id, "notes.txt", "x"))).toEqual([
      400,
      "notes.txt shows no world: names end with .xodr, .tif, .tiff, .apt.dat, .apt.dat.gz, .region.zip, .models.json, .glb, .gltf, .urdf, .pdb, .yaml, .yml, .pgm, .png, .stl, .obj, .mtl, .dae",
    ]);
    for (const name of ["../up.xodr", ".hidden.xodr", "a\\b.xodr", "a\nb.xodr", `${"x".repeat(250)}.xodr`])
      expect((await put(admin, id, name, "x")).status).toBe(400);
    expect(await problemOf(await put(admin, id, "empty.xodr", ""))).toEqual([400, "an empty file shows nothing"]);
    expect(await claiming(id, 257 << 20)).toBe(413);
    expect(await companionsOf(id)).toEqual(before);
    expect(readdirSync(join(library, ".simtape", "companions-arriving"))).toEqual([]);
    // as many as a recording may have
    for (let n = before.length; n < 100; n++) expect((await put(admin, id, `${n}.png`, "x")).status).toBe(200);
    expect((await put(admin, id, "more.png", "x")).status).toBe(409);
    expect((await put(admin, id, "99.png", "another")).status).toBe(200);
  });

  /** The answer to a client that says how much it will send, and waits. */
  function claiming(id: string, bytes: number): Promise<number> {
    return new Promise((resolve, reject) => {
      const headers = { ...admin.headers, "content-length": bytes, "content-type": "application/octet-stream" };
      const path = `${node.address}/api/recordings/${id}/companions/large.glb`;
      const sent = request(path, { method: "PUT", headers }, (answer) => {
        resolve(answer.statusCode!);
        sent.destroy();
      });
      sent.once("error", reject);
      sent.write("glTF");
    });
  }

  test("are changed by the staff and the owner alone, and not seen where the recording is not", async () => {
    const id = await recordingAt("robot.tape");
    expect((await put(viewer, id, "theirs.xodr", "x")).status).toBe(403);
    expect(await viewer.status("DELETE", `/api/recordings/${id}/companions/Town%2001.xodr`)).toBe(403);
    expect(await viewer.status("DELETE", `/api/recordings/${id}`)).toBe(403);
    const collection = await admin.json<{ id: string }>("POST", "/api/collections", { name: "hidden", public: "off" });
    await admin.json("PUT", `/api/recordings/${id}/collection`, { collection: collection.id });
    await until(
      () => textOf(viewer, id, "Town 01.xodr"),
      (text) => text === "404",
    );
    expect((await put(viewer, id, "theirs.xodr", "x")).status).toBe(404);
    await admin.json("PUT", `/api/recordings/${id}/collection`, { collection: null });
  });

  test("stay with a recording that gets another name, and end with it", async () => {
    const id = await recordingAt("robot.tape");
    mkdirSync(join(library, "monday"));
    renameSync(join(library, "robot.tape"), join(library, "monday", "renamed.tape"));
    expect(await recordingAt("monday/renamed.tape")).toBe(id);
    expect(await textOf(viewer, id, "Town 01.xodr")).toBe("<another/>");
    // and what lies beside it under its name; what is of another recording stays
    writeFileSync(join(library, "monday", "renamed.xodr"), "<beside/>");
    writeFileSync(join(library, "monday", "other.xodr"), "<other/>");
    expect(await textOf(viewer, id, "renamed.xodr")).toBe("<beside/>");
    const { id: hold } = await admin.json<{ id: string }>("POST", `/api/recordings/${id}/holds`, { reason: "wanted" });
    expect(await problemOf(await admin.ask("DELETE", `/api/recordings/${id}`))).toEqual([409, "it is on hold: wanted"]);
    await admin.status("DELETE", `/api/recordings/${id}/holds/${hold}`);
    expect(await admin.status("DELETE", `/api/recordings/${id}`)).toBe(204);
    expect(await admin.status("GET", `/api/recordings/${id}`)).toBe(404);
    expect(readdirSync(join(library, "monday"))).toEqual(["other.xodr"]);
    expect(readdirSync(stored)).toEqual([]);
  });

  test("a person who is erased leaves no world behind", async () => {
    const player = { id: "a", uuid: "71d87f3f-df6e-496b-8876-c1cda9d934ca", name: "Amalia" };
    const lines = [{ simtape: 1 }, { tick: 0 }, { join: { ...player, at: [0, 64, 0] } }, { subject: player }];
    const input = [...lines, { tick: 20 }, { end: "completed" }].map((line) => `${JSON.stringify(line)}\n`).join("");
    await printed(["record", join(library, "alone")], input);
    const id = await recordingAt("alone/meta.hcrp");
    expect((await put(admin, id, "island.glb", "glTF")).status).toBe(200);
    const { id: asked } = await admin.json<{ id: string }>("POST", "/api/subjects/Amalia/erase", {});
    await until(
      () => admin.json<{ state: string }>("GET", `/api/subjects/requests/${asked}`),
      ({ state }) => state === "done",
    );
    expect(readdirSync(stored)).toEqual([]);
  });

  test("simtape push sends those beside a recording, and those that are named", async () => {
    const made_ = await admin.json<{ token: string }>("POST", "/api/tokens", {
      name: "push",
      scopes: ["read", "write"],
    });
    vi.stubEnv("SIMTAPE_SERVER_TOKEN", made_.token);
    vi.stubEnv("SIMTAPE_CACHE", join(folder, "cache"));
    writeFileSync(join(folder, "hills.tif"), "II*\0");
    const push = async (
      ...words: readonly string[]
    ): Promise<{ readonly exit: number | null; readonly said: string }> => {
      const { exit, stderr } = await simtape(["push", ...words, node.address]);
      return { exit, said: stderr };
    };
    expect(existsSync(join(made, "town.xodr"))).toBe(true);
    expect(await push(join(made, "town.log"), join(folder, "hills.tif"))).toEqual({ exit: 0, said: "" });
    const [town] = (await listed()).filter(({ key }) => key.endsWith("/town.log"));
    expect((await companionsOf(town!.id)).map(({ name }) => name)).toEqual(["hills.tif", "town.xodr"]);
    // what is there is not sent again, and what has changed is
    await recordingAt(town!.key);
    const stored_ = (): string[] => readdirSync(stored).sort();
    const first = stored_();
    expect(await push(join(made, "town.log"), join(folder, "hills.tif"))).toEqual({ exit: 0, said: "" });
    expect(stored_()).toEqual(first);
    writeFileSync(join(folder, "hills.tif"), "II*\0\0");
    expect(await push(join(made, "town.log"), join(folder, "hills.tif"))).toEqual({ exit: 0, said: "" });
    expect(stored_().filter((name) => first.includes(name))).toHaveLength(1);
    expect((await companionsOf(town!.id)).map(({ bytes }) => bytes)[0]).toBe(5);
    expect((await push(join(folder, "hills.tif"))).exit).toBe(2);
    const several = await push(join(made, "town.log"), join(made, "robot.tape"), join(folder, "hills.tif"));
    expect([several.exit, several.said]).toEqual([
      1,
      expect.stringContaining("no recording that is sent has its name"),
    ]);
  });
});
