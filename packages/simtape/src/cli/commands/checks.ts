import type { Finding } from "../../model/error.ts";
import type { Recording } from "../../model/recording.ts";

/** What lies beside recordings of one format and says more of them. Each is in the folder of its format. */
const CHECKS: readonly ((name: string, recording: Recording) => Promise<Finding | null>)[] = [
  async (name, recording) => (await import("./hcrp/check-journal.ts")).checkJournal(name, recording),
];

/** Findings of what lies beside the recording that was named so. */
export async function findingsBeside(name: string, recording: Recording): Promise<readonly Finding[]> {
  const found = await Promise.all(CHECKS.map((check) => check(name, recording)));
  return found.filter((finding) => finding !== null);
}
