import type { Time } from "../../model/time.ts";
import type { Channel, Value } from "../../model/value.ts";
import type { Clock } from "./clock.ts";
import { textOf } from "./json.ts";
import type { Topics } from "./topics.ts";
import { LASER_SCAN } from "./well-known.ts";
import type { McapWriter } from "./writer.ts";

const RADIANS = Math.PI / 180;
const HERE = '{"position":{"x":0,"y":0,"z":0},"orientation":{"x":0,"y":0,"z":0,"w":1}}';

/** A value as MIRA's range scans have it: degrees, metres, and 0 in `valid` for a ray that is good. */
interface Scan {
  readonly startAngle: number;
  readonly deltaAngle: number;
  readonly range: Float32Array;
  readonly valid: Uint16Array;
  readonly reflectance: Float32Array;
}

/**
 * Laser scans among the messages, as `foxglove.LaserScan` under `/state/scan/`. Rays that the sensor did not measure have
 * range 0: JSON has no other number for them.
 */
export class LaserScans {
  readonly #writer: McapWriter;
  readonly #topics: Topics;
  readonly #clock: Clock;
  /** The frame that scans are in: of the thing that carries the sensor. */
  frame = "world";
  count = 0;

  constructor(writer: McapWriter, topics: Topics, clock: Clock) {
    this.#writer = writer;
    this.#topics = topics;
    this.#clock = clock;
  }

  /** Writes the scan that a message of the channel is; passes over every other. */
  write({ name, schema }: Channel, time: Time, value: Value): void {
    if (!schema.name.endsWith("::RangeScan") || !isScan(value)) return;
    const { startAngle, deltaAngle, range, valid, reflectance } = value;
    const start = startAngle * RADIANS;
    const end = (startAngle + deltaAngle * Math.max(0, range.length - 1)) * RADIANS;
    if (!Number.isFinite(start) || !Number.isFinite(end)) return;
    let ranges = "";
    let intensities = "";
    const hasIntensity = reflectance.length === range.length;
    for (let i = 0; i < range.length; i++) {
      const comma = i === 0 ? "" : ",";
      const isGood = (valid.length !== range.length || valid[i] === 0) && Number.isFinite(range[i]!);
      ranges += comma + (isGood ? `${range[i]!}` : "0");
      if (hasIntensity) intensities += comma + (Number.isFinite(reflectance[i]!) ? `${reflectance[i]!}` : "0");
    }
    const topic = this.#topics.of(`/state/scan${name.startsWith("/") ? "" : "/"}${name}`, LASER_SCAN);
    const text = `{"timestamp":${this.#clock.text(time)},"frame_id":${textOf(this.frame)},"pose":${HERE},"start_angle":${start},"end_angle":${end},"ranges":[${ranges}],"intensities":[${intensities}]}`;
    this.#writer.text(topic, time, this.count++, text);
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
