import type { Command } from "commander";
import { corrupt, plan } from "../../ops/corrupt.ts";
import { EXIT, UsageError } from "../run/failure.ts";
import { bundleNamed } from "../input/recordings.ts";
import { report } from "../output/report.ts";
import { type TargetOptions, writes } from "../output/target.ts";
import { targetOf } from "../output/target-of.ts";

/** Files are corrupted in memory. */
const LARGEST = 1 << 30;

export function addCorrupt(program: Command): void {
  writes(
    program
      .command("corrupt")
      .summary("a damaged copy, the same for the same seed")
      .description(
        "Writes a copy with bytes flipped, swapped, zeroed, inserted or cut off, for tests of programs that read and repair recordings.",
      )
      .argument("<file>", "a file, or - for standard input")
      .argument("[output]", "where to write"),
  )
    .option("--seed <n>", "which damage; the same number gives the same bytes", "1")
    .option("--count <n>", "how many places", "3")
    .option("--json", "one JSON object: what was done")
    .addHelpText(
      "after",
      "\nExample:\n  $ simtape corrupt run.tape broken.tape --seed 7 && simtape repair broken.tape whole.tape",
    )
    .action(
      async (
        file: string,
        output: string | undefined,
        options: TargetOptions & { seed: string; count: string; json?: boolean },
      ) => {
        const seed = numberOf("--seed", options.seed);
        const count = numberOf("--count", options.count);
        const target = await targetOf(output, options, file);
        const bytes = await wholeOf(file);
        const corruptions = plan(bytes.length, seed, count);
        const sink = await target.sink.open();
        await sink.write(corrupt(bytes, corruptions, seed));
        await sink.close();
        const lines = corruptions.map(
          ({ kind, offset, length }) => `${kind} ${length} bytes at 0x${offset.toString(16)}`,
        );
        await report(target, options, { seed, corruptions }, lines);
        process.exitCode = EXIT.done;
      },
    );
}

async function wholeOf(file: string): Promise<Uint8Array> {
  const source = await (await bundleNamed(file)).open();
  try {
    const bytes = (await source?.read(0, LARGEST + 1)) ?? new Uint8Array(0);
    if (bytes.length > LARGEST) throw new UsageError(`corrupts files up to ${LARGEST} bytes: ${file}`);
    return bytes;
  } finally {
    await source?.close();
  }
}

function numberOf(option: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new UsageError(`${option} takes a whole number, not ${JSON.stringify(text)}`);
  return Number(text);
}
