import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FORMATS } from "simtape";
import { isSecondOfPair } from "simtape/serving";
import { afterAll, beforeAll, expect, test } from "vitest";
import { printed } from "./support/command.ts";
import { json, startNode, type TestNode, until } from "./support/node.ts";

const folder = mkdtempSync(join(tmpdir(), "simtape-unreadable-"));
const noise = Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919) % 251));
// the beginning of a zip, and nothing that follows from it
const zip = Buffer.concat([Buffer.from("PK\x03\x04"), noise]);
/** A file by each ending of a format; two may be one recording. */
const CALLED_SO = FORMATS.flatMap(({ extensions }) => extensions.map((one) => `damaged.${one}`)).filter(
  (name, _, all) => !isSecondOfPair(name, all, FORMATS),
);
let node: TestNode;

interface Item {
  readonly id: string;
  readonly key: string;
  readonly state: string;
  readonly error: string | null;
  readonly findings: number;
}

beforeAll(async () => {
  for (const name of CALLED_SO) writeFileSync(join(folder, name), noise);
  writeFileSync(join(folder, "race.mcpr"), zip);
  writeFileSync(join(folder, "other.zip"), zip);
  writeFileSync(join(folder, "server.log"), "10:02:11 INFO started\n".repeat(100));
  writeFileSync(join(folder, "notes.txt"), "no recording\n");
  node = await startNode([folder, "--access", "open"]);
});
afterAll(async () => {
  await node?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const listed = async (query = ""): Promise<readonly Item[]> =>
  (await json<{ recordings: Item[] }>(node.address, `/api/recordings?limit=100${query}`)).recordings;

test("what is called as recordings are, or was sent as one, is listed with what is wrong and what to do", async () => {
  for (const name of ["run.mcpr", "junk.bin"]) {
    writeFileSync(join(folder, `.${name}`), name.endsWith("mcpr") ? zip : noise);
    const begun = await fetch(`${node.address}/api/uploads`, {
      method: "POST",
      headers: {
        "tus-resumable": "1.0.0",
        "upload-length": `${noise.length}`,
        "upload-metadata": `filename ${Buffer.from(name).toString("base64")},batch ${Buffer.from("b").toString("base64")}`,
      },
    });
    await fetch(node.address + begun.headers.get("location")!, {
      method: "PATCH",
      headers: { "tus-resumable": "1.0.0", "upload-offset": "0", "content-type": "application/offset+octet-stream" },
      body: new Uint8Array(noise),
    });
  }
  const wanted = [...CALLED_SO, "race.mcpr", "uploads/operator/b/run.mcpr", "uploads/operator/b/junk.bin"].sort();
  const items = await until(
    listed,
    (all) => all.length >= wanted.length && all.every(({ state }) => state === "failed"),
  );
  expect(items.map(({ key }) => key).sort()).toEqual(wanted);
  for (const { key, error, findings, id } of items) {
    expect(findings, key).toBe(1);
    expect(error, key).not.toContain(folder);
    expect(error, key).toMatch(key.endsWith(".mcpr") ? /simtape-mc import/ : /simtape info/);
    const whole = await json<{ findingList: { message: string }[] }>(node.address, `/api/recordings/${id}`);
    expect(whole.findingList.map(({ message }) => message)).toEqual([error]);
  }
  expect(await listed("&findings=true")).toHaveLength(wanted.length);
});

test("one that is mended is a recording like any other", async () => {
  await printed(["demo", "hcrp", "-o", folder, "--seconds", "2", "--force"]);
  execFileSync("cp", [join(folder, "race.hcrp"), join(folder, "damaged.hcrp")]);
  const mended = await until(
    async () => (await listed()).find(({ key }) => key === "damaged.hcrp"),
    (item) => item?.state === "indexed",
  );
  expect([mended!.error, mended!.findings]).toEqual([null, 0]);
});
