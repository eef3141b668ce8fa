import { writeFileSync } from "node:fs";
import { argv } from "node:process";
import { pathToFileURL } from "node:url";
import * as kit from "simtape/kit";
import { MAGIC, writeRecord } from "./layout.ts";

/** Ten seconds of two things: 1 goes along x, 2 m each second; 2 stays where it is. */
export function makeSample(): Uint8Array {
  const out = new kit.ByteBuilder().utf8(MAGIC);
  for (let tick = 0; tick <= 100; tick++) {
    writeRecord(kit, out, tick * 1e8, { thing: 1, position: [tick / 5, 0, 0] });
    writeRecord(kit, out, tick * 1e8, { thing: 2, position: [5, 5, 0] });
  }
  return out.take();
}

// As a program it writes the sample to the file that is named.
const [, program = "", file = "sample.newformat"] = argv;
if (import.meta.url === pathToFileURL(program).href) writeFileSync(file, makeSample());
