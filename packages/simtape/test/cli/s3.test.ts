import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { s3Store, type Store } from "../../src/index.ts";
import { describeWithCeph } from "../support/ceph.ts";
import { simtape } from "./run.ts";

describeWithCeph("the command and a real S3 server", (bucket) => {
  let folder = "";
  let at = "";
  let store: Store;
  const before = { ...process.env };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "simtape-s3-"));
    const { endpoint, credentials, bucket: name } = bucket();
    Object.assign(process.env, {
      AWS_ENDPOINT_URL_S3: endpoint,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    });
    at = `s3://${name}`;
    store = s3Store(bucket());
    await done("demo", "-o", at, "--seconds", "1", "--entities", "4");
  }, 120_000);
  afterAll(() => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    rmSync(folder, { recursive: true });
  });

  async function done(...words: string[]): Promise<string> {
    const { exit, stdout, stderr } = await simtape(words);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    return stdout;
  }

  test("info, cat, state and check say of a file there what they say of its copy here", async () => {
    const here = join(folder, "town.log");
    await done("copy", `${at}/town.log`, here);
    expect(Buffer.compare(readFileSync(here), (await store.get("town.log"))!.bytes)).toBe(0);
    for (const words of [
      ["info", "--json"],
      ["state", "--at", "500ms", "--json"],
    ]) {
      const [verb, ...options] = words;
      const there = await done(verb!, `${at}/town.log`, ...options);
      expect(there.replace(`${at}/town.log`, here)).toBe(await done(verb!, here, ...options));
    }
    expect(await done("check", `${at}/town.log`, `${at}/race.hcrp`)).toMatch(/town\.log: sound.*\n.*race\.hcrp: sound/);
  });

  test("what is written appears there, and nothing is overwritten unasked", async () => {
    const here = join(folder, "flight.fgtape");
    const bytes = (await store.get("flight.fgtape"))!.bytes;
    writeFileSync(here, bytes);
    await done("copy", here, `${at}/copies/flight.fgtape`);
    expect(Buffer.compare((await store.get("copies/flight.fgtape"))!.bytes, bytes)).toBe(0);
    const again = await simtape(["copy", here, `${at}/copies/flight.fgtape`]);
    expect(again).toMatchObject({ exit: 2, stderr: expect.stringContaining("--force") });
    await done("trim", `${at}/flight.fgtape`, `${at}/copies/flight.fgtape`, "--from", "200ms", "--force");
    // a CARLA log has no room for where it comes from
    await done("trim", `${at}/town.log`, `${at}/copies/town.log`, "--from", "200ms");
    const provenance = await store.get("copies/town.log.provenance.json");
    expect(JSON.parse(new TextDecoder().decode(provenance!.bytes))).toMatchObject({ simtape: "provenance" });
  });

  test("exports go there, also those whose beginning is written last", async () => {
    for (const name of ["town.parquet", "town.npz"]) {
      const here = join(folder, name);
      await done("export", `${at}/town.log`, "-o", `${at}/exports/${name}`);
      await done("export", `${at}/town.log`, "-o", here);
      expect(Buffer.compare((await store.get(`exports/${name}`))!.bytes, readFileSync(here))).toBe(0);
    }
  });

  test("converting and repairing go from there to there", async () => {
    const { exit } = await simtape(["convert", `${at}/town.log`, `${at}/town.tape`]);
    expect(exit).toBe(3);
    await done("corrupt", `${at}/robot.tape`, `${at}/broken.tape`, "--seed", "1");
    expect((await simtape(["repair", `${at}/broken.tape`, `${at}/whole.tape`])).exit).toBe(3);
    expect(await done("check", `${at}/town.tape`, `${at}/whole.tape`)).toMatch(/sound.*\n.*sound/);
  });

  test("a segmented recording is a folder, written, and read", async () => {
    await done("copy", `${at}/race.hcrp`, `${at}/live/`, "--rewrite", "--dialect", "v1-segmented");
    const names: string[] = [];
    for await (const { key } of store.list("live/")) names.push(key);
    expect(names).toContain("live/meta.hcrp");
    expect(names.length).toBeGreaterThan(1);
    expect(await done("check", `${at}/live`, `${at}/live/`)).toMatch(/sound.*\n.*sound/);
  });

  test("an edit list there names files beside it", async () => {
    const list = { version: 1, source: "robot.tape", operations: [{ op: "trim", from: "200ms", until: "600ms" }] };
    await store.put("edits.json", new TextEncoder().encode(JSON.stringify(list)));
    expect(JSON.parse(await done("info", `${at}/edits.json`, "--json"))).toMatchObject({ format: "mira" });
  });

  test("what is wrong is said in one line", async () => {
    const said = async (...words: string[]): Promise<{ exit: number | null; stderr: string }> => {
      const { exit, stderr } = await simtape(words);
      return { exit, stderr };
    };
    expect(await said("info", `${at}/none.log`)).toEqual({
      exit: 1,
      stderr: `simtape: nothing there: ${at}/none.log\n`,
    });
    expect(await said("info", `${at}/a b`)).toMatchObject({ exit: 2 });
    const secret = process.env["AWS_SECRET_ACCESS_KEY"]!;
    process.env["AWS_SECRET_ACCESS_KEY"] = "wrong";
    const denied = await said("info", `${at}/town.log`);
    process.env["AWS_SECRET_ACCESS_KEY"] = "";
    const half = await said("info", `${at}/town.log`);
    process.env["AWS_SECRET_ACCESS_KEY"] = secret;
    expect(denied).toEqual({ exit: 1, stderr: `simtape: the server refuses access (403): ${at}/town.log\n` });
    expect(half).toMatchObject({ exit: 2, stderr: expect.stringContaining("AWS_SECRET_ACCESS_KEY") });
  });
});
