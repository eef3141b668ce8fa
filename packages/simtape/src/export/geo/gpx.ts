import type { Exporter } from "../exporter.ts";
import type { UtcClock } from "./clock.ts";
import { GPX } from "./facts.ts";
import { FIX_WIDTH, HEIGHT, LATITUDE, LONGITUDE, SPEED, TIME } from "./fix.ts";
import { placedSets } from "./survey.ts";
import { DEGREE_DIGITS, fixed, METRE_DIGITS, type TextOut, toMain, xml } from "./text-out.ts";
import { type PlacedLandmark, type Track, type Tracks, writeTracks } from "./tracks.ts";

/**
 * GPX 1.1 (topografix.com/GPX/1/1): events as waypoints, then a track for each thing, a segment for each time that it
 * came. Longitudes are below 180 (gpx.xsd, longitudeType). Speeds over ground are `gpxtpx:speed` of Garmin's
 * TrackPointExtension 2. Fixes wait in a spool (`FixSpool`).
 */
export const gpx: Exporter = {
  ...GPX,
  fitting: placedSets,
  write: (recording, to, options) =>
    writeTracks(recording, to, options, "sea", async (tracks) => {
      await toMain(to, (out) => writeGpx(out, to.name ?? "recording", tracks));
      return ["GPX has no attitudes: roll, pitch and heading are left out"];
    }),
};

const HEAD = `<?xml version="1.0" encoding="UTF-8"?>
<gpx xmlns="http://www.topografix.com/GPX/1/1" xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2" version="1.1" creator="simtape">
`;

async function writeGpx(out: TextOut, title: string, { tracks, clock, landmarks, start }: Tracks): Promise<void> {
  await out.put(`${HEAD}<metadata><name>${xml(title)}</name><time>${clock.text(start)}</time></metadata>\n`);
  for (const landmark of landmarks) await out.put(waypoint(landmark, clock));
  for (const track of tracks) await writeTrack(out, track, clock);
  await out.put("</gpx>\n");
}

async function writeTrack(out: TextOut, track: Track, clock: UtcClock): Promise<void> {
  const { thing, name, runs } = track;
  const type = thing.kind === "" ? "" : `<type>${xml(thing.kind)}</type>\n`;
  await out.put(`<trk>\n<name>${xml(name)}</name>\n<src>${xml(`${thing.set}/${thing.id}`)}</src>\n${type}`);
  for (const run of runs) {
    await out.put("<trkseg>\n");
    for await (const fixes of track.fixes(run)) {
      for (let at = 0; at < fixes.length; at += FIX_WIDTH) {
        const wait = out.put(point(fixes, at, clock));
        if (wait !== null) await wait;
      }
    }
    await out.put("</trkseg>\n");
  }
  await out.put("</trk>\n");
}

function point(fixes: Float64Array, at: number, clock: UtcClock): string {
  const place = placeOf(fixes[at + LATITUDE]!, fixes[at + LONGITUDE]!, fixes[at + HEIGHT]!);
  const speed = fixes[at + SPEED]!;
  const more = Number.isNaN(speed)
    ? ""
    : `<extensions><gpxtpx:TrackPointExtension><gpxtpx:speed>${fixed(speed, METRE_DIGITS)}</gpxtpx:speed></gpxtpx:TrackPointExtension></extensions>`;
  return `<trkpt ${place}<time>${clock.text(fixes[at + TIME]!)}</time>${more}</trkpt>\n`;
}

function waypoint({ event, latitude, longitude, height }: PlacedLandmark, clock: UtcClock): string {
  const time = clock.text(event.time);
  return `<wpt ${placeOf(latitude, longitude, height)}<time>${time}</time><name>${xml(event.kind)}</name><desc>${xml(event.text)}</desc></wpt>\n`;
}

/** The attributes of a point, and its elevation. */
function placeOf(latitude: number, longitude: number, height: number): string {
  const east = fixed(longitude, DEGREE_DIGITS);
  const lon = east === "180" ? "-180" : east;
  return `lat="${fixed(latitude, DEGREE_DIGITS)}" lon="${lon}"><ele>${fixed(height, METRE_DIGITS)}</ele>`;
}
