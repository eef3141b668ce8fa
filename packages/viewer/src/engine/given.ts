import { type Format, type FormatOption, type SourceBundle, withFiles } from "simtape";

/** Longer files are none that a recording needs beside it: 4 KiB is usual. */
const MAX_BYTES = 16 << 20;

/** The files that the user gave for recordings that need one beside them, such as a dictionary. */
export class Given {
  readonly #files: readonly File[];
  readonly #options: readonly FormatOption[];
  /** Looked for last, and not found. */
  #missing: string | null = null;

  constructor(files: readonly File[], formats: readonly Format[]) {
    this.#files = files;
    this.#options = formats.flatMap(({ options }) => options ?? []);
  }

  /** `bundle` with the files, under the names that formats look for. */
  async beside(bundle: SourceBundle): Promise<SourceBundle> {
    const byName = new Map<string, Uint8Array>();
    for (const file of this.#files) {
      if (file.size > MAX_BYTES) continue;
      const bytes = new Uint8Array(await file.arrayBuffer());
      for (const option of this.#options) {
        const name = await option.fileName(bytes);
        if (name !== null) byName.set(name, bytes);
      }
    }
    const all = withFiles(bundle, byName);
    return {
      ...all,
      open: async (name) => {
        const source = await all.open(name);
        if (source === null && name !== undefined) this.#missing = name;
        return source;
      },
    };
  }

  /** `error`, with what to do about it where a file was missing that can be given. */
  explain(error: unknown): unknown {
    const missing = this.#missing;
    const option = missing === null ? undefined : this.#options.find(({ ending }) => missing.endsWith(ending));
    if (option === undefined || !(error instanceof Error)) return error;
    const code = "code" in error ? error.code : null;
    const message = `${error.message}. Drop the ${option.name} (${missing}) on this page.`;
    return Object.assign(new Error(message, { cause: error }), { code });
  }
}
