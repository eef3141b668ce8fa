import { type Command, InvalidArgumentError } from "commander";
import { toJson } from "./json.ts";
import { grouped, Output } from "./output.ts";
import { reads, withRecording } from "./recordings.ts";

interface RecordsOptions {
  readonly kind?: readonly string[];
  readonly limit?: number;
  readonly hex?: boolean;
  readonly json?: boolean;
}

export function addRecords(program: Command): void {
  reads(program.command("records"))
    .summary("the parts a file is made of, byte for byte")
    .description(
      "Lists the records of the format's own framing in the order of the file: headers, chunks, packets, frames, gaps, and what is damaged. Together they are every byte. Offsets are those of the file, or of the inflated stream of a compressed one.",
    )
    .argument("<file>", "path, folder, URL, or - for standard input")
    .option("-k, --kind <kind...>", "only these")
    .option("-n, --limit <n>", "so many at most", countOf)
    .option("--hex", "their bytes, too")
    .option("--json", "one JSON object per record")
    .addHelpText(
      "after",
      "\nExamples:\n  $ simtape records run.hcrp\n  $ simtape records town.log --kind damaged --hex\n  $ simtape records robot.tape --json | jq .kind | sort | uniq -c",
    )
    .action(async (file: string, options: RecordsOptions) => {
      const { kind: kinds, limit = Number.POSITIVE_INFINITY, hex = false, json = false } = options;
      const output = new Output();
      let count = 0;
      await withRecording(file, async (recording) => {
        for await (const records of recording.records()) {
          for (const { kind, offset, bytes } of records) {
            if (kinds !== undefined && !kinds.includes(kind)) continue;
            if (++count > limit) return;
            const digits = hex ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex") : undefined;
            if (json) await output.line(toJson({ offset, kind, length: bytes.length, bytes: digits }));
            else {
              await output.line(`${String(offset).padStart(12)}  ${grouped(bytes.length).padStart(12)}  ${kind}`);
              if (digits !== undefined)
                for (const line of digits.match(/.{1,64}/g) ?? []) await output.line(`  ${line}`);
            }
          }
        }
      });
      await output.flush();
    });
}

function countOf(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 0) return count;
  throw new InvalidArgumentError("a whole number from 0");
}
