import { mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { simtape } from "./run.ts";

const folder = mkdtempSync(join(tmpdir(), "simtape-modules-"));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** A format that knows its recordings, and refuses them with an error of the kit. */
function toy(id: string): string {
  return `export default (kit) => ({
    id: "${id}",
    name: "${id.toUpperCase()}",
    extensions: ["${id}"],
    options: [{ name: "${id}-key", what: "key", help: "key of ${id}", fileName: async () => "${id}.key" }],
    sniff: (head) => (head[0] === ${id.charCodeAt(0)} ? "certain" : null),
    open: async () => { throw new kit.RecordingError("unsupported", "opened by ${id}"); },
  });`;
}

const [apples, pears] = [file("apples.mjs", toy("apples")), file("pears.mjs", toy("pears"))];
const [apple, pear] = [file("one.apples", "apple"), file("one.pears", "pear")];

describe("a format module", () => {
  afterEach(() => {
    delete process.env["SIMTAPE_FORMAT_MODULES"];
  });

  test("is used by the command it is given to, before or behind its name, and by no other", async () => {
    const info = await simtape(["info", apple, "--format-module", apples]);
    expect(info).toMatchObject({ exit: 1, stderr: `simtape: ${apple}: opened by apples\n` });
    const cat = await simtape([`--format-module=${apples}`, "cat", apple]);
    expect(cat).toMatchObject({ exit: 1, stderr: "simtape: opened by apples\n" });
    expect((await simtape(["info", apple])).stderr).toMatch(/not a recording of/);
  });

  test("brings its options to commands that open recordings", async () => {
    const key = file("secret", "secret");
    const words = ["info", apple, "--apples-key", key];
    expect(await simtape([...words, "--format-module", apples])).toMatchObject({
      exit: 1,
      stderr: expect.stringMatching(/opened by apples/),
    });
    expect((await simtape(words)).stderr).toMatch(/unknown option '--apples-key'/);
  });

  test("can be one of several, and named by the environment", async () => {
    const both = ["--format-module", apples, "--format-module", pears];
    expect((await simtape(["info", pear, ...both])).stderr).toBe(`simtape: ${pear}: opened by pears\n`);
    process.env["SIMTAPE_FORMAT_MODULES"] = [apples, pears].join(delimiter);
    expect((await simtape(["info", pear])).stderr).toBe(`simtape: ${pear}: opened by pears\n`);
    expect((await simtape(["info", apple, "--format-module", apples])).stderr).toBe(
      `simtape: ${apple}: opened by apples\n`,
    );
  });

  test("is named among the formats that there are", async () => {
    const { stderr } = await simtape(["info", file("x", "none"), "--format-module", apples]);
    expect(stderr).toMatch(/not a recording of CARLA, .*, APPLES \(/);
    const { exit, stderr: unknown } = await simtape([
      "convert",
      apple,
      "x",
      "--to",
      "plums",
      "--format-module",
      apples,
    ]);
    expect([exit, unknown]).toEqual([2, expect.stringMatching(/no format "plums"; there are carla, .*, apples/)]);
    const demo = await simtape(["demo", "apples", "-o", folder, "--format-module", apples]);
    expect([demo.exit, demo.stderr]).toEqual([2, expect.stringMatching(/there is no simulation of apples/)]);
  });

  test.each([
    ["is not there", () => join(folder, "none.mjs"), /no format module there: .*none\.mjs/],
    ["does not parse", () => file("wrong.mjs", "export default ("), /the format module cannot be used: /],
    [
      "makes nothing",
      () => file("three.mjs", "export default 3"),
      /expected a function as default export, found number/,
    ],
    ["throws", () => file("throws.mjs", "export default () => { throw new Error('oh') }"), /cannot be used: oh/],
    ["makes what there is", () => file("carla.mjs", toy("carla")), /there is a format "carla" already: .*carla\.mjs/],
  ])("that %s is wrong usage", async (_, path, message) => {
    const { exit, stdout, stderr } = await simtape(["info", apple, "--format-module", path()]);
    expect([exit, stdout, stderr]).toEqual([2, "", expect.stringMatching(message)]);
  });

  test("counts once, however it is named", async () => {
    const link = join(folder, "link.mjs");
    symlinkSync(apples, link);
    const { stderr } = await simtape(["info", apple, "--format-module", apples, "--format-module", link]);
    expect(stderr).toBe(`simtape: ${apple}: opened by apples\n`);
  });
});
