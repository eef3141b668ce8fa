import { EXIT } from "./failure.ts";
import { run } from "./program.ts";
import { removeWhenInterrupted } from "./unfinished.ts";

// A reader that has seen enough, such as `head`, is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? EXIT.done : EXIT.failed);
});

removeWhenInterrupted();

process.exitCode = await run(process.argv.slice(2));
