import type { Time } from "../../model/values/time.ts";
import type { Channel, Value } from "../../model/values/value.ts";
import type { Clock } from "./clock.ts";
import type { Topics } from "./topics.ts";
import { LASER_SCAN } from "./well-known.ts";

const RADIANS = Math.PI / 180;

/** A value as MIRA's range scans have it: degrees, metres, and 0 in `valid` for a ray that is good. */
interface Scan {
  readonly startAngle: number;
  readonly deltaAngle: number;
  readonly range: Float32Array;
  readonly valid: Uint16Array;
  readonly reflectance: Float32Array;
}

/**
 * Laser scans among the messages, as `foxglove.LaserScan` under `/state/scan/`. Rays that the sensor did not measure are
 * infinite: nothing was met.
 */
export class LaserScans {
  readonly #topics: Topics;
  readonly #clock: Clock;
  /** The frame that scans are in: of the thing that carries the sensor. */
  frame = "world";
  count = 0;

  constructor(topics: Topics, clock: Clock) {
    this.#topics = topics;
    this.#clock = clock;
  }

  /** The topic that the scans of a channel are on, made if it is new; null: the channel has none. */
  topicOf({ name, schema }: Pick<Channel, "name" | "schema">): number | null {
    if (!schema.name.endsWith("::RangeScan")) return null;
    return this.#topics.of(`/state/scan${name.startsWith("/") ? "" : "/"}${name}`, LASER_SCAN);
  }

  /** Writes the scan that a message of the channel is; passes over every other. */
  write(channel: Channel, time: Time, value: Value): void {
    if (!channel.schema.name.endsWith("::RangeScan") || !isScan(value)) return;
    const { startAngle, deltaAngle, range, valid, reflectance } = value;
    const start = startAngle * RADIANS;
    const end = (startAngle + deltaAngle * Math.max(0, range.length - 1)) * RADIANS;
    if (!Number.isFinite(start) || !Number.isFinite(end)) return;
    const topic = this.topicOf(channel)!;
    const { proto } = this.#topics;
    proto.time(1, this.#clock, time);
    proto.text(2, this.frame);
    proto.upright(3, 0, 0, 0);
    proto.double(4, start);
    proto.double(5, end);
    proto.begin(6);
    const hasValid = valid.length === range.length;
    for (let i = 0; i < range.length; i++) {
      const isGood = !hasValid || valid[i] === 0;
      proto.packedDouble(isGood ? range[i]! : Number.POSITIVE_INFINITY);
    }
    proto.end();
    if (reflectance.length === range.length) {
      proto.begin(7);
      for (let i = 0; i < range.length; i++) proto.packedDouble(reflectance[i]!);
      proto.end();
    }
    this.#topics.say(topic, time, this.count++);
  }
}

function isScan(value: Value): value is Scan & { readonly [key: string]: Value } {
  const scan = value as Partial<Scan> | null;
  return (
    typeof scan === "object" &&
    scan !== null &&
    typeof scan.startAngle === "number" &&
    typeof scan.deltaAngle === "number" &&
    scan.range instanceof Float32Array &&
    scan.valid instanceof Uint16Array &&
    scan.reflectance instanceof Float32Array
  );
}
