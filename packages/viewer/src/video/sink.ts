/** Where the bytes of a video go: in pieces, mostly one behind another. */
export interface VideoSink {
  /** At a byte of the file; resolves when there is room for more. */
  write(bytes: Uint8Array<ArrayBuffer>, position: number): Promise<void>;
  /** The file is whole. A file to download, or null where it is where the user wanted it. */
  close(): Promise<Blob | null>;
  /** Nothing is left of it. */
  abort(): Promise<void>;
}

/** A sink that is written to from its start to its end. */
export class Appender {
  readonly #sink: VideoSink;
  /** Bytes so far. */
  #position = 0;

  constructor(sink: VideoSink) {
    this.#sink = sink;
  }

  append(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const position = this.#position;
    this.#position += bytes.length;
    return this.#sink.write(bytes, position);
  }
}

interface SavePicker {
  showSaveFilePicker?(options: { readonly suggestedName: string }): Promise<FileSystemFileHandle>;
}

/** Whether this browser lets the user choose the file that is written to. */
export function canChooseFile(): boolean {
  return (globalThis as SavePicker).showSaveFilePicker !== undefined;
}

/** Asks the user for the file; null: they chose none. */
export async function chooseFile(suggestedName: string): Promise<VideoSink | null> {
  try {
    const handle = await (globalThis as SavePicker).showSaveFilePicker!({ suggestedName });
    return await FileSink.open(handle, async () => {
      // It was made for this video, or emptied for it.
      const { size } = await handle.getFile();
      if (size === 0) await (handle as { remove?: () => Promise<void> }).remove?.();
      return null;
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return null;
    throw error;
  }
}

/** A file of the page's own storage on the disk, to be downloaded; where there is none, memory. */
export async function ownFile(): Promise<VideoSink> {
  try {
    const folder = await navigator.storage.getDirectory();
    const name = `video-${crypto.randomUUID()}`;
    const handle = await folder.getFileHandle(name, { create: true });
    return await FileSink.open(handle, () => folder.removeEntry(name));
  } catch {
    return new MemorySink();
  }
}

class FileSink implements VideoSink {
  readonly #handle: FileSystemFileHandle;
  readonly #stream: FileSystemWritableFileStream;
  readonly #remove: () => Promise<unknown>;

  static async open(handle: FileSystemFileHandle, remove: () => Promise<unknown>): Promise<FileSink> {
    return new FileSink(handle, await handle.createWritable(), remove);
  }

  private constructor(
    handle: FileSystemFileHandle,
    stream: FileSystemWritableFileStream,
    remove: () => Promise<unknown>,
  ) {
    this.#handle = handle;
    this.#stream = stream;
    this.#remove = remove;
  }

  write(data: Uint8Array<ArrayBuffer>, position: number): Promise<void> {
    return this.#stream.write({ type: "write", data, position });
  }

  async close(): Promise<Blob | null> {
    await this.#stream.close();
    return this.#handle.getFile();
  }

  async abort(): Promise<void> {
    await this.#stream.abort().catch(() => undefined);
    await this.#remove().catch(() => undefined);
  }
}

/** As parts, so that a browser may keep them on its disk. */
class MemorySink implements VideoSink {
  #parts: { readonly position: number; readonly blob: Blob }[] = [];

  async write(bytes: Uint8Array<ArrayBuffer>, position: number): Promise<void> {
    this.#parts.push({ position, blob: new Blob([bytes]) });
  }

  async close(): Promise<Blob> {
    let whole = new Blob();
    for (const { position, blob } of this.#parts) {
      const before = whole.slice(0, position);
      const gap = new Blob([new Uint8Array(Math.max(0, position - whole.size))]);
      whole = new Blob([before, gap, blob, whole.slice(position + blob.size)]);
    }
    this.#parts = [];
    return whole;
  }

  async abort(): Promise<void> {
    this.#parts = [];
  }
}
