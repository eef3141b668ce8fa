import { Fold } from "../../model/fold.ts";
import { RecordingError } from "../../model/error.ts";
import { posesOf } from "../../model/poses/pose-columns.ts";
import { checkEvery } from "../../model/query/source.ts";
import type { Recording } from "../../model/recording.ts";
import type { Exporter, ExportOptions } from "../exporter.ts";
import { MCAP } from "./facts.ts";
import { Pass } from "./pass.ts";

/**
 * Writes MCAP. Every channel becomes one of JSON, and the state becomes messages of Foxglove's well-known schemas under
 * `/state/`; see docs/export-mcap.md. Memory grows with a chunk and the state of a moment.
 */
export const mcap: Exporter = {
  ...MCAP,

  async fitting(recording) {
    const { end } = await recording.timeline();
    const { sets } = await recording.state(end);
    const { showing } = await recording.traits();
    const placed = [...sets].filter(([, set]) => posesOf(set) !== null).map(([name]) => name);
    const first = (showing?.things ?? []).filter((name) => placed.includes(name));
    const rest = placed.filter((name) => !first.includes(name));
    return [...first, ...rest, ...recording.channels.map(({ name }) => name)];
  },

  async write(recording, to, options) {
    checkOptions(recording, options);
    const sink = await to.open();
    try {
      const pass = await Pass.begin(recording, new Fold(recording.reader), sink, options);
      const report = await pass.run();
      await sink.close();
      return report;
    } catch (error) {
      await sink.abort();
      throw RecordingError.from(error, recording.info.format);
    }
  },
};

function checkOptions(recording: Recording, { channel, every }: ExportOptions): void {
  if (channel !== undefined) recording.channel(channel);
  checkEvery(every);
}
