import { GameData } from "../game/data.ts";
import { type Adapter, type Guise, RECORDED } from "./adapter.ts";
import { chunkOf } from "./family.ts";
import { Family116 } from "./family-1.16.ts";
import { Family121 } from "./family-1.21.ts";

const FAMILIES = { "1.16.5": Family116, "1.21.4": Family121 } as const;

/** Versions that viewers may have. */
export const VERSIONS: readonly string[] = Object.keys(FAMILIES);

/** The version that speaks a client's protocol; null: none. */
export function versionFor(protocol: number): string | null {
  return VERSIONS.find((version) => GameData.of(version).protocol === protocol) ?? null;
}

/** Throws `RangeError` for a version that viewers may not have. */
export async function adapterFor(version: string, guise: Guise = RECORDED): Promise<Adapter> {
  const family = FAMILIES[version as keyof typeof FAMILIES];
  if (family === undefined) throw new RangeError(`viewers have ${VERSIONS.join(" or ")}, not ${version}`);
  const Chunk = await chunkOf(version);
  return new family(version, new Chunk(), guise);
}
