/** One measured case in a process of its own: node bench/compare.mjs FILE speed | find COUNT. Prints one line. */
import { readFileSync } from "node:fs";
import { compare } from "../packages/simtape/dist/compare/index.js";
import { ChunkContext } from "../packages/simtape/dist/formats/hcrp/chunk/context.js";
import { FORMATS, open } from "../packages/simtape/dist/index.js";
import { fromFile } from "../packages/simtape/dist/io/node/index.js";
import { Columns } from "../packages/simtape/dist/model/messages/batch.js";
import { Recording } from "../packages/simtape/dist/model/recording.js";

const [file, mode, count] = process.argv.slice(2);
const SEED = 32;
const opened = () => open(fromFile(file));

/** Gives the events of the original recording `of`, because a format finds events only with its own readers. */
class WithEvents extends Recording {
  of;

  events(query) {
    return this.of.events(query);
  }
}

/** The same recording with one byte of one message changed; its events are as they were. */
function changed(recording, spot) {
  const { reader } = recording;
  const made = new WithEvents(
    {
      ...{ info: reader.info, channels: reader.channels, budget: reader.budget, state: reader.state },
      timeline: () => reader.timeline(),
      statistics: (signal) => reader.statistics(signal),
      keyframe: (time, signal) => reader.keyframe(time, signal),
      batches: (query) => withSpot(reader.batches(query), spot),
      close: () => reader.close(),
    },
    { list: () => [] },
    FORMATS.find(({ id }) => id === reader.info.format),
  );
  made.of = recording;
  return made;
}

async function* withSpot(batches, { sequence, at, by }) {
  for await (const batch of batches) {
    // a batch of merged chunks has its rows in order of time
    const i = batch.sequence.indexOf(sequence);
    if (i < 0) {
      yield batch;
      continue;
    }
    const bytes = batch.bytes.slice();
    bytes[batch.start[i] + at] ^= by;
    const context = batch.context instanceof ChunkContext ? batch.context.changed() : batch.context;
    const { time, channel, sequence: places, flags, start, end, shifted } = batch;
    yield new Columns(time, channel, places, flags, bytes, start, end, context, shifted);
  }
}

function isAlike(a, b) {
  if (a === b || (Number.isNaN(a) && Number.isNaN(b))) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return (a ?? null) === (b ?? null);
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((key) => isAlike(a[key], b[key]));
}

/** Paths at which two states differ. */
function differing(a, b) {
  const found = new Set();
  for (const name of new Set([...a.values.keys(), ...b.values.keys()]))
    if (!isAlike(a.values.get(name), b.values.get(name))) found.add(name);
  const cells = (set, name) => {
    const all = new Map();
    for (const [row, id] of set?.ids.entries() ?? []) {
      all.set(`${name}/${id}`, []);
      for (const [key, { data, width }] of set.columns)
        all.set(`${name}/${id}/${key}`, [...data.slice(row * width, (row + 1) * width)]);
    }
    return all;
  };
  for (const name of new Set([...a.sets.keys(), ...b.sets.keys()])) {
    const [one, other] = [cells(a.sets.get(name), name), cells(b.sets.get(name), name)];
    for (const path of new Set([...one.keys(), ...other.keys()]))
      if (!isAlike(one.get(path), other.get(path))) found.add(path);
  }
  return found;
}

const isAmong = (path, paths) => [...paths].some((one) => path === one || path.startsWith(`${one}.`));

/** Mulberry32: the same numbers for the same seed. */
let seed = SEED;
function random() {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}

async function batchesOf(recording) {
  let bytes = 0;
  for await (const batch of recording.batches()) bytes += batch.length;
  return bytes;
}

async function timed(work) {
  const began = process.cpuUsage();
  const start = performance.now();
  const value = await work();
  const { user, system } = process.cpuUsage(began);
  return { value, wall: performance.now() - start, processor: (user + system) / 1000 };
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];

/** Random bytes of messages whose values the state holds, drawn evenly from the messages of the file. */
async function spots(recording, wanted) {
  const { statistics } = { statistics: await recording.statistics() };
  const total = statistics.reduce((sum, { messages }) => sum + messages, 0);
  const places = new Set();
  while (places.size < Math.min(wanted, total)) places.add(Math.floor(random() * total));
  const found = [];
  let n = 0;
  for await (const batch of recording.batches()) {
    for (let i = 0; i < batch.length; i++, n++) {
      if (!places.has(n)) continue;
      const length = batch.end[i] - batch.start[i];
      if (length === 0 || recording.reader.state.holds?.(batch.channel[i]) === false) continue;
      const at = Math.floor(random() * length);
      found.push({ sequence: batch.sequence[i], time: batch.time[i], at, by: 1 << Math.floor(random() * 8) });
    }
  }
  return found.sort(() => random() - 0.5);
}

/** Peak memory of this process alone, MB. The system's other figure also counts the process that started this one. */
const peakOf = () => Math.round(Number(/VmHWM:\s*(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]) / 1024);

async function speed() {
  const a = await opened();
  const b = await opened();
  const bytes = a.info.bytes;
  const rounds = [];
  let read = 0;
  for (let n = 0; n < (bytes > 5e8 ? 2 : 4); n++) {
    const both = await timed(async () => (await batchesOf(a)) + (await batchesOf(b)));
    if (n === 0) read = peakOf();
    const same = await timed(() => compare(a, b));
    if (!same.value.same) throw new Error("not the same as itself");
    rounds.push({ read: both, same });
  }
  const [spot] = (await spots(a, 40)).toSorted((x, y) => x.time - y.time);
  const one = await timed(() => compare(a, changed(b, spot)));
  const ratio = (what) => median(rounds.slice(1).map(({ read, same }) => read[what] / same[what])).toFixed(2);
  const last = rounds.at(-1);
  return `${(bytes / 1e6).toFixed(0)} MB; batches() of both ${last.read.wall.toFixed(0)} ms, same ${last.same.wall.toFixed(0)} ms: ${ratio("wall")} times as fast, ${ratio("processor")} by processor time; one byte changed near the start ${one.wall.toFixed(0)} ms (${one.value.moments} moments); peak ${peakOf()} MB, of batches() alone ${read} MB`;
}

async function find(wanted) {
  const a = await opened();
  const began = performance.now();
  let [tried, found] = [0, 0];
  const missed = [];
  for (const spot of await spots(a, wanted * 6)) {
    if (tried === wanted) break;
    const b = changed(a, spot);
    const state = await b.state(spot.time).catch(() => null);
    // a payload that does not fit its layout ends the reading of both
    if (state === null) continue;
    const there = differing(await a.state(spot.time), state);
    // the byte changes no value of the state
    if (there.size === 0) continue;
    tried++;
    const { first } = await compare(a, b);
    if (first?.time === spot.time && (first.kind === "event" || isAmong(first.path, there))) found++;
    else missed.push({ spot, first, there: [...there].slice(0, 3) });
  }
  if (missed.length > 0) console.error(JSON.stringify(missed.slice(0, 3)));
  return `${found} of ${tried} found, ${(a.info.bytes / 1e6).toFixed(0)} MB, ${((performance.now() - began) / 1000).toFixed(0)} s`;
}

console.log(mode === "find" ? await find(Number(count)) : await speed());
