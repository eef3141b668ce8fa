import { stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Command } from "commander";
import { journalFile } from "../../../io/node/journal-file.ts";
import { writerLock } from "../../../io/node/lock.ts";
import type { SourceBundle } from "../../../io/source/source.ts";
import type { Store } from "../../../io/store/store.ts";
import type { Recording } from "../../../model/recording.ts";
import { openBundle } from "../../../model/open.ts";
import { mustBeSound, readBack } from "../../../ops/sound.ts";
import { mainIn, recordingBundle } from "../../../record/live/existing.ts";
import type { JournalFile } from "../../../record/live/journal.ts";
import { JOURNAL } from "../../../record/live/recording-folder.ts";
import { type RecoverOptions, type RecoverReport, recover } from "../../../record/live/recover.ts";
import { TAKE } from "../../live/kinds.ts";
import { EXIT, UsageError } from "../../run/failure.ts";
import { allFormats } from "../../input/formats.ts";
import { findingToPlain, tellFindings } from "../../output/findings.ts";
import { toJson } from "../../../model/values/json.ts";
import { counted, grouped, Output } from "../../run/terminal.ts";
import { folderOf, isInS3, commandPath, storeAt } from "../../input/command-path.ts";
import { budgetOf, budgeted, type ReadOptions, withGiven } from "../../input/recordings.ts";

interface RecoverCommand extends ReadOptions {
  readonly journal?: string;
  readonly takeOver?: boolean;
  readonly output?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

export function addRecover(program: Command): void {
  budgeted(program.command("recover"))
    .summary("finish a recording whose recorder crashed")
    .description(
      "Finishes an HCRP recording in place: adds segments that were written and not committed, and what the journal has beyond them. Changes no segment. For a damaged recording, see simtape repair. Exit 0: done, or nothing to do; 3: done, but something is damaged; 1: it is being recorded, or cannot be read.",
    )
    .argument("<recording>", "its folder, on disk or in S3; or the .take of a running program (simtape record --from)")
    .option("-o, --output <file>", "of a .take: the recording; by default the name without .take")
    .option("--force", "of a .take: overwrite an existing file")
    .option("--journal <file>", "what the recorder mirrored to; for a folder its own file by default")
    .option("--take-over", "take the lock of a recorder on another machine, which has ended")
    .option("--json", "the whole report as one JSON object")
    .addHelpText(
      "after",
      "\nExamples:\n  $ simtape recover recordings/run-17\n  $ simtape recover s3://replays/run-17 --journal run-17.hcj --json\n  $ simtape recover run.nanover.zip.take",
    )
    .action(async (name: string, options: RecoverCommand) => {
      if (name.endsWith(TAKE)) {
        const { recoverTake } = await import("../../live/recover-take.ts");
        process.exitCode = await recoverTake(name, options);
        return;
      }
      const journal = options.journal === undefined ? undefined : journalFile(await present(options.journal));
      const report = await (isInS3(name)
        ? recovered(storeAt(folderOf(trimmed(name))), idOf(name), options, { journal })
        : recoverFolder(name, options, journal));
      const out = new Output();
      if (options.json === true) await out.line(toJson({ ...report, findings: report.findings.map(findingToPlain) }));
      else await tell(out, name, report);
      await out.flush();
      // what was written behind the last commit is no damage: it is there
      const isDamaged = report.findings.some(
        ({ severity, code }) => severity === "loss" || (severity === "damage" && code !== "uncommitted-chunks"),
      );
      process.exitCode = isDamaged ? EXIT.lossy : EXIT.done;
    });
}

/** Recovers, when the finished recording is as sound as what was there. */
async function recovered(store: Store, id: string, options: ReadOptions, how: RecoverOptions): Promise<RecoverReport> {
  const budget = budgetOf(options);
  const opened = (bundle: SourceBundle): Promise<Recording> =>
    openBundle(withGiven(bundle, options), allFormats(), { budget });
  const main = await mainIn(store, id);
  // before anything is written beside it; what cannot be opened is refused below
  await using before = main === null ? null : await opened(recordingBundle(store, id, main)).catch(() => null);
  const inspect = async (finished: SourceBundle): Promise<void> => {
    await using written = await readBack(opened(finished));
    await mustBeSound(written, before === null ? [] : [before]);
  };
  return await recover(store, id, { ...how, budget, inspect });
}

/** Throws `UsageError` when there is no such file. */
async function present(path: string): Promise<string> {
  const found = await stat(path).catch(() => null);
  if (found === null || !found.isFile()) throw new UsageError(`no journal: ${path}`);
  return path;
}

async function recoverFolder(
  name: string,
  options: ReadOptions & { takeOver?: boolean },
  given: JournalFile | undefined,
): Promise<RecoverReport> {
  const folder = trimmed(name);
  if ((await commandPath(folder).kind()) !== "folder") throw new UsageError(`no folder of a recording: ${name}`);
  const id = idOf(folder);
  const lock = await writerLock(join(folder, "writer.lock"), id, { takesOver: options.takeOver });
  try {
    const journal = given ?? journalFile(join(folder, JOURNAL));
    return await recovered(storeAt(folderOf(folder)), id, options, { journal, keepsPrevious: true });
  } finally {
    await lock.release();
  }
}

async function tell(out: Output, name: string, report: RecoverReport): Promise<void> {
  const { status, ticks, committed, fromSegments, fromJournal, findings } = report;
  if (status === "sound") {
    await out.line(`${name}: finished, ${counted(ticks, "tick")}; nothing to do`);
    return;
  }
  await out.line(
    `${name}: ${counted(ticks, "tick")}: ${grouped(committed)} were committed, ${grouped(fromSegments)} found in segments, ${grouped(fromJournal)} in the journal`,
  );
  if (findings.length > 0) await out.lines(tellFindings(findings));
}

function trimmed(name: string): string {
  return name.replace(/\/+$/, "");
}

function idOf(name: string): string {
  return basename(trimmed(name));
}
