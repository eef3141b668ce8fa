import { MAGIC } from "../../formats/hcrp/layout/framing.ts";
import { type SourceBundle, SourceError } from "../../io/source/source.ts";

/** Whether a recording is of the format that the recorder writes, whose metadata can be changed: by its first bytes. */
export async function isRecorded(bundle: SourceBundle): Promise<boolean> {
  const source = await bundle.open();
  if (source === null) throw new SourceError("failed", `nothing there: ${bundle.name ?? "recording"}`);
  try {
    const { buffer, byteOffset, byteLength } = await source.read(0, 4);
    return byteLength === 4 && new DataView(buffer, byteOffset, byteLength).getUint32(0) === MAGIC;
  } finally {
    await source.close();
  }
}
