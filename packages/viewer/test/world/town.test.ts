import { expect, test } from "vitest";
import { MemoryFiles, open, posesOf } from "simtape";
import { demo, world } from "../../../demo/src/carla.ts";
import { carla } from "simtape/formats/carla";
import { bundleOfFiles } from "../../../simtape/test/conformance/mutate.ts";
import { Findings } from "../../src/world/findings.ts";
import { roadNetOf } from "../../src/world/opendrive/document.ts";
import { read } from "../../src/world/opendrive/read.ts";
import type { Road, RoadNet } from "../../src/world/opendrive/road.ts";
import { Cross, laneAt, sectionAt } from "../../src/world/opendrive/section.ts";

const OPTIONS = { seconds: 30, entities: 24, seed: 3 };

/** Types of the lanes of all roads at a place. */
function lanesAt({ roads }: RoadNet, x: number, y: number): string[] {
  return roads.flatMap((road) => {
    const s = nearest(road, x, y);
    const section = sectionAt(road, s);
    if (section === undefined || s <= 0 || s >= road.length) return [];
    const cross = new Cross(road, section).to(s);
    const place = road.plan.at(s, { x: 0, y: 0, heading: 0 });
    const t = Math.cos(place.heading) * (y - place.y) - Math.sin(place.heading) * (x - place.x);
    const lane = laneAt(cross, t);
    return lane === null ? [] : [lane.type];
  });
}

/** Where the line of a road is nearest to a place: the best of many, then halved. */
function nearest({ plan, length }: Road, x: number, y: number): number {
  const point = { x: 0, y: 0, heading: 0 };
  const away = (s: number): number => Math.hypot(plan.at(s, point).x - x, point.y - y);
  let best = 0;
  for (let s = 0; s <= length; s += 1) if (away(s) < away(best)) best = s;
  for (let step = 0.5; step > 1e-4; step /= 2)
    for (const s of [best - step, best + step]) if (s >= 0 && s <= length && away(s) < away(best)) best = s;
  return best;
}

test("the map of the simulated town is sound, and made of the same bytes for the same options", () => {
  const bytes = world(OPTIONS);
  expect(Buffer.compare(bytes, world(OPTIONS))).toBe(0);
  expect(bytes.length).toBeLessThan(100_000);
  const { findings, description, facts } = read(bytes);
  expect(findings).toEqual([]);
  expect(description).toBe("56 roads, 9 junctions");
  expect(Object.fromEntries(facts)["beside them"]).toBe("24 signals, 24 crosswalks");
});

test("every vehicle of the town is on a lane for vehicles at all times, and every light at a signal", async () => {
  const net = roadNetOf(new TextDecoder().decode(world(OPTIONS)), new Findings())!;
  const files = new MemoryFiles();
  await demo(OPTIONS, files);
  await using recording = await open(bundleOfFiles({ "town.log": files.bytes }), { formats: [carla] });
  const place = new Float64Array(3);
  let checked = 0;
  for (let second = 0; second < OPTIONS.seconds; second += 1.5) {
    const { sets } = await recording.state(second * 1e9);
    const poses = posesOf(sets.get("vehicles")!)!;
    for (let row = 0; row < OPTIONS.entities; row++) {
      poses.position(row, place, 0);
      const lanes = lanesAt(net, place[0]!, place[1]!);
      expect(lanes, `${place[0]} ${place[1]} at ${second} s`).toContain("driving");
      expect(place[2]).toBeCloseTo(0, 6);
      checked++;
    }
  }
  expect(checked).toBe(20 * 24);
  const { sets } = await recording.state(0);
  const signals = net.roads.flatMap((road) =>
    road.signals.map(({ s, t }) => {
      const { x, y, heading } = road.plan.at(s, { x: 0, y: 0, heading: 0 });
      return [x - Math.sin(heading) * t, y + Math.cos(heading) * t] as const;
    }),
  );
  const lights = sets.get("traffic-lights")!;
  const poses = posesOf(lights)!;
  for (let row = 0; row < lights.ids.length; row++) {
    poses.position(row, place, 0);
    expect(Math.min(...signals.map(([x, y]) => Math.hypot(x - place[0]!, y - place[1]!)))).toBeLessThan(0.01);
  }
});
