/** Measures dragging a pointer over 1 GB behind HTTP with a delay of 30 ms, sixty moves a second: `scrub.ts FOLDER`. */
import { join } from "node:path";
import { open, play, type Time } from "../../packages/simtape/dist/index.js";
import { served } from "../make/served.ts";
import { summary } from "./figures.ts";

const DELAY = 30;
const SECONDS = 10;
const MOVES = SECONDS * 60;
const [folder] = process.argv.slice(2) as [string];

/** To and fro over the whole recording, and never twice to the same place. */
function pointer(n: number, end: Time): Time {
  return Math.floor((0.5 - 0.49 * Math.cos(n / 40) + 0.01 * Math.sin(n * 1.7)) * end);
}

using server = await served(join(folder, "crowd.hcrp"), DELAY);
const recording = await open(server.url);
const { end } = await recording.timeline();
for (const isPlaying of [false, true]) {
  await using player = play(recording);
  await player.seek(0.5 * end);
  if (isPlaying) player.play();
  /** The pointer's moves: the time that each led to, and when it was, milliseconds. */
  const moves: { readonly time: Time; readonly at: number }[] = [];
  const shown: number[] = [];
  const waited: number[] = [];
  let answered = 0;
  player.subscribe(({ time, cause }) => {
    if (cause !== "seek") return;
    const now = performance.now();
    const at = moves.findLastIndex((move) => move.time === time);
    if (at < 0) return;
    shown.push(now - moves[at]!.at);
    for (; answered <= at; answered++) waited.push(now - moves[answered]!.at);
  });
  await server.reset();
  const began = performance.now();
  for (let n = 0; n < MOVES; n++) {
    const wait = began + (n * 1000) / 60 - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    const time = pointer(n, end);
    moves.push({ time, at: performance.now() });
    void player.seek(time);
  }
  const { count, times, together } = await server.report();
  const gaps = times.slice(1).map((time, i) => time - times[i]!);
  console.log(
    `${isPlaying ? "playing" : "paused"}, ${DELAY} ms away: ${(shown.length / SECONDS).toFixed(1)} scenes a second`,
  );
  console.log(`  from a move to its scene: ${summary(shown)}`);
  console.log(`  from any move to its scene or a newer one: ${summary(waited)}`);
  console.log(
    `  ${count} requests for ${shown.length} scenes, ${together} at a time, ${Math.min(...gaps).toFixed(1)} ms apart at least`,
  );
}
await recording.close();
