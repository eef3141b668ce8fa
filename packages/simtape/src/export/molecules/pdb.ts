import type { ByteSink, SinkBundle } from "../../io/sink/sink.ts";
import type { Recording } from "../../model/recording.ts";
import type { Exporter, ExportOptions, ExportReport } from "../exporter.ts";
import { Frames, fittingParticles } from "./frames.ts";
import { changedNote, Parts, withParts } from "./parts.ts";
import { MOST_MODELS, PdbAccount, PdbFile } from "./pdb-file.ts";
import type { Topology } from "./topology.ts";
import { PDB } from "./facts.ts";

/**
 * PDB, format 3.3 of the wwPDB: a MODEL for each frame, residues, chains, TER behind each polymer, CRYST1, and CONECT for
 * all bonds. Numbers that are too large for their columns are hybrid-36. Memory is that of a frame and its lines.
 */
export const pdb: Exporter = { ...PDB, fitting: fittingParticles, write };

async function write(recording: Recording, to: SinkBundle, options: ExportOptions): Promise<ExportReport> {
  const frames = await Frames.of(recording, options);
  const parts = new Parts(to, "pdb");
  const account = new PdbAccount();
  const { notes } = account;
  let count = 0;
  await withParts(parts, async () => {
    let sink: ByteSink | null = null;
    let file: PdbFile | null = null;
    let topology: Topology | null = null;
    for await (const frame of frames) {
      const isOther = topology !== null && topology !== frame.topology;
      if (file === null || isOther || file.models === MOST_MODELS) {
        if (file !== null) {
          await file.end();
          await parts.close(sink!);
        }
        sink = await parts.next();
        if (isOther) notes.add(changedNote(parts.nameOf(parts.count), frame));
        else if (file !== null)
          notes.add(
            `${parts.nameOf(parts.count)} begins at ${frame.time / 1e9} s: a PDB has ${MOST_MODELS} models at most`,
          );
        file = new PdbFile(sink, frame);
        account.add(frames.set, file, frame);
      }
      topology = frame.topology;
      await file.put(frame);
      count++;
    }
    // a frame was there: else going through them has thrown
    await file!.end();
    await parts.close(sink!);
  });
  return { of: [frames.set], count, unit: "frame", lost: [...frames.lost, ...account.lost], notes: [...notes] };
}
