import { readFile, stat } from "node:fs/promises";
import type { Command } from "commander";
import { type CoursePath, MOST_COURSE_BYTES, parseCourse } from "../../race/course.ts";
import { RaceError } from "../../race/error.ts";
import type { RaceEntry, RaceOptions } from "../../race/race.ts";
import type { Race } from "../../race/report.ts";
import { RecordingError } from "../../model/error.ts";
import { toJson } from "../../model/values/json.ts";
import type { Recording } from "../../model/recording.ts";
import type { Time } from "../../model/values/time.ts";
import { collected } from "../input/collected.ts";
import { type ReadOptions, reads } from "../input/recordings.ts";
import { clock, parseRange, TIME_HELP } from "../input/time.ts";
import { withRecordings } from "../input/with-recording.ts";
import { findingToPlain } from "../output/findings.ts";
import { raceText } from "../output/race-text.ts";
import { reportOf, writeReport } from "../output/html-report.ts";
import { damageIn } from "../run/ending.ts";
import { EXIT, UsageError } from "../run/failure.ts";
import { Output, Progress } from "../run/terminal.ts";

interface RaceCommand extends ReadOptions {
  readonly thing?: readonly string[];
  readonly line?: string;
  readonly mark?: string;
  readonly finish?: string;
  readonly checkpoint?: readonly string[];
  readonly sectors: string;
  readonly course?: string;
  readonly width?: string;
  readonly best?: boolean;
  readonly points: string;
  readonly from?: string;
  readonly until?: string;
  readonly html?: string;
  readonly view?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

const LINE_HELP =
  "Lines: x1,y1,x2,y2 in metres along standard axes (right-handed, z up: simtape table --axes standard), seen from above; of flights latitude,longitude,latitude,longitude.";

export function addRace(program: Command): void {
  reads(program.command("race"))
    .summary("laps against each other: gaps, splits, the best lap")
    .description(
      "Races laps of one recording or of several along a common course: times, gaps in time and distance, splits, where time was won and lost, the theoretical best.",
    )
    .argument("<file...>", "paths, URLs, or - for standard input; a folder stands for the recordings in it")
    .option(
      "--thing <set[id]>",
      "which thing races: vehicles[24], vehicles[hero], 'players[*]' (may be given more than once; by default hero, ego or self, else the first that moves)",
      collected,
    )
    .option(
      "--line <x1,y1,x2,y2>",
      "a lap begins and ends where this line is crossed; by default each recording is a lap",
    )
    .option("--mark <name>", "a lap begins and ends at each mark or event with this text")
    .option("--finish <line|name>", "a lap ends at this line, or at the mark of this name")
    .option(
      "--checkpoint <where>",
      "take times at a line, a place x,y or x,y,z, or a mark of this name (may be given more than once)",
      collected,
    )
    .option("--sectors <count>", "without checkpoints: parts of the course of the same length", "3")
    .option("--course <file>", "the course: CSV of x,y or x,y,z, GeoJSON, or checkpoints; by default the best lap")
    .option(
      "--width <metres>",
      "how far to each side of the course still is on it; by default 1 % of its length, 4 m at least, of flights 500 m",
    )
    .option("--best", "of each thing in each recording the fastest lap alone")
    .option("--points <count>", "parts of the course in curves", "400")
    .option("--from <time>", "first time of each recording, inclusive")
    .option("--until <time>", "last time, exclusive")
    .option("--html <file>", "write a report with curves and a map, in one file")
    .option("--view <address>", "with --html: the page of simtape view to which times link, http://localhost:8080/")
    .option("--force", "overwrite an existing report")
    .option("--json", "one JSON object with everything")
    .addHelpText(
      "after",
      `\n${LINE_HELP}\n${TIME_HELP}\n\nExamples:\n  $ simtape race before.log after.log --thing 'vehicles[hero]'\n  $ simtape race laps.log --line 12,-4,12,4 --sectors 5 --html laps.html\n  $ simtape race race.hcrp --thing 'players[*]' --mark start --finish finish --checkpoint 'checkpoint 1'\n  $ simtape race circuit-*.fgtape --line 37.61,-122.36,37.62,-122.36 --best --json | jq '.laps[0].seconds'\n  $ simtape race run.tape again.tape --course path.csv`,
    )
    .action(async (named: string[], options: RaceCommand) => {
      const asked = await optionsOf(options);
      await withRecordings(named, options, async (opened) => {
        const files = opened.map(({ file }) => file);
        const report = await reportOf(options, files);
        const found = await raced(opened, asked, options);
        if (report !== null) {
          const { racePage } = await import("../../race/page.ts");
          await writeReport(report, racePage(found, { files, view: options.view }));
        }
        const damage = opened.map(({ recording }) => damageIn(recording.findings).map(findingToPlain));
        const output = new Output();
        if (options.json === true) await output.line(toJson({ files, ...found, findings: damage }));
        else await output.lines(raceText(found, files));
        await output.flush();
        if (damage.some((of) => of.length > 0)) process.exitCode = EXIT.lossy;
      });
    });
}

async function raced(
  opened: readonly { readonly recording: Recording }[],
  asked: RaceOptions,
  options: RaceCommand,
): Promise<Race> {
  const { race } = await import("../../race/race.ts");
  const entries: RaceEntry[] = [];
  const ends: Time[] = [];
  for (const { recording } of opened) {
    entries.push({ recording, ...(await parseRange(options, recording)) });
    ends.push((await recording.timeline()).end);
  }
  const progress = new Progress("racing");
  const onProgress: RaceOptions["onProgress"] = (i, time) => progress.show(time, ends[i]!, clock);
  return usable(() => race(entries, { ...asked, onProgress })).finally(() => progress.end());
}

async function optionsOf(options: RaceCommand): Promise<RaceOptions> {
  const { thing, line, mark, finish, checkpoint, sectors, course, points, width, best } = options;
  return {
    ...{ things: thing, line, mark, finish, checkpoints: checkpoint },
    ...{ sectors: Number(sectors), points: Number(points), isBestOnly: best === true },
    width: width === undefined ? undefined : Number(width),
    course: course === undefined || course === "checkpoints" ? course : await courseIn(course),
  };
}

async function courseIn(file: string): Promise<CoursePath> {
  const { size } = await stat(file);
  if (size > MOST_COURSE_BYTES)
    throw new UsageError(`${file} has ${size} bytes, and a course ${MOST_COURSE_BYTES} at most`);
  return usable(async () => parseCourse(await readFile(file, "utf8")));
}

/** What does not fit the recordings is wrong usage; a recording in which nothing moves cannot race at all. */
async function usable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RaceError)) throw error;
    throw error.code === "nowhere" ? new RecordingError("unsupported", error.message) : new UsageError(error.message);
  }
}
