import { open } from "simtape";
import { directoryStore, fromFile, toFile } from "simtape/node";
import { runCase } from "simtape/testing";

/** What a program of Node does with types. */
export async function formatOf(path: string): Promise<string> {
  const recording = await open(fromFile(path));
  const { format } = recording.info;
  await recording.close();
  return format;
}

export { directoryStore, runCase, toFile };
