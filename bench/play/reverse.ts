/**
 * Compares playing backwards with playing forward: `reverse.ts FILE|URL NAME SECONDS`. Other runs measure the memory.
 */
import { open, play, type Time } from "../../packages/simtape/dist/index.js";
import { fromFile } from "../../packages/simtape/dist/io/node/index.js";
import { BenchClock } from "./clock.ts";
import { memory, timed } from "./figures.ts";

const ROUNDS = 3;
/** Least span that is played, nanoseconds: in a shorter one, data that is read ahead and not used would count. */
const LEAST = 200e9;
const [place, name, seconds] = process.argv.slice(2) as [string, string, string];

interface Run {
  readonly wall: number;
  readonly processor: number;
  /** Megabytes above what the open recording takes; 0 unless measured. */
  readonly peak: number;
}

const recording = await open(place.startsWith("http:") ? new URL(place) : fromFile(place));
const { start, end } = await recording.timeline();
async function run(rate: number, from: Time, to: Time, isMeasured = false): Promise<Run> {
  const before = isMeasured ? memory() : 0;
  const clock = new BenchClock();
  await using player = play(recording, { clock, rate });
  const [begin, end] = rate > 0 ? [from, to] : [to, from];
  await player.seek(begin);
  let peak = 0;
  let frames = 0;
  player.subscribe(() => {
    if (isMeasured && frames++ % 30 === 0) peak = Math.max(peak, memory() - before);
  });
  player.play();
  const { wall, processor } = await timed(() =>
    clock.run(() => (rate > 0 ? player.status.time >= end : player.status.time <= end)),
  );
  return { wall, processor, peak };
}

const middle = start + Math.floor((end - start) * 0.4);
for (const rate of [1, 8, 64]) {
  const span = Math.max(LEAST, (Number(seconds) * 1e9 * rate) / 8);
  const range = (round: number): [Time, Time] => [middle + round * span, middle + (round + 1) * span];
  // in the first runs Node compiles the code
  for (const by of [rate, -rate]) await run(by, ...range(ROUNDS));
  const there: Run[] = [];
  const back: Run[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    there.push(await run(rate, ...range(round)));
    back.push(await run(-rate, ...range(round)));
  }
  const sum = (runs: readonly Run[], of: "wall" | "processor"): number => runs.reduce((all, each) => all + each[of], 0);
  const perSecond = (runs: readonly Run[]): string => (sum(runs, "processor") / ((ROUNDS * span) / 1e9)).toFixed(2);
  const ratio = (of: "wall" | "processor"): string => (sum(back, of) / sum(there, of)).toFixed(2);
  const peaks = [await run(rate, ...range(0), true), await run(-rate, ...range(0), true)].map(({ peak }) =>
    Math.max(0, peak).toFixed(0),
  );
  console.log(
    `${name}, rate ${rate}: forward ${perSecond(there)}, back ${perSecond(back)} ms of processor for a second of recording: ${ratio("processor")} times (wall ${ratio("wall")}); memory ${peaks.join(" and ")} MB`,
  );
}
await recording.close();
