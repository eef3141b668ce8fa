/** Run where only simtape-core is installed: node core.mjs FILE… opens, checks and plays each recording, and converts it. */
import assert from "node:assert/strict";
import { check, convert, MemoryFiles, open, play, seconds } from "simtape-core";
import { FORMATS } from "simtape-core/formats";
import { carla } from "simtape-core/formats/carla";
import { hcrp } from "simtape-core/formats/hcrp";
import { ByteCursor } from "simtape-core/kit";
import { fromFile } from "simtape-core/node";

assert(FORMATS.includes(carla) && ByteCursor !== undefined);
for (const path of process.argv.slice(2)) {
  const recording = await open(fromFile(path), { formats: FORMATS });
  assert.equal((await check(recording)).status, "sound", path);
  const { start, end } = await recording.timeline();
  const state = await recording.state((start + end) / 2);
  assert(state.values.size + state.sets.size > 0, path);
  const player = play(recording);
  assert(await player.seek(seconds(1)), path);
  await player.close();
  if (recording.info.format !== "hcrp") {
    const files = new MemoryFiles("copy.hcrp");
    await convert(recording, await hcrp.writing(), files);
    const copy = await open(files.bytes, { formats: [hcrp] });
    assert.equal(copy.info.format, "hcrp");
    await copy.close();
  }
  await recording.close();
}
