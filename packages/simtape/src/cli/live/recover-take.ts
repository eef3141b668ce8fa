import { JournalReader } from "../../live/journal.ts";
import { fileSource } from "../../io/node/file-source.ts";
import { formatCalled, formatNamed } from "../input/format-of.ts";
import { mustFit, type TargetOptions } from "../output/target.ts";
import { targetOf } from "../output/target-of.ts";
import { TAKE } from "./kinds.ts";
import { finishInto } from "./finishing.ts";

/** Finishes what a recorder that crashed has left of a running program. Gives the exit code. */
export async function recoverTake(
  journal: string,
  options: TargetOptions & { readonly json?: boolean },
): Promise<number> {
  const reader = await JournalReader.open(fileSource(journal));
  const native = formatCalled(reader.head.format);
  await reader.close();
  const target = await targetOf(options.output ?? journal.slice(0, -TAKE.length), { force: options.force === true });
  const format = formatNamed(target.main) ?? native;
  mustFit(target, format);
  return finishInto(target, journal, native, format, null, options);
}
