/** Readers of the formats, written from their descriptions alone: they share no code with what they judge. */

export interface ReadAtom {
  readonly record: string;
  readonly serial: string;
  readonly name: string;
  readonly residue: string;
  readonly chain: string;
  readonly residueId: string;
  readonly insertion: string;
  readonly element: string;
}

export interface ReadPdb {
  readonly models: { readonly number: number; readonly atoms: ReadAtom[]; readonly positions: number[] }[];
  /** Lengths and angles as in the last CRYST1 before the first model. */
  readonly cell: number[] | null;
  /** Serials as texts, one array for each CONECT. */
  readonly connections: string[][];
  readonly ters: string[];
}

/** By columns, counted from 1, as the PDB format 3.3 counts them. Throws where a line has not what they say. */
export function readPdb(bytes: Uint8Array): ReadPdb {
  const text = new TextDecoder("ascii", { fatal: true }).decode(bytes);
  const models: ReadPdb["models"] = [];
  const [connections, ters]: [string[][], string[]] = [[], []];
  let cell: number[] | null = null;
  let isOpen = false;
  const lines = text.split("\n");
  if (lines.pop() !== "" || !/^END {77}$/.test(lines.at(-1)!)) throw new Error("a PDB ends with END");
  for (const line of lines.slice(0, -1)) {
    if (line.length !== 80) throw new Error(`a line of ${line.length} columns: ${line}`);
    const columns = (from: number, to: number): string => line.slice(from - 1, to);
    switch (columns(1, 6)) {
      case "CRYST1":
        if (!/^ *\d+\.\d{3} *\d+\.\d{3} *\d+\.\d{3}$/.test(columns(7, 33))) throw new Error(line);
        if (models.length === 0)
          cell = [
            columns(7, 15),
            columns(16, 24),
            columns(25, 33),
            columns(34, 40),
            columns(41, 47),
            columns(48, 54),
          ].map(Number);
        break;
      case "MODEL ":
        models.push({ number: Number(columns(11, 14)), atoms: [], positions: [] });
        isOpen = true;
        break;
      case "ENDMDL":
        isOpen = false;
        break;
      case "ATOM  ":
      case "HETATM": {
        if (!isOpen && models.length === 0) models.push({ number: 0, atoms: [], positions: [] });
        for (const place of [columns(31, 38), columns(39, 46), columns(47, 54)]) {
          if (!/^ *-?\d+\.\d{3}$/.test(place)) throw new Error(`no Real(8.3): ${line}`);
          models.at(-1)!.positions.push(Number(place));
        }
        if (columns(55, 66) !== "  1.00  0.00" || columns(12, 12) + columns(21, 21) + columns(28, 30) !== "     ")
          throw new Error(line);
        models.at(-1)!.atoms.push({
          record: columns(1, 6).trim(),
          serial: columns(7, 11),
          name: columns(13, 16),
          residue: columns(18, 20),
          chain: columns(22, 22),
          residueId: columns(23, 26),
          insertion: columns(27, 27),
          element: columns(77, 78),
        });
        break;
      }
      case "TER   ":
        ters.push(columns(7, 27));
        break;
      case "CONECT": {
        if (isOpen) throw new Error("CONECT inside a model");
        const serials = [7, 12, 17, 22, 27].map((from) => columns(from, from + 4));
        connections.push(serials.filter((serial) => serial.trim() !== ""));
        break;
      }
      default:
        throw new Error(`no record of the format: ${line}`);
    }
  }
  return { models, cell, connections, ters };
}

export interface ReadDcd {
  readonly stated: number;
  readonly firstStep: number;
  /** In AKMA units. */
  readonly step: number;
  readonly frames: number[][];
  /** a, gamma, b, beta, alpha, c. */
  readonly cells: number[][];
}

/** Fortran records of little-endian numbers, each between its length and its length again. */
export function readDcd(bytes: Uint8Array): ReadDcd {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const record = (): DataView => {
    const length = view.getInt32(at, true);
    if (view.getInt32(at + 4 + length, true) !== length) throw new Error(`a record at ${at} is not closed`);
    const found = new DataView(bytes.buffer, bytes.byteOffset + at + 4, length);
    at += length + 8;
    return found;
  };
  const head = record();
  if (head.byteLength !== 84 || head.getUint32(0, true) !== 0x44524f43) throw new Error("no header of a DCD");
  const control = Array.from({ length: 20 }, (_, k) => head.getInt32(4 + 4 * k, true));
  if (control[19] === 0 || control[8] !== 0 || control[11] !== 0) throw new Error("not CHARMM's, or fixed atoms");
  const title = record();
  if (title.byteLength !== 4 + 80 * title.getInt32(0, true)) throw new Error("no title");
  const count = record().getInt32(0, true);
  const [frames, cells]: [number[][], number[][]] = [[], []];
  while (at < bytes.length) {
    if (control[10] === 1) {
      const cell = record();
      cells.push(Array.from({ length: 6 }, (_, k) => cell.getFloat64(8 * k, true)));
    }
    const axes = [record(), record(), record()];
    if (axes.some(({ byteLength }) => byteLength !== 4 * count)) throw new Error("a frame of another number of atoms");
    frames.push(Array.from({ length: 3 * count }, (_, k) => axes[k % 3]!.getFloat32(4 * Math.floor(k / 3), true)));
  }
  return { stated: control[0]!, firstStep: control[1]!, step: head.getFloat32(40, true), frames, cells };
}

export interface ReadXyz {
  readonly comment: ReadonlyMap<string, string>;
  readonly species: string[];
  readonly positions: number[];
  /** Numbers behind the place, of all particles. */
  readonly more: number[];
}

/** A count, `key=value` with quotes around values with spaces, and so many lines. */
export function readXyz(bytes: Uint8Array): ReadXyz[] {
  const lines = new TextDecoder().decode(bytes).split("\n");
  const frames: ReadXyz[] = [];
  let at = 0;
  while (at < lines.length - 1) {
    const count = Number(lines[at++]);
    if (!Number.isInteger(count)) throw new Error(`no count in line ${at}`);
    const pairs = [...lines[at++]!.matchAll(/(\S+?)=(?:"([^"]*)"|(\S+))/g)];
    const frame: ReadXyz = {
      comment: new Map(pairs.map(([, key, quoted, plain]) => [key!, quoted ?? plain!])),
      species: [],
      positions: [],
      more: [],
    };
    for (const line of lines.slice(at, at + count)) {
      const [species, x, y, z, ...more] = line.split(" ");
      frame.species.push(species!);
      frame.positions.push(Number(x), Number(y), Number(z));
      frame.more.push(...more.map(Number));
    }
    if (frame.species.length !== count) throw new Error("the file ends within a frame");
    at += count;
    frames.push(frame);
  }
  return frames;
}
