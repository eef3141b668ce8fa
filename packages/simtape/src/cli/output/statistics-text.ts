import type { ChannelRates, PathStatistics, RecordingStatistics, Travel } from "../../stats/report.ts";
import { byteSize, counted, grouped, paint } from "../run/terminal.ts";
import { clock } from "../input/time.ts";

const MOST_TRAVELS = 10;
const MOST_CHANNELS = 20;
const MOST_PATHS = 60;

/** The statistics of one recording as tables for people. */
export function statisticsText(file: string, found: RecordingStatistics): string[] {
  const { format, start, end, moments, channels, paths, morePaths, travels, moreTravels, events } = found;
  const lines = [paint.bold(`${file} (${format}, ${clock(start)} to ${clock(end)}, ${counted(moments, "moment")})`)];
  const met = channels.filter(({ messages }) => messages > 0);
  lines.push("", ...table(CHANNEL_HEAD, met.slice(0, MOST_CHANNELS).map(channelRow)));
  lines.push(...moreLine(met.length - MOST_CHANNELS));
  if (paths.length > 0) lines.push("", ...table(PATH_HEAD, paths.slice(0, MOST_PATHS).map(pathRow)));
  lines.push(...moreLine(Math.max(0, paths.length - MOST_PATHS) + morePaths));
  const moved = travels.filter(({ distance }) => distance > 0);
  if (moved.length > 0) lines.push("", ...table(TRAVEL_HEAD, moved.slice(0, MOST_TRAVELS).map(travelRow)));
  lines.push(...moreLine(Math.max(0, moved.length - MOST_TRAVELS) + moreTravels));
  if (events.length > 0) {
    const rows = events.map(({ kind, count, perMinute }) => [
      kind,
      grouped(count),
      perMinute === null ? "" : number(perMinute),
    ]);
    lines.push("", ...table(["event", "count", "a minute"], rows));
  }
  return lines;
}

const CHANNEL_HEAD = ["channel", "messages", "size", "a second", "longest gap", "from"];
const PATH_HEAD = ["path", "unit", "count", "least", "5 %", "median", "95 %", "most", "mean"];
const TRAVEL_HEAD = ["thing", "label", "metres", "m/s", "from", "to"];

function channelRow({ name, messages, bytes, rate, gap }: ChannelRates): string[] {
  const longest = gap === null ? ["", ""] : [`${number(gap.length / 1e9)} s`, clock(gap.from)];
  return [name, grouped(messages), byteSize(bytes), rate === null ? "" : number(rate), ...longest];
}

function pathRow({ path, unit, count, least, most, mean, quantiles }: PathStatistics): string[] {
  const [low, median, high] = [quantiles[1]!, quantiles[3]!, quantiles[5]!];
  return [path, unit ?? "", grouped(count), ...[least, low, median, high, most, mean].map(number)];
}

function travelRow({ set, id, label, distance, speed, first, last }: Travel): string[] {
  return [`${set}/${id}`, label, number(distance), speed === null ? "" : number(speed), clock(first), clock(last)];
}

function moreLine(left: number): string[] {
  return left > 0 ? [paint.dim(`… and ${grouped(left)} more; --json has those that are listed`)] : [];
}

/** The first column to the left, numbers to the right. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((title, k) => Math.max(title.length, ...rows.map((row) => row[k]!.length)));
  const isText = (k: number): boolean => k === 0 || head[k] === "unit" || head[k] === "label";
  const line = (row: readonly string[]): string =>
    row
      .map((cell, k) => (isText(k) ? cell.padEnd(widths[k]!) : cell.padStart(widths[k]!)))
      .join("  ")
      .trimEnd();
  return [paint.dim(line(head)), ...rows.map(line)];
}

function number(value: number): string {
  return String(Number(value.toPrecision(6)));
}
