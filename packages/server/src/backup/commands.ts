import type { Command } from "commander";
import { SourceError, counted, EXIT, Output, say, UsageError } from "simtape/command";
import { configured, type Flags, settingsFrom } from "../command-settings.ts";
import type { Settings } from "../settings.ts";
import { BackupError } from "./archive.ts";

/** The settings that say where the data of a server is. */
const WHERE: readonly (keyof Settings)[] = ["data", "database", "s3Endpoint", "s3Region", "s3Key", "s3Secret"];
const STORE = "folder of recordings, or s3://BUCKET/PREFIX, as the server has it";

interface BackupFlags extends Flags {
  readonly output: string;
  readonly recordings?: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** Adds `backup` and `restore`. */
export function addBackupCommands(program: Command): void {
  configured(program.command("backup"), WHERE)
    .summary("save the data of a server in one file, while it runs")
    .description(
      "Writes the data of `simtape serve` at one moment into one file, whether the server runs or not: accounts, reviews,\nnotes, audit, the catalog, seek indexes, copies for links. It names recordings with their digests, and copies them\nwith --recordings. Exit code 3: some recordings are left out, as they are missing or still being recorded.\nThe file contains the hashes of passwords: protect it like the server.",
    )
    .argument("[store]", STORE)
    .requiredOption("-o, --output <file>", ".tar, .tar.gz, or - for standard output")
    .option("--recordings", "copy the recordings, too")
    .option("--force", "replace the file")
    .option("--json", "one JSON object")
    .addHelpText(
      "after",
      "\nExamples:\n  $ simtape backup recordings -o backup.tar.gz\n  $ simtape backup s3://tapes --database postgres://simtape@db/simtape -o - | age -r KEY > backup.tar.age",
    )
    .action(async (store: string | undefined, flags: BackupFlags) => {
      const settings = await settingsFrom(store, flags);
      await mustBeNew(flags);
      const { backUp } = await import("./backup.ts");
      const target = flags.output === "-" ? process.stdout : flags.output;
      const report = await backUp(settings, target, flags.recordings === true).catch(understood);
      await noted(settings, flags.recordings === true);
      const { rows, recordings, leftOut, bytes } = report;
      for (const key of leftOut) say(`left out, as it is being recorded or not there: ${key}`);
      const copied = recordings === null ? "named" : `named, ${recordings} of them copied`;
      const line = `${flags.output}: ${counted(rows["recordings"] ?? 0, "recording")} ${copied}, ${bytes} bytes`;
      if (flags.output === "-") say(line);
      else await printed(flags.json === true ? JSON.stringify({ output: flags.output, ...report }) : line);
      process.exitCode = leftOut.length > 0 ? EXIT.lossy : EXIT.done;
    });

  configured(program.command("restore"), WHERE)
    .summary("restore a backup into a new server")
    .description(
      "Restores a file of `simtape backup` into a server that does not run and has no accounts and recordings yet, with an\nembedded database or PostgreSQL, whichever the backup came from. All or nothing; existing files stay.\nExit code 3: recordings of the backup are not in the library; they appear when their files do.",
    )
    .argument("<file>", "file of simtape backup")
    .argument("[store]", STORE)
    .option("--json", "one JSON object")
    .addHelpText(
      "after",
      "\nExamples:\n  $ simtape restore backup.tar.gz recordings\n  $ simtape restore backup.tar.gz recordings --database postgres://simtape@db/simtape",
    )
    .action(async (file: string, store: string | undefined, flags: BackupFlags) => {
      const settings = await settingsFrom(store, flags);
      const { ANOTHER, restore } = await import("./restore.ts");
      const report = await restore(settings, file).catch((error: unknown) => {
        // error codes of PostgreSQL: five letters and digits
        if (error instanceof Error && /^[0-9A-Z]{5}$/.test(String((error as { code?: unknown }).code)))
          throw new UsageError(`the database refuses the backup (${error.message}): ${ANOTHER}`);
        return understood(error);
      });
      const { made, rows, missing } = report;
      await printed(
        flags.json === true
          ? JSON.stringify({ input: file, ...report })
          : `${file} of ${made}: ${counted(rows["recordings"] ?? 0, "recording")}, ${counted(rows["users"] ?? 0, "account")}`,
      );
      if (missing.length > 0)
        say(`${counted(missing.length, "recording")} not in the library yet, as ${missing[0]}: put the files back`);
      process.exitCode = missing.length > 0 ? EXIT.lossy : EXIT.done;
    });
}

async function mustBeNew({ output, force }: BackupFlags): Promise<void> {
  if (output === "-" || force === true) return;
  const { existsSync } = await import("node:fs");
  if (existsSync(output)) throw new UsageError(`${output} is there already; --force replaces it`);
}

async function printed(line: string): Promise<void> {
  const output = new Output();
  await output.line(line);
  await output.flush();
}

function understood(error: unknown): never {
  if (error instanceof BackupError) throw new SourceError("failed", error.message, { cause: error });
  const isUsage = error instanceof RangeError || (error instanceof Error && error.name === "LockedError");
  throw isUsage ? new UsageError(error.message) : error;
}

/**
 * Logs the backup: it still contains people who are erased later, and the certificate of their erasure names it. A full
 * disk does not prevent a backup.
 */
async function noted({ database: address }: Settings, recordings: boolean): Promise<void> {
  try {
    const { joinDatabase } = await import("../database/database.ts");
    const { Audit } = await import("../people/audit.ts");
    const database = await joinDatabase(address);
    try {
      await new Audit(database.query).add({ who: null, role: "command", action: "backup", details: { recordings } });
    } finally {
      await database.close();
    }
  } catch (error) {
    say(`the audit cannot record this backup: ${error instanceof Error ? error.message : String(error)}`);
  }
}
