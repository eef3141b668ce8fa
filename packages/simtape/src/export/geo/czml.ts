import type { Time } from "../../model/values/time.ts";
import type { Exporter } from "../exporter.ts";
import type { UtcClock } from "./clock.ts";
import { CZML } from "./facts.ts";
import { earthOrientation, FIX_WIDTH, HEADING, HEIGHT, LATITUDE, LONGITUDE, TIME } from "./fix.ts";
import { placedSets } from "./survey.ts";
import { DEGREE_DIGITS, fixed, METRE_DIGITS, type TextOut, toMain } from "./text-out.ts";
import { colourOf } from "./thing.ts";
import { type Track, type Tracks, writeTracks } from "./tracks.ts";

/** Digits of a second, and of a number of a quaternion. */
const SECOND_DIGITS = 9;
const TURN_DIGITS = 7;
/** Seconds that the line behind a thing is long. */
const TRAIL = 600;

/**
 * CZML 1.0 (github.com/AnalyticalGraphicsInc/czml-writer, "CZML Structure"): the document with a clock, then a packet for
 * each thing with the times it was there, samples of places and of orientations, and for each event a packet that shows
 * for some seconds. Places are degrees east, degrees north, metres above the ellipsoid; orientations take x forward, y
 * left, z up to earth-centred axes, as x, y, z, w. Fixes wait in a spool (`FixSpool`).
 */
export const czml: Exporter = {
  ...CZML,
  fitting: placedSets,
  write: (recording, to, options) =>
    writeTracks(recording, to, options, "ellipsoid", async (tracks) => {
      await toMain(to, (out) => writeCzml(out, to.name ?? "recording", tracks));
      return [];
    }),
};

async function writeCzml(out: TextOut, title: string, { tracks, clock, landmarks, start, end }: Tracks): Promise<void> {
  const document = {
    id: "document",
    name: title,
    version: "1.0",
    clock: {
      interval: interval(clock, start, end),
      currentTime: clock.text(start),
      multiplier: 1,
      range: "LOOP_STOP",
      step: "SYSTEM_CLOCK_MULTIPLIER",
    },
  };
  await out.put(`[${JSON.stringify(document)}`);
  for (const track of tracks) await writeTrack(out, track, clock);
  for (const [k, { event, latitude, longitude, height }] of landmarks.entries()) {
    const packet = {
      id: `event/${k}`,
      name: event.kind,
      description: escaped(event.text),
      availability: interval(clock, event.time, event.time + EVENT_SHOWS),
      position: { cartographicDegrees: [longitude, latitude, height] },
      label: { ...LABEL, text: event.kind },
      point: { pixelSize: 6 },
    };
    await out.put(`,\n${JSON.stringify(packet)}`);
  }
  await out.put("]\n");
}

/** Nanoseconds that an event shows. */
const EVENT_SHOWS = 10e9;
const LABEL = { font: "12pt sans-serif", horizontalOrigin: "LEFT", pixelOffset: { cartesian2: [10, 0] } };

function interval(clock: UtcClock, start: Time, end: Time): string {
  return `${clock.text(start)}/${clock.text(end)}`;
}

/** A description is HTML. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

async function writeTrack(out: TextOut, track: Track, clock: UtcClock): Promise<void> {
  const { thing, name, runs } = track;
  const { red, green, blue } = colourOf(thing);
  const color = { rgba: [red, green, blue, 255] };
  const packet = {
    id: `${thing.set}/${thing.id}`,
    name,
    description: escaped(thing.kind),
    availability: runs.map(({ start, end }) => interval(clock, start, end)),
    label: { ...LABEL, text: name, fillColor: color },
    point: { pixelSize: 8, color },
    path: { material: { solidColor: { color } }, width: 2, leadTime: 0, trailTime: TRAIL },
  };
  // The epoch is the first fix, so that seconds are small numbers.
  const from = runs[0]!.start;
  const epoch = `"epoch":${JSON.stringify(clock.text(from))},"interpolationAlgorithm":"LINEAR","interpolationDegree":1`;
  await out.put(`,\n${JSON.stringify(packet).slice(0, -1)},\n"position":{${epoch},"cartographicDegrees":[`);
  let hasTurns = false;
  let mark = "";
  for (const run of runs) {
    for await (const fixes of track.fixes(run)) {
      for (let at = 0; at < fixes.length; at += FIX_WIDTH) {
        if (!Number.isNaN(fixes[at + HEADING])) hasTurns = true;
        const wait = out.put(`${mark}${place(fixes, at, from)}`);
        if (wait !== null) await wait;
        mark = ",\n";
      }
    }
  }
  await out.put("]}");
  if (hasTurns) await writeTurns(out, track, epoch, from);
  await out.put("}");
}

async function writeTurns(out: TextOut, track: Track, epoch: string, from: Time): Promise<void> {
  await out.put(`,\n"orientation":{${epoch},"unitQuaternion":[`);
  const before = new Float64Array(4);
  const turn = new Float64Array(4);
  let mark = "";
  for (const run of track.runs) {
    for await (const fixes of track.fixes(run)) {
      for (let at = 0; at < fixes.length; at += FIX_WIDTH) {
        if (Number.isNaN(fixes[at + HEADING])) continue;
        earthOrientation(fixes, at, turn);
        // A quaternion and its opposite are the same turn; from one to the next the way is the short one.
        const side = before[0]! * turn[0]! + before[1]! * turn[1]! + before[2]! * turn[2]! + before[3]! * turn[3]!;
        const sign = side < 0 ? -1 : 1;
        let text = `${mark}${seconds(fixes[at + TIME]!, from)}`;
        for (let k = 0; k < 4; k++) {
          before[k] = sign * turn[k]!;
          text += `,${fixed(before[k]!, TURN_DIGITS)}`;
        }
        mark = ",\n";
        const wait = out.put(text);
        if (wait !== null) await wait;
      }
    }
  }
  await out.put("]}");
}

function place(fixes: Float64Array, at: number, from: Time): string {
  const longitude = fixed(fixes[at + LONGITUDE]!, DEGREE_DIGITS);
  const latitude = fixed(fixes[at + LATITUDE]!, DEGREE_DIGITS);
  return `${seconds(fixes[at + TIME]!, from)},${longitude},${latitude},${fixed(fixes[at + HEIGHT]!, METRE_DIGITS)}`;
}

function seconds(time: Time, from: Time): string {
  return fixed((time - from) / 1e9, SECOND_DIGITS);
}
