import type { Recording } from "simtape";
import { subjectIn } from "../scene/profiles.ts";

/** The run of the first player, from the metadata of a recording. */
export interface RunMarks {
  readonly uuid: string;
  readonly player: string;
  readonly hasStart: boolean;
  /** Ticks from the start to the checkpoints. */
  readonly checkpoints: readonly number[];
}

/** Of several runs the first that ends, otherwise the last: the ghost of the recording shows this one. */
export function marksOf(recording: Recording): RunMarks {
  const { entity, uuid, name: player } = subjectIn(recording);
  let start: number | null = null;
  let checkpoints: number[] = [];
  for (const { tick, kind, entity: of } of marksIn(recording)) {
    if (of !== entity && of !== -1) continue;
    if (kind === "end" && start !== null) break;
    if (kind === "start") [start, checkpoints] = [tick, []];
    else if (kind === "checkpoint" && start !== null) checkpoints.push(tick - start);
  }
  return { uuid, player, hasStart: start !== null, checkpoints };
}

interface Mark {
  readonly tick: number;
  readonly kind: string;
  readonly entity: number;
}

function marksIn({ info }: Recording): readonly Mark[] {
  const { metadata } = info.metadata as { metadata?: { hcrp?: { marks?: unknown } } };
  const marks = metadata?.hcrp?.marks;
  return Array.isArray(marks) ? (marks as Mark[]).filter((mark) => typeof mark?.tick === "number") : [];
}
