import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { toJson } from "../../model/values/json.ts";
import type { Recording } from "../../model/recording.ts";
import type { Time } from "../../model/values/time.ts";
import { formatModules } from "../input/formats.ts";
import { type ReadOptions, seeks } from "../input/recordings.ts";
import { clock, parseRange, parseTime, TIME_HELP } from "../input/time.ts";
import { withRecording } from "../input/with-recording.ts";
import { targetOf } from "../output/target-of.ts";
import { Chromium, chromiumAt, programCalled } from "../render/chromium.ts";
import { CODEC_NAMES, type Encoding, encodingOf, type Kind } from "../render/encoding.ts";
import { FfmpegMovie } from "../render/movie.ts";
import { fileOutput, folderOutput, pictureOutput, type RenderOutput } from "../render/output.ts";
import { RemoteVideo, type RenderOptions } from "../render/remote.ts";
import { ENDING } from "../run/ending.ts";
import { EXIT, UsageError } from "../run/failure.ts";
import { byteSize, counted, Output, Progress, say } from "../run/terminal.ts";
import { removeFolder, temporaryFolder } from "../run/temporary-folder.ts";
import { builtViewer } from "../view/built.ts";
import { entriesOf, worldEntriesOf } from "../view/entries.ts";
import { serveView } from "../view/server.ts";

interface RenderCommand extends ReadOptions {
  readonly output: string;
  readonly at?: string;
  readonly from?: string;
  readonly until?: string;
  readonly camera?: string;
  readonly size: readonly [width: number, height: number];
  readonly fps: number;
  readonly rate: number;
  readonly theme: "light" | "dark";
  readonly overlays: boolean;
  readonly browser?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

const KINDS: Readonly<Record<string, Kind>> = { ".mp4": "mp4", ".webm": "webm", ".gif": "gif", ".png": "png" };
/** Bytes of a camera path: more is none. */
const PATH_LIMIT = 1 << 20;
/** Pixels of a side. */
const SIDES = { least: 16, most: 7680 } as const;

/** What was made. */
interface Rendered {
  readonly frames: number;
  readonly codec: string | null;
  readonly bytes: number;
}

export function addRender(program: Command): void {
  seeks(program.command("render"))
    .summary("a picture or a video of a recording")
    .description(
      "Draws a recording as the viewer does, in an installed Chromium without a window: a picture at a time, or a video of a range.\nThe name of the output says what it becomes: .png, .mp4, .webm, .gif, or a folder for a PNG picture of each frame.\nWhere the browser does not encode H.264, an installed ffmpeg makes the MP4; else the MP4 has VP9 or AV1. Where it encodes no video at all, ffmpeg makes the WebM, too.",
    )
    .argument("<file>", "path, folder or URL")
    .argument("[worlds...]", "files that show its world, as simtape view takes them; those beside it are found")
    .requiredOption("-o, --output <file>", "where to write: .png, .mp4, .webm, .gif, or a folder")
    .option("--at <time>", "a picture of this time")
    .option("--from <time>", "a video from this time on (the start)")
    .option("--until <time>", "a video up to this time, exclusive (the end)")
    .option("--camera <file>", "a camera path, a JSON file of keyframes (docs/video.md)")
    .addOption(new Option("--size <pixels>", "width x height").argParser(sizeOf).default([1280, 720], "1280x720"))
    .addOption(new Option("--fps <number>", "frames a second").argParser(numberOf(1, 240)).default(30))
    .addOption(
      new Option("--rate <number>", "seconds of the recording in a second of the video: 0.25, 8")
        .argParser(numberOf(0.01, 64))
        .default(1),
    )
    .addOption(new Option("--theme <colours>", "colours").choices(["light", "dark"]).default("dark"))
    .option("--no-overlays", "without names, readings, compass and time")
    .option("--browser <file>", "the Chromium, Chrome or Edge to draw with (the first that is installed)")
    .option("--force", "overwrite an existing file")
    .option("--json", "one JSON object about what was made")
    .addHelpText(
      "after",
      `\n${TIME_HELP}\n\nExamples:\n  $ simtape render town.log --at 12.5s -o shot.png\n  $ simtape render town.log Town07.xodr --from 10s --until 20s -o drive.mp4\n  $ simtape render flight.fgtape --rate 8 --camera path.json --size 1920x1080 -o flight.webm\n  $ simtape render run.nanover.zip --until 5s --no-overlays -o frames/`,
    )
    .action(async (file: string, worlds: readonly string[], options: RenderCommand) => {
      const kind = kindOf(options);
      const browser = await chromiumAt(options.browser);
      const folder = builtViewer();
      const path = options.camera === undefined ? null : await cameraPath(options.camera);
      await withRecording(file, options, async (recording) => {
        const range = await rangeOf(options, recording);
        await interruptible(async (signal) => {
          const isWhole = await render([file, ...worlds], folder, browser, kind, path, range, options, signal);
          process.exitCode = isWhole ? EXIT.done : EXIT.lossy;
        });
      });
    });
}

/** `files`: the recording, and those that show its world. False: one of these cannot be shown. */
async function render(
  files: readonly string[],
  folder: string,
  program: string,
  kind: Kind,
  path: unknown,
  range: { readonly start: Time; readonly end: Time },
  options: RenderCommand,
  signal: AbortSignal,
): Promise<boolean> {
  const { fps, rate, theme, overlays, json } = options;
  const [width, height] = options.size;
  const file = files[0]!;
  const [entries, worlds] = [await entriesOf(files), await worldEntriesOf(files)];
  if (entries.length !== 1)
    throw new UsageError(`one recording is rendered, and in ${files.join(", ")} are ${entries.length}`);
  // asked before anything is drawn
  const target = kind === "folder" ? null : await targetOf(undefined, options, file);
  const count = Math.ceil(((range.end - range.start) / 1e9) * (fps / rate));
  const digits = Math.max(4, String(count).length);
  const output =
    target === null
      ? await folderOutput(options.output, digits, file)
      : (kind === "png" ? pictureOutput : fileOutput)(await target.sink.open());
  const work = await temporaryFolder("render");
  const server = await serveView({ folder, entries, worlds, given: options.given, modules: formatModules() });
  const browser = await Chromium.start(program);
  const stop = (): void => void browser.close();
  signal.addEventListener("abort", stop, { once: true });
  const progress = new Progress("rendering");
  try {
    const address = new URL(server.address(entries));
    address.searchParams.set("render", "");
    address.hash = `t=${Math.max(0, range.start / 1e9).toFixed(9)}`;
    const video = await RemoteVideo.open(browser, address.href);
    const notShown = await video.ready();
    for (const problem of notShown) say(problem);
    if (path !== null) await video.checkPath(path, options.camera!);
    const isMovie = kind === "mp4" || kind === "webm";
    const codecs = isMovie ? await video.codecs(kind, width, height) : [];
    const how = encodingOf(kind, codecs, isMovie ? await programCalled("ffmpeg") : null, `${width}x${height}`);
    if (how.note !== null) say(how.note);
    const asked: RenderOptions = {
      ...{ kind: how.kind, codec: how.codec, width, height, scheme: theme, overlays, path },
      ...{ ...range, fps, rate },
    };
    const made = await deliver(output, how, video, asked, work, progress, signal);
    progress.end();
    const named = target?.main ?? options.output;
    if (json === true) await printed({ file: named, width, height, fps, ...range, ...made, notShown });
    else say(`${named}: ${describe(made, width, height, fps, kind)}`);
    return notShown.length === 0;
  } catch (error) {
    await output.abort();
    throw error;
  } finally {
    progress.end();
    signal.removeEventListener("abort", stop);
    await browser.close();
    await server.close();
    await removeFolder(work);
  }
}

/** Puts what the page makes where it belongs, or nothing at all. */
async function deliver(
  output: RenderOutput,
  { codec, ffmpeg }: Encoding,
  video: RemoteVideo,
  asked: RenderOptions,
  work: string,
  progress: Progress,
  signal: AbortSignal,
): Promise<Rendered> {
  const onProgress = (done: number, total: number): void =>
    progress.show(done, total, (value) => counted(value, "frame"));
  const file = join(work, "movie");
  const movie = ffmpeg === null ? null : new FfmpegMovie(ffmpeg, codec === "avc" ? "mp4" : "webm", file, asked.fps);
  try {
    const take = movie === null ? output.take : (bytes: Uint8Array) => movie.add(bytes);
    const frames = await video.render(asked, take, onProgress, signal);
    if (movie !== null) {
      await movie.finish();
      let position = 0;
      for await (const piece of createReadStream(file) as AsyncIterable<Buffer>) {
        await output.take(piece, position);
        position += piece.length;
      }
    }
    return { frames, codec: codec === null ? null : CODEC_NAMES[codec], bytes: await output.close() };
  } catch (error) {
    movie?.cancel();
    throw error;
  }
}

/** Signals end what was begun in order; the process ends by the signal then. */
async function interruptible(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController();
  let by: NodeJS.Signals | null = null;
  const heard = (signal: NodeJS.Signals): void => {
    by = signal;
    controller.abort(new Error(`ended by ${signal}`));
  };
  for (const signal of ENDING) process.on(signal, heard);
  try {
    await work(controller.signal);
  } finally {
    for (const signal of ENDING) process.off(signal, heard);
    if (by !== null) {
      process.kill(process.pid, by);
      // the signal arrives at the next turn
      await new Promise((resolve) => {
        setTimeout(resolve, 1000);
      });
    }
  }
}

async function rangeOf(
  { at, from, until }: RenderCommand,
  recording: Recording,
): Promise<{ readonly start: Time; readonly end: Time }> {
  const { start, end } = await recording.timeline();
  if (at !== undefined) {
    const time = Math.max(start, await parseTime(at, recording));
    return { start: time, end: time };
  }
  const range = await parseRange({ from, until }, recording);
  return { start: Math.max(start, range.start ?? start), end: Math.min(end, range.end ?? end) };
}

/** Throws `UsageError` for what does not go together. */
function kindOf({ output, at, from, until, size }: RenderCommand): Kind {
  const kind =
    KINDS[extname(output).toLowerCase()] ?? (output.endsWith("/") || extname(output) === "" ? "folder" : null);
  if (kind === null || output === "-")
    throw new UsageError(`the output is named .png, .mp4, .webm or .gif, or is a folder, not ${output}`);
  if (at !== undefined && (from !== undefined || until !== undefined))
    throw new UsageError("--at is of a picture, --from and --until are of a video: give one of them");
  if (at !== undefined && kind !== "png")
    throw new UsageError(`--at makes a picture: name the output .png, not ${output}`);
  if (at === undefined && kind === "png")
    throw new UsageError("a picture is of one time: give --at, or name a folder for a picture of each frame");
  if ((kind === "mp4" || kind === "webm") && size.some((side) => side % 2 !== 0))
    throw new UsageError(`a video has even sides, not ${size.join("x")}`);
  return kind;
}

/** A path as JSON; the page checks it. Throws `UsageError` where there is none. */
async function cameraPath(file: string): Promise<unknown> {
  const found = await stat(file).catch(() => null);
  if (found?.isFile() !== true) throw new UsageError(`no camera path is there: ${file}`);
  if (found.size > PATH_LIMIT) throw new UsageError(`too large for a camera path: ${file}`);
  const text = await readFile(file, "utf8");
  let path: unknown;
  try {
    path = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`not a camera path: ${file}: ${(error as Error).message}`);
  }
  if (path === null) throw new UsageError(`not a camera path: ${file}: null`);
  return path;
}

async function printed(made: object): Promise<void> {
  const output = new Output();
  await output.line(toJson(made));
  await output.flush();
}

function describe({ frames, codec, bytes }: Rendered, width: number, height: number, fps: number, kind: Kind): string {
  const size = `${width}x${height}, ${byteSize(bytes)}`;
  if (kind === "png") return size;
  const long = kind === "folder" ? "" : `, ${clock((frames / fps) * 1e9)} long`;
  return `${counted(frames, "frame")}${long}, ${codec === null ? "" : `${codec}, `}${size}`;
}

function sizeOf(text: string): [number, number] {
  const [, width, height] = /^(\d{1,5})x(\d{1,5})$/i.exec(text) ?? [];
  const sides: [number, number] = [Number(width), Number(height)];
  if (sides.every((side) => side >= SIDES.least && side <= SIDES.most)) return sides;
  throw new InvalidArgumentError(`two numbers from ${SIDES.least} to ${SIDES.most}: 1280x720.`);
}

function numberOf(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = text.trim() === "" ? Number.NaN : Number(text);
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`a number from ${least} to ${most}.`);
  };
}
