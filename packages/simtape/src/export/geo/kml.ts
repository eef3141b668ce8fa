import type { Exporter } from "../exporter.ts";
import type { UtcClock } from "./clock.ts";
import { KML } from "./facts.ts";
import { FIX_WIDTH, HEADING, HEIGHT, LATITUDE, LONGITUDE, PITCH, ROLL, TIME } from "./fix.ts";
import { placedSets } from "./survey.ts";
import { ANGLE_DIGITS, DEGREE_DIGITS, fixed, METRE_DIGITS, type TextOut, toMain, xml } from "./text-out.ts";
import { colourOf, type Sort, sortOf, type Thing } from "./thing.ts";
import { type PlacedLandmark, type Run, type Track, type Tracks, writeTracks } from "./tracks.ts";

/**
 * KML 2.2 (OGC 07-147r2) with `gx:Track`, of Google's extensions (kml22gx.xsd): first all times of a track, then all
 * places (degrees east, degrees north, metres), then all angles. Heights are `absolute`: above sea level. Each thing is a
 * placemark; one that came several times is a `gx:MultiTrack`, without lines between. Fixes wait in a spool (`FixSpool`).
 */
export const kml: Exporter = {
  ...KML,
  fitting: placedSets,
  write: (recording, to, options) =>
    writeTracks(recording, to, options, "sea", async (tracks) => {
      await toMain(to, (out) => writeKml(out, to.name ?? "recording", tracks));
      return [];
    }),
};

async function writeKml(out: TextOut, title: string, { tracks, clock, landmarks }: Tracks): Promise<void> {
  await out.put(`${HEAD}<Document>\n<name>${xml(title)}</name>\n<open>1</open>\n`);
  for (const { thing } of tracks) await out.put(style(thing));
  for (const track of tracks) await writeTrack(out, track, clock);
  if (landmarks.length > 0) {
    await out.put("<Folder>\n<name>Events</name>\n");
    for (const landmark of landmarks) await out.put(eventOf(landmark, clock));
    await out.put("</Folder>\n");
  }
  await out.put("</Document>\n</kml>\n");
}

const HEAD = `<?xml version="1.0" encoding="UTF-8"?>
<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">
`;

/** Icons that Google Earth has at hand. */
const ICONS: Readonly<Record<Sort, string>> = {
  plane: "airports",
  helicopter: "heliport",
  car: "cabs",
  motorcycle: "motorcycling",
  bicycle: "cycling",
  person: "man",
  sign: "info-i",
  other: "placemark_circle",
};

function style(thing: Thing): string {
  const { red, green, blue } = colourOf(thing);
  // alpha, blue, green, red (OGC 07-147r2, kml:color)
  const colour = `ff${[blue, green, red].map((part) => part.toString(16).padStart(2, "0")).join("")}`;
  const icon = `http://maps.google.com/mapfiles/kml/shapes/${ICONS[sortOf(thing)]}.png`;
  return `<Style id="thing-${thing.index}">
<IconStyle><color>${colour}</color><Icon><href>${icon}</href></Icon></IconStyle>
<LabelStyle><color>${colour}</color></LabelStyle>
<LineStyle><color>${colour}</color><width>2</width></LineStyle>
</Style>
`;
}

async function writeTrack(out: TextOut, track: Track, clock: UtcClock): Promise<void> {
  const { thing, name, runs } = track;
  const about = `${thing.set}/${thing.id}${thing.kind === "" ? "" : `, ${thing.kind}`}`;
  await out.put(`<Placemark>
<name>${xml(name)}</name>
<description>${xml(about)}</description>
<styleUrl>#thing-${thing.index}</styleUrl>
`);
  if (runs.length > 1) await out.put("<gx:MultiTrack>\n<gx:interpolate>0</gx:interpolate>\n");
  for (const run of runs) await writeRun(out, track, run, clock);
  await out.put(`${runs.length > 1 ? "</gx:MultiTrack>\n" : ""}</Placemark>\n`);
}

async function writeRun(out: TextOut, track: Track, run: Run, clock: UtcClock): Promise<void> {
  await out.put("<gx:Track>\n<altitudeMode>absolute</altitudeMode>\n");
  await each(out, track, run, (fixes, at) => `<when>${clock.text(fixes[at + TIME]!)}</when>\n`);
  await each(out, track, run, coordinates);
  let hasAngles = false;
  for await (const fixes of track.fixes(run)) {
    for (let at = 0; at < fixes.length && !hasAngles; at += FIX_WIDTH) hasAngles = !Number.isNaN(fixes[at + HEADING]);
    if (hasAngles) break;
  }
  if (hasAngles) await each(out, track, run, angles);
  await out.put("</gx:Track>\n");
}

async function each(
  out: TextOut,
  track: Track,
  run: Run,
  line: (fixes: Float64Array, at: number) => string,
): Promise<void> {
  for await (const fixes of track.fixes(run)) {
    for (let at = 0; at < fixes.length; at += FIX_WIDTH) {
      const wait = out.put(line(fixes, at));
      if (wait !== null) await wait;
    }
  }
}

function coordinates(fixes: Float64Array, at: number): string {
  const longitude = fixed(fixes[at + LONGITUDE]!, DEGREE_DIGITS);
  const latitude = fixed(fixes[at + LATITUDE]!, DEGREE_DIGITS);
  return `<gx:coord>${longitude} ${latitude} ${fixed(fixes[at + HEIGHT]!, METRE_DIGITS)}</gx:coord>\n`;
}

/**
 * Heading, tilt, roll. Each grows clockwise about an axis of the model, x to the right, y forward, z up (kml:Orientation),
 * seen against the axis, as the heading is seen from above: so a nose that is up is a negative tilt, and a right side that
 * is down is a negative roll. An empty element is an angle that is not known (kml22gx.xsd).
 */
function angles(fixes: Float64Array, at: number): string {
  const heading = fixes[at + HEADING]!;
  if (Number.isNaN(heading)) return "<gx:angles/>\n";
  const tilt = fixed(-fixes[at + PITCH]!, ANGLE_DIGITS);
  const roll = fixed(-fixes[at + ROLL]!, ANGLE_DIGITS);
  return `<gx:angles>${fixed(heading, ANGLE_DIGITS)} ${tilt} ${roll}</gx:angles>\n`;
}

function eventOf({ event, latitude, longitude, height }: PlacedLandmark, clock: UtcClock): string {
  const place = [fixed(longitude, DEGREE_DIGITS), fixed(latitude, DEGREE_DIGITS), fixed(height, METRE_DIGITS)];
  return `<Placemark>
<name>${xml(event.kind)}</name>
<description>${xml(event.text)}</description>
<TimeStamp><when>${clock.text(event.time)}</when></TimeStamp>
<Point><altitudeMode>absolute</altitudeMode><coordinates>${place.join(",")}</coordinates></Point>
</Placemark>
`;
}
