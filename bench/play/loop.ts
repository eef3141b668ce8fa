/** Measures memory while ten minutes are played at rate 8 in a loop: `loop.ts FOLDER`. */
import { join } from "node:path";
import { open, play } from "../../packages/simtape/dist/index.js";
import { fromFile } from "../../packages/simtape/dist/io/node/index.js";
import { BenchClock, turn } from "./clock.ts";
import { memory, summary } from "./figures.ts";

const MINUTES = 10;
const REAL_SECONDS = 20;
const [folder] = process.argv.slice(2) as [string];

await using recording = await open(fromFile(join(folder, "crowd.hcrp")));
const { end } = await recording.timeline();
const start = Math.floor(end / 3);
const options = { at: start, rate: 8, loop: { start, end: start + 120e9 } };

{
  const clock = new BenchClock();
  await using player = play(recording, { ...options, clock });
  await player.seek(start);
  player.play();
  const samples: number[] = [];
  let last = start;
  let rounds = 0;
  for (let second = 10; second <= MINUTES * 60; second += 10) {
    const began = clock.now();
    await clock.run(() => {
      const { time } = player.status;
      if (time < last) rounds++;
      last = time;
      return clock.now() - began >= 10e9;
    });
    samples.push(memory());
  }
  const [early, late] = [samples.slice(6, 18), samples.slice(-12)].map(
    (some) => some.reduce((sum, each) => sum + each, 0) / some.length,
  ) as [number, number];
  console.log(
    `${MINUTES} minutes of clock at rate 8, ${rounds} rounds of a loop: heap and buffers ${summary(samples, " MB")}; minutes 1 to 3 ${early.toFixed(1)}, last two ${late.toFixed(1)} MB`,
  );
}

await using player = play(recording, options);
const phases = new Set<string>();
player.onStatus(({ phase }) => void phases.add(phase));
await player.seek(start);
player.play();
let frames = 0;
player.subscribe(() => void frames++);
const began = performance.now();
const samples: number[] = [];
while (performance.now() < began + REAL_SECONDS * 1000) {
  await new Promise((resolve) => setTimeout(resolve, 2000));
  await turn();
  samples.push(memory());
}
console.log(
  `${REAL_SECONDS} seconds by the wall: ${(frames / REAL_SECONDS).toFixed(0)} frames a second, ${[...phases].join(", ")}; ${summary(samples, " MB")}`,
);
