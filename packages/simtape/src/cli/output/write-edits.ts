import { shownUrl } from "../../io/source/shown-url.ts";
import type { RewriteReport } from "../../ops/copy.ts";
import type { Removed } from "../../ops/edit/redact.ts";
import { mustBeWithout } from "../../ops/edit/scan.ts";
import { writeEdited } from "../../ops/edit/write.ts";
import { bringNeeded } from "./needed.ts";
import { gated, type Inspect, soundAs } from "./gated.ts";
import { toJson } from "../../model/values/json.ts";
import { inside, keepBeside, mustHavePlace, sourceNamed, unlessInside, withoutTexts } from "./provenance.ts";
import type { Provenance } from "../input/provenance.ts";
import type { ReadOptions } from "../input/recordings.ts";
import { mustFit, type Target } from "./target.ts";
import { formatOf, writingOf } from "../input/format-of.ts";
import type { Editing } from "../input/editing.ts";

/**
 * Writes it, and where it comes from: inside where the format has room, else in a file beside. Closes everything.
 */
export async function writeEdits(
  edited: Editing,
  target: Target,
  options: ReadOptions,
): Promise<RewriteReport & Pick<Removed, "again">> {
  const { recording, list, files } = edited;
  const format = formatOf(edited.source);
  try {
    mustFit(target, format);
    await mustHavePlace(target);
    const { room } = await edited.source.traits();
    // what goes inside is written first: everything that is damaged is to be known by then
    const isKnown = edited.source.info.seekIndex === "built" && files.size === 1;
    if (room !== undefined && !isKnown) for await (const _ of recording.batches());
    const operations = list.operations.map((operation) =>
      operation.op === "join" ? { ...operation, files: operation.files.map(shownUrl) } : operation,
    );
    const annotations = [...edited.inherited, ...edited.annotations];
    const { removed } = edited;
    const provenanceNow = async (): Promise<Provenance> => {
      const sources = [];
      for (const [name, provenance] of files) sources.push(await sourceNamed(name, provenance));
      const provenanceOfResult: Provenance = { simtape: "provenance", version: 1, sources, operations, annotations };
      return removed === null ? provenanceOfResult : withoutTexts(provenanceOfResult, removed.gone);
    };
    const provenance = await provenanceNow();
    if (removed === null) await bringNeeded(edited.source, target);
    const writing = await writingOf(format);
    const report = await gated(
      target,
      options,
      (to) =>
        writeEdited(recording.reader, writing, to, {
          ...(room === undefined ? {} : inside(room, writing, provenance, edited.annotations)),
          ...(removed === null ? {} : { without: removed }),
        }),
      async (written, files) => {
        const inspect = removed === null ? soundAs(...edited.opened) : withoutRemoved(edited, removed, provenance);
        const findings = await inspect(written, files);
        const beside = await unlessInside(written, room !== undefined ? provenance : await provenanceNow());
        keepBeside(target, () => Promise.resolve(beside));
        return findings;
      },
    );
    return { ...report, again: removed?.again ?? [] };
  } finally {
    await recording.close();
  }
}

/** Finds nothing of what was taken out, neither in what was written nor in what it says of where it comes from. */
function withoutRemoved({ recording, opened }: Editing, removed: Removed, provenance: Provenance): Inspect {
  return async (written, files) => {
    const statistics = await recording.reader.statistics();
    const kept = recording.channels.map(({ id, name }) => [name, statistics[id]!.messages] as const);
    const beside = [new TextEncoder().encode(toJson(provenance))];
    return mustBeWithout(written, files, beside, removed, opened, new Map(kept));
  };
}
