import { dirname, join } from "node:path";
import { decidedBy } from "../../ask/ask.ts";
import { Budget } from "../../bytes/budget.ts";
import { checkFileName } from "../../io/source/bundle.ts";
import { isUnchanged, sideCarOf } from "../../io/node/side-cars.ts";
import type { NameFacts } from "../../model/query/name-facts.ts";
import { type MadeOf, SideCar } from "../../model/side-car/side-car.ts";
import { allFormats } from "../input/formats.ts";
import { type Found, neverFits, unfit } from "./look.ts";

/** Side-cars that are read at once. */
const AT_ONCE = 8;

/**
 * What became of the question in those of the files of which a kept seek index alone decides: the expression is never true
 * there, or does not fit. They are not opened: a file counts as the one that the index was made of if it has its size, and
 * its time of change to the nanosecond. Throws `AskError` for what is no expression.
 */
export async function decidedByIndex(
  files: readonly string[],
  expression: string,
  budget: number,
): Promise<ReadonlyMap<string, Found>> {
  const decide = decidedBy(expression);
  const found = new Map<string, Found>();
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < files.length) {
      const file = files[next++]!;
      for await (const names of namesOf(file, budget)) {
        const decision = decide(names);
        if (decision === null) continue;
        found.set(file, decision === "never" ? { how: "answered", fits: neverFits(null) } : unfit(decision));
        break;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
}

async function* namesOf(file: string, budget: number): AsyncGenerator<NameFacts, void> {
  const kept = await sideCarOf(file).catch(() => null);
  if (kept !== null) yield* SideCar.namesIn(kept, (made) => isMadeOf(file, made), new Budget(budget));
}

async function isMadeOf(file: string, { format: id, variant, files }: MadeOf): Promise<boolean> {
  const format = allFormats().find((one) => one.id === id);
  if (format === undefined || format.variant === null || (format.variant ?? null) !== variant) return false;
  const folder = dirname(file);
  for (const key of files) {
    if (key.name !== null) checkFileName(key.name, folder);
    if (!(await isUnchanged(key.name === null ? file : join(folder, key.name), key))) return false;
  }
  return true;
}
