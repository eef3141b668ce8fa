import { open, provideZstd, RecordingError } from "simtape/core";
import { hcrp } from "simtape/formats/hcrp";

/** What opening comes to: the format, or the error in words. */
async function opened(address: string): Promise<string> {
  try {
    await using recording = await open(new URL(address, location.href), { formats: [hcrp] });
    return recording.info.format;
  } catch (error) {
    return RecordingError.is(error) ? `${error.code}: ${error.message}` : String(error);
  }
}

/** What the test calls in the page. */
export interface Page {
  opened(address: string): Promise<string>;
  provideZstd(wasm: string | URL | Uint8Array): void;
}

Object.assign(globalThis, { opened, provideZstd } satisfies Page);
