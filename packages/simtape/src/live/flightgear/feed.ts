import { LayoutError } from "../../bytes/error.ts";
import { flightgear } from "../../formats/flightgear/format.ts";
import { readSignalList, type SignalList } from "../../formats/flightgear/layout/signals.ts";
import type { Datagrams } from "../../io/source/datagrams.ts";
import { SourceError } from "../../io/source/source.ts";
import type { Value } from "../../model/values/value.ts";
import type { Feed, Intake } from "../feed.ts";
import { fromWire } from "./pilots.ts";
import { GenericProtocol } from "./protocol.ts";
import { Simulator } from "./simulator.ts";

/** What a feed needs of the machine it runs on. */
export interface FlightGearFeedOptions {
  /** `http://host:port` of a FlightGear that was started with `--httpd=PORT`. */
  readonly address: string;
  /** Opens the socket that the simulator sends to. */
  readonly open: () => Promise<Datagrams>;
  /** The name or address of this machine as the simulator reaches it. */
  readonly here: string;
  /**
   * Puts a protocol file where the simulator reads it, and gives its name as the simulator looks for it: below `Protocol` in
   * its data folder, without `.xml`.
   */
  readonly install: (text: string, dataFolder: string) => Promise<string>;
  /** Packets a second; the simulator sends one for each picture at most. */
  readonly rate: number;
  /** The socket at which packets of other pilots arrive; null: they are not recorded. */
  readonly pilots: (() => Promise<Datagrams>) | null;
  /** Milliseconds without a packet after which the connection counts as broken; default 5 s. */
  readonly silence?: number | undefined;
}

/** Milliseconds without a packet after which the connection counts as broken, where nothing else is asked. */
const SILENCE = 5000;
/** Milliseconds that it has to close its side at the end. */
const GOODBYE = 2000;
/** Packets of pilots that wait for the next frame at most. */
const WAITING = 4096;
/** What the simulator calls the channel. */
const CHANNEL = "simtape";

/**
 * What a running FlightGear's own flight recorder would write: the signals of its configuration, by the generic protocol,
 * and packets of other pilots. While it is paused, its clock is stopped or it shows a tape, nothing is recorded, and the
 * clock stands still. What the simulator computes behind its output, as the vertical speed, is of another moment of the
 * frame than in a tape.
 */
export function flightgearFeed(options: FlightGearFeedOptions): Feed {
  return {
    name: `FlightGear at ${options.address}`,
    format: flightgear,
    run: (intake, signal) => run(new Simulator(options.address), options, intake, signal),
  };
}

async function run(
  simulator: Simulator,
  options: FlightGearFeedOptions,
  intake: Intake,
  signal: AbortSignal,
): Promise<void> {
  const protocol = new GenericProtocol(await signalsOf(simulator, signal));
  const data = options.pilots === null ? ["signals"] : ["signals", "multiplayer"];
  intake.describe({ metadata: { ...(await factsOf(simulator, protocol.list, signal)), data } });
  const root = String((await simulator.get("/sim/fg-root", signal)) ?? "");
  const name = await options.install(protocol.file, root);
  const socket = await options.open();
  let pilots: Datagrams | null = null;
  let isAdded = false;
  try {
    pilots = (await options.pilots?.()) ?? null;
    const config = `generic,socket,out,${options.rate},${options.here},${socket.port},udp,${name}`;
    const taken = take(protocol, socket, pilots, intake, options.silence ?? SILENCE, signal);
    // what goes wrong with it is seen below
    taken.catch(() => undefined);
    isAdded = true;
    await simulator.run("add-io-channel", { config, name: CHANNEL }, signal);
    await taken;
  } finally {
    // a simulator that has ended needs nothing
    const limit = AbortSignal.timeout(GOODBYE);
    if (isAdded) await simulator.run("remove-io-channel", { name: CHANNEL }, limit).catch(() => undefined);
    await socket.close();
    await pilots?.close();
  }
}

/** Resolves with the signal, rejects when nothing arrives any more. */
function take(
  protocol: GenericProtocol,
  socket: Datagrams,
  pilots: Datagrams | null,
  intake: Intake,
  silence: number,
  signal: AbortSignal,
): Promise<void> {
  const signals = intake.channel({ name: "signals" });
  const multiplayer = pilots === null ? -1 : intake.channel({ name: "multiplayer" });
  let last = Number.NaN;
  let stood = 0;
  let heard = performance.now();
  let waiting: Uint8Array[] = [];
  if (pilots !== null)
    pilots.onMessage = (packet) => {
      if (waiting.length < WAITING) waiting.push(fromWire(packet));
      else intake.lost("more packets of pilots than a frame holds");
    };
  return new Promise((resolve, reject) => {
    const end = (error: Error | null): void => {
      clearInterval(timer);
      signal.removeEventListener("abort", stop);
      socket.onMessage = () => undefined;
      if (pilots !== null) pilots.onMessage = () => undefined;
      if (error === null) resolve();
      else reject(error);
    };
    const stop = (): void => end(null);
    signal.addEventListener("abort", stop);
    const timer = setInterval(() => {
      if (performance.now() - heard > silence)
        end(new SourceError("failed", `FlightGear sent nothing for ${silence / 1000} s`));
    }, silence / 10);
    socket.onMessage = (packet) => {
      heard = performance.now();
      const state = protocol.stateOf(packet);
      if (state === null) return intake.lost(`a packet of ${packet.length} bytes, not ${protocol.packetBytes}`);
      const { elapsed, isPaused, replayState } = state;
      // a clock alone may be stopped, too
      const stands = isPaused || replayState !== 0 || elapsed === last;
      if (stands && !Number.isNaN(last)) stood += elapsed - last;
      last = elapsed;
      if (stands) return;
      const time = (elapsed - stood) * 1e9;
      intake.write(signals, protocol.record(packet), time);
      for (const one of waiting) intake.write(multiplayer, one, time);
      waiting = [];
    };
  });
}

/** The list that the simulator's own recorder uses. Rejects with `SourceError` if there is none. */
async function signalsOf(simulator: Simulator, signal: AbortSignal): Promise<SignalList> {
  const which = Number(await simulator.get("/sim/flight-recorder/replay-config", signal)) || 0;
  const tree = await simulator.tree(`/sim/flight-recorder/config[${which}]`, 10, signal);
  try {
    const list = tree === null ? null : readSignalList(tree);
    if (list !== null && list.signals.length > 0) return list;
  } catch (cause) {
    if (!(cause instanceof LayoutError)) throw cause;
    throw new SourceError("failed", `the flight recorder's list of signals: ${cause.message}`, { cause });
  }
  throw new SourceError("failed", `FlightGear at ${simulator.address} says no signals to record`);
}

/** What a tape says of the flight, by the names of its metadata. */
async function factsOf(
  simulator: Simulator,
  { signals }: SignalList,
  signal: AbortSignal,
): Promise<Record<string, Value>> {
  const text = async (path: string): Promise<string> => String((await simulator.get(path, signal)) ?? "");
  return {
    signalList: signals.map(({ property, type, interpolation }) => ({ property, type, interpolation })),
    aircraft: await text("/sim/aircraft"),
    description: await text("/sim/description"),
    airport: await text("/sim/airport/closest-airport-id"),
    flightgear: await text("/sim/version/flightgear"),
    recorder: "simtape",
  };
}
