import { fileURLToPath } from "node:url";
import { ask, type Answer, type AskOptions } from "../../src/ask/index.ts";
import type { Recording } from "../../src/model/recording.ts";

/** A recording of `examples`. */
export function example(name: string): string {
  return fileURLToPath(new URL(`../../../../examples/${name}`, import.meta.url));
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
