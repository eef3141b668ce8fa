import { ByteBuilder } from "../../bytes/builder.ts";
import type { ByteSink, SinkBundle } from "../../io/sink/sink.ts";
import type { Recording } from "../../model/recording.ts";
import type { Exporter, ExportOptions, ExportReport } from "../exporter.ts";
import { type CellVectors, shapeOfCell } from "./cell.ts";
import { type Frame, Frames, fittingParticles } from "./frames.ts";
import { changedNote, Parts, withParts } from "./parts.ts";
import { fitsPdb, PdbAccount, PdbFile } from "./pdb-file.ts";
import type { Topology } from "./topology.ts";
import { DCD } from "./facts.ts";

/** Picoseconds in a unit of time of CHARMM (AKMA), in which the header states the step. */
const AKMA = 0.0488882129;
/** Bytes of the header record. */
const HEADER = 84;
/** Where the file states the number of frames, the number of the first step, how many there are, and how long one is. */
const [FRAME_COUNT_AT, FIRST_STEP_AT, STEP_COUNT_AT, STEP_AT] = [8, 12, 20, 44];
/** By how much of a step steps may differ that are said to be the same. */
const SAME_STEP = 1e-3;
/** Of a title line. */
const TITLE = 80;

/**
 * DCD as CHARMM writes it since version 24, and NAMD likes it: little-endian Fortran records with a header, a title, the
 * number of atoms, and for each frame the unit cell if there is one, and x, y, z as float32 in Å. Beside it a PDB of the
 * first frame says what the atoms are. Sources: the DCD plugin of VMD's molfile, and the notes on DCD in MDAnalysis'
 * documentation.
 */
export const dcd: Exporter = { ...DCD, fitting: fittingParticles, write };

async function write(recording: Recording, to: SinkBundle, options: ExportOptions): Promise<ExportReport> {
  const frames = await Frames.of(recording, options);
  const parts = new Parts(to, "dcd");
  const account = new PdbAccount();
  const { notes } = account;
  let count = 0;
  await withParts(parts, async () => {
    let file: DcdFile | null = null;
    for await (const frame of frames) {
      if (file === null || !file.fits(frame)) {
        if (file !== null) {
          addTimeNote(notes, await file.end());
          await parts.close(file.sink);
        }
        const isFirst = file === null;
        file = new DcdFile(await parts.next(), frame);
        if (!isFirst) notes.add(changedNote(parts.nameOf(parts.count), frame));
        await file.begin();
        await putTopology(parts, frame, frames.set, account);
      }
      await file.put(frame);
      count++;
    }
    // a frame was there: else going through them has thrown
    addTimeNote(notes, await file!.end());
    await parts.close(file!.sink);
  });
  return { of: [frames.set], count, unit: "frame", lost: [...frames.lost, ...account.lost], notes: [...notes] };
}

/** Writes the PDB beside the part that was begun last. */
async function putTopology(parts: Parts, frame: Frame, set: string, account: PdbAccount): Promise<void> {
  if (!fitsPdb(frame)) {
    account.addLacking(set, frame);
    return;
  }
  const sink = await parts.beside("pdb");
  const file = new PdbFile(sink, frame, true);
  account.add(set, file, frame);
  await file.put(frame);
  await file.end();
  await parts.close(sink);
}

/** What `end` found of the steps between frames. */
type Steps = "even" | "uneven" | "unknown";

const STEP_NOTES: Readonly<Record<Steps, string | null>> = {
  even: null,
  uneven: "a DCD has one step for all frames, and theirs differ: it states their mean. XYZ has the time of each",
  unknown:
    "the time of the simulation is not recorded or goes back, so that no step is stated. XYZ has the time of each",
};

function addTimeNote(notes: Set<string>, steps: Steps): void {
  const note = STEP_NOTES[steps];
  if (note !== null) notes.add(note);
}

/** One DCD file being written. */
class DcdFile {
  readonly sink: ByteSink;
  readonly #topology: Topology;
  readonly #hasCell: boolean;
  readonly #frame: ByteBuilder;
  #count = 0;
  /** Of the simulation, in ps: of the first frame, the last, and the shortest and longest step between two. */
  #first: number | null = null;
  #last: number | null = null;
  #shortest = Number.POSITIVE_INFINITY;
  #longest = Number.NEGATIVE_INFINITY;

  /** Throws `RangeError` for more atoms than the length of a record can state. */
  constructor(sink: ByteSink, { topology, cell }: Frame) {
    this.sink = sink;
    this.#topology = topology;
    this.#hasCell = cell !== null;
    if (topology.count * 4 > 0x7fffffff) throw new RangeError(`a DCD has no records for ${topology.count} atoms`);
    this.#frame = new ByteBuilder(3 * (4 * topology.count + 8) + 56);
  }

  /** The same atoms, and a cell in all frames or in none. */
  fits({ topology, cell }: Frame): boolean {
    return topology === this.#topology && (cell !== null) === this.#hasCell;
  }

  async begin(): Promise<void> {
    const head = new ByteBuilder();
    head.i32le(HEADER).utf8("CORD");
    // frames, first step, steps between frames, steps; then five unused, of which the last counts fixed atoms
    head.i32le(0).i32le(1).i32le(1).i32le(0).zeros(20);
    head
      .f32le(0)
      .i32le(this.#hasCell ? 1 : 0)
      .zeros(32)
      .i32le(24)
      .i32le(HEADER);
    const titles = ["simtape export", "places in A, as recorded"];
    const length = 4 + TITLE * titles.length;
    head.i32le(length).i32le(titles.length);
    for (const title of titles) head.utf8(title.padEnd(TITLE));
    head.i32le(length);
    head.i32le(4).i32le(this.#topology.count).i32le(4);
    await this.sink.write(head.take());
  }

  async put({ positions, cell, simulationTime }: Frame): Promise<void> {
    const { count } = this.#topology;
    const frame = this.#frame;
    if (cell !== null) putCell(frame, cell);
    for (let axis = 0; axis < 3; axis++) {
      frame.i32le(4 * count);
      for (let at = axis; at < positions.length; at += 3) frame.f32le(positions[at]!);
      frame.i32le(4 * count);
    }
    await this.sink.write(frame.lend());
    if (this.#count++ === 0) this.#first = simulationTime;
    else this.#step(simulationTime);
    this.#last = simulationTime;
  }

  /** States how many frames there are and how long a step is; 0 if that is not known. */
  async end(): Promise<Steps> {
    await this.#patch(FRAME_COUNT_AT, (builder) => builder.i32le(this.#count));
    await this.#patch(STEP_COUNT_AT, (builder) => builder.i32le(this.#count));
    if (this.#count < 2) return "even";
    if (this.#first === null || this.#last === null || !(this.#shortest > 0)) return "unknown";
    const step = (this.#last - this.#first) / (this.#count - 1);
    await this.#patch(STEP_AT, (builder) => builder.f32le(step / AKMA));
    if (this.#longest - this.#shortest > SAME_STEP * step) return "uneven";
    // so that programs that count from the first step know the time of each frame
    const first = Math.round(this.#first / step);
    if (Math.abs(this.#first / step - first) < SAME_STEP && first >= 0 && first < 0x7fffffff)
      await this.#patch(FIRST_STEP_AT, (builder) => builder.i32le(first));
    return "even";
  }

  async #patch(at: number, put: (builder: ByteBuilder) => void): Promise<void> {
    const builder = new ByteBuilder(4);
    put(builder);
    await this.sink.writeAt(at, builder.take());
  }

  #step(time: number | null): void {
    const step = time === null || this.#last === null ? Number.NaN : time - this.#last;
    this.#shortest = Number.isNaN(step) ? Number.NaN : Math.min(this.#shortest, step);
    this.#longest = Math.max(this.#longest, step);
  }
}

/** Lengths and angles of the cell in the order of CHARMM: a, gamma, b, beta, alpha, c. */
function putCell(frame: ByteBuilder, cell: CellVectors): void {
  const {
    lengths: [a, b, c],
    angles: [alpha, beta, gamma],
  } = shapeOfCell(cell);
  frame.i32le(48).f64le(a).f64le(gamma).f64le(b).f64le(beta).f64le(alpha).f64le(c).i32le(48);
}
