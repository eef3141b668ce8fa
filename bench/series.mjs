/** One measured case in a process of its own: node bench/series.mjs FILE. Prints one line of JSON. */
import { open } from "../packages/simtape/dist/index.js";
import { fromFile } from "../packages/simtape/dist/io/node/index.js";

const [file] = process.argv.slice(2);
const ROUNDS = 7;
const FIFTY = 50;

async function timed(work) {
  const began = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { wall: performance.now() - began, processor: (user + system) / 1000 };
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
}

// fifty long series need more than the usual budget
const recording = await open(fromFile(file), { budget: 2 ** 31 });
const { start, end } = await recording.timeline();
const listed = await recording.paths({ at: start + (end - start) / 2 });
const numbers = listed.filter(
  ({ path, kind }) => kind !== "text" && !("item" in path && typeof path.item === "string"),
);
// the places of things, if the recording has places; else all numbers
const places = numbers.filter(({ path }) => "column" in path && path.column === "position");
const wanted = places.length > 0 ? places : numbers;
const some = wanted.length < FIFTY ? numbers : wanted;
const step = Math.max(1, Math.floor(some.length / FIFTY));
const fifty = some.filter((_, i) => i % step === 0).slice(0, FIFTY);

// a number that is recorded, since a place may have to be computed
const value = numbers.find(({ path }) => "value" in path);
const works = {
  one: () => recording.series([wanted[0].path]),
  ...(value !== undefined && value !== wanted[0] && { value: () => recording.series([value.path]) }),
  fifty: () => recording.series(fifty.map(({ path }) => path)),
  minmax: () => recording.series([wanted[0].path], { points: 2000 }),
};
const rounds = [];
let messages = 0;
for (let n = 0; n < ROUNDS; n++) {
  const round = {};
  for (const [name, work] of Object.entries(works)) {
    const scanned = await timed(async () => {
      messages = 0;
      for await (const batch of recording.batches()) messages += batch.length;
    });
    const taken = await timed(work);
    round[name] = {
      scanned: scanned.wall,
      taken: taken.wall,
      wall: scanned.wall / taken.wall,
      processor: scanned.processor / taken.processor,
    };
  }
  // in the first one Node compiles the code
  if (n > 0) rounds.push(round);
}
const of = (name, what) => median(rounds.map((round) => round[name][what]));
const results = Object.keys(works).map((name) => ({
  name,
  taken: of(name, "taken"),
  scanned: of(name, "scanned"),
  wall: of(name, "wall"),
  processor: of(name, "processor"),
}));
console.log(
  JSON.stringify({ bytes: recording.info.bytes, messages, path: wanted[0].text, paths: fifty.length, results }),
);
await recording.close();
