import * as kit from "simtape/kit";
import nmea from "../src/nmea.ts";

/**
 * Logs with known content. Nothing here is of the package that is tested: sentences are put together, and checksums and
 * the bits of reports made, by the standard.
 */

export const format: ReturnType<typeof nmea> = nmea(kit);

/** When the run begins: a minute before midnight, UTC. */
export const START = Date.UTC(2024, 4, 31, 23, 59, 0);
/** Seconds that it takes. */
export const SECONDS = 150;
export const MMSI = 211_234_560;
const KNOT = 1852 / 3600;

export interface Motion {
  readonly latitude: number;
  readonly longitude: number;
  /** Degrees. */
  readonly course: number;
  /** Knots. */
  readonly speed: number;
  /** Metres. */
  readonly depth: number;
}

/** Out of the harbour of Kiel: a slow turn to the north-east, while the water becomes deeper. */
export function ownAt(second: number): Motion {
  const course = 20 + 0.2 * second;
  // The way along a circle.
  const [speed, turn] = [8, (0.2 * Math.PI) / 180];
  const radius = (speed * KNOT) / turn;
  const [from, to] = [(20 * Math.PI) / 180, (course * Math.PI) / 180];
  const north = radius * (Math.sin(to) - Math.sin(from));
  const east = radius * (Math.cos(from) - Math.cos(to));
  return { ...placeAt(54.33, 10.16, north, east), course, speed, depth: 6 + 0.05 * second };
}

/** Another vessel comes towards it, straight to the south. */
export function otherAt(second: number): Motion {
  const speed = 5.5;
  return { ...placeAt(54.34, 10.168, -speed * KNOT * second, 0), course: 180, speed, depth: Number.NaN };
}

function placeAt(
  latitude: number,
  longitude: number,
  north: number,
  east: number,
): Pick<Motion, "latitude" | "longitude"> {
  const minute = 1852;
  const cos = Math.cos((latitude * Math.PI) / 180);
  return { latitude: latitude + north / minute / 60, longitude: longitude + east / minute / 60 / cos };
}

/** "$GPHDT,20.0,T*0E" */
export function sealed(body: string, start = "$"): string {
  const sum = Array.from(body).reduce((value, letter) => value ^ letter.charCodeAt(0), 0);
  return `${start}${body}*${sum.toString(16).toUpperCase().padStart(2, "0")}`;
}

/** The sentences of one second. */
function sentencesAt(second: number): string[] {
  const { latitude, longitude, course, speed, depth } = ownAt(second);
  const date = new Date(START + 1000 * second).toISOString();
  const [year, month, day] = date.slice(0, 10).split("-") as [string, string, string];
  const time = `${date.slice(11, 19).replaceAll(":", "")}.00`;
  const place = `${along(latitude, 2)},${latitude < 0 ? "S" : "N"},${along(longitude, 3)},${longitude < 0 ? "W" : "E"}`;
  const lines = [
    sealed(`GPGGA,${time},${place},1,09,0.9,3.2,M,41.5,M,,`),
    sealed(`GPRMC,${time},A,${place},${speed.toFixed(1)},${course.toFixed(1)},${day}${month}${year.slice(2)},,,A`),
    sealed(`HEHDT,${(course - 2).toFixed(1)},T`),
    sealed(`SDDPT,${depth.toFixed(2)},0.4`),
  ];
  if (second % 5 === 0)
    lines.push(
      sealed(`GPVTG,${course.toFixed(1)},T,,M,${speed.toFixed(1)},N,${(speed * 1.852).toFixed(1)},K,A`),
      sealed(`GPGLL,${place},${time},A,A`),
      sealed("WIMWV,045.0,R,12.0,N,A"),
      sealed("WIMWV,060.0,T,5.0,M,A"),
      sealed(`SDDBT,${(depth / 0.3048).toFixed(1)},f,${depth.toFixed(2)},M,${(depth / 1.8288).toFixed(1)},F`),
    );
  if (second % 6 === 0) lines.push(positionReport(otherAt(second)));
  if (second % 30 === 0)
    lines.push(
      sealed(`GPZDA,${time},${day},${month},${year},00,00`),
      sealed("GPGSA,A,3,01,02,03,04,05,06,07,08,09,,,,1.9,0.9,1.6"),
      sealed("GPGSV,2,1,08,01,40,083,46,02,17,308,41,12,07,344,39,14,22,228,45"),
      nameReport("FÄHRE".replace("Ä", "AE")),
      sealed("PGRME,15.0,M,45.0,M,25.0,M"),
      sealed("GPXYZ,one,two"),
      // Two sentences of one report, which stay as they are.
      sealed("AIVDM,2,1,3,B,55P5TL01VIaAL@7WKO@mBplU@<PDhh000000001S;AJ::4A80?4i@E53,0", "!"),
      sealed("AIVDM,2,2,3,B,1@0000000000000,2", "!"),
    );
  return lines;
}

/** The run as a receiver and its instruments write it. */
export function harbourRun(ending = "\r\n"): Uint8Array {
  const lines = Array.from({ length: SECONDS + 1 }, (_, second) => sentencesAt(second)).flat();
  return bytesOf(lines, ending);
}

export function bytesOf(lines: readonly string[], ending = "\r\n"): Uint8Array {
  return new TextEncoder().encode(lines.map((line) => line + ending).join(""));
}

/** "5419.80000" */
function along(degrees: number, digits: number): string {
  const positive = Math.abs(degrees);
  const whole = Math.floor(positive);
  return String(whole).padStart(digits, "0") + ((positive - whole) * 60).toFixed(5).padStart(8, "0");
}

/** A report of class B (type 18). */
function positionReport({ latitude, longitude, speed, course }: Motion): string {
  const bits = [
    ...[unsigned(18, 6), unsigned(0, 2), unsigned(MMSI, 30), unsigned(0, 8), unsigned(Math.round(speed * 10), 10)],
    ...[unsigned(1, 1), signed(Math.round(longitude * 600_000), 28), signed(Math.round(latitude * 600_000), 27)],
    ...[unsigned(Math.round(course * 10), 12), unsigned(511, 9), unsigned(0, 35)],
  ];
  return report(bits.join(""));
}

/** Part A of type 24. */
function nameReport(name: string): string {
  const letters = Array.from(name.padEnd(20, "@"), (letter) => {
    const code = letter.charCodeAt(0);
    return unsigned(code >= 64 ? code - 64 : code, 6);
  });
  return report([unsigned(24, 6), unsigned(0, 2), unsigned(MMSI, 30), unsigned(0, 2), ...letters].join(""));
}

/** Part B of type 24: 30 m long, 8 m wide. */
export function sizeReport(): string {
  const parts = [unsigned(24, 6), unsigned(0, 2), unsigned(MMSI, 30), unsigned(1, 2), unsigned(0, 92)];
  return report([...parts, unsigned(22, 9), unsigned(8, 9), unsigned(3, 6), unsigned(5, 6), unsigned(0, 6)].join(""));
}

function report(bits: string): string {
  const fill = (6 - (bits.length % 6)) % 6;
  const six = (bits + "0".repeat(fill)).match(/.{6}/g)!.map((text) => Number.parseInt(text, 2));
  const payload = six.map((code) => String.fromCharCode(code < 40 ? code + 48 : code + 56)).join("");
  return sealed(`AIVDM,1,1,,A,${payload},${fill}`, "!");
}

function unsigned(value: number, count: number): string {
  return value.toString(2).padStart(count, "0");
}

function signed(value: number, count: number): string {
  return unsigned(value < 0 ? 2 ** count + value : value, count);
}
