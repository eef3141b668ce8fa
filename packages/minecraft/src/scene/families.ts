import { GameData } from "../game/data.ts";
import { type Adapter, type Guise, RECORDED } from "./adapter.ts";
import { chunkOf } from "./family.ts";
import { Family116 } from "./family-1.16.ts";
import { Family118 } from "./family-1.18.ts";
import { Family119 } from "./family-1.19.ts";
import { Family120 } from "./family-1.20.ts";
import { Family1211 } from "./family-1.21.1.ts";
import { Family121 } from "./family-1.21.ts";
import { isVersion, type Version, VERSIONS, versionList } from "./versions.ts";

const FAMILIES = {
  "1.16.5": Family116,
  "1.18.2": Family118,
  "1.19.4": Family119,
  "1.20.1": Family119,
  "1.20.4": Family120,
  "1.21.1": Family1211,
  "1.21.4": Family121,
} as const satisfies Record<Version, unknown>;

/** The version that speaks a client's protocol; null: none. */
export function versionFor(protocol: number): Version | null {
  return VERSIONS.find((version) => GameData.of(version).protocol === protocol) ?? null;
}

/** Throws `RangeError` for a version that viewers cannot have. */
export async function adapterFor(version: string, guise: Guise = RECORDED): Promise<Adapter> {
  if (!isVersion(version)) throw new RangeError(`viewers have ${versionList()}, not ${version}`);
  const Chunk = await chunkOf(version);
  return new FAMILIES[version](version, new Chunk(), guise);
}
