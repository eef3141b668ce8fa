import { readFileSync } from "node:fs";
import type { SourceBundle } from "../src/index.ts";
import { bundleOfFiles } from "./conformance/mutate.ts";
import { makeTown, RELEASES } from "./fixtures/carla/make.ts";
import { sampleBytes, sampleNames } from "./samples.ts";

/** A sound recording of any format. */
export interface SoundRecording {
  readonly name: string;
  readonly format: "carla" | "flightgear" | "hcrp" | "mcap" | "mira" | "nanover";
  readonly files: Readonly<Record<string, Uint8Array>>;
  readonly bundle: () => SourceBundle;
}

function of(format: SoundRecording["format"], name: string, files: Record<string, Uint8Array>): SoundRecording {
  return { name, format, files, bundle: () => bundleOfFiles(files) };
}

const fixtures = new URL("fixtures/", import.meta.url);

function fixture(path: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(path, fixtures)));
}

/** Small ones that the project carries or makes: one or more of each format. */
export const SOUND: readonly SoundRecording[] = [
  of("carla", "made town 0.9.15", { "town.log": makeTown(RELEASES.find(({ name }) => name === "0.9.15")!, 30) }),
  of("carla", "made town 0.10", { "town.log": makeTown(RELEASES.find(({ name }) => name === "0.10")!, 30) }),
  of("nanover", "short pair", {
    "short.traj": fixture("nanover/short.traj"),
    "short.state": fixture("nanover/short.state"),
  }),
  of("nanover", "buckyball.nanover.zip", { "buckyball.nanover.zip": fixture("nanover/buckyball.nanover.zip") }),
  of("mira", "patrol.tape", { "patrol.tape": fixture("mira/patrol.tape") }),
  of("mcap", "drive.mcap", { "drive.mcap": fixture("mcap/drive.mcap") }),
  of("flightgear", "c172p-normal-mp.fgtape", { "flight.fgtape": fixture("flightgear/c172p-normal-mp.fgtape") }),
  of("hcrp", "tower-race.hcrp", { "race.hcrp": fixture("hcrp/tower-race.hcrp") }),
  of("hcrp", "two-epochs.hcrp", { "epochs.hcrp": fixture("hcrp/two-epochs.hcrp") }),
];

/** Real ones beside the checkout that are sound; none where there are no samples. */
export const REAL: readonly SoundRecording[] = [
  ...sampleNames("carla")
    .filter((name) => name.endsWith(".log"))
    .map((name) => of("carla", name, { [name]: sampleBytes(`carla/${name}`) })),
  ...sampleNames("flightgear")
    .filter((name) => name.endsWith(".fgtape") && !name.includes("crashed"))
    .map((name) => of("flightgear", name, { [name]: sampleBytes(`flightgear/${name}`) })),
  ...sampleNames("mira")
    .filter((name) => name.endsWith(".tape"))
    .map((name) => of("mira", name, { [name]: sampleBytes(`mira/${name}`) })),
  ...sampleNames("nanover")
    .filter((name) => !name.endsWith(".state"))
    .map((name) => {
      const state = name.replace(/\.traj$/, ".state");
      const hasState = state !== name && sampleNames("nanover").includes(state);
      return of("nanover", name, {
        [name]: sampleBytes(`nanover/${name}`),
        ...(hasState ? { [state]: sampleBytes(`nanover/${state}`) } : {}),
      });
    }),
  ...sampleNames("hypercube")
    .filter((name) => name.endsWith(".hcrp"))
    .map((name) => of("hcrp", name, { [name]: sampleBytes(`hypercube/${name}`) })),
];
