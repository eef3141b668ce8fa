import { check, type CheckReport, convert, MemoryFiles, open, type Recording } from "simtape-core";
import { FORMATS } from "simtape-core/formats";
import { mira } from "simtape-core/formats/mira";
import { ByteCursor } from "simtape-core/kit";
import { fromFile } from "simtape-core/node";

/** What a program does with the types of the core alone. */
export async function reportOf(path: string): Promise<CheckReport> {
  const recording: Recording = await open(fromFile(path), { formats: FORMATS });
  const report = await check(recording);
  await recording.close();
  return report;
}

export { ByteCursor, convert, MemoryFiles, mira };
