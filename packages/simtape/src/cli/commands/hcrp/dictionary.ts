import type { Command } from "commander";
import { loadZstd, zstdDictionaryId } from "../../../codec/zstd.ts";
import { StrictSource } from "../../../record/compact/source.ts";
import { trainDictionary } from "../../../record/dictionary/dictionary.ts";
import { heed } from "../../run/ending.ts";
import { EXIT, UsageError } from "../../run/failure.ts";
import { counted, grouped } from "../../run/terminal.ts";
import { budgetOf, bundleNamed, contentOf, type ReadOptions, reads } from "../../input/recordings.ts";
import { report } from "../../output/report.ts";
import { sizeOf } from "../../input/size.ts";
import type { TargetOptions } from "../../output/target.ts";
import { targetOf } from "../../output/target-of.ts";

/** Inflated bytes that a dictionary is made from at most: more only take longer. */
const SAMPLE_BYTES = 32 << 20;
/** A chunk is a sample as far as this: a dictionary is for beginnings. */
const SAMPLE_LENGTH = 16 << 10;

interface TrainCommand extends TargetOptions, ReadOptions {
  readonly id: number;
  readonly size: number;
  readonly json?: boolean;
}

export function addDictionary(program: Command): void {
  const dictionary = program
    .command("dictionary")
    .summary("zstd dictionaries for short HCRP recordings")
    .description("Dictionaries make recordings of a few seconds smaller; reading them needs the same dictionary.");
  reads(dictionary.command("train"))
    .description(
      "Trains a zstd dictionary from the chunks of HCRP recordings. Its id must be new: recordings name their dictionary by it.",
    )
    .argument("<file...>", "recordings: paths, folders or URLs")
    .requiredOption("-o, --output <file>", "where to write")
    .requiredOption("--id <n>", "32768 to 65535", Number)
    .option("--size <bytes>", "of the dictionary, as 4096 or 4KiB", sizeOf, 4096)
    .option("--force", "overwrite an existing file")
    .option("--json", "one JSON object")
    .addHelpText("after", "\nExample:\n  $ simtape dictionary train runs/*.hcrp --id 32769 -o runs.dict")
    .action(async (files: string[], options: TrainCommand) => {
      const target = await targetOf(undefined, options);
      const samples = await samplesOf(files, options);
      const { id, size } = options;
      let made: Uint8Array;
      try {
        made = trainDictionary(await loadZstd(), samples, { id, size });
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        throw new UsageError(error.message);
      }
      const sink = await target.sink.open();
      await sink.write(made);
      await sink.close();
      const gain = await gainOf(samples, made);
      const did = { output: target.path, id, bytes: made.length, samples: samples.length, ...gain };
      await report(target, options, did, [
        `${target.path}: dictionary ${id}, ${counted(made.length, "byte")}, from ${counted(samples.length, "chunk")}: ${counted(gain.without, "byte")} without, ${grouped(gain.with)} with it`,
      ]);
      process.exitCode = EXIT.done;
    });
}

/** A trained dictionary in a file. Throws `UsageError` when it is none. */
export async function dictionaryFrom(path: string): Promise<Uint8Array> {
  const dictionary = await contentOf(path);
  if (zstdDictionaryId(dictionary) === 0) throw new UsageError(`no trained zstd dictionary: ${path}`);
  return dictionary;
}

/** The sound chunks of recordings, inflated. */
async function samplesOf(files: readonly string[], options: ReadOptions): Promise<Uint8Array[]> {
  const samples: Uint8Array[] = [];
  let bytes = 0;
  for (const file of files) {
    const source = await StrictSource.open(await bundleNamed(file, options), { budget: budgetOf(options) });
    const findings = [...source.findings];
    heed(file, { findings });
    try {
      for await (const { columns, problem, chunk } of source.chunks()) {
        if (problem !== null) {
          findings.push({ code: "damaged-chunk", severity: "damage", message: `${chunk.title}: ${problem}` });
          continue;
        }
        if (columns!.bytes.length === 0 || bytes > SAMPLE_BYTES) continue;
        const sample = columns!.bytes.slice(0, SAMPLE_LENGTH);
        samples.push(sample);
        bytes += sample.length;
      }
    } finally {
      await source.close();
    }
  }
  return samples;
}

async function gainOf(
  samples: readonly Uint8Array[],
  dictionary: Uint8Array,
): Promise<{ without: number; with: number }> {
  const zstd = await loadZstd();
  let [plain, shorter] = [0, 0];
  for (const sample of samples) {
    plain += zstd.compress(sample).length;
    shorter += zstd.compress(sample, { dictionary }).length;
  }
  return { without: plain, with: shorter };
}
