import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { open } from "../../../src/index.ts";
import type { Extent } from "../../../src/model/query/extents.ts";
import { sample, sampleBytes, samplesDirectory } from "../../samples.ts";

/** Extents beside what the simulators themselves have printed: nothing here reads a recording but the library. */
describe.skipIf(samplesDirectory === null)("extents, beside the simulators' own words", () => {
  test.each(["2020-DistanceBetweenVehicles", "2021-DistanceToLaneCenter"])(
    "places of %s are CARLA's own, as it prints them",
    async (name) => {
      const text = gunzipSync(readFileSync(sample(`carla/golden/${name}.all.txt.gz`))).toString();
      const extents = new Map<string, Extent>();
      const place = /(?: Create (\d+): \S+ \(\d+\) at| Id: (\d+) Location:) \((\S+), (\S+), (\S+)\)/g;
      for (const frame of text.split(/^Frame /m).slice(1)) {
        // Where an actor was created it is only in a frame that says nothing else of its place.
        const places = new Map<string, string[]>();
        for (const [, created, moved, ...numbers] of frame.matchAll(place)) places.set((created ?? moved)!, numbers);
        for (const [id, numbers] of places) {
          for (const [i, value] of numbers.map(Number).entries()) {
            const path = `${id}/position.${"xyz"[i]!}`;
            const { least, most } = extents.get(path) ?? { least: value, most: value };
            extents.set(path, { least: Math.min(least, value), most: Math.max(most, value) });
          }
        }
      }
      await using recording = await open(sampleBytes(`carla/${name}.log`));
      let compared = 0;
      for (const { text: path, extent } of await recording.paths()) {
        const of = /^(?!sensors)[^/]+\/(\d+\/position\.[xyz])$/.exec(path)?.[1];
        if (of === undefined || extent === null) continue;
        const expected = extents.get(of)!;
        // Six digits are printed; where a sensor is depends on what carries it.
        const [least, most] = [extent.least, extent.most].map((end) => Number(end.toPrecision(6)));
        expect([path, { least, most }]).toEqual([path, expected]);
        compared++;
      }
      expect(compared).toBeGreaterThan(100);
    },
  );

  test.each(["c172p-continuous-full", "c172p-continuous-signals", "ufo-continuous"])(
    "signals of %s are those that FlightGear wrote down while it recorded",
    async (name) => {
      const [head, ...lines] = readFileSync(sample(`flightgear/${name}.truth.csv`), "utf8")
        .trim()
        .split("\n");
      const paths = head!.split(",").slice(1);
      await using recording = await open(sampleBytes(`flightgear/${name}.fgtape`));
      const first = recording.info.metadata["startTime"] as number;
      const rows = new Map(
        lines.map((line) => {
          const [t, ...values] = line.split(",");
          return [Math.round((Number(t) - first) * 1e9), values] as const;
        }),
      );
      const times: number[] = [];
      for await (const { time } of recording.messages(recording.channel("signals"))) times.push(time);
      const from = times.findIndex((time) => rows.has(time));
      const until = times.findIndex((time, i) => i > from && !rows.has(time));
      const written = times.slice(from, until < 0 ? undefined : until);
      expect(written.length).toBeGreaterThan(100);
      const found = new Map(
        (await recording.paths({ start: written[0]!, end: written.at(-1)! + 1 })).map(({ text, extent }) => [
          text,
          extent,
        ]),
      );
      let compared = 0;
      for (const [column, path] of paths.entries()) {
        const extent = found.get(path);
        if (extent === undefined || extent === null) continue;
        const values = written.map((time) => Number(rows.get(time)![column]));
        const [least, most] = [Math.min(...values), Math.max(...values)];
        const kept = path.startsWith("/position/") ? (value: number) => value : Math.fround;
        expect([path, extent]).toEqual([path, { least: kept(least) + 0, most: kept(most) + 0 }]);
        compared++;
      }
      expect(compared).toBeGreaterThan(5);
    },
  );
});
