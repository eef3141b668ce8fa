import { fileURLToPath } from "node:url";
import { ask, type Answer, type AskOptions } from "../../src/ask/index.ts";
import type { ByteSource, Recording } from "../../src/index.ts";
import { Budget } from "../../src/kit.ts";
import type { NameFacts } from "../../src/model/query/name-facts.ts";
import { SideCar } from "../../src/model/side-car/side-car.ts";

/** A recording of `examples`. */
export function example(name: string): string {
  return fileURLToPath(new URL(`../../../../examples/${name}`, import.meta.url));
}

/** All that a side-car keeps of the names. */
export async function allNamesIn(sideCar: ByteSource): Promise<NameFacts> {
  const found: NameFacts[] = [];
  for await (const names of SideCar.namesIn(sideCar, async () => true, new Budget())) found.push(names);
  return found.at(-1)!;
}

/** All answers. */
export async function answersOf(
  recording: Recording,
  text: string,
  options: AskOptions = {},
): Promise<readonly Answer[]> {
  const found: Answer[] = [];
  for await (const answers of (await ask(recording, text, options)).answers()) found.push(...answers);
  return found;
}
