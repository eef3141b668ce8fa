import type { EventReader, Kit, MessageBatch, Recorded, Time, Traits } from "simtape/kit";
import { fieldOf, numberOf, readSentence } from "./sentence.ts";
import { OTHERS, OWN, SELF } from "./state.ts";

/** After so many nanoseconds without a position there is a gap. */
const GAP = 60e9;
/** Channels that say whether there is a fix. */
const FIXES: readonly string[] = ["gga", "rmc"];

export function traitsOf(kit: Kit): Traits {
  const { cellPath } = kit;
  return {
    unitOf: (path) => (path === "geoid-separation" ? "m" : null),
    words: { sets: { [OWN]: ["vessel", "vessels"], [OTHERS]: ["other vessel", "other vessels"] } },
    showing: {
      things: [OWN, OTHERS],
      presenters: { [OWN]: "vessel", [OTHERS]: "vessel" },
      charts: [[cellPath(OWN, "speed", null, SELF)], [cellPath(OWN, "depth", null, SELF)]],
    },
    events: (recording) => eventsOf(kit, recording),
  };
}

/** Events: the position is lost or found again, and gaps without one. */
async function eventsOf({ eventOf }: Kit, recording: Recorded): Promise<EventReader> {
  const channels = recording.channels.filter(({ name }) => FIXES.includes(name));
  const who = [{ set: OWN, id: SELF, label: "" }];
  let hasFix: boolean | null = null;
  let last: Time | null = null;
  return {
    channels: new Map(channels.map(({ id }) => [id, ["fix", "fix-lost", "gap"]])),
    async begin(start) {
      for await (const batch of recording.batches({ channels, end: start, reverse: true })) {
        if (batch.length === 0) continue;
        hasFix = fixIn(batch, 0);
        last = batch.time[0]!;
        return;
      }
    },
    read(batch, row, into) {
      const channel = channels.find(({ id }) => id === batch.channel[row])!;
      const time = batch.time[row]!;
      const add = (kind: string, text: string, value: Readonly<Record<string, number>>): void => {
        into.push(eventOf(channel, batch, row, { kind, text, who, value }));
      };
      if (last !== null && time - last > GAP)
        add("gap", `nothing for ${Math.round((time - last) / 1e9)} s`, { seconds: (time - last) / 1e9 });
      last = time;
      const isFixed = fixIn(batch, row);
      if (hasFix !== null && isFixed !== hasFix) {
        if (isFixed) add("fix", "the position is known again", {});
        else add("fix-lost", "the position is not known", {});
      }
      hasFix = isFixed;
    },
  };
}

function fixIn(batch: MessageBatch, row: number): boolean {
  const sentence = readSentence(batch.bytes, batch.start[row], batch.end[row]);
  return sentence.formatter === "GGA" ? numberOf(sentence, "quality") > 0 : fieldOf(sentence, "status") === "A";
}
