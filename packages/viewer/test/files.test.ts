import { FORMATS, folderMains } from "simtape";
import { expect, test, vi } from "vitest";
import { locatorAt } from "../src/open/files.ts";
import { locatorsOf, regionsOf } from "../src/open/grouping.ts";

/** As a browser gives files: with their path below the folder that was chosen, or none. */
function file(path: string): File {
  const made = new File([], path.slice(path.lastIndexOf("/") + 1));
  return Object.defineProperty(made, "webkitRelativePath", { value: path.includes("/") ? path : "" });
}

function reported(...paths: string[]): unknown[] {
  return locatorsOf(paths.map(file)).map((place) =>
    place.kind === "files" ? [place.name, place.main ?? null, place.files.map(({ name }) => name)] : [],
  );
}

test("a NanoVer pair is one recording, other files are one each", () => {
  expect(reported("run.traj", "town.log", "run.state")).toEqual([
    ["run.traj", null, ["run.traj", "run.state"]],
    ["town.log", null, ["town.log"]],
  ]);
});

test("a folder of segments is one recording, called like the folder", () => {
  expect(reported("races/monday/seg-00000000.hcs", "races/monday/meta.hcrp", "races/town.log")).toEqual([
    ["monday", "meta.hcrp", ["seg-00000000.hcs", "meta.hcrp"]],
    ["town.log", null, ["town.log"]],
  ]);
});

test("an address is called by the last of its parts, that of a recording which is a folder by the folder", () => {
  vi.stubGlobal("document", { baseURI: "https://tapes.example.org/page/?url=" });
  const named = (address: string): string => locatorAt(address).name;
  for (const main of folderMains(FORMATS)) {
    expect(named(`files/0/spiral%20tower/${main}`)).toBe("spiral tower");
    expect(named(`https://example.org/${main}?v=1`)).toBe("example.org");
  }
  expect(["run.hcrp", "runs/meta.hcrp.zip", "a/region/", "https://example.org/"].map(named)).toEqual([
    "run.hcrp",
    "meta.hcrp.zip",
    "region",
    "example.org",
  ]);
  vi.unstubAllGlobals();
});

test("segments that were let go of without their folder are one recording too", () => {
  expect(reported("meta.hcrp", "seg-00000000.hcs")).toEqual([
    ["meta.hcrp", "meta.hcrp", ["meta.hcrp", "seg-00000000.hcs"]],
  ]);
});

test("files of the same name in two folders are two recordings", () => {
  expect(reported("a/run.traj", "b/run.state")).toEqual([
    ["run.traj", null, ["run.traj"]],
    ["run.state", null, ["run.state"]],
  ]);
});

test("region files are one world a folder, and of a world of the game nothing else is a recording", () => {
  const paths = [
    "save/level.dat",
    "save/region/r.0.0.mca",
    "save/region/r.-1.0.mca",
    "save/region/c.3.4.mcc",
    "save/entities/r.0.0.mca",
    "save/DIM-1/region/r.0.0.mca",
    "save/replays/run.hcrp",
  ];
  const { regions, rest } = regionsOf(paths.map(file), FORMATS);
  expect(regions.map((place) => place.kind === "files" && [place.name, place.files.map(({ name }) => name)])).toEqual([
    ["save/region", ["r.0.0.mca", "r.-1.0.mca", "c.3.4.mcc"]],
    ["save/DIM-1/region", ["r.0.0.mca"]],
  ]);
  expect(rest.map(({ name }) => name)).toEqual(["run.hcrp"]);
  const loose = regionsOf(["r.0.0.mca", "run.hcrp"].map(file), FORMATS);
  expect(loose.regions.map(({ name }) => name)).toEqual(["region"]);
  expect(regionsOf(["town.log", "level.dat"].map(file), FORMATS).rest).toHaveLength(2);
});
