import { describe, expect, test } from "vitest";
import { originAt } from "../../../src/index.ts";
import { samplesDirectory } from "../../samples.ts";
import { gpxTracks } from "./programs.ts";
import { DRIVE, exported, fiftyTimes, fixAt, opened, zeroOf } from "./support.ts";

/** Earth-centred metres of degrees and a height on WGS 84 (NIMA TR8350.2, chapter 4). */
function earth(latitude: number, longitude: number, height: number): number[] {
  const [f, l] = [(latitude * Math.PI) / 180, (longitude * Math.PI) / 180];
  const [a, b] = [6378137, 6356752.314245179];
  const n = a ** 2 / Math.sqrt((a * Math.cos(f)) ** 2 + (b * Math.sin(f)) ** 2);
  return [
    (n + height) * Math.cos(f) * Math.cos(l),
    (n + height) * Math.cos(f) * Math.sin(l),
    ((b / a) ** 2 * n + height) * Math.sin(f),
  ];
}

/** Earth-centred metres of a place east, north and above an origin. */
function fromOrigin([latitude, longitude, height]: number[], east: number, north: number, up: number): number[] {
  const [f, l] = [(latitude! * Math.PI) / 180, (longitude! * Math.PI) / 180];
  const [sf, cf, sl, cl] = [Math.sin(f), Math.cos(f), Math.sin(l), Math.cos(l)];
  const [x, y, z] = earth(latitude!, longitude!, height!) as [number, number, number];
  return [
    x - sl * east - sf * cl * north + cf * cl * up,
    y + cl * east - sf * sl * north + cf * sl * up,
    z + cf * north + sf * up,
  ];
}

describe.skipIf(samplesDirectory === null)("a drive of CARLA with an origin", () => {
  for (const heading of [0, 30]) {
    test(`lies around its origin: x to the right, y backwards of the plane's heading ${heading}`, async () => {
      await using recording = await opened(DRIVE);
      const origin = [48.999, 8.002, 115];
      const { text, report } = await exported(recording, "gpx", { origin: originAt(48.999, 8.002, 115, heading) });
      expect(report.of).toEqual(["vehicles"]);
      expect(report.notes).toContain(
        "heights are those of the plane above its origin's, and are taken as above sea level",
      );
      const tracks = gpxTracks(text);
      const zero = await zeroOf(recording);
      const turn = (heading * Math.PI) / 180;
      let compared = 0;
      for (const time of await fiftyTimes(recording)) {
        const vehicles = (await recording.state(time)).sets.get("vehicles");
        const cells = vehicles?.columns.get("position")?.data as unknown as ArrayLike<number>;
        const labels = vehicles?.columns.get("label")?.data;
        for (const row of vehicles?.ids.keys() ?? []) {
          // CARLA: centimetres, left-handed, z up
          const [right, back, up] = [0, 1, 2].map((k) => cells[3 * row + k]! / 100) as [number, number, number];
          const east = right * Math.cos(turn) - back * Math.sin(turn);
          const north = -right * Math.sin(turn) - back * Math.cos(turn);
          const fix = fixAt(tracks.get(labels![row] as string)!.flat(), zero + time / 1e6)!;
          const [is, should] = [earth(fix.latitude, fix.longitude, fix.height), fromOrigin(origin, east, north, up)];
          // a thousandth of a metre of height, and a tenth of a millimetre of place
          expect(Math.hypot(...is.map((part, k) => part - should[k]!))).toBeLessThan(1e-3);
          compared++;
        }
      }
      expect(compared).toBeGreaterThan(90);
    });
  }

  test("vehicles look along the compass as their yaw says", async () => {
    await using recording = await opened(DRIVE);
    const { text } = await exported(recording, "acmi", { origin: originAt(0.001, 8, 0, 90), ids: ["269"] });
    const [, time, line] = /^#([\d.]+)\n1,T=([^,\n]*)/m.exec(text.slice(text.length >> 1))!;
    const set = (await recording.state(Math.round(Number(time) * 1e9))).sets.get("vehicles")!;
    const rotation = set.columns.get("rotation")!.data as unknown as ArrayLike<number>;
    const at = 3 * set.ids.indexOf(269);
    const [, , , roll, pitch, yaw] = line!.split("|").map(Number) as [number, number, number, number, number, number];
    // yaw grows to the right from x, and x is to the right of the plane's heading
    expect(Math.abs(((yaw - (rotation[at + 2]! + 180) + 540) % 360) - 180)).toBeLessThan(0.01);
    expect(pitch).toBeCloseTo(rotation[at + 1]!, 2);
    expect(roll).toBeCloseTo(rotation[at]!, 2);
    expect(text).toContain(",Type=Ground+Vehicle,Name=vehicle.lincoln.mkz2017,CallSign=hero,");
  });

  test("without an origin it is refused, with what is missing", async () => {
    await using recording = await opened(DRIVE);
    for (const to of ["kml", "gpx", "czml", "acmi"]) {
      await expect(exported(recording, to)).rejects.toThrow(RangeError);
      await expect(exported(recording, to)).rejects.toThrow(/vehicles: places on a plane.*give an origin/);
    }
  });
});
