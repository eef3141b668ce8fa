import type { Command } from "commander";
import { storeAt } from "simtape/serving";
import { EXIT, Output, say, toJson, UsageError } from "simtape/command";
import { readCourse } from "../ghosts/course.ts";
import { reportText } from "../stored/report.ts";
import { worldId, worldIdOf, worldVersion } from "../world/names.ts";
import { lossText } from "./losses.ts";
import type { ProxyEvent } from "./proxy.ts";
import type { Worlds } from "./room.ts";

interface ProxyFlags {
  readonly listen: string;
  readonly host: string;
  readonly server: string;
  readonly store: string;
  readonly course?: string;
  readonly ring?: string;
  readonly tail: string;
  readonly report: boolean;
  readonly world: boolean;
  readonly worlds?: string;
  readonly worldId?: string;
  readonly worldVersion?: string;
  readonly json?: true;
}

/** Adds the command `proxy`. */
export function addProxy(program: Command): void {
  program
    .command("proxy")
    .summary("record players between their clients and a server")
    .description(
      "Relays packets between clients and a server in offline mode, and records each player's own moves and what players see. All bytes pass unchanged. The chunks that clients get are stored once in a world store, so that recordings are shown over their world.\nWith a course, players race against ghosts of runs in the store; only the player sees its ghosts, and chooses them by /ghost in the game.\n/report NAME WORDS in the game adds a mark to the recording; with a ring, only reported moments are saved, with the minutes before them.\nA recording of a dimension begins when the first player enters it, and ends when the last one has left. Ends with Ctrl+C.",
    )
    .requiredOption("--listen <n>", "port for clients; 0: any free port")
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .requiredOption("--server <host:port>", "the game server")
    .requiredOption("--store <folder>", "folder for the recordings")
    .option("--course <file>", "where runs begin and end: players race against ghosts, and their runs are kept")
    .option("--ring <seconds>", "record nothing, keep the last seconds in memory: /report makes a clip of them")
    .option("--tail <seconds>", "seconds after a report that its clip includes", "10")
    .option("--no-report", "leave /report to the server")
    .option(
      "--worlds <store>",
      "folder or s3://bucket/prefix for the chunks of the world (default: the folder of --store)",
    )
    .option("--world-id <uuid>", "id of the world (default: made from the address of the server)")
    .option("--world-version <text>", "version of the world (default: a new one for each recording)")
    .option("--no-world", "do not keep the chunks of the world")
    .option("--json", "print events as JSON, one a line")
    .addHelpText(
      "after",
      "\nExamples:\n  $ simtape-mc proxy --listen 25566 --server 127.0.0.1:25565 --store recordings\n  $ simtape-mc proxy --listen 25566 --server 127.0.0.1:25565 --store recordings --course course.json   # with ghosts\n  $ simtape-mc proxy --listen 25566 --server 127.0.0.1:25565 --store reports --ring 300   # only what is reported\n  $ simtape recover recordings/overworld-20260201T120000-000Z   # after a crash",
    )
    .action(async (flags: ProxyFlags) => {
      const { listen, host, server, store, course: file, ring: seconds, tail, json } = flags;
      if (seconds !== undefined && !flags.report)
        throw new UsageError("with --no-report no clip of a ring is ever saved");
      const to = addressOf(server);
      const course = file === undefined ? undefined : await readCourse(file);
      const ring =
        seconds === undefined
          ? undefined
          : { seconds: secondsOf(seconds, "--ring", 1), tail: secondsOf(tail, "--tail", 0) };
      const { GameProxy } = await import("./proxy.ts");
      const output = new Output();
      const print = (line: string): Promise<void> => output.line(line).then(() => output.flush());
      const port = portOf(listen, "--listen", 0);
      const report = (event: ProxyEvent): void => {
        if (json === true) void print(toJson(event));
        say(`simtape-mc: ${textOf(event)}`);
      };
      const worlds = worldsOf(flags);
      const proxy = await GameProxy.listen({
        port,
        host,
        server: to,
        store,
        course,
        ring,
        worlds,
        leavesReports: !flags.report,
        report,
      });
      await print(json === true ? toJson({ listening: { host, port: proxy.port } }) : `${host}:${proxy.port}`);
      say("Ctrl+C ends");
      await interrupted();
      await proxy.close();
      process.exitCode = proxy.failed + proxy.losses.count > 0 ? EXIT.lossy : EXIT.done;
    });
}

/** Absent: chunks are not kept. */
function worldsOf({
  world,
  worlds,
  worldId: id,
  worldVersion: version,
  store,
  server,
}: ProxyFlags): Worlds | undefined {
  if (!world) return undefined;
  return {
    store: storeAt(worlds ?? store),
    id: id === undefined ? worldIdOf(server) : worldId(id),
    version: version === undefined ? undefined : worldVersion(version),
  };
}

function textOf(event: ProxyEvent): string {
  if ("joined" in event) return `${event.joined} has joined`;
  if ("left" in event) return `${event.left} has left: ${event.packets} packets, ${event.faults} not decoded`;
  if ("blind" in event) return `a connection passes without being recorded: ${event.blind}`;
  if ("began" in event) return `recording ${event.began}`;
  if ("run" in event) return `the run ${event.run} is saved`;
  if ("report" in event) {
    const { subject, reporter, reason } = event.report;
    return `${reporter.name} reports ${reportText(subject.name, reason)} (in ${event.recording})`;
  }
  if ("clip" in event) return `${event.clip.id}: ${event.clip.ticks} ticks`;
  if ("ended" in event) return `${event.ended.id}: ${event.ended.ticks} ticks, ${event.ended.bytes} bytes`;
  if ("lost" in event) return `${event.lost.id}: ${lossText(event.lost)}`;
  return event.error;
}

function addressOf(text: string): { host: string; port: number } {
  const [, host, port] = /^\[?([^\]]+?)\]?:(\d+)$/.exec(text) ?? [];
  if (host === undefined) throw new UsageError(`--server takes an address such as 127.0.0.1:25565, not ${text}`);
  return { host, port: portOf(port!, "--server", 1) };
}

/** At most an hour. */
function secondsOf(text: string, option: string, least: number): number {
  const seconds = Number(text);
  if (text === "" || !Number.isInteger(seconds) || seconds < least || seconds > 3600)
    throw new UsageError(`${option} takes seconds from ${least} to 3600, not ${text}`);
  return seconds;
}

function portOf(text: string, option: string, least: number): number {
  const port = Number(text);
  if (text === "" || !Number.isInteger(port) || port < least || port > 65535)
    throw new UsageError(`${option} takes a port from ${least} to 65535, not ${text}`);
  return port;
}

/** Settles on Ctrl+C or SIGTERM. */
function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}
