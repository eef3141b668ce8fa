import { flightgear } from "../../formats/flightgear/format.ts";
import type { Datagrams } from "../../io/source/datagrams.ts";
import type { SinkBundle } from "../../io/sink/sink.ts";
import { SourceError } from "../../io/source/source.ts";
import { type Origin, unsetOrigin } from "../../model/axes/geodesy.ts";
import type { Place } from "../../model/poses/place.ts";
import type { Time } from "../../model/values/time.ts";
import { convert } from "../../ops/convert.ts";
import { rewrite } from "../../ops/copy.ts";
import type { Frame } from "../../play/frame.ts";
import type { Deck, Loaded } from "../deck.ts";
import type { Outlet, OutletStatus } from "../outlet.ts";
import { Simulator } from "./simulator.ts";
import { Traffic, type TrafficTarget } from "./traffic.ts";

/** How a running FlightGear is driven. One of `tape` and `traffic` at least. */
export interface FlightGearOutletOptions {
  /** `http://host:port` of a FlightGear that was started with `--httpd=PORT`. */
  readonly address: string;
  /** Where tapes are written, which the simulator reads: the recording is its own aircraft. Null: it is other pilots alone. */
  readonly tapes: { readonly folder: string; readonly to: (name: string) => SinkBundle } | null;
  /** Other pilots: the socket, and where their packets go. Null: they are not shown. */
  readonly traffic: { readonly socket: Datagrams; readonly target: TrafficTarget } | null;
  /** Where the plane of a local recording touches the earth; absent: 0° N 0° E, or as the recording says. */
  readonly origin?: Origin | undefined;
}

/** Native time of the first moment of a converted recording, seconds: above 0, where FlightGear cannot seek to. */
const FIRST = 1;
/** Milliseconds that the simulator has to load a tape, or to end a replay, and between two looks whether it has. */
const LOADING = 10_000;
const AGAIN = 100;

/**
 * Drives a running FlightGear. For the own aircraft the recording is written as a tape that this FlightGear reads; it
 * stands still there, and is moved to the time of each frame: forwards, backwards and at every rate. Everything else
 * that has a place is another pilot. Takes over the socket. Rejects with `SourceError` where no FlightGear answers.
 */
export async function flightgearOutlet(deck: Deck, options: FlightGearOutletOptions): Promise<Outlet> {
  const simulator = new Simulator(options.address);
  const first = deck.loaded;
  let version = "";
  let stage: Stage | null = null;
  try {
    if (options.tapes !== null) version = String((await simulator.get("/sim/version/flightgear")) ?? "");
    if (options.traffic !== null) await hears(simulator);
    stage = new Stage(simulator, version, options);
    if (first !== null) await stage.load(first);
  } catch (error) {
    await (stage === null ? options.traffic?.socket.close() : stage.close());
    throw error;
  }
  const staged = stage;
  const leave = deck.onLoad((loaded) => {
    if (loaded !== first) staged.load(loaded).catch((error: unknown) => staged.fail(error));
  });
  return {
    name: `FlightGear ${version} at ${simulator.address}`.replace(/ {2}/, " "),
    status: () => staged.status,
    close: async () => {
      leave();
      await staged.close();
    },
  };
}

/** Rejects with `SourceError` if the simulator has no socket for other pilots, and would show none. */
async function hears(simulator: Simulator): Promise<void> {
  // pilots alone need no web server
  const isOnline = await simulator.get("/sim/multiplay/online").catch(() => null);
  if (isOnline === false)
    throw new SourceError(
      "failed",
      `FlightGear at ${simulator.address} hears no other pilots: start it with --multiplay=out,10,HOST,PORT, too`,
    );
}

/** What is shown at the moment. */
class Stage {
  readonly #simulator: Simulator;
  readonly #version: string;
  readonly #options: FlightGearOutletOptions;
  #unsubscribe: () => void = () => undefined;
  #timer: ReturnType<typeof setInterval> | null = null;
  #traffic: Traffic | null = null;
  #frames = 0;
  #bytes = 0;
  #failure: string | null = null;

  constructor(simulator: Simulator, version: string, options: FlightGearOutletOptions) {
    this.#simulator = simulator;
    this.#version = version;
    this.#options = options;
  }

  get status(): OutletStatus {
    const { packets = 0, bytes = 0 } = this.#traffic ?? {};
    return {
      ...{ clients: 1, sentMessages: this.#frames + packets, sentBytes: this.#bytes + bytes, skippedFrames: 0 },
      failure: this.#failure,
    };
  }

  async load(loaded: Loaded): Promise<void> {
    this.#leave();
    const { tapes, traffic, origin = unsetOrigin() } = this.#options;
    const native = tapes === null ? null : await this.#loadTape(loaded, tapes);
    const { player, recording } = loaded;
    const isFlight = recording.info.format === flightgear.id;
    const own = (place: Place): boolean => isFlight && place.set === "aircraft" && place.id === "self";
    this.#traffic =
      traffic === null ? null : new Traffic(traffic.socket, traffic.target, origin, tapes === null ? null : own);
    let shown: Frame | null = null;
    const pilots = (): void => {
      if (shown !== null) this.#traffic?.show(shown.state, shown.time, rateOf(), performance.now() * 1e6);
    };
    const rateOf = (): number => (player.status.phase === "playing" ? player.status.rate : 0);
    this.#unsubscribe = player.subscribe(async (frame) => {
      shown = frame;
      pilots();
      // the next frame waits until the simulator has taken this one
      if (native !== null) await this.#goTo(native(frame.time)).catch((error: unknown) => this.fail(error));
    });
    // pilots that send nothing are forgotten
    this.#timer = setInterval(pilots, 500);
  }

  fail(error: unknown): void {
    this.#failure ??= error instanceof Error ? error.message : String(error);
  }

  async close(): Promise<void> {
    this.#leave();
    if (this.#options.tapes !== null) await this.#endReplay().catch(() => undefined);
    await this.#options.traffic?.socket.close();
  }

  #leave(): void {
    this.#unsubscribe();
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Gives the native time of a tape for a time of the recording. */
  async #loadTape(
    { recording, index }: Loaded,
    { folder, to }: NonNullable<FlightGearOutletOptions["tapes"]>,
  ): Promise<(time: Time) => number> {
    const simulator = this.#simulator;
    // 2020.3 reads Normal tapes of its own layout only
    const isOld = this.#version.startsWith("2020");
    const dialect = isOld ? "normal-2020" : "continuous";
    const name = `simtape-${index}`;
    const writing = await flightgear.writing!();
    let native: (time: Time) => number;
    if (recording.info.format === flightgear.id) {
      await rewrite(recording, writing, to(`${name}.fgtape`), { dialect });
      const zero = Number(recording.info.metadata["timeOrigin"] ?? FIRST);
      native = (time) => zero + time / 1e9;
    } else {
      const { start } = await recording.timeline();
      const { origin } = this.#options;
      const create = { dialect, epoch: null, metadata: { timeOrigin: FIRST } };
      await convert(recording, writing, to(`${name}.fgtape`), origin === undefined ? { create } : { create, origin });
      native = (time) => FIRST + (time - start) / 1e9;
    }
    await this.#endReplay();
    // what the simulator remembers of the tape before would be taken for this one's (FlightGear semantics §5)
    await this.#nasal('props.globals.getNode("/sim/gui/dialogs/flightrecorder", 1).removeChild("preview", 0);');
    await simulator.set("/sim/replay/tape-directory", folder);
    await simulator.set("/sim/replay/looped", false);
    const path = `${folder}/${name}.fgtape`;
    await simulator.run("load-tape", isOld ? { tape: name } : { tape: path, "fixed-dt": 0 });
    for (const end = Date.now() + LOADING; (await simulator.get("/sim/replay/replay-state")) !== 1; ) {
      if (Date.now() > end) throw new SourceError("failed", `FlightGear ${this.#version} does not play ${path}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    // its clock stands still, so that the time shown is the one asked for
    await simulator.set("/sim/freeze/clock", true);
    return native;
  }

  /** A command's argument has ten digits, a script's has all. */
  async #goTo(seconds: number): Promise<void> {
    await this.#nasal(`setprop("/sim/replay/time", ${seconds});`);
    this.#frames++;
  }

  async #nasal(script: string): Promise<void> {
    this.#bytes += script.length;
    await this.#simulator.run("nasal", { script });
  }

  /** The simulator ends a replay in its next frame, and would end the one that is begun before. */
  async #endReplay(): Promise<void> {
    const simulator = this.#simulator;
    await simulator.set("/sim/freeze/clock", false);
    if ((await simulator.get("/sim/replay/replay-state")) !== 0) await simulator.set("/sim/replay/disable", true);
    for (const end = Date.now() + LOADING; Date.now() < end; await sleep(AGAIN)) {
      const isAsked = (await simulator.get("/sim/replay/disable")) === true;
      if (!isAsked && (await simulator.get("/sim/replay/replay-state")) === 0) return;
    }
  }
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
