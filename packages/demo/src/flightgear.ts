import {
  ByteBuilder,
  DEFAULT_SIGNALS,
  type ExtraProperty,
  flightgear,
  FLIGHTGEAR_AXES as AXES,
  metresPer,
  type Motion,
  motionOf,
  motionValues,
  type Origin,
  type Place,
  positionPacket,
  propertyNode,
  readSignalList,
  type SignalList,
  type SinkBundle,
  transformOf,
  writeExtraProperty,
  writeSignalList,
  writeSignals,
} from "simtape/making";
import { Air, Aircraft, AIRPORT, type Phase } from "./flightgear-aircraft.ts";
import { randomOf } from "./random.ts";

/** Frames a second, and steps of the simulation in each. */
const RATE = 20;
const FINE = 5;
const FRAME_NS = 1e9 / RATE;
/** Frames between two packets of a pilot: 10 Hz, FlightGear's default. */
const SEND_FRAMES = 2;
/** Seconds that a line of chat stays set. */
const CHAT_SECONDS = 10;
/** Native time of the first frame, seconds of the session. */
const START = 12.5;
const FOOT = metresPer("ft")!;
const KNOT = 0.514444;
const DEGREE = Math.PI / 180;

const ORIGIN: Origin = { ...AIRPORT, heading: 0, isSet: true };
const LIST: SignalList = readSignalList(propertyNode("signals", { children: writeSignalList("", DEFAULT_SIGNALS) }));
const MODEL = "Aircraft/c172p/Models/c172p.xml";

/** Lines that pilots say when they begin a part of the circuit; in other parts they are silent. */
const CALLS: Readonly<Partial<Record<Phase, string>>> = {
  "take-off": "departing runway 30, left closed traffic",
  crosswind: "left crosswind runway 30",
  downwind: "left downwind runway 30",
  base: "left base runway 30",
  final: "final runway 30, touch and go",
};

/**
 * A Cessna 172 that flies circuits in wind and gusts, and other pilots in the same circuit, in the form of a Continuous
 * tape of FlightGear. `entities` is the number of aircraft; the same seed gives the same bytes.
 */
export async function demo(
  options: { readonly seconds: number; readonly entities: number; readonly seed: number },
  to: SinkBundle,
): Promise<void> {
  const { create } = await flightgear.writing();
  const writer = await create(to, {
    dialect: "continuous",
    metadata: {
      aircraft: "c172p",
      description: "Cessna 172P Skyhawk (1982)",
      airport: AIRPORT.id,
      recorder: "Generic Piston Propeller 4 Flight Recorder",
      timeOrigin: START,
    },
  });
  try {
    const [signals, multiplayer, extra] = ["signals", "multiplayer", "extra-properties"].map((name) =>
      writer.channel({ name }),
    ) as [ReturnType<typeof writer.channel>, ReturnType<typeof writer.channel>, ReturnType<typeof writer.channel>];
    const random = randomOf(options.seed);
    const air = new Air(random);
    const own = new Aircraft(air, random);
    const record = new Recorder();
    const cabin = new Cabin();
    const count = Math.max(1, Math.round(options.entities));
    const pilots = Array.from({ length: count - 1 }, (_, i) => new Pilot(air, i, options.seed));
    const frames = Math.max(1, Math.round(options.seconds * RATE));
    for (let frame = 0; frame < frames; frame++) {
      const time = frame * FRAME_NS;
      const clock = START + frame / RATE;
      writer.write(signals, time, record.take(own));
      for (const pilot of pilots) {
        if (frame % SEND_FRAMES === pilot.turn % SEND_FRAMES) writer.write(multiplayer, time, pilot.send(clock));
      }
      const item = cabin.take(own, frame);
      if (item !== null) writer.write(extra, time, item);
      for (let fine = 0; fine < FINE; fine++) {
        own.step(1 / RATE / FINE);
        for (const { aircraft } of pilots) aircraft.step(1 / RATE / FINE);
      }
      if (writer.ready !== null) await writer.ready;
    }
    await writer.close();
  } catch (error) {
    await writer.abort();
    throw error;
  }
}

/** Another pilot in the circuit. */
class Pilot {
  readonly aircraft: Aircraft;
  readonly turn: number;
  readonly #callsign: string;
  #phase: Phase | null = null;
  #chat = "";
  #until = 0;

  constructor(air: Air, index: number, seed: number) {
    const random = randomOf(seed * 7919 + index + 1);
    this.aircraft = new Aircraft(air, random);
    this.aircraft.joinDownwind();
    this.turn = index;
    const letter = (): string => String.fromCharCode(65 + Math.floor(random() * 26));
    this.#callsign = `N${100 + (index % 900)}${letter()}${letter()}`;
  }

  send(clock: number): Uint8Array {
    const { aircraft } = this;
    if (aircraft.phase !== this.#phase) {
      this.#phase = aircraft.phase;
      const call = CALLS[aircraft.phase];
      if (call !== undefined) {
        this.#chat = `Half Moon traffic, ${this.#callsign}, ${call}`;
        this.#until = clock + CHAT_SECONDS;
      }
    }
    if (clock >= this.#until) this.#chat = "";
    return positionPacket(motionFor(aircraft), clock, {
      callsign: this.#callsign,
      model: MODEL,
      chat: this.#chat,
      turning: [aircraft.rollRate, aircraft.pitchRate, aircraft.yawRate],
      properties: [
        [100, -aircraft.aileron],
        [101, aircraft.aileron],
        [102, aircraft.elevator],
        [103, aircraft.rudder],
        [104, aircraft.flaps],
        [200, aircraft.compression],
        [201, 1],
        [302, aircraft.rpm],
      ],
    });
  }
}

/** Signals of each frame. */
class Recorder {
  readonly #record = new Float64Array(LIST.signals.length);
  readonly #places: ReadonlyMap<string, number>;

  constructor() {
    this.#places = new Map(LIST.signals.map(({ property }, i) => [property, i]));
    this.#put(STILL);
  }

  take(aircraft: Aircraft): Uint8Array {
    const motion = motionFor(aircraft);
    this.#put(motionValues(motion));
    this.#put(signalsOf(aircraft, motion));
    const builder = new ByteBuilder(LIST.recordSize);
    writeSignals(builder, LIST, this.#record);
    return builder.take();
  }

  #put(values: Readonly<Record<string, number>>): void {
    for (const [path, value] of Object.entries(values)) {
      const at = this.#places.get(path);
      if (at !== undefined) this.#record[at] = value;
    }
  }
}

/** Signals that do not change. */
const STILL: Readonly<Record<string, number>> = {
  "/environment/temperature-degc": 14,
  "/environment/pressure-sea-level-inhg": 29.92,
  "/environment/magnetic-variation-deg": 13.2,
  "/environment/visibility-m": 16_000,
  "/position/ground-elev-m": AIRPORT.altitude,
  "/systems/electrical/outputs/fuel-pump": 28,
  "/controls/engines/engine/mixture": 0.95,
  "/controls/engines/engine/propeller-pitch": 1,
  "/controls/engines/engine/condition": 1,
  "/controls/engines/engine/magnetos": 3,
  "/gear/gear/position-norm": 1,
  "/gear/gear[1]/position-norm": 1,
  "/gear/gear[2]/position-norm": 1,
  "/controls/gear/gear-down": 1,
  "/controls/switches/master-avionics": 1,
  "/controls/engines/engine/master-bat": 1,
  "/controls/engines/engine/master-alt": 1,
  "/controls/flight/flaps-serviceable": 1,
  "/controls/engines/engine/faults/serviceable": 1,
  "/controls/engines/engine/faults/left-magneto-serviceable": 1,
  "/controls/engines/engine/faults/right-magneto-serviceable": 1,
  "/controls/engines/engine/faults/spark-plugs-serviceable": 1,
  "/controls/engines/engine/faults/fuel-pump-serviceable": 1,
  "/controls/fuel/tank/fuel_selector": 1,
  "/controls/fuel/tank[1]/fuel_selector": 1,
};

function signalsOf(aircraft: Aircraft, motion: Motion): Record<string, number> {
  const { wind, load } = aircraft;
  const rolling = aircraft.isOnGround ? Math.hypot(motion.velocity[0], motion.velocity[1]) : 0;
  const power = aircraft.rpm / 2700;
  const warm = Math.min(1, 0.3 + 0.7 * power);
  const values: Record<string, number> = {
    "/position/altitude-agl-ft": aircraft.z / FOOT,
    "/environment/wind-speed-kt": wind.speed / KNOT,
    "/environment/wind-from-heading-deg": (((wind.from / DEGREE) % 360) + 360) % 360,
    "/environment/turbulence/magnitude-norm": wind.gusts / 4,
    "/orientation/alpha-deg": aircraft.attack / DEGREE,
    "/orientation/roll-rate-degps": aircraft.rollRate / DEGREE,
    "/orientation/pitch-rate-degps": aircraft.pitchRate / DEGREE,
    "/orientation/yaw-rate-degps": aircraft.yawRate / DEGREE,
    "/velocities/mach": aircraft.speed / 339,
    "/velocities/airspeed-kt": aircraft.speed / KNOT,
    "/accelerations/pilot/x-accel-fps_sec": load[0] / FOOT,
    "/accelerations/pilot/y-accel-fps_sec": load[1] / FOOT,
    "/accelerations/pilot/z-accel-fps_sec": load[2] / FOOT,
    "/controls/flight/aileron": aircraft.aileron,
    "/controls/flight/elevator": aircraft.elevator,
    "/controls/flight/rudder": aircraft.rudder,
    "/controls/flight/flaps": aircraft.flaps,
    "/controls/gear/brake-left": aircraft.brakes,
    "/controls/gear/brake-right": aircraft.brakes,
    "/surface-positions/elevator-pos-norm": aircraft.elevator,
    "/surface-positions/flap-pos-norm": aircraft.flaps,
    "/surface-positions/left-aileron-pos-norm": -aircraft.aileron,
    "/surface-positions/right-aileron-pos-norm": aircraft.aileron,
    "/surface-positions/rudder-pos-norm": aircraft.rudder,
    "/surface-positions/nose-wheel-pos-norm": aircraft.isOnGround ? aircraft.rudder : 0,
    "/controls/engines/engine/throttle": aircraft.throttle,
    "/engines/engine/rpm": aircraft.rpm,
    "/engines/engine/fuel-flow-gph": 9.5 * (0.15 + 0.85 * aircraft.throttle),
    "/engines/engine/fuel-px-psi": 5,
    "/engines/engine/egt-degf": 900 + 500 * warm,
    "/engines/engine/cht-degf": 200 + 180 * warm,
    "/engines/engine/mp-osi": 12 + 16 * aircraft.throttle,
    "/engines/engine/oil-temperature-degf": 140 + 50 * warm,
    "/engines/engine/oil-pressure-psi": 30 + 40 * warm,
    "/consumables/fuel/tank/level-gal_us": aircraft.fuel,
    "/consumables/fuel/tank[1]/level-gal_us": aircraft.fuel,
    "/engines/engine/running": aircraft.isRunning ? 1 : 0,
    "/sim/alarms/stall-warning": aircraft.isStalling ? 1 : 0,
  };
  for (const wheel of ["/gear/gear", "/gear/gear[1]", "/gear/gear[2]"]) {
    values[`${wheel}/compression-norm`] = aircraft.compression;
    values[`${wheel}/rollspeed-ms`] = rolling;
    values[`${wheel}/wow`] = aircraft.isOnGround ? 1 : 0;
  }
  return values;
}

/** Extra properties: what the pilot sets and says in the cabin. */
class Cabin {
  #phase: Phase | null = null;
  #view = 0;

  /** The whole set first, then the changed ones; null when none has changed. */
  take(aircraft: Aircraft, frame: number): Uint8Array | null {
    const entries: ExtraProperty[] = [];
    if (frame === 0) {
      entries.push(
        { path: "/instrumentation/comm/frequencies/selected-mhz", value: "122.8" },
        { path: "/instrumentation/altimeter/setting-inhg", value: "29.92" },
        { path: "/instrumentation/transponder/id-code", value: "1200" },
        { path: "/controls/lighting/landing-lights", value: "true" },
        { path: "/sim/current-view/view-number", value: "0" },
      );
    }
    if (aircraft.phase !== this.#phase) {
      this.#phase = aircraft.phase;
      entries.push({ path: "/sim/circuit/phase", value: aircraft.phase });
      const call = CALLS[aircraft.phase];
      if (call !== undefined) entries.push({ path: "/sim/messages/pilot", value: `Half Moon traffic, N172P, ${call}` });
      // The pilot looks in the direction of the next turn.
      const view = aircraft.phase === "downwind" || aircraft.phase === "base" ? 1 : 0;
      if (view !== this.#view) entries.push({ path: "/sim/current-view/view-number", value: String(view) });
      this.#view = view;
      if (aircraft.phase === "roll-out") entries.push({ path: "/sim/messages/pilot", value: null });
    }
    if (entries.length === 0) return null;
    const builder = new ByteBuilder();
    for (const entry of entries) writeExtraProperty(builder, entry);
    return builder.take();
  }
}

function motionFor(aircraft: Aircraft): Motion {
  const orientation: [number, number, number, number] = [0, 0, 0, 1];
  transformOf(AXES).angles(aircraft.bank, aircraft.pitch, aircraft.heading, 1, orientation, 0);
  const place: Place = {
    set: "",
    id: "",
    kind: "",
    label: "",
    x: aircraft.x,
    y: aircraft.y,
    z: aircraft.z,
    orientation,
    velocity: aircraft.velocity,
  };
  return motionOf(place, [0, 0, 0], ORIGIN);
}
