import { ContentCheck } from "../../../io/zip/content-check.ts";
import { piecesOf } from "../../../io/zip/pieces.ts";
import type { Finding, Reporter } from "../../../model/error.ts";
import { type Foreign, type ForeignMember, pathsOf } from "./foreign.ts";

/** Warns of the other members of a zip whose content is not what it was: the recording is as sound as without them. */
export async function reviewMembers({ members }: Foreign, report: Reporter, signal?: AbortSignal): Promise<void> {
  const damaged: ForeignMember[] = [];
  for (const member of members) if (!(await isWhole(member, signal))) damaged.push(member);
  for (const finding of findingsOf(damaged, "warning")) report.report(finding);
}

/** Members whose content is not what it was: the first by name, one finding for the rest. */
export function findingsOf(members: readonly ForeignMember[], severity: "warning" | "loss", more = ""): Finding[] {
  return pathsOf({ members }).map(({ path, count }, i) => ({
    ...{ code: "bad-checksum", severity },
    message: `${path}${count > 1 ? ` (${count})` : ""}: its content does not match its size and checksum${more}`,
    offset: count > 1 ? undefined : members[i]!.entry.headerOffset,
  }));
}

/** Whether the content matches its size and checksum, or cannot be known. */
async function isWhole({ source, entry, dataOffset }: ForeignMember, signal?: AbortSignal): Promise<boolean> {
  const check = ContentCheck.of(entry);
  if (check === null) return true;
  for await (const { bytes } of piecesOf(source, dataOffset, dataOffset + entry.compressedSize, signal))
    check.add(bytes);
  return check.isSame;
}
