import type { SinkBundle } from "../../../io/sink/sink.ts";
import type { Finding } from "../../../model/error.ts";
import type { Reader } from "../../../model/reader.ts";
import type { RepairNote } from "../../../model/writer.ts";
import { create } from "../write/create.ts";
import type { Columns } from "../../../model/messages/batch.ts";
import type { Channel } from "../../../model/values/value.ts";
import { PayloadSchema } from "../meaning/schema.ts";
import { mcapOf } from "../write/settings.ts";

/** Findings about what is always written again. */
const REBUILT: ReadonlySet<string> = new Set([
  "bad-header",
  "bad-index",
  "bad-checksum",
  "unclosed",
  "missing-channel-info",
  "duplicate-channel-info",
]);

/**
 * A whole file with every message, attachment and metadata record that can be read: chunks, indexes, statistics and
 * checksums again. The summary is not trusted: the file is scanned.
 */
export async function repair(from: Reader, to: SinkBundle, note: RepairNote): Promise<void> {
  const reader = await mcapOf(from).scanned({ report: (finding) => tell(finding, note) });
  const writer = await create(to, { like: reader });
  try {
    const channels = reader.channels.map(({ name, schema, metadata }) =>
      writer.channel({ name, schema: schema.name, metadata }),
    );
    for await (const batch of reader.batches({})) {
      writer.append(readable(batch, reader.channels, note), channels);
      if (writer.ready !== null) await writer.ready;
    }
    await writer.close();
  } catch (error) {
    await writer.abort();
    throw error;
  }
}

/** The batch without messages whose payload is not what their schema says. */
function readable(batch: Columns, channels: readonly Channel[], note: RepairNote): Columns {
  const rows = new Uint32Array(batch.length);
  let count = 0;
  for (let i = 0; i < batch.length; i++) {
    const { name, schema } = channels[batch.channel[i]!]!;
    const isBad = schema instanceof PayloadSchema && schema.isDecoded && schema.value(batch.payload(i)) === undefined;
    if (!isBad) rows[count++] = i;
    else {
      const message = `a message of ${JSON.stringify(name)} that does not decode`;
      note.lost({ code: "bad-payload", severity: "loss", message, time: batch.time[i] });
    }
  }
  return count === batch.length ? batch : batch.pick(rows.subarray(0, count));
}

function tell(finding: Finding, note: RepairNote): void {
  if (!REBUILT.has(finding.code)) {
    note.lost(finding);
    return;
  }
  note.rebuilt({ ...finding, severity: "note", message: `${finding.message}; written again` });
}
