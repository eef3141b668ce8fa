import { nbtEntry } from "../../codec/nbt.ts";
import { TICK } from "../../formats/hcrp/layout/framing.ts";
import { compoundIn } from "../../formats/hcrp/layout/metadata-writing.ts";
import type { SinkBundle } from "../../io/sink/sink.ts";
import type { SourceBundle } from "../../io/source/source.ts";
import { Findings } from "../../model/error.ts";
import { changeMetadata } from "./change-metadata.ts";
import { openReader } from "./source.ts";

/** A mark of a review. */
export interface VerdictMark {
  /** Nanoseconds since the start. */
  readonly time: number;
  /** Of a thing: its id where that is a number, else it goes into the label. */
  readonly thing: string | null;
  readonly label: string;
  /** 0 to 127. */
  readonly severity: number;
}

/** What a review has come to. */
export interface Verdict {
  /** Of the review: it is written once. */
  readonly id: string;
  readonly verdict: string;
  readonly remark: string;
  /** Who is judged, and who has. */
  readonly subject: string;
  readonly judge: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly marks: readonly VerdictMark[];
}

/** Entry of the metadata: a compound of verdicts by the id of the review. */
const REVIEWS = "reviews";

/**
 * Writes a finished recording's main file again with a verdict in the metadata (`reviews.<id>`), and its marks. False: it
 * is there already, and nothing was written. Throws as `changeMetadata`.
 */
export async function writeVerdict(
  from: SourceBundle,
  to: SinkBundle,
  { id, verdict, remark, subject, judge, at, marks }: Verdict,
): Promise<boolean> {
  const reader = await openReader(from, new Findings(), {});
  const known = nbtEntry(compoundIn(reader.preamble.metadata.root, REVIEWS), id);
  await reader.close();
  if (known !== undefined) return false;
  await changeMetadata(from, to, {
    values: { [REVIEWS]: { [id]: { verdict, remark, subject, judge, at: BigInt(at) } } },
    marks: marks.map(({ time, thing, label, severity }) => {
      const entity = thing !== null && /^\d{1,9}$/.test(thing) ? Number(thing) : null;
      const withThing = thing === null || entity !== null ? label : `${thing}: ${label}`;
      return { tick: Math.max(0, Math.round(time / TICK)), kind: "review", entity, label: withThing, severity };
    }),
  });
  return true;
}
