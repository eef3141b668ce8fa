import { type Command, Option } from "commander";
import { type CarlaBlocked, carlaBlocked } from "../../../formats/carla/queries/blocked.ts";
import { type CarlaCollision, carlaCollisions } from "../../../formats/carla/queries/collisions.ts";
import { carlaInfo } from "../../../formats/carla/queries/info.ts";
import { CARLA_LIKES, type CarlaLike, FORMS, likeOf } from "../../../formats/carla/queries/forms.ts";
import type { Recording } from "../../../model/recording.ts";
import { damageIn } from "../../run/ending.ts";
import { EXIT, UsageError } from "../../run/failure.ts";
import { findingToPlain } from "../../output/findings.ts";
import { toJson } from "../../../model/values/json.ts";
import { Output } from "../../run/terminal.ts";
import { budgeted, type ReadOptions } from "../../input/recordings.ts";
import { withRecording } from "../../input/with-recording.ts";
import { parseDuration } from "../../input/time.ts";

interface CommonOptions extends ReadOptions {
  /** Absent: the release that made the recording. */
  readonly like?: CarlaLike;
  readonly all?: boolean;
  readonly json?: boolean;
}

export function addCarla(program: Command): void {
  const carla = program
    .command("carla")
    .summary("CARLA's own query tools, without CARLA")
    .description(
      "Prints the text of CARLA's query tools, as the release prints it that made the recording. Dates are in the local time zone; TZ=UTC changes it.",
    );
  query(carla, "info", "frames, actors and events (show_recorder_file_info)")
    .option("--all", "every packet of every frame")
    .addHelpText("after", "\nExample:\n  $ simtape carla info town.log --all --like 0.9.13")
    .action((file: string, options: CommonOptions) =>
      show(file, options, {}, (recording, like) => {
        if (options.all === true && !FORMS[like].hasAll)
          throw new UsageError(`CARLA ${like} cannot print every packet: leave out --all, or print --like 0.9.6`);
        return carlaInfo(recording, { all: options.all === true, like });
      }),
    );
  query(carla, "collisions", "who hit whom (show_recorder_collisions)")
    .option(
      "--types <xy>",
      "first and second actor: h hero, v vehicle, w walker, t traffic light, o other, a any",
      "aa",
    )
    .addHelpText("after", "\nExample:\n  $ simtape carla collisions town.log --types hw")
    .action((file: string, options: CommonOptions & { types: string }) => {
      if (!/^[hvwtoa]{2}$/.test(options.types))
        throw new UsageError(`--types takes two letters of hvwtoa, not ${JSON.stringify(options.types)}`);
      const collisions: CarlaCollision[] = [];
      const onRow = options.json === true ? (collision: CarlaCollision) => void collisions.push(collision) : undefined;
      return show(file, options, { collisions }, (recording, like) =>
        carlaCollisions(recording, { types: options.types, like, onRow }),
      );
    });
  query(carla, "blocked", "who stood still (show_recorder_actors_blocked)")
    .option("--min-time <s>", "seconds standing still, at least", "30")
    .option("--min-distance <cm>", "centimetres that count as moving", "10")
    .addHelpText("after", "\nExample:\n  $ simtape carla blocked town.log --min-time 60 --min-distance 100")
    .action((file: string, options: CommonOptions & { minTime: string; minDistance: string }) => {
      const minTime = parseDuration(options.minTime);
      const minDistance = Number(options.minDistance);
      if (minTime === null) throw new UsageError(`--min-time takes seconds, not ${JSON.stringify(options.minTime)}`);
      if (options.minDistance === "" || Number.isNaN(minDistance)) {
        throw new UsageError(`--min-distance takes centimetres, not ${JSON.stringify(options.minDistance)}`);
      }
      const blocked: CarlaBlocked[] = [];
      const onRow = options.json === true ? (row: CarlaBlocked) => void blocked.push(row) : undefined;
      return show(file, options, { blocked }, (recording, like) =>
        carlaBlocked(recording, { minTime: minTime / 1e9, minDistance, like, onRow }),
      );
    });
}

function query(carla: Command, name: string, summary: string): Command {
  return budgeted(carla.command(name))
    .summary(summary)
    .description(`Prints ${summary}.`)
    .argument("<file>", "path, URL, or - for standard input")
    .addOption(
      new Option(
        "--like <release>",
        "print as this release does; by default as the one that made the recording",
      ).choices(CARLA_LIKES),
    )
    .option("--json", "one JSON object: the rows as data, and the lines");
}

async function show(
  file: string,
  options: CommonOptions,
  data: Readonly<Record<string, readonly unknown[]>>,
  print: (recording: Recording, like: CarlaLike) => AsyncIterable<string>,
): Promise<void> {
  await withRecording(file, options, async (recording) => {
    const { format } = recording.info;
    if (format !== "carla") throw new UsageError(`a ${format} recording; this is for CARLA's: ${file}`);
    const { like = likeOf(recording, options.all) } = options;
    const text = print(recording, like);
    const output = new Output();
    if (options.json === true) {
      let whole = "";
      for await (const part of text) whole += part;
      await output.line(
        toJson({
          like,
          ...data,
          lines: whole.replace(/\n$/, "").split("\n"),
          findings: damageIn(recording.findings).map(findingToPlain),
        }),
      );
    } else for await (const part of text) await output.text(part);
    await output.flush();
    process.exitCode = EXIT.done;
  });
}
