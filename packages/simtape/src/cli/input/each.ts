import { EXIT, type Failure, failureOf } from "../run/failure.ts";
import { recordingsAt } from "./folders.ts";

/**
 * Does `work` for every recording that is named, one after the other: one that fails keeps none of the others from its
 * turn. A folder stands for the recordings in it. Gives the exit code: that of the worst; of a single one its own.
 */
export async function forEach(
  names: readonly string[],
  work: (name: string) => Promise<number>,
  failed: (name: string, failure: Failure) => Promise<void>,
): Promise<number> {
  const exits = new Set<number>();
  for (const named of names) {
    await attempt(named, async () => {
      for (const name of await recordingsAt(named)) await attempt(name, async () => void exits.add(await work(name)));
    });
  }
  return [EXIT.failed, EXIT.usage, EXIT.lossy].find((exit) => exits.has(exit)) ?? EXIT.done;

  async function attempt(name: string, what: () => Promise<void>): Promise<void> {
    try {
      await what();
    } catch (error) {
      const failure = failureOf(error);
      if (failure.code === "internal") throw error;
      exits.add(names.length === 1 ? failure.exit : EXIT.failed);
      await failed(name, failure);
    }
  }
}
