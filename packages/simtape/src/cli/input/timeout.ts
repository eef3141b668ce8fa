import type { Command } from "commander";
import { withTimeout } from "../../io/http/silence.ts";
import { UsageError } from "../run/failure.ts";
import { parseDuration } from "./time.ts";

/** How long a server may be silent, in milliseconds: of the command line that is being carried out. */
let silence = 30_000;

/** Adds the option that says how long servers may be silent to all commands of the program. */
export function takesTimeout(program: Command): Command {
  return program
    .option("--timeout <time>", "stop waiting for a server (URL, S3) that sends nothing for this long", "30s")
    .hook("preAction", () => {
      const { timeout } = program.opts<{ readonly timeout: string }>();
      const time = parseDuration(timeout);
      if (time === null || time < 1e6)
        throw new UsageError(`--timeout takes a time such as 500ms or 2m, not ${JSON.stringify(timeout)}`);
      silence = time / 1e6;
    });
}

/** How requests go to servers, and how long one may take before it is given up, in milliseconds. */
export function toServers(): { readonly fetch: typeof fetch; readonly timeout: number } {
  return { fetch: withTimeout(silence), timeout: silence };
}
