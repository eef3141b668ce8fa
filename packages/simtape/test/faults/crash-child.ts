/**
 * Records two walkers until it is killed: crash-child.ts FOLDER JOURNAL, `yes` or `no`. Prints the ticks that are over.
 * Its time runs four times as fast.
 */
import { journalFile } from "../../src/cli/serving.ts";
import { directoryStore } from "../../src/io/node/index.ts";
import { record } from "../../src/record/index.ts";
import { comeIn, step } from "../record/walkers.ts";

const [folder, hasJournal] = process.argv.slice(2);
const began = performance.now();
const elapsed = (): number => (performance.now() - began) * 4;
const recorder = await record(directoryStore(folder!), {
  id: "run",
  now: () => 1_767_225_600_000 + elapsed(),
  keepsPrevious: true,
  commit: { every: 5000 },
  journal: hasJournal === "yes" ? journalFile(`${folder}/run/journal.hcj`) : undefined,
});
comeIn(recorder.world, 2);
setInterval(() => {
  const due = Math.floor(elapsed() / 50);
  if (recorder.tick === due) return;
  while (recorder.tick < due) {
    step(recorder.world, 2, recorder.tick);
    recorder.endTick();
  }
  process.stdout.write(`${recorder.tick}\n`);
}, 2);
