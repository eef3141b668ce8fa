import { copyFileSync, writeFileSync } from "node:fs";
import { makeTown, RELEASES } from "../packages/simtape/test/fixtures/carla/make.ts";

/** Writes the recordings in `examples/`: `npx tsx scripts/make-examples.ts`. Deterministic. */
const examples = new URL("../examples/", import.meta.url);
const fixtures = new URL("../packages/simtape/test/fixtures/", import.meta.url);

const release = RELEASES.find(({ name }) => name === "0.9.15")!;
writeFileSync(new URL("town.log", examples), makeTown(release, 120));
for (const [from, to] of [
  ["nanover/buckyball.nanover.zip", "buckyball.nanover.zip"],
  ["mira/patrol.tape", "patrol.tape"],
  ["flightgear/c172p-normal-mp.fgtape", "flight.fgtape"],
  ["hcrp/tower-race.hcrp", "race.hcrp"],
] as const) {
  copyFileSync(new URL(from, fixtures), new URL(to, examples));
}
