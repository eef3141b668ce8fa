import { spawn } from "node:child_process";
import { type Command, InvalidArgumentError, Option } from "commander";
import { EXIT, UsageError } from "../run/failure.ts";
import { ENDING } from "../run/ending.ts";
import { collected } from "../input/collected.ts";
import { FEED_KINDS, type FeedKind } from "../live/kinds.ts";
import type { LiveView } from "./view-from.ts";
import { formatModules } from "../input/formats.ts";
import { toJson } from "../../model/values/json.ts";
import { counted, Output, say } from "../run/terminal.ts";
import { type ReadOptions, takesFiles } from "../input/recordings.ts";
import { builtViewer } from "../view/built.ts";
import { entriesOf, worldEntriesOf } from "../view/entries.ts";
import { ViewIndexes } from "../view/indexes.ts";
import { ViewList } from "../view/list.ts";
import { isReachedFromElsewhere, originOf } from "../view/reach.ts";
import { serveView, type ViewServer } from "../view/server.ts";

interface ViewOptions extends Pick<ReadOptions, "given"> {
  readonly port: string;
  readonly host: string;
  readonly publicOrigin?: string;
  readonly open?: boolean;
  readonly json?: boolean;
  readonly ghost?: boolean;
  readonly index: boolean;
  readonly from?: FeedKind;
  readonly output?: string;
  readonly force?: boolean;
  readonly topic?: readonly string[];
  readonly rate?: number;
  readonly pilots?: number;
}

export function addView(program: Command): void {
  takesFiles(program.command("view"))
    .summary("watch recordings in a browser")
    .description(
      "Serves the viewer and the recordings named, read-only, and prints the address of the page: to this machine only, unless --host says otherwise.\nA folder stands for the recordings in it. Ends with Ctrl+C.\nWith --from a running program is recorded, and shown while it runs; exit code 3 when something of it is missing.",
    )
    .argument(
      "<recordings...>",
      "files, folders or URLs, and files that show their world (.xodr, .tif, .apt.dat, .glb, .yaml, .urdf, .pdb, .models.json, .mca, a folder region); with --from the address of the program",
    )
    .addOption(new Option("--from <program>", "show a running program while it is recorded").choices(FEED_KINDS))
    .option("-o, --output <file>", "with --from: keep the recording; its ending names the format")
    .option("--force", "with --from: overwrite an existing file")
    .option("--topic <glob>", "with --from foxglove: only such topics (may be given more than once)", collected)
    .option("--rate <hz>", "of FlightGear: packets a second (20)", countOf)
    .option("--pilots <port>", "of FlightGear: record other pilots, whose packets arrive at this port", countOf)
    .option("--ghost", "play the first one, with the others as ghosts")
    .option("--port <number>", "port; 0: any free one", "0")
    .option("--host <name>", "name or address of this machine to listen at; 0.0.0.0: all of them", "127.0.0.1")
    .option("--public-origin <origin>", "what the browser has before the path, through a tunnel or a proxy")
    .option("--no-index", "neither make seek indexes in the cache, nor use those that were kept")
    .option("--open", "open the page in the browser of this machine")
    .option("--json", "print the address as one JSON object")
    .addHelpText(
      "after",
      "\nExamples:\n  $ simtape view town.log\n  $ simtape view town.log town.xodr\n  $ simtape view run.hcrp world/region\n  $ simtape view best.hcrp mine.hcrp --ghost --open\n  $ simtape view town.log --port 8123 --public-origin http://localhost:9000    # ssh -L 9000:localhost:8123\n  $ simtape view --from nanover ws://127.0.0.1:38801 --open\n  $ simtape view --from nanover ws://127.0.0.1:38801 -o run.nanover.zip",
    )
    .action(async (names: readonly string[], options: ViewOptions) => {
      const live = await liveOf(names, options);
      const entries = live === null ? await entriesOf(names) : [live.entry];
      const list = new ViewList(entries, live === null ? () => entriesOf(names) : undefined);
      const { host, publicOrigin, given } = options;
      const reach = { host, publicOrigin: publicOrigin === undefined ? undefined : originOf(publicOrigin) };
      const indexes = options.index ? new ViewIndexes() : null;
      const server = await serveView({
        folder: builtViewer(),
        entries: list,
        worlds: live === null ? await worldEntriesOf(names) : [],
        port: portOf(options.port),
        given,
        modules: formatModules(),
        reach,
        indexes,
      });
      const output = new Output();
      const address = server.address(options.ghost === true || entries.length === 1 ? entries : []);
      await output.line(options.json === true ? toJson({ url: address }) : address);
      await output.flush();
      if (await isReachedFromElsewhere(host)) {
        say("warning: other machines can reach it: the recordings can be read by all who have this address");
      }
      say(`${counted(entries.length, "recording")}; Ctrl+C ends`);
      if (options.open === true) openInBrowser(address);
      process.exitCode = await (live === null ? server.closed.then(() => EXIT.done) : untilEnded(live, server));
    });
}

/** Null: recordings are shown, and no program. Throws `UsageError` for what does not go together. */
async function liveOf(names: readonly string[], options: ViewOptions): Promise<LiveView | null> {
  const { from, output, topic, rate, pilots } = options;
  if (from === undefined) {
    if ([output, options.force, topic, rate, pilots].some((given) => given !== undefined))
      throw new UsageError("-o, --force, --topic, --rate and --pilots are for --from");
    return null;
  }
  if (names.length > 1) throw new UsageError("--from shows one program: give its address alone");
  const { viewFrom } = await import("./view-from.ts");
  return viewFrom(names[0]!, { ...options, from });
}

/** Until Ctrl+C: then the recording is finished, and once more ends at once. Gives the exit code. */
async function untilEnded(live: LiveView, server: ViewServer): Promise<number> {
  await new Promise<void>((resolve) => {
    for (const signal of ENDING) process.once(signal, () => resolve());
  });
  try {
    return await live.end();
  } finally {
    await server.close();
  }
}

function countOf(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new InvalidArgumentError("a whole number above 0.");
  return Number(text);
}

function portOf(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new UsageError(`a port is a number from 0 to 65535, not ${text}`);
}

function openInBrowser(address: string): void {
  const [command, ...words] =
    process.platform === "darwin"
      ? ["open", address]
      : process.platform === "win32"
        ? ["cmd", "/c", "start", "", address.replaceAll("&", "^&")]
        : ["xdg-open", address];
  spawn(command!, words, { detached: true, stdio: "ignore" })
    .on("error", () => say("no browser could be started: open the address by hand"))
    .unref();
}
