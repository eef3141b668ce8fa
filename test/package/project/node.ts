import { open } from "simtape";
import { directoryStore, fromFile, toFile } from "simtape/node";
import { runCase } from "simtape/testing";
import { Client } from "simtape-client";

/** What a program of Node does with types. */
export async function formatOf(path: string): Promise<string> {
  const recording = await open(fromFile(path));
  const { format } = recording.info;
  await recording.close();
  return format;
}

/** The names of the recordings of a server. */
export async function namesAt(address: string): Promise<readonly string[]> {
  const { recordings } = await new Client(address).ask("GET /api/recordings", { query: { limit: 10 } });
  return recordings.map(({ name }) => name);
}

export { directoryStore, runCase, toFile };
