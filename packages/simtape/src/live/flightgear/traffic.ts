import { Callsigns } from "../../formats/flightgear/write/callsigns.ts";
import { type Motion, motionOf, positionPacket } from "../../formats/flightgear/write/encode-signals.ts";
import type { Datagrams } from "../../io/source/datagrams.ts";
import type { Origin } from "../../model/axes/geodesy.ts";
import { type Place, placesOf } from "../../model/poses/place.ts";
import type { State } from "../../model/state/state.ts";
import type { Time } from "../../model/values/time.ts";
import { toWire } from "./pilots.ts";

/** Where packets go: a simulator that was started with `--multiplay=in,10,HOST,PORT` and `--multiplay=out,…`, or a server. */
export interface TrafficTarget {
  readonly host: string;
  readonly port: number;
}

/** Wall nanoseconds between two packets of a pilot: of one that moves, and of one that stands. */
const MOVING = 50e6;
const STANDING = 1e9;
/** Things that are sent at most: the first in the order of the state. */
const MOST = 500;
const MODEL = "Aircraft/ufo/Models/ufo.xml";

interface Pilot {
  readonly callsign: string;
  readonly model: string;
  sent: number;
  x: number;
  y: number;
  z: number;
}

/** Sends everything in a state that has a place on the earth as other pilots. */
export class Traffic {
  readonly #socket: Datagrams;
  readonly #target: TrafficTarget;
  readonly #origin: Origin;
  /** Set and id of what is shown as the own aircraft, and not sent. */
  readonly #except: ((place: Place) => boolean) | null;
  readonly #callsigns = new Callsigns();
  readonly #pilots = new Map<string, Pilot>();
  #lastTime: Time = Number.NaN;
  packets = 0;
  bytes = 0;

  constructor(socket: Datagrams, target: TrafficTarget, origin: Origin, except: ((place: Place) => boolean) | null) {
    this.#socket = socket;
    this.#target = target;
    // a geodetic recording sets it with its first place
    this.#origin = { ...origin };
    this.#except = except;
  }

  get pilots(): number {
    return this.#pilots.size;
  }

  /** Shows a state that holds at `time` of its recording; `now`: wall nanoseconds. Speeds are those that are seen. */
  show(state: State, time: Time, rate: number, now: number): void {
    const step = (time - this.#lastTime) / 1e9;
    this.#lastTime = time;
    let count = 0;
    for (const place of placesOf(state, this.#origin)) {
      if (this.#except?.(place) === true) continue;
      if (++count > MOST) return;
      this.#send(place, step, rate, now);
    }
  }

  #send(place: Place, step: number, rate: number, now: number): void {
    const key = `${place.set}\0${place.id}`;
    const { x, y, z } = place;
    let pilot = this.#pilots.get(key);
    if (pilot === undefined) {
      const model = /\.(xml|ac)$/i.test(place.kind) ? place.kind : MODEL;
      pilot = { callsign: this.#callsigns.of(place), model, sent: Number.NEGATIVE_INFINITY, x, y, z };
      this.#pilots.set(key, pilot);
    }
    const hasMoved = pilot.x !== x || pilot.y !== y || pilot.z !== z;
    if (now - pilot.sent < (hasMoved ? MOVING : STANDING)) return;
    const isStep = hasMoved && step !== 0 && Math.abs(step) < 1;
    const seen = isStep
      ? ([(x - pilot.x) / step, (y - pilot.y) / step, (z - pilot.z) / step] as const)
      : ([0, 0, 0] as const);
    const [vx, vy, vz] = place.velocity ?? seen;
    const velocity = hasMoved ? ([vx * rate, vy * rate, vz * rate] as const) : ([0, 0, 0] as const);
    const motion: Motion = motionOf({ ...place, velocity }, velocity, this.#origin);
    const packet = toWire(positionPacket(motion, now / 1e9, { callsign: pilot.callsign, model: pilot.model }));
    this.#socket.send(packet, this.#target.host, this.#target.port);
    Object.assign(pilot, { sent: now, x, y, z });
    this.packets++;
    this.bytes += packet.length;
  }
}
