import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Real recordings kept beside the checkout; null where they are not. Tests that need them run only where they are. */
export const samplesDirectory: string | null = (() => {
  const path = fileURLToPath(new URL("../../../../shared/samples", import.meta.url));
  return existsSync(path) ? path : null;
})();

/** Path of a sample: `sample("carla/2020-DistanceBetweenVehicles.log")`. */
export function sample(path: string): string {
  return `${samplesDirectory}/${path}`;
}

export function sampleBytes(path: string): Uint8Array {
  return new Uint8Array(readFileSync(sample(path)));
}

/** File names in a folder of the samples, sorted; none where there are no samples. */
export function sampleNames(folder: string): string[] {
  return samplesDirectory === null ? [] : readdirSync(sample(folder)).sort();
}
