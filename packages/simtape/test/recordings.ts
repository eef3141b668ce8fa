import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { CORPUS } from "../../../scripts/make-corpus.ts";
import { type CorpusIndex, loadCorpus } from "../src/testing/index.ts";
import { makeTown, RELEASES } from "./fixtures/carla/make.ts";
import { tries } from "./soak.ts";
import { REAL, SOUND } from "./specimens.ts";

export interface RecordingCase {
  readonly name: string;
  readonly files: Readonly<Record<string, Uint8Array>>;
  readonly isDamaged: boolean;
}

/** Every recording there is: of the corpus, where damaged ones are a few, specimens, towns of all releases, examples. */
export async function everyRecording(): Promise<RecordingCase[]> {
  const index = JSON.parse(readFileSync(new URL("index.json", CORPUS), "utf8")) as CorpusIndex;
  const cases: RecordingCase[] = [];
  let damaged = 0;
  const read = async (path: string): Promise<Uint8Array> => new Uint8Array(await readFile(new URL(path, CORPUS)));
  for await (const { case: of, files } of loadCorpus(read, index)) {
    const isDamaged = of.damage !== null;
    if (of.expect.refused !== null || (isDamaged && damaged++ % tries(4, 1) !== 0)) continue;
    cases.push({ name: `corpus ${of.id}`, files, isDamaged });
  }
  for (const { name, files } of [...SOUND, ...REAL]) cases.push({ name, files, isDamaged: false });
  for (const release of RELEASES)
    cases.push({ name: `made town ${release.name}`, files: { "town.log": makeTown(release, 5) }, isDamaged: false });
  for (const name of ["buckyball.nanover.zip", "flight.fgtape", "patrol.tape", "race.hcrp", "town.log"]) {
    const bytes = new Uint8Array(readFileSync(new URL(`../../../examples/${name}`, import.meta.url)));
    cases.push({ name: `example ${name}`, files: { [name]: bytes }, isDamaged: false });
  }
  return cases;
}
