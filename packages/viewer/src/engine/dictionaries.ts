import { FORMATS, type Format } from "simtape";
import { createHcrp } from "simtape/formats/hcrp";

/** Longer files are no dictionaries: 4 KiB is usual. */
const MAX_BYTES = 16 << 20;
/** What a zstd dictionary begins with; its id follows, little-endian both (RFC 8878 §6). */
const MAGIC = 0xec30a437;

/** The zstd dictionaries that the user gave, for HCRP recordings that name one. */
export class Dictionaries {
  readonly #files: readonly File[];
  #missing: number | null = null;

  constructor(files: readonly File[]) {
    this.#files = files;
  }

  get formats(): readonly Format[] {
    const hcrp = createHcrp({ dictionaries: (id) => this.#find(id) });
    return FORMATS.map((format) => (format.id === hcrp.id ? hcrp : format));
  }

  /** `error`, with what to do about it where a dictionary was missing. */
  explain(error: unknown): unknown {
    if (this.#missing === null || !(error instanceof Error)) return error;
    const code = "code" in error ? error.code : null;
    const message = `${error.message}. Drop the dictionary (${this.#missing}.dict) on this page.`;
    return Object.assign(new Error(message, { cause: error }), { code });
  }

  async #find(id: number): Promise<Uint8Array | null> {
    for (const file of this.#files) {
      if (file.size > MAX_BYTES) continue;
      const bytes = new Uint8Array(await file.arrayBuffer());
      if (idOf(bytes) === id) return bytes;
    }
    this.#missing = id;
    return null;
  }
}

/** Null: it is no dictionary. */
function idOf(bytes: Uint8Array): number | null {
  if (bytes.length < 8) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return view.getUint32(0, true) === MAGIC ? view.getUint32(4, true) : null;
}
