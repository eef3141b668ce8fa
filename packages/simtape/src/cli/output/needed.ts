import type { NeededFile } from "../../model/reader.ts";
import type { Recording } from "../../model/recording.ts";
import { say } from "../run/terminal.ts";
import { folderOf, commandPath, under } from "../input/command-path.ts";
import type { Target } from "./target.ts";

/** What is written after a recording needs the files that it needs, too: they are put beside before anything is written. */
export async function bringNeeded({ reader }: Recording, target: Target): Promise<void> {
  for (const file of (reader.base ?? reader).needs ?? []) await putNeeded(file, target);
}

/** Puts a file beside a recording, where readers look for it. One that is there already stays; one that differs is reported. */
export async function putNeeded({ name, what, bytes }: NeededFile, target: Target): Promise<void> {
  if (target.isStandardOutput) return say(`simtape: readers need the ${what} ${name}`);
  const path = under(folderOf(target.main), name);
  const place = commandPath(path);
  if ((await place.kind()) === null) {
    await target.put(name, bytes);
    say(`simtape: ${path}: the ${what} that readers need`);
  } else if (Buffer.compare(await place.read(), bytes) !== 0)
    say(`simtape: ${path} is another ${what} of that name: give readers of ${target.main} the right one`);
}
