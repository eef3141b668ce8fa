import type { SinkBundle } from "../io/sink.ts";
import type { SourceBundle } from "../io/source.ts";
import type { Finding } from "../model/error.ts";
import type { Recording } from "../model/recording.ts";
import type { WritingFormat } from "../model/writer.ts";
import { check } from "./check.ts";
import { copy } from "./copy.ts";

/** Findings that are no damage, but that a format writes without. */
const MENDED: ReadonlySet<string> = new Set(["private-event"]);

export interface ChannelAccount {
  readonly channel: string;
  /** Messages in the repaired recording. */
  readonly messages: number;
}

export interface RepairReport {
  /** `sound`: nothing was wrong, and the copy is exact; `repaired`: what is left is whole again. */
  readonly status: "sound" | "repaired";
  /** Bytes of the file (of what inflates from a compressed one) that went into the result, and that did not. */
  readonly bytesKept: number;
  readonly bytesLost: number;
  /** What was left out: place, length, reason. */
  readonly lost: readonly Finding[];
  /** What was written anew: indexes, counts, ends. */
  readonly rebuilt: readonly Finding[];
  readonly messagesKept: number;
  readonly channels: readonly ChannelAccount[];
  /** Everything found wrong with the source. */
  readonly findings: readonly Finding[];
}

/**
 * A sound recording out of a damaged one. A sound one is copied exactly. The source is never touched. `reopen` opens
 * what was written, to tell what is in it.
 */
export async function repair(
  recording: Recording,
  from: SourceBundle,
  writing: WritingFormat,
  to: SinkBundle,
  reopen: () => Promise<Recording>,
): Promise<RepairReport> {
  const report = await check(recording);
  let total = 0;
  for await (const records of recording.records()) for (const { bytes } of records) total += bytes.length;
  const lost: Finding[] = [];
  const rebuilt: Finding[] = [];
  const isMended = report.findings.some(({ code }) => MENDED.has(code));
  if (report.status === "sound" && !isMended) await copy(recording, from, to);
  else {
    await writing.repair(recording.reader, to, {
      lost: (finding) => lost.push(finding),
      rebuilt: (finding) => rebuilt.push(finding),
      content: (bytes) => {
        total = bytes;
      },
    });
  }
  const result = await reopen();
  try {
    const statistics = await result.statistics();
    const bytesLost = lost.reduce((sum, { length }) => sum + (length ?? 0), 0);
    return {
      status: report.status === "sound" && !isMended ? "sound" : "repaired",
      bytesKept: total - bytesLost,
      bytesLost,
      lost,
      rebuilt,
      messagesKept: statistics.reduce((sum, { messages }) => sum + messages, 0),
      channels: result.channels
        .map(({ id, name }) => ({ channel: name, messages: statistics[id]!.messages }))
        .filter(({ messages }) => messages > 0),
      findings: report.findings,
    };
  } finally {
    await result.close();
  }
}
