import { EXIT } from "./run/failure.ts";
import { say } from "./run/terminal.ts";
import { fail, run } from "./program.ts";
import { removeWhenInterrupted } from "./run/unfinished.ts";

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // A reader that has seen enough, such as `head`, is no failure.
  if (error.code === "EPIPE") process.exit(EXIT.done);
  say(`simtape: standard output cannot be written: ${error.message}`);
  process.exit(EXIT.failed);
});
// where nothing can be said, the exit code says it
process.stderr.on("error", () => undefined);

removeWhenInterrupted();

const words = process.argv.slice(2);
// work in the background, which nothing waits for yet
process.on("unhandledRejection", (error) => {
  void fail(error, words).then((exit) => process.exit(exit));
});

process.exitCode = await run(words);
