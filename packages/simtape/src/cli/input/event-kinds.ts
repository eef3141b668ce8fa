import { eventKinds } from "../../model/query/events.ts";
import type { Recording } from "../../model/recording.ts";
import { UsageError } from "../run/failure.ts";
import { known } from "./glob.ts";

/** Throws `UsageError` for a kind that no event of the recording can have. */
export async function checkKinds(recording: Recording, kinds: readonly string[] = []): Promise<void> {
  if (kinds.length === 0) return;
  const all = await eventKinds(recording);
  const wrong = kinds.find((kind) => !all.includes(kind));
  if (wrong !== undefined) throw new UsageError(`no kind of event is called ${wrong}; ${known(wrong, all)}`);
}
