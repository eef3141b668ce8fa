import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DIALECTS } from "../packages/simtape/src/formats/flightgear/read/dialects.ts";
import { open } from "../packages/simtape/src/index.ts";
import { fromFile } from "../packages/simtape/src/io/node/index.ts";
import { Fgfs, fgfsCommand } from "./fgfs.ts";
import { framesOf, isAlike, isOwned } from "./fgfs-tape.ts";

/**
 * Makes every kind of tape that the command writes, loads each into a real FlightGear, and compares every signal with
 * the recording: `npm run simulator [-- WORD…]`. With words, only tapes whose name contains one of them. `FGFS` is the
 * command that starts another FlightGear. Exit 1: a tape did not play as `info` says, or a value differs.
 */
const examples = fileURLToPath(new URL("../examples/", import.meta.url));
const command = fileURLToPath(new URL("../packages/simtape/bin/simtape.js", import.meta.url));

/** Number of moments that are compared in each tape. */
const MOMENTS = 7;
interface Tape {
  readonly name: string;
  /** Commands that make it; `$` is the folder of tapes, `@` that of examples. */
  readonly made: readonly string[];
}

const FROM = ["race.hcrp", "town.log", "patrol.tape", "buckyball.nanover.zip"];

const TAPES: readonly Tape[] = [
  { name: "demo", made: ["demo flightgear -o $ --seconds 20", "copy $/flight.fgtape $/demo.fgtape"] },
  ...DIALECTS.map((dialect) => ({
    name: `demo as ${dialect}`,
    made: [`copy $/demo.fgtape $/TAPE --rewrite --dialect ${dialect}`],
  })),
  ...FROM.flatMap((name) =>
    [null, "normal"].map((dialect) => ({
      name: `${name} converted${dialect === null ? "" : ` to ${dialect}`}`,
      made: [`convert @/${name} $/TAPE${dialect === null ? "" : ` --dialect ${dialect}`}`],
    })),
  ),
  { name: "town.log at an origin", made: ["convert @/town.log $/TAPE --origin 47.4,8.5,430,30"] },
  { name: "c172p", made: ["copy @/flight.fgtape $/TAPE"] },
  { name: "c172p rewritten", made: ["copy @/flight.fgtape $/TAPE --rewrite"] },
  ...["continuous", "continuous-compressed", "normal", "normal-2024"].map((dialect) => ({
    name: `c172p as ${dialect}`,
    made: [`copy @/flight.fgtape $/TAPE --rewrite --dialect ${dialect}`],
  })),
  { name: "c172p trimmed to its beginning", made: ["trim @/flight.fgtape $/TAPE --from 1s --until 12s"] },
  { name: "c172p trimmed to its end", made: ["trim @/flight.fgtape $/TAPE --from 30s"] },
  { name: "demo trimmed", made: ["trim $/demo.fgtape $/TAPE --from 4.013s --until 15s"] },
  { name: "c172p joined", made: ["join @/flight.fgtape @/flight.fgtape -o $/TAPE --gap 1s"] },
  {
    name: "demo joined",
    made: ["trim $/demo.fgtape $/half.fgtape --from 10s", "join $/demo.fgtape $/half.fgtape -o $/TAPE --gap 1s"],
  },
  {
    name: "c172p repaired",
    made: ["corrupt @/flight.fgtape $/bad.fgtape --seed 2 --count 1", "repair $/bad.fgtape $/TAPE"],
  },
  { name: "demo repaired", made: ["corrupt $/demo.fgtape $/bad2.fgtape --seed 4", "repair $/bad2.fgtape $/TAPE"] },
  { name: "demo redacted", made: ["redact $/demo.fgtape $/TAPE -c multiplayer --from 3s --until 9s"] },
  { name: "demo without pilots", made: ["filter $/demo.fgtape $/TAPE --exclude multiplayer"] },
  { name: "demo shifted", made: ["shift $/demo.fgtape $/TAPE --by 5s"] },
  {
    name: "demo through HCRP",
    made: ["convert $/demo.fgtape $/demo.hcrp --no-original", "convert $/demo.hcrp $/TAPE"],
  },
  {
    name: "c172p through HCRP",
    made: ["convert @/flight.fgtape $/c172p.hcrp --no-original", "convert $/c172p.hcrp $/TAPE"],
  },
  { name: "c172p through HCRP to normal", made: ["convert $/c172p.hcrp $/TAPE --dialect normal"] },
];

interface Result {
  readonly name: string;
  readonly says: string;
  readonly plays: boolean;
  readonly compared: number;
  readonly owned: number;
  readonly texts: number;
  readonly wrong: readonly string[];
}

async function main(words: readonly string[]): Promise<void> {
  const fgfs = fgfsCommand();
  if (fgfs === null || spawnSync("Xvfb", ["-help"]).error !== undefined) {
    console.log("skipped: fgfs or Xvfb is not installed (Debian: flightgear, xvfb)");
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "simtape-simulator-"));
  const home = process.env["FGFS_HOME"] ?? join(folder, "home");
  let simulator: Fgfs | null = null;
  const results: Result[] = [];
  try {
    for (const { name, made } of TAPES) {
      const path = join(folder, `${name.replace(/[^\w-]+/g, "-")}.fgtape`);
      for (const line of made) simtape(line, folder, path);
      if (words.length > 0 && !words.some((word) => name.includes(word))) continue;
      const tape = name === "demo" ? join(folder, "demo.fgtape") : path;
      simulator ??= await Fgfs.start(fgfs, home);
      const result = await judged(simulator, name, tape);
      results.push(result);
      console.error(lineOf(result));
      for (const wrong of result.wrong.slice(0, 10)) console.error(`    ${wrong}`);
      if (!simulator.isAlive) {
        await simulator.end();
        simulator = null;
      }
    }
    console.log(`\nFlightGear ${simulator?.version ?? ""}\n`);
    console.log(
      "| tape | plays in | loaded | values compared | its own | texts | differ |\n|---|---|---|---:|---:|---:|---:|",
    );
    for (const result of results) console.log(lineOf(result));
    if (results.some(({ wrong }) => wrong.length > 0)) process.exitCode = 1;
  } finally {
    await simulator?.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

function lineOf({ name, says, plays, compared, owned, texts, wrong }: Result): string {
  return `| ${name} | ${says} | ${plays ? "yes" : "no"} | ${compared} | ${owned} | ${texts} | ${wrong.length} |`;
}

/** Runs the command as its users do. */
function simtape(line: string, folder: string, tape: string): void {
  mkdirSync(folder, { recursive: true });
  const words = line
    .split(" ")
    .map((word) => word.replace("$/TAPE", tape).replace("$", folder).replace("@/", examples));
  const { status, stderr } = spawnSync("node", [command, ...words, "--force"], { encoding: "utf8" });
  // 3: done, but something was lost, which the command lists.
  if (status !== 0 && status !== 3) throw new Error(`simtape ${words.join(" ")}: ${stderr}`);
}

/** Loads a tape, and compares what the simulator shows between frames with the recording. */
async function judged(simulator: Fgfs, name: string, path: string): Promise<Result> {
  const recording = await open(fromFile(path));
  const says = recording.info.metadata["playsIn"] as string;
  const wrong: string[] = [];
  let [plays, compared, owned, texts] = [false, 0, 0, 0];
  try {
    plays = await simulator.load(path);
    if (plays !== isPromised(says, simulator.version)) wrong.push(`loaded: ${plays}, but it plays in ${says}`);
    if (plays) {
      const tape = await framesOf(recording);
      const { end } = await recording.timeline();
      const paths = [...(await recording.state(end)).values.keys()];
      for (let k = 0; k < MOMENTS; k++) {
        const at = tape.pairs[Math.floor(((k + 0.5) / MOMENTS) * tape.pairs.length)];
        const aim = at === undefined ? tape.zero : at[0] + 0.37 * (at[1] - at[0]);
        const [shown, ...values] = await simulator.at(aim, ["/sim/replay/time", ...paths]);
        const moment = await tape.moment(Number(shown));
        if (moment === null) {
          wrong.push(`at ${aim} the simulator is at ${shown}`);
          continue;
        }
        for (const [i, property] of paths.entries()) {
          const expected = moment(property);
          if (expected === null) continue;
          const isText = typeof expected.value === "string";
          if (!isText && isOwned(property)) {
            owned++;
            continue;
          }
          if (isText) texts++;
          else compared++;
          if (!isAlike(values[i]!, expected)) {
            wrong.push(`${property} at ${shown}: shown ${values[i]}, recorded ${expected.value}`);
          }
        }
      }
    }
  } catch (error) {
    simulator.isAlive = false;
    wrong.push(`the simulator ended: ${String(error)} ${simulator.lastWords}`);
  }
  if (plays && compared === 0 && wrong.length === 0) wrong.push("it loaded, and there was nothing to compare");
  await recording.close();
  return { name, says, plays, compared, owned, texts, wrong };
}

function isPromised(says: string, version: string): boolean {
  const found = /(\d+\.\d+) or (later|earlier)/.exec(says);
  if (found === null) return false;
  const order = (text: string): number => {
    const [major, minor] = text.split(".").map(Number);
    return major! * 100 + minor!;
  };
  const difference = order(version) - order(found[1]!);
  return found[2] === "later" ? difference >= 0 : difference <= 0;
}

await main(process.argv.slice(2));
