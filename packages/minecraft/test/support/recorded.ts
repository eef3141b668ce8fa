import { readdirSync } from "node:fs";
import { join } from "node:path";
import { open, type Recording } from "simtape";
import { fromFile } from "simtape/node";

/** The recordings of a proxy's folder, by their names. */
export async function recordedIn(store: string): Promise<Map<string, Recording>> {
  const names = readdirSync(store)
    .filter((name) => name !== "worlds")
    .sort();
  return new Map(
    await Promise.all(
      names.map(async (name) => [name, await open(fromFile(join(store, name, "meta.hcrp")))] as [string, Recording]),
    ),
  );
}

/** What a channel has: its values, in order. */
export async function valuesOf(recording: Recording, channel: string): Promise<Readonly<Record<string, unknown>>[]> {
  const values: Readonly<Record<string, unknown>>[] = [];
  for await (const { value } of recording.messages(channel)) values.push(value as Readonly<Record<string, unknown>>);
  return values;
}
