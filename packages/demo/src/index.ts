import type { SinkBundle } from "simtape/making";

/** Options of a simulation. */
interface DemoOptions {
  readonly seconds: number;
  readonly entities: number;
  /** The same seed gives the same bytes. */
  readonly seed: number;
}

/** A simulation that writes recordings of one format. */
export interface Demo {
  /** Default name of its recording. */
  readonly file: string;
  /** Description of the simulation. */
  readonly what: string;
  /** Default number of things. */
  readonly entities: number;
  /** Files that show its world, for `simtape view`: their names beside the recording, and what is in them. */
  readonly worlds?: readonly {
    readonly file: string;
    readonly load: () => Promise<(options: DemoOptions) => Uint8Array | Promise<Uint8Array>>;
  }[];
  /** The simulation, loaded on use. */
  readonly load: () => Promise<{ demo: (options: DemoOptions, to: SinkBundle) => Promise<void> }>;
}

/** The simulations, by the id of their format. */
export const DEMOS: Readonly<Record<string, Demo>> = {
  nanover: {
    file: "molecule.nanover.zip",
    what: "molecular dynamics",
    entities: 60,
    worlds: [{ file: "molecule.nanover.pdb", load: async () => (await import("./nanover-structure.ts")).structure }],
    load: () => import("./nanover.ts"),
  },
  carla: {
    file: "town.log",
    what: "traffic on a road grid",
    entities: 24,
    worlds: [{ file: "town.xodr", load: async () => (await import("./carla.ts")).world }],
    load: () => import("./carla.ts"),
  },
  mira: {
    file: "robot.tape",
    what: "a robot with a laser scanner",
    entities: 1,
    worlds: [
      { file: "robot.yaml", load: async () => (await import("./mira-world.ts")).map },
      { file: "robot.pgm", load: async () => (await import("./mira-world.ts")).picture },
      { file: "robot.urdf", load: async () => (await import("./mira-world.ts")).unit },
    ],
    load: () => import("./mira.ts"),
  },
  flightgear: {
    file: "flight.fgtape",
    what: "a light aircraft in the circuit",
    entities: 3,
    worlds: [
      { file: "flight.tif", load: async () => (await import("./flightgear-land.ts")).heights },
      { file: "flight.apt.dat", load: async () => (await import("./flightgear-airport.ts")).airport },
    ],
    load: () => import("./flightgear.ts"),
  },
  mcap: {
    file: "patrol.mcap",
    what: "a robot on patrol in a yard",
    entities: 1,
    worlds: [
      { file: "patrol.yaml", load: async () => (await import("./mcap-world.ts")).map },
      { file: "patrol.pgm", load: async () => (await import("./mcap-world.ts")).picture },
      { file: "patrol.urdf", load: async () => (await import("./mcap-world.ts")).unit },
    ],
    load: () => import("./mcap.ts"),
  },
  hcrp: {
    file: "race.hcrp",
    what: "a parkour race",
    entities: 6,
    worlds: [{ file: "race.region.zip", load: async () => (await import("./hcrp-land.ts")).regions }],
    load: () => import("./hcrp.ts"),
  },
};
