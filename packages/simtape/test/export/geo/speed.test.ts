import { test } from "vitest";
import { open } from "../../../src/index.ts";
import { makeContinuous } from "../../fixtures/flightgear/make.ts";
import { exported, opened, CRASH, DRIVE } from "./support.ts";
import { originAt } from "../../../src/model/geodesy.ts";
test("speed", async () => {
  const bytes = makeContinuous({ frames: 20000 } as never);
  console.log(bytes.length);
  const r = await open(bytes);
  let t = performance.now();
  let n = 0;
  for await (const _ of r.states()) n++;
  console.log("states", n, performance.now() - t);
  t = performance.now(); let e = 0;
  for await (const s of r.events()) e += s.length;
  console.log("events", e, performance.now() - t);
  for (const to of ["kml", "gpx", "czml", "acmi"]) {
    t = performance.now();
    const { report, text } = await exported(r, to);
    console.log(to, report.count, text.length, performance.now() - t, report.notes);
  }
  const d = await opened(DRIVE);
  for (const to of ["kml", "acmi"]) {
    t = performance.now();
    const { report, text } = await exported(d, to, { origin: originAt(48, 8) });
    console.log("carla", to, report.count, text.length, performance.now() - t, report.notes);
  }
  const c = await opened(CRASH);
  const { text } = await exported(c, "acmi");
  console.log(text.slice(0, 1500));
});
