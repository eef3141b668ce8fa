import { type ByteSource, openZip, type Zip, zipContent, type ZipDamage, type ZipMember } from "simtape/kit";
import { fileSource } from "simtape/node";
import { unreadable } from "./error.ts";

/** Most bytes of one of the small files. */
const MOST_SMALL = 8 << 20;
export const RECORDING = "recording.tmcpr";

/** One of the small files. */
export interface SmallFile {
  readonly bytes: Buffer;
  /** Whether it is unchanged since it was written. */
  readonly isSound: boolean;
}

/** A `.mcpr`: its small files in memory, its recording as a stream. */
export class Archive implements AsyncDisposable {
  /** The small files by name. */
  readonly files: ReadonlyMap<string, SmallFile>;
  /** Damage in the part that was read. */
  readonly findings: ZipDamage[];
  readonly #source: ByteSource;
  readonly #recording: ZipMember;

  private constructor(
    source: ByteSource,
    recording: ZipMember,
    files: ReadonlyMap<string, SmallFile>,
    findings: ZipDamage[],
  ) {
    this.#source = source;
    this.#recording = recording;
    this.files = files;
    this.findings = findings;
  }

  /** Opens an archive and reads its small files. Throws `RecordingError` for a file that is no `.mcpr`. */
  static async open(path: string): Promise<Archive> {
    const source = fileSource(path);
    try {
      if ((await source.size()) === 0) throw unreadable("truncated", `${path}: an empty file`);
      const zip = await openZip(source);
      if (zip === null) throw unreadable("unknown-format", `${path}: no zip archive, so no .mcpr`);
      const recording = zip.members.findLast(({ name }) => name === RECORDING);
      const findings = [...zip.damage];
      if (recording === undefined) throw unreadable("unknown-format", missing(path, zip));
      return new Archive(source, recording, await smallFiles(source, zip, path, findings), findings);
    } catch (error) {
      await source.close();
      throw error;
    }
  }

  /** Bytes that the recording had when it was written; null when the archive no longer says it. */
  get written(): number | null {
    return this.#recording.stated?.size ?? null;
  }

  /** Yields the bytes of the recording; when they end early or differ, `findings` says so afterwards. */
  recording(): AsyncGenerator<Uint8Array> {
    return zipContent(this.#source, this.#recording, (damage) => this.findings.push(damage));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#source.close();
  }
}

async function smallFiles(
  source: ByteSource,
  { members }: Zip,
  path: string,
  findings: ZipDamage[],
): Promise<ReadonlyMap<string, SmallFile>> {
  const files = new Map<string, SmallFile>();
  for (const member of members) {
    const { name } = member;
    if (!/^[\w./-]+\.json$/.test(name)) continue;
    const pieces: Uint8Array[] = [];
    let [bytes, isSound] = [0, true];
    const note = (damage: ZipDamage): void => {
      isSound = false;
      findings.push(damage);
    };
    for await (const piece of zipContent(source, member, note)) {
      bytes += piece.length;
      if (bytes > MOST_SMALL) throw unreadable("malformed", `${path}: ${name} has more than ${MOST_SMALL} bytes`);
      pieces.push(piece);
    }
    files.set(name, { bytes: Buffer.concat(pieces), isSound });
  }
  return files;
}

function missing(path: string, { damage }: Zip): string {
  const [first] = damage;
  const why = first === undefined ? "it is not a .mcpr" : first.message;
  return `${path}: no ${RECORDING} in it: ${why}`;
}
