import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { originalsIn } from "../../../src/formats/mcap/read/originals.ts";
import { memory } from "../../../src/index.ts";
import { simtape } from "../../cli/run.ts";
import { SOUND } from "../../specimens.ts";
import { streamed } from "./judge.ts";

const folder = mkdtempSync(join(tmpdir(), "simtape-mcap-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** The files of a sound recording in a folder of their own; gives the path of the main one. */
function placed(name: string): string {
  const into = mkdtempSync(join(folder, "in-"));
  const { files } = SOUND.find((of) => of.name === name)!;
  for (const [file, bytes] of Object.entries(files)) writeFileSync(join(into, file), bytes);
  return join(into, Object.keys(files)[0]!);
}

async function originals(path: string): Promise<string[]> {
  return (await originalsIn(memory(new Uint8Array(readFileSync(path)), path))).map(({ name }) => name);
}

describe("simtape export to MCAP", () => {
  it("writes a file with the original inside, and its companion", async () => {
    const file = placed("short pair");
    const out = join(folder, "short.mcap");
    const { exit, stdout, stderr } = await simtape(["export", file, "-o", out, "--json"]);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    const report = JSON.parse(stdout) as { to: string; count: number; unit: string };
    const { messages } = await streamed(new Uint8Array(readFileSync(out)));
    expect(report).toMatchObject({ to: "mcap", count: messages.length, unit: "message" });
    expect(await originals(out)).toEqual(["short.traj", "short.state"]);
  });

  it("leaves the original out where that is asked for, and of a part unless it is asked for", async () => {
    const file = placed("made town 0.9.15");
    const cases: readonly (readonly [words: readonly string[], names: readonly string[]])[] = [
      [["--no-original"], []],
      [["--set", "vehicles"], []],
      [["--from", "100ms"], []],
      [["--from", "100ms", "--original"], ["town.log"]],
    ];
    for (const [words, names] of cases) {
      const out = join(folder, "town.mcap");
      expect(await simtape(["export", file, "-o", out, "--force", ...words])).toMatchObject({ exit: 0, stderr: "" });
      expect(await originals(out), words.join(" ")).toEqual(names);
    }
  });

  it("goes to standard output, and is the same file", async () => {
    const file = placed("patrol.tape");
    const out = join(folder, "patrol.mcap");
    await simtape(["export", file, "-o", out]);
    const { exit, bytes } = await simtape(["export", file, "--to", "mcap"]);
    expect(exit).toBe(0);
    expect(Buffer.compare(bytes, readFileSync(out))).toBe(0);
  });

  it("refuses what does not fit as wrong usage, and leaves no file", async () => {
    const file = placed("made town 0.9.15");
    const out = join(mkdtempSync(join(folder, "out-")), "x.mcap");
    for (const [words, text] of [
      [
        ["--columns", "position"],
        "mcap takes no columns, only a set, times, an interval, a channel, an origin and the files of the recording",
      ],
      [["--set", "nothing"], "nothing"],
      [["--channel", "nothing"], "nothing"],
    ] as const) {
      const { exit, stderr } = await simtape(["export", file, "-o", out, ...words]);
      expect({ exit, stderr }).toEqual({ exit: 2, stderr: expect.stringContaining(text) });
    }
    const csv = await simtape(["export", file, "--to", "csv", "-o", `${out}.csv`, "--original"]);
    expect(csv).toMatchObject({ exit: 2, stderr: expect.stringContaining("csv takes no files of the recording") });
    expect(readdirSync(join(out, ".."))).toEqual([]);
  });
});
