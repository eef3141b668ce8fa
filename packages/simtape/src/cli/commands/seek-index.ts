import type { Command } from "commander";
import { fileSpool } from "../../io/node/index.ts";
import { writeSideCarOf } from "../../io/node/side-cars.ts";
import { makeSideCar, type SideCarReport } from "../../ops/side-car.ts";
import { commandPath, isInS3 } from "../input/command-path.ts";
import { damageIn, heed } from "../run/ending.ts";
import { EXIT, UsageError } from "../run/failure.ts";
import { allFormats } from "../input/formats.ts";
import { findingToPlain } from "../output/findings.ts";
import { toJson } from "../../model/values/json.ts";
import { byteSize, counted, Output, Progress, say } from "../run/terminal.ts";
import { failureLine, forEach } from "../input/each.ts";
import { withRecording } from "../input/with-recording.ts";
import { budgetOf, isUrl, mainPath, type ReadOptions, reads, withGiven } from "../input/recordings.ts";

interface IndexOptions extends ReadOptions {
  readonly beside?: boolean;
  readonly cache?: boolean;
  readonly paths?: boolean;
  readonly missing?: boolean;
  readonly json?: boolean;
}

export function addIndex(program: Command): void {
  reads(program.command("index"))
    .summary("keep a seek index of a recording")
    .description(
      "Reads a recording once and keeps what was learned in a small file, at most one percent of it: where its parts\nlie, the state at some times, its events. info, state, cat, events, table and view then open it without reading it,\nand seek anywhere at once. The recording is not changed; an index that does not fit it is not used.",
    )
    .argument("<files...>", "paths of recordings; a folder stands for the recordings in it")
    .option("--missing", "only recordings that have no index that fits them")
    .option("--beside", "write NAME.simtape-index beside the recording; the default")
    .option("--cache", "write it to the cache folder of this user")
    .option("--paths", "list all paths also where values are decoded late; takes several times as long")
    .option("--json", "one JSON object for each recording")
    .addHelpText(
      "after",
      "\nExamples:\n  $ simtape index town.log\n  $ simtape index *.tape --cache\n  $ simtape index runs --missing",
    )
    .action(async (files: readonly string[], options: IndexOptions) => {
      if (options.beside === true && options.cache === true)
        throw new UsageError("--beside and --cache: say one of them");
      const output = new Output();
      const index = async (file: string): Promise<number> => {
        if (options.missing === true && (await hasIndex(file, options))) return EXIT.done;
        const { written, report } = await indexFile(file, options.cache === true ? "cache" : "beside", options);
        heed(file, report);
        const findings = damageIn(report.findings).map(findingToPlain);
        if (options.json === true) await output.line(toJson({ file, index: written, ...report, findings }));
        else await output.line(`${file}: ${tellReport(report)}: ${written}`);
        await output.flush();
        return EXIT.done;
      };
      process.exitCode = await forEach(files, index, async (file, error) => {
        say(`simtape: ${failureLine(file, error)}`);
        if (options.json === true) await output.line(toJson({ file, error }));
        await output.flush();
      });
    });
}

/** Whether an index was kept of it that fits it, beside it or in the cache. */
function hasIndex(file: string, options: IndexOptions): Promise<boolean> {
  return withRecording(file, { ...options, mayUseIndex: true }, async ({ sideCar }) => sideCar !== null);
}

/** Makes the seek index of one recording and writes it. Throws `UsageError` for what is no file of this machine. */
async function indexFile(
  file: string,
  where: "beside" | "cache",
  options: IndexOptions,
): Promise<{ readonly written: string; readonly report: SideCarReport }> {
  if (isUrl(file) || isInS3(file)) throw new UsageError(`an index is written to this machine: copy it first, ${file}`);
  const path = await mainPath(file);
  const progress = new Progress("indexing");
  try {
    const { bytes, report } = await makeSideCar(withGiven(commandPath(path).source, options), allFormats(), {
      spool: fileSpool(),
      budget: budgetOf(options),
      paths: options.paths,
      onProgress: (done, total) => progress.show(done, total),
    });
    return { written: await writeSideCarOf(path, where, bytes), report };
  } finally {
    progress.end();
  }
}

function tellReport({ bytes, recordingBytes, states, events, paths, hasScan, hasChart }: SideCarReport): string {
  const percent = `${((100 * bytes) / recordingBytes).toFixed(2)}%`;
  const holds = [
    ...(hasScan ? ["places"] : []),
    counted(states, "state"),
    events === null ? "no events" : counted(events, "event"),
    ...(hasChart ? ["a chart"] : []),
    ...(paths === null ? [] : [counted(paths, "path")]),
  ];
  return `${byteSize(bytes)}, ${percent} of it, with ${holds.join(", ")}`;
}
