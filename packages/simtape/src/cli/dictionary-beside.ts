import { zstdDictionaryId } from "../codec/zstd.ts";
import { HcrpReader } from "../formats/hcrp/open/reader.ts";
import type { Recording } from "../model/recording.ts";
import { say } from "./output.ts";
import { folderOf, placeAt, under } from "./place.ts";
import type { Target } from "./target.ts";

/** What is written from an HCRP recording needs its dictionary, too: it is put beside before anything is written. */
export async function bringDictionary({ reader }: Recording, target: Target): Promise<void> {
  const base = reader.base ?? reader;
  if (base instanceof HcrpReader && base.dictionary !== null) await putDictionary(base.dictionary, target);
}

/** Puts a dictionary beside a recording, where readers look for it. One that is there already stays; another is told. */
export async function putDictionary(dictionary: Uint8Array, target: Target): Promise<void> {
  const name = `${zstdDictionaryId(dictionary)}.dict`;
  if (target.isStandardOutput) return say(`simtape: readers need the dictionary ${name}`);
  const path = under(folderOf(target.main), name);
  const place = placeAt(path);
  if ((await place.kind()) === null) {
    await target.put(name, dictionary);
    say(`simtape: ${path}: the dictionary that readers need`);
  } else if (Buffer.compare(await place.read(), dictionary) !== 0)
    say(`simtape: ${path} is another dictionary of that id: readers of ${target.main} need --dictionary`);
}
