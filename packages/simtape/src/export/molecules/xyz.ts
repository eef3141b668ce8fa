import type { SinkBundle } from "../../io/sink/sink.ts";
import type { Recording } from "../../model/recording.ts";
import type { Exporter, ExportOptions, ExportReport } from "../exporter.ts";
import { utcOf, utcText } from "../utc.ts";
import { TextOutput } from "../text-output.ts";
import { elementSymbol } from "./elements.ts";
import { type Frame, Frames, fittingParticles } from "./frames.ts";
import { changedNote, Parts, withParts } from "./parts.ts";
import { XYZ } from "./facts.ts";

/** Columns of a set that are no further numbers of a particle. */
const OWN = ["position", "element", "label"];

/**
 * Extended XYZ: a count, a line of `key=value`, and a line for each particle with its element and its place in Å.
 * Sources: the XYZ plugin of VMD for the plain form; github.com/libAtoms/extxyz for `Lattice`, `Properties` and `pbc`.
 * `Time` is that of the recording. An element that is not known is X.
 */
export const xyz: Exporter = { ...XYZ, fitting: fittingParticles, write };

async function write(recording: Recording, to: SinkBundle, options: ExportOptions): Promise<ExportReport> {
  const frames = await Frames.of(recording, options);
  const utc = utcOf(await recording.timeline());
  const parts = new Parts(to, "xyz");
  const notes: string[] = [];
  const wanted = options.columns?.filter((name) => !OWN.includes(name)) ?? [];
  const met = new Set<string>();
  let count = 0;
  await withParts(parts, async () => {
    let sink = await parts.next();
    let output = new TextOutput(sink);
    let topology: Frame["topology"] | null = null;
    for await (const frame of frames) {
      const isOther = topology !== null && topology !== frame.topology;
      // frames may be of any particles, so that a pipe holds all; other programs want the same ones in a file
      if (isOther && to.name === null)
        notes.push(`at ${frame.time / 1e9} s the particles change: ${frame.topology.count} of them`);
      else if (isOther) {
        await output.drain();
        await parts.close(sink);
        sink = await parts.next();
        output = new TextOutput(sink);
        notes.push(changedNote(parts.nameOf(parts.count), frame));
      }
      topology = frame.topology;
      const columns = wanted.filter((name) => isOfNumbers(frame, name));
      for (const name of columns) met.add(name);
      output.line(String(topology.count));
      output.line(commentOf(frame, columns, utc, options));
      const put = atomLines(frame, columns);
      for (let k = 0; k < topology.count; k++) {
        output.line(put(k));
        if (output.isFull) await output.drain();
      }
      count++;
    }
    const lacking = wanted.find((name) => !met.has(name));
    if (lacking !== undefined)
      throw new RangeError(`particles in ${frames.set} have no numbers ${JSON.stringify(lacking)}`);
    await output.drain();
    await parts.close(sink);
  });
  return { of: [frames.set], count, unit: "frame", lost: frames.lost, notes };
}

function isOfNumbers({ set }: Frame, name: string): boolean {
  const column = set.columns.get(name);
  return column !== undefined && !Array.isArray(column.data);
}

/** The second line of a frame. */
function commentOf(
  { time, simulationTime, cell, set }: Frame,
  columns: readonly string[],
  utc: ((time: number) => number) | null,
  { units = true, time: timeIn = "s" }: ExportOptions,
): string {
  const more = columns.map((name) => `:${name}:R:${set.columns.get(name)!.width}`).join("");
  const pairs = [`Properties=species:S:1:pos:R:3${more}`];
  if (cell !== null) pairs.unshift(`Lattice="${Array.from(cell, numberText).join(" ")}"`, `pbc="T T T"`);
  pairs.push(`Time=${timeIn === "ns" ? time : time / 1e9}`);
  if (simulationTime !== null) pairs.push(`simulation_time=${simulationTime}`);
  if (utc !== null) pairs.push(`utc=${utcText(utc(time))}`);
  if (!units) return pairs.join(" ");
  pairs.push(`Time_unit=${timeIn}`, "pos_unit=Angstrom");
  if (simulationTime !== null) pairs.push("simulation_time_unit=ps");
  for (const name of columns) pairs.push(`${name}_unit="${set.columns.get(name)!.unit ?? ""}"`);
  return pairs.join(" ");
}

/** What makes the line of a particle. */
function atomLines(
  { topology, positions, digits, set, rows }: Frame,
  columns: readonly string[],
): (k: number) => string {
  const more = columns.map((name) => set.columns.get(name)!);
  return (k) => {
    let line = elementSymbol(topology.elements[k]!) ?? "X";
    for (let at = 3 * k; at < 3 * k + 3; at++) line += ` ${positions[at]!.toPrecision(digits)}`;
    for (const { data, width } of more)
      for (let at = rows[k]! * width, end = at + width; at < end; at++) line += ` ${numberText(data[at] as number)}`;
    return line;
  };
}

/** As few digits as a double needs; of lengths in Å without the noise of the multiplication. */
function numberText(value: number): string {
  return String(Number(value.toPrecision(12)));
}
