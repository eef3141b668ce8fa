import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { CORPUS } from "../../../../scripts/make-corpus.ts";
import { FORMATS, open } from "../../src/index.ts";
import { type CorpusIndex, loadCorpus } from "../../src/testing/index.ts";
import { bundleOfFiles, mutate, wildMutation } from "../conformance/mutate.ts";
import { tries } from "../soak.ts";
import { casesOf, tried } from "../cli/cases.ts";
import { simtape } from "../cli/run.ts";

type Files = Readonly<Record<string, Uint8Array>>;

const folder = mkdtempSync(join(tmpdir(), "simtape-mutated-"));
afterAll(() => rmSync(folder, { recursive: true }));

const read = async (path: string): Promise<Uint8Array> => new Uint8Array(readFileSync(new URL(path, CORPUS)));
const index = JSON.parse(readFileSync(new URL("index.json", CORPUS), "utf8")) as CorpusIndex;
const sound: { readonly id: string; readonly format: string; readonly files: Files }[] = [];
for await (const { case: of, files } of loadCorpus(read, index))
  if (of.damage === null) sound.push({ id: of.id, format: of.format, files });

/** Where the records of the main file begin. */
async function recordsOf(files: Files): Promise<readonly number[]> {
  await using recording = await open(bundleOfFiles(files));
  const places: number[] = [];
  for await (const records of recording.records()) places.push(...records.map(({ offset }) => offset));
  return places;
}

/** Which part of the long run this is, `"2/4"`: several programs share it. */
const [part, parts] = (process.env["MUTATED"] ?? "1/1").split("/").map(Number) as [number, number];
/** Faults after which a run is over. */
const ENOUGH = 20;

describe.each(FORMATS.map(({ id }) => id))("%s", (format) => {
  const own = sound.filter((of) => of.format === format);
  const cases = casesOf(format);
  const places = new Map<string, readonly number[]>();

  /** What is wrong with what a command did with a file that was changed; null: nothing. */
  async function faultOf(run: number): Promise<string | null> {
    const { id, files } = own[run % own.length]!;
    if (!places.has(id)) places.set(id, await recordsOf(files));
    const [title, command, one] = cases[Math.floor(run / own.length + run) % cases.length]!;
    const names = Object.keys(files);
    const name = names[Math.floor(run / own.length / cases.length) % names.length]!;
    const several = fc.array(wildMutation(files[name]!.length, name === names[0] ? places.get(id)! : []), {
      minLength: 1,
      maxLength: [1, 1, 2, 4, 8][run % 5]!,
    });
    const mutations = fc.sample(several, { seed: run, numRuns: 1 })[0]!;
    const mutated = { ...files, [name]: mutate(files[name]!, mutations) };
    const words = command === "convert" ? [...one.words, "--json"] : one.words;
    const ran = await tried(folder, command, { ...one, words }, mutated, files);
    const reported = (fault: string): string =>
      `run ${run}: ${fault}: ${id} ${name}, ${title}, ${JSON.stringify(mutations)}, exit ${ran.exit}\n${ran.stderr}`;
    if (/a fault of simtape itself|^\s+at /m.test(ran.stderr)) return reported("a fault of its own");
    if (ran.exit === null || ![0, 1, 2, 3].includes(ran.exit)) return reported("no exit code");
    if (ran.written.length > 0 && (ran.exit === 1 || ran.exit === 2)) return reported("failed and wrote");
    if (command !== "convert" || ran.written.length === 0) return null;
    const { verified } = JSON.parse(ran.stdout) as { verified: boolean };
    if (!verified) return ran.exit === 3 ? null : reported("not verified");
    const checked = await simtape(["check", ran.out]);
    return checked.exit === 0 ? null : reported(`verified and damaged\n${checked.stdout}`);
  }

  test("whatever happens to a file, no command has a fault of its own, and what is verified is sound", {
    timeout: 0,
  }, async () => {
    const faults: string[] = [];
    for (let run = part - 1; run < tries(60, 100_000) && faults.length < ENOUGH; run += parts) {
      const fault = await faultOf(run);
      if (fault !== null) faults.push(fault);
      for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
    }
    expect(faults.join("\n")).toBe("");
  });
});
