/**
 * Measures how long a tick of playing and a seek take, in ten minutes of 24 players in HCRP. It measures processor
 * time, which other programs hardly change; the 95th percentile of a tick should stay below 2 ms.
 */
import { demo } from "../../packages/demo/dist/hcrp.js";
import {
  MemoryFiles,
  open,
  type PlayOptions,
  play,
  type Recording,
  type Time,
} from "../../packages/simtape/dist/index.js";
import { BenchClock, spent } from "./clock.ts";
import { spread } from "./figures.ts";

const SECONDS = 600;
const TICK: Time = 16_666_667;
const TICKS = 60 * 60;

function report(name: string, milliseconds: readonly number[]): void {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  const at = (part: number): string => sorted[Math.floor(part * (sorted.length - 1))]!.toFixed(3).padStart(8);
  console.log(
    `${name.padEnd(28)} ${String(sorted.length).padStart(6)} times, ms: median ${at(0.5)}  p95 ${at(0.95)}  p99 ${at(0.99)}  max ${at(1)}`,
  );
}

async function ticks(name: string, recording: Recording, from: Time, options: PlayOptions): Promise<void> {
  const clock = new BenchClock();
  await using player = play(recording, { ...options, clock, interval: TICK, atEnd: "repeat" });
  await player.seek(from);
  player.play();
  const began = process.cpuUsage();
  await clock.run(() => clock.milliseconds.length >= TICKS);
  const perTick = spent(began) / clock.milliseconds.length;
  report(name, clock.milliseconds);
  console.log(`${" ".repeat(29)}with all that is read and folded ahead: ${perTick.toFixed(3)} ms a tick`);
}

const files = new MemoryFiles("race.hcrp");
await demo({ seconds: SECONDS, entities: 24, seed: 1 }, files);
await using recording = await open(files.bytes);
console.log(`24 players, ${SECONDS} s, ${(files.bytes.length / 1e6).toFixed(1)} MB`);

for (const rate of [1, 4, 64, -1, -4, -64]) {
  await ticks(Math.abs(rate) > 4 ? `rate ${rate}` : `row 3: rate ${rate}`, recording, rate > 0 ? 60e9 : 540e9, {
    rate,
  });
}
await ticks("rate -4, as recorded", recording, 540e9, { rate: -4, interpolate: false });
const ghosts = Array.from({ length: 8 }, (_, i) => ({ recording, offset: i * 10e9 }));
await ticks("rate 1, eight ghosts", recording, 300e9, { ghosts });
await ticks("rate -1, eight ghosts", recording, 300e9, { ghosts, rate: -1 });

const seeks: number[] = [];
await using player = play(recording);
for (let n = 0; n < 300; n++) {
  const began = process.cpuUsage();
  await player.seek(spread(n) * SECONDS * 1e9);
  seeks.push(spent(began));
}
report("seek, anywhere", seeks);
