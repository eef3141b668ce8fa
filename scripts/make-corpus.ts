import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import process, { argv, stderr, stdout } from "node:process";
import { fileURLToPath } from "node:url";
import { carla } from "../packages/simtape/src/formats/carla/format.ts";
import { flightgear } from "../packages/simtape/src/formats/flightgear/format.ts";
import { createHcrp } from "../packages/simtape/src/formats/hcrp/format.ts";
import { mcap } from "../packages/simtape/src/formats/mcap/format.ts";
import { mira } from "../packages/simtape/src/formats/mira/format.ts";
import { nanover } from "../packages/simtape/src/formats/nanover/format.ts";
import type { Format } from "../packages/simtape/src/model/format.ts";
import {
  type CaseFiles,
  type ConformanceCase,
  type CorpusIndex,
  type Damage,
  type Expectation,
  type Part,
  PARTS,
} from "../packages/simtape/src/testing/corpus.ts";
import { damaged } from "../packages/simtape/src/testing/damage.ts";
import { sha256 } from "../packages/simtape/src/testing/digest.ts";
import { observe, openFiles, repaired } from "../packages/simtape/src/testing/observe.ts";
import { DICTIONARY_ID, dictionaryBytes } from "../packages/simtape/test/fixtures/hcrp/make.ts";
import { harmsOf } from "./corpus-damage.ts";
import { type Made, soundCases } from "./corpus-sound.ts";

/** Where the corpus is kept. */
export const CORPUS: URL = new URL("../packages/corpus/cases/", import.meta.url);

/** Every format, with the dictionary that one case needs. */
export const CORPUS_FORMATS: readonly Format[] = [
  carla,
  flightgear,
  createHcrp({ dictionaries: async (id) => (id === DICTIONARY_ID ? dictionaryBytes() : null) }),
  mcap,
  mira,
  nanover,
];

/** The corpus: its files by path, and a sentence for each fault of the present code. */
export interface MadeCorpus {
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly complaints: readonly string[];
}

/** A case before its expectations are made. */
export interface PlannedCase extends Made {
  readonly harm: { readonly of: Made; readonly file: string; readonly steps: Damage["steps"] } | null;
}

/** Every case, each damaged one behind its sound one. The same in every run. */
export async function plannedCases(): Promise<PlannedCase[]> {
  const sound = await soundCases();
  return sound.flatMap((of) => [
    { ...of, harm: null },
    ...harmsOf(of.id, of.files).map(({ name, about, file, steps }) => ({
      id: `${of.id}/${name}`,
      about: about[0]!.toUpperCase() + about.slice(1),
      features: ["damaged"],
      files: { ...of.files, [file]: damaged(of.files[file]!, steps) },
      harm: { of, file, steps },
    })),
  ]);
}

/** Makes the cases whose id `wants` accepts. It expects of each what the present code does. */
export async function makeCorpus(wants: (id: string) => boolean = () => true): Promise<MadeCorpus> {
  const files = new Map<string, Uint8Array>();
  const complaints: string[] = [];
  const cases: ConformanceCase[] = [];
  for (const made of await plannedCases()) {
    if (!wants(made.id)) continue;
    const named = Object.entries(made.files);
    for (const [name, bytes] of named) files.set(`${made.id}/${name}`, bytes);
    cases.push({
      id: made.id,
      format: made.id.slice(0, made.id.indexOf("/")),
      about: made.about,
      features: made.features,
      files: await Promise.all(
        named.map(async ([name, bytes]) => ({ name, bytes: bytes.length, sha256: await sha256(bytes) })),
      ),
      damage: made.harm === null ? null : await damageOf(made.files, made.harm),
      expect: await expectationOf(made, complaints),
    });
  }
  files.set("index.json", new TextEncoder().encode(indexText(cases)));
  return { files, complaints };
}

/** The index with one line for each part of a case, so that a diff shows what a change of the code changes. */
export function indexText(cases: readonly ConformanceCase[]): string {
  const index: CorpusIndex = { version: 1, cases: [] };
  const members = (value: object): string[] =>
    Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${JSON.stringify(member)}`);
  const texts = cases.map(({ expect, ...rest }) => {
    const expected = members(expect).join(",\n   ");
    return `{\n  ${members(rest).join(",\n  ")},\n  "expect": {\n   ${expected}\n  }\n }`;
  });
  return `{\n "version": ${index.version},\n "cases": [\n ${texts.join(",\n ")}\n ]\n}\n`;
}

async function damageOf(files: CaseFiles, harm: NonNullable<PlannedCase["harm"]>): Promise<Damage> {
  const [before, after] = [await messageTexts(harm.of.files), await repairedTexts(files)];
  const [lost, added] = [without(before, after), without(after, before)];
  const timeless = (texts: readonly string[]): string[] => texts.map((text) => text.slice(text.indexOf(" ")));
  const missing = without(timeless(lost), timeless(added)).length;
  return {
    of: harm.of.id,
    file: harm.file,
    steps: harm.steps,
    missing,
    foreign: without(timeless(added), timeless(lost)).length,
    retimed: lost.length - missing,
  };
}

/** What the present code does with a recording, part by part. A part that fails is null, and adds a complaint. */
async function expectationOf(made: Made, complaints: string[]): Promise<Expectation> {
  const observed = async (part: string, parts: readonly Part[]): Promise<Expectation> => {
    try {
      return await observe(made.files, CORPUS_FORMATS, parts);
    } catch (error) {
      complaints.push(`${made.id}: ${part}: ${error instanceof Error ? error.message : String(error)}`);
      return { refused: null, reading: null, states: null, records: null, ranges: null, writing: null, repair: null };
    }
  };
  const before = complaints.length;
  let expectation = await observed("opening", []);
  if (expectation.refused !== null || complaints.length > before) return expectation;
  for (const part of PARTS) expectation = { ...expectation, [part]: (await observed(part, [part]))[part] };
  return expectation;
}

/** Every message as a text; none if the recording does not open. */
async function messageTexts(files: CaseFiles): Promise<string[]> {
  const found: string[] = [];
  try {
    await using recording = await openFiles(files, CORPUS_FORMATS);
    for await (const batch of recording.batches()) {
      for (let i = 0; i < batch.length; i++) {
        const { name } = recording.channels[batch.channel[i]!]!;
        found.push(`${batch.time[i]} ${name} ${Buffer.from(batch.payload(i)).toString("base64")}`);
      }
    }
  } catch {
    return [];
  }
  return found;
}

/** The messages of the repaired recording; if the format does not repair, those of the recording itself. */
async function repairedTexts(files: CaseFiles): Promise<string[]> {
  try {
    await using recording = await openFiles(files, CORPUS_FORMATS);
    const writing = await CORPUS_FORMATS.find(({ id }) => id === recording.info.format)?.writing?.();
    if (writing?.repair === undefined) return messageTexts(files);
    return messageTexts((await repaired(recording, files, writing, CORPUS_FORMATS)).files);
  } catch {
    return messageTexts(files);
  }
}

/** The elements of `all` that remain when each element of `others` has removed one equal element. */
function without(all: readonly string[], others: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of others) counts.set(text, (counts.get(text) ?? 0) + 1);
  return all.filter((text) => {
    const count = counts.get(text) ?? 0;
    counts.set(text, count - 1);
    return count <= 0;
  });
}

/** Paths of all files in the corpus. */
export function corpusPaths(): string[] {
  return readdirSync(CORPUS, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(fileURLToPath(CORPUS).length).replace(/^\//, ""))
    .sort();
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const { files, complaints } = await makeCorpus();
  const before = new Map(corpusPaths().map((path) => [path, readFileSync(new URL(path, CORPUS))]));
  for (const { id } of CORPUS_FORMATS) rmSync(new URL(`${id}/`, CORPUS), { recursive: true, force: true });
  let [changed, total] = [0, 0];
  for (const [path, bytes] of files) {
    const target = new URL(path, CORPUS);
    mkdirSync(dirname(fileURLToPath(target)), { recursive: true });
    writeFileSync(target, bytes);
    const old = before.get(path);
    if (old === undefined || Buffer.compare(old, bytes) !== 0) changed++;
    total += bytes.length;
  }
  const removed = [...before.keys()].filter((path) => !files.has(path)).length;
  stdout.write(`${files.size} files, ${total} bytes; ${changed} changed or new, ${removed} removed\n`);
  for (const complaint of complaints) stderr.write(`${complaint}\n`);
  process.exitCode = complaints.length > 0 ? 1 : 0;
}
