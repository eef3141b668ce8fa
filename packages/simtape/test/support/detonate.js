/** A process of its own that does with a recording whatever can be done, and says what came of it and what it took. */
import { readFileSync, rmSync } from "node:fs";
import { check, convert, FORMATS, open, RecordingError } from "../../dist/index.js";
import { fileSpool, fromFile, toFile } from "../../dist/io/node/index.js";

const [path, budget = "", deeds = "state,batches,records,statistics,check,convert"] = process.argv.slice(2);
const options = { spool: fileSpool(), ...(budget === "" ? {} : { budget: Number(budget) }) };
const outcomes = {};

/** MiB; what getrusage says would count the process that this one was forked from. */
function peak() {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))[1]) >> 10;
  } catch {
    return process.resourceUsage().maxRSS >> 10;
  }
}

async function attempt(name, deed) {
  // what the deed before has left for the engine to collect is none of this one's
  globalThis.gc?.();
  const before = process.cpuUsage();
  try {
    outcomes[name] = { result: String((await deed()) ?? "done") };
  } catch (error) {
    const isTyped = RecordingError.is(error) || ["LayoutError", "EncodeError"].includes(error?.name);
    outcomes[name] = {
      error: String(isTyped ? (error.code ?? error.name) : "untyped"),
      message: String(isTyped ? error.message : error?.stack).slice(0, 400),
    };
  }
  const { user, system } = process.cpuUsage(before);
  outcomes[name].seconds = Math.round((user + system) / 1e4) / 100;
  outcomes[name].peak = peak();
}

const deedsOf = {
  state: async (recording) => {
    const { end } = await recording.timeline();
    const state = await recording.state(end);
    return `${state.values.size} values, ${state.sets.size} sets`;
  },
  batches: async (recording) => {
    let messages = 0;
    for await (const batch of recording.batches()) messages += batch.length;
    return `${messages} messages`;
  },
  back: async (recording) => {
    let messages = 0;
    for await (const batch of recording.batches({ reverse: true })) messages += batch.length;
    return `${messages} messages`;
  },
  records: async (recording) => {
    let records = 0;
    for await (const some of recording.reader.records()) records += some.length;
    return `${records} records`;
  },
  statistics: async (recording) => (await recording.statistics()).length,
  check: async (recording) => (await check(recording)).status,
  convert: async (recording) => {
    const to = recording.info.format === "hcrp" ? "nanover" : "hcrp";
    const writing = await FORMATS.find(({ id }) => id === to).writing();
    const result = await convert(recording, writing, toFile(`${path}.converted`));
    rmSync(`${path}.converted`, { force: true });
    return `${result.moments} moments, ${result.lost.length} lost`;
  },
};

let recording = null;
await attempt("open", async () => {
  recording = await open(fromFile(path), options);
  return `${recording.channels.length} channels, ${recording.findings.length} findings`;
});
if (recording !== null) {
  for (const deed of deeds.split(",")) if (deed in deedsOf) await attempt(deed, () => deedsOf[deed](recording));
  await recording.close();
}
const { user, system } = process.cpuUsage();
const total = { peak: peak(), seconds: Math.round((user + system) / 1e4) / 100 };
process.stdout.write(JSON.stringify({ outcomes, ...total }));
