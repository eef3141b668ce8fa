import { stat } from "node:fs/promises";
import type { Command } from "commander";
import { isInS3 } from "../input/command-path.ts";
import { isUrl, type ReadOptions, seeks } from "../input/recordings.ts";
import { recordingsOf } from "../mcp/recordings.ts";
import { factoryOf, serveHttp, serveStreams } from "../mcp/serve.ts";
import { TOOLS } from "../mcp/tools/all.ts";
import { ENDING } from "../run/ending.ts";
import { EXIT, UsageError } from "../run/failure.ts";
import { say } from "../run/terminal.ts";
import { version } from "../run/version.ts";

interface McpCommand extends ReadOptions {
  readonly http?: number;
}

export function addMcp(program: Command): void {
  seeks(program.command("mcp"))
    .summary("let a language model ask about recordings (Model Context Protocol)")
    .description(
      `Serves recordings to programs that speak the Model Context Protocol, over standard input and output or over HTTP. Tools: ${TOOLS.map(({ name }) => name).join(", ")}. They only read, and reach nothing but the recordings that are named here.`,
    )
    .argument("<recording...>", "files, folders, URLs, s3://…; a folder stands for all recordings in it")
    .option("--http <port>", "serve programs of this machine at http://127.0.0.1:PORT/mcp; 0 takes a free port", portOf)
    .addHelpText(
      "after",
      '\nNeeds the packages @modelcontextprotocol/server and @modelcontextprotocol/node; the tool sql needs @duckdb/node-api.\n\nExamples:\n  $ simtape mcp runs\n  $ simtape mcp runs --http 8808\n\nIn the settings of a program: { "command": "simtape", "args": ["mcp", "/home/me/runs"] }',
    )
    .action(async (places: readonly string[], options: McpCommand) => {
      const recordings = recordingsOf(places, options);
      // what does not exist is said before any program asks
      for (const place of places) if (!isUrl(place) && !isInS3(place)) await stat(place);
      const { length } = await recordings.list();
      const factory = await factoryOf(TOOLS, recordings, version());
      const stopped = new Promise<void>((resolve) => {
        for (const signal of ENDING) process.once(signal, () => resolve());
      });
      if (options.http === undefined) {
        const { close, ended } = await serveStreams(factory);
        await Promise.race([ended, stopped]);
        await close();
      } else {
        const { close, url } = await serveHttp(factory, options.http);
        say(`simtape: ${length} recordings at ${url}`);
        await stopped;
        await close();
      }
      process.exitCode = EXIT.done;
    });
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new UsageError(`--http takes a port up to 65535, not ${text}`);
  return port;
}
