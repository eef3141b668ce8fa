import { RecordingError } from "../../model/error.ts";
import type { Reader } from "../../model/reader.ts";
import { after } from "../../model/values/time.ts";
import type { CreateOptions, Lost, WritingFormat } from "../../model/writer.ts";
import { messagesOutside, outsideOf } from "../time-room.ts";
import { PartsReader } from "./readers.ts";

/**
 * What of a recording its format can write under that name: without what lies outside of its times, beginning with what
 * held there. Throws `RecordingError` when nothing is left.
 */
export async function insideOf(
  reader: Reader,
  writing: WritingFormat,
  name: string | null,
  options: Pick<CreateOptions, "dialect" | "like">,
): Promise<{ readonly reader: Reader; readonly outside: readonly Lost[] }> {
  const domain = writing.times?.(name, options);
  const { start, end, epoch } = await reader.timeline();
  if (domain === undefined || (start >= domain.first && end <= domain.last)) return { reader, outside: [] };
  const reason = outsideOf(domain);
  const [from, until] = [Math.max(start, domain.first), after(Math.min(end, domain.last))];
  if (until <= from) {
    const message = `none of its messages can be written: ${reason.replace(/^its/, "their")}`;
    throw new RecordingError("unsupported", message, { format: reader.info.format });
  }
  const outside = await messagesOutside(reader, {}, from, until, reason);
  const opening = from > start ? await writing.restate(reader, from - 1) : null;
  const channels = reader.channels.map(({ id }) => id);
  const part = { reader, start: from, end: until, shift: 0, opening, channels };
  return { reader: new PartsReader([part], epoch, reader.channels), outside };
}
