import { basename } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { Deck } from "../../live/deck.ts";
import type { PlayerStatus, PlayOptions } from "../../play/player.ts";
import { toJson } from "../../model/values/json.ts";
import type { Outlet } from "../../live/outlet.ts";
import { OUTLET_KINDS, OUTLET_USES, type OutletKind } from "../live/kinds.ts";
import { keysFor } from "../live/keys.ts";
import { outletOf } from "../live/outlets.ts";
import { playOut } from "../live/play-out.ts";
import { PlayerScreen } from "../screen/player-screen.ts";
import { ORIGIN_FLAGS, originOf } from "../input/origin.ts";
import { collected } from "../input/collected.ts";
import { mustFitUses } from "../input/only-for.ts";
import { openNamed, type ReadOptions, reads } from "../input/recordings.ts";
import { clock, parseTime, TIME_HELP } from "../input/time.ts";
import { ENDING } from "../run/ending.ts";
import { EXIT, UsageError } from "../run/failure.ts";
import { Output, say, sayForNow } from "../run/terminal.ts";

interface PlayCommand extends ReadOptions {
  readonly into?: readonly OutletKind[];
  readonly stdout?: "ndjson";
  readonly host?: string;
  readonly port?: number;
  readonly address?: string;
  readonly scale?: number;
  readonly announce?: boolean;
  readonly asset?: readonly string[];
  readonly allowOrigin?: readonly string[];
  readonly pilots?: string;
  readonly trafficOnly?: boolean;
  readonly origin?: string;
  readonly at?: string;
  readonly rate: number;
  readonly repeat?: boolean;
  readonly paused?: boolean;
  readonly json?: boolean;
}

export function addPlay(program: Command): void {
  reads(program.command("play"))
    .summary("play recordings in the terminal, into a running program, or to its clients")
    .description(
      "Plays recordings in the terminal: a map from above, values, events and a timeline, driven by keys; ? lists them. With --into, other programs see them as if they happened now; with several recordings the first is loaded, and clients may load the others where their protocol allows it. With --stdout, the messages are written when they are due. Ends with q or Ctrl+C, and with --stdout at the end of the recording.",
    )
    .argument("<recordings...>", "files, folders or URLs")
    .addOption(
      new Option("--into <program>", "what they play into (may be given more than once)")
        .choices(OUTLET_KINDS)
        .argParser(kindsOf),
    )
    .addOption(
      new Option("--stdout <format>", "write the messages to standard output at the pace of the recording")
        .choices(["ndjson"])
        .conflicts(["into", "repeat", "paused", "json"]),
    )
    .option("--host <name>", "name or address of this machine to listen at (127.0.0.1)")
    .option("--port <number>", "port to listen at, or of the program that is driven", portOf)
    .option("--address <address>", "the program that is driven")
    .option("--announce", "announce the server to the network (NanoVer: ESSD), so that clients find it")
    .option("--scale <nm>", "nanometres for each metre of what becomes particles (by its extent)", scaleOf)
    .option("--asset <file>", "a file that Foxglove may fetch, as a URDF (may be given more than once)", collected)
    .option(
      "--allow-origin <origin>",
      "pages that may connect, beside those of this machine: https://app.foxglove.dev (may be given more than once)",
      collected,
    )
    .option("--pilots <host:port>", "of FlightGear: show everything else as pilots, at the port of --multiplay=in")
    .option("--traffic-only", "of FlightGear: show all of it as pilots, and leave the own aircraft alone")
    .option(ORIGIN_FLAGS, "where a local plane touches the earth: degrees, metres, degrees")
    .option("--at <time>", "where to begin")
    .option("--rate <number>", "speed; negative plays backwards", rateOf, 1)
    .option("--repeat", "begin again at the end")
    .option("--paused", "do not play until a client says so")
    .option("--json", "status lines as JSON objects")
    .addHelpText(
      "after",
      `\n${TIME_HELP}\n\nExamples:\n  $ simtape play town.log\n  $ simtape play town.log --stdout ndjson --rate 4 | grep collision\n  $ simtape play run.nanover.zip --into nanover\n  $ simtape play race.hcrp --into foxglove\n  $ simtape play flight.fgtape --into flightgear --address http://localhost:5500 --rate 4`,
    )
    .action(async (names: readonly string[], options: PlayCommand, command: Command) => {
      const { into, stdout } = options;
      mustFitUses(command, OUTLET_USES, into ?? [], (uses) =>
        uses.length === 0 ? "a terminal or a pipe" : `--into ${uses.join(" and ")}`,
      );
      if (stdout !== undefined) process.exitCode = await playToPipe(names, options);
      else if (into !== undefined) process.exitCode = await playInto(names, options, into);
      else process.exitCode = await playHere(names, options);
    });
}

/** Frames of a screen in a second: ten, for a terminal at the end of a slow line. */
const SCREEN_INTERVAL = 100e6;

function deckOf(names: readonly string[], options: PlayCommand, more: PlayOptions = {}): Deck {
  const entries = names.map((name) => ({ name: basename(name), open: () => openNamed(name, options) }));
  return new Deck(entries, { rate: options.rate, atEnd: options.repeat === true ? "repeat" : "stop", ...more });
}

/** Plays on the terminal. */
async function playHere(names: readonly string[], options: PlayCommand): Promise<number> {
  if (process.stdin.isTTY !== true || process.stdout.isTTY !== true)
    throw new UsageError("play needs a terminal, or --into PROGRAM, or --stdout ndjson");
  const deck = deckOf(names, options, { interval: SCREEN_INTERVAL, interactive: true });
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
    for (const signal of ENDING) process.once(signal, () => resolve());
  });
  try {
    const { recording, player } = await deck.load(0);
    if (options.at !== undefined) await player.seek(await parseTime(options.at, recording));
    const screen = new PlayerScreen(deck, end);
    screen.open();
    try {
      if (options.paused !== true) player.play();
      await ended;
    } finally {
      screen.close();
    }
    return EXIT.done;
  } finally {
    await deck.close();
  }
}

/** Writes messages at their pace. */
async function playToPipe(names: readonly string[], options: PlayCommand): Promise<number> {
  if (names.length > 1) throw new UsageError("--stdout plays one recording");
  const deck = deckOf(names, options);
  const away = new AbortController();
  for (const signal of ENDING) process.once(signal, () => away.abort());
  try {
    const { recording, player } = await deck.load(0);
    const { start, end } = await recording.timeline();
    const from = options.rate < 0 ? end : start;
    await player.seek(options.at === undefined ? from : await parseTime(options.at, recording));
    const undecodable = await playOut(deck, away.signal);
    if (undecodable === 0) return EXIT.done;
    say(`simtape: ${undecodable} payloads do not decode and are shown as null. See: simtape check ${names[0]}`);
    return EXIT.lossy;
  } finally {
    await deck.close();
  }
}

async function playInto(names: readonly string[], options: PlayCommand, into: readonly OutletKind[]): Promise<number> {
  const deck = deckOf(names, options);
  let end = (): void => undefined;
  const stopped = new Promise<void>((resolve) => {
    end = resolve;
    for (const signal of ENDING) process.once(signal, () => resolve());
  });
  const output = new Output();
  const outlets: Outlet[] = [];
  try {
    const { recording, player } = await deck.load(0);
    const { host, port, address, scale, pilots, trafficOnly = false, asset, allowOrigin } = options;
    const origin = options.origin === undefined ? undefined : originOf(options.origin);
    const given = {
      host,
      port,
      address,
      scale,
      announces: options.announce === true,
      pilots,
      trafficOnly,
      origin,
      asset,
      allowOrigin,
    };
    for (const kind of into) outlets.push(await outletOf(kind, deck, given));
    for (const { name } of outlets) await output.line(options.json === true ? toJson({ outlet: name }) : name);
    await output.flush();
    if (options.at !== undefined) await player.seek(await parseTime(options.at, recording));
    if (options.paused !== true) player.play();
    const isJson = options.json === true;
    const timer = setInterval(
      () => (isJson ? void tell(output, deck) : show(deck.loaded?.player.status ?? null)),
      isJson ? 1000 : 250,
    );
    const watch = setInterval(() => {
      if (outlets.some((outlet) => outlet.status().failure !== null)) end();
    }, 250);
    const keys = keysFor(deck, end);
    await stopped;
    keys.close();
    clearInterval(timer);
    clearInterval(watch);
    sayForNow("");
    return summed(outlets);
  } finally {
    for (const outlet of outlets) await outlet.close();
    await deck.close();
  }
}

/** Says how each outlet did, and gives the exit code. */
function summed(outlets: readonly Outlet[]): number {
  let code: number = EXIT.done;
  for (const outlet of outlets) {
    const { clients, skippedFrames, failure } = outlet.status();
    if (clients > 0 || skippedFrames > 0)
      say(`simtape: ${outlet.name}: ${clients} clients, ${skippedFrames} frames skipped for those that lagged`);
    if (failure === null) continue;
    say(`simtape: ${outlet.name}: ${failure}`);
    code = EXIT.failed;
  }
  return code;
}

function show(status: PlayerStatus | null): void {
  if (status === null || process.stderr.isTTY !== true) return;
  const { phase, time, rate, bounds } = status;
  sayForNow(
    `${phase} ${clock(time - (bounds?.start ?? 0))} of ${clock((bounds?.end ?? 0) - (bounds?.start ?? 0))}, rate ${rate}`,
  );
}

/** One line of where it is. */
async function tell(output: Output, deck: Deck): Promise<void> {
  if (deck.loaded === null) return;
  const { name, player } = deck.loaded;
  const { phase, time, rate, error } = player.status;
  await output.line(toJson({ recording: name, phase, time, rate, error: error?.message ?? null }));
  await output.flush();
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new UsageError(`--port takes a number up to 65535, not ${text}`);
  return port;
}

function scaleOf(text: string): number {
  const scale = Number(text);
  if (!(scale > 0 && Number.isFinite(scale))) throw new UsageError(`--scale takes a number above 0, not ${text}`);
  return scale;
}

function rateOf(text: string): number {
  const rate = Number(text);
  if (!Number.isFinite(rate) || rate === 0 || Math.abs(rate) > 64)
    throw new UsageError(`--rate takes a number from -64 to 64 that is not 0, not ${text}`);
  return rate;
}

function kindsOf(text: string, before: readonly OutletKind[] = []): readonly OutletKind[] {
  const kind = OUTLET_KINDS.find((one) => one === text);
  if (kind === undefined) throw new InvalidArgumentError(`Allowed choices are ${OUTLET_KINDS.join(", ")}.`);
  return [...before, kind];
}
