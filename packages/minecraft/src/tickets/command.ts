import type { Command } from "commander";
import { Output, say, toJson, UsageError } from "simtape/command";
import { readOrMakeKey } from "./key.ts";
import { sign } from "./ticket.ts";

interface TicketFlags {
  readonly for: string;
  readonly key: string;
  readonly minutes: string;
  readonly host?: string;
  readonly json?: true;
}

/** Adds the command `ticket`. */
export function addTicket(program: Command): void {
  program
    .command("ticket")
    .summary("let one person open one recording once")
    .description(
      "Makes a ticket: the person types /review TICKET on the replay server, or connects to TICKET.HOST.\nThe replay server needs the same key: serve --key FILE.",
    )
    .argument("<recording>", "as /list shows it: its path in the store, without .hcrp")
    .requiredOption("--for <person>", "name or UUID of the player")
    .requiredOption("--key <file>", "key that signs; made if it is not there, readable for you alone")
    .option("--minutes <n>", "how long it can be used", "15")
    .option("--host <name>", "host name of the replay server: prints the address to connect to")
    .option("--json", "one JSON object")
    .addHelpText(
      "after",
      "\nExamples:\n  $ simtape-mc ticket race-7 --for Alex --key replay.key\n  $ simtape-mc ticket race-7 --for 069a79f4-44e9-4726-a5be-fca90e38aaf5 --key replay.key --host replay.example.org",
    )
    .action(async (recording: string, { for: person, key: path, minutes, host, json }: TicketFlags) => {
      const count = Number(minutes);
      if (!(count > 0 && count <= 7 * 24 * 60))
        throw new UsageError(`--minutes is above 0 and at most 10080, not ${minutes}`);
      const { key, isNew } = await readOrMakeKey(path);
      if (isNew) say(`made the key ${path}: simtape-mc serve STORE --key ${path}`);
      const until = Math.ceil(Date.now() / 1000 + 60 * count);
      const title = recording.replace(/\.hcrp$/, "");
      const ticket = sign(key, { person, recording: title, until });
      const address = host === undefined ? undefined : `${ticket}.${host}`;
      const output = new Output();
      await output.line(
        json === true
          ? toJson({ ticket, address, person, recording: title, until: new Date(until * 1000).toISOString() })
          : (address ?? ticket),
      );
      await output.flush();
    });
}
