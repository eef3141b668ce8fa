import type { ByteSource } from "../../../io/source/source.ts";
import type { NativeRecord } from "../../../model/native-record.ts";
import { kindOf, MAGIC, PREFIX } from "../../../codec/mcap/opcode.ts";
import { isMagic } from "./scan.ts";
import { FileWindow } from "./window.ts";

/** Records handed out at once, and bytes of them. */
const BATCH = 1 << 20;

/** Every byte of the file as records. `gaps`: what a scan found to be no record; a summary that is used has none. */
export async function* recordsOf(
  source: ByteSource,
  size: number,
  gaps: readonly { readonly from: number; readonly to: number }[],
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly NativeRecord[]> {
  const window = new FileWindow(source, size, signal);
  let batch: NativeRecord[] = [];
  let held = 0;
  let gap = 0;
  for (let at = 0; at < size; ) {
    const from = at;
    let kind: string;
    let length: number;
    if (gap < gaps.length && gaps[gap]!.from <= at) {
      kind = "damaged";
      length = Math.max(1, gaps[gap++]!.to - at);
    } else [kind, length] = await recordAt(window, at);
    // what is longer than a record may be comes in pieces
    while (at < from + length) {
      const bytes = await window.take(at, Math.min(BATCH << 3, from + length - at));
      batch.push({ kind: at === from || kind === "damaged" ? kind : `${kind}, continued`, offset: at, bytes });
      at += bytes.length;
      held += bytes.length;
      if (held < BATCH) continue;
      yield batch;
      batch = [];
      held = 0;
    }
  }
  if (batch.length > 0) yield batch;
}

async function recordAt(window: FileWindow, at: number): Promise<readonly [kind: string, length: number]> {
  const left = window.end - at;
  if ((at === 0 || left === MAGIC.length) && isMagic(await window.take(at, Math.min(left, MAGIC.length)))) {
    return ["magic", MAGIC.length];
  }
  if (left < PREFIX) return ["damaged", left];
  const prefix = await window.take(at, PREFIX);
  const view = new DataView(prefix.buffer, prefix.byteOffset, PREFIX);
  const length = PREFIX + view.getUint32(1, true) + view.getUint32(5, true) * 0x1_0000_0000;
  if (prefix[0] === 0 || length > left) return ["damaged", left];
  return [kindOf(prefix[0]!), length];
}
