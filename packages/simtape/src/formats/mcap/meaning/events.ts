import type { MessageBatch } from "../../../model/messages/batch.ts";
import type { EventReader, RecordingEvent } from "../../../model/query/event.ts";
import { eventOf } from "../../../model/query/events.ts";
import type { Recorded } from "../../../model/traits.ts";
import { kindOfChannel } from "./kinds.ts";
import { membersIn, numberIn, textIn } from "./members.ts";
import { PayloadSchema } from "./schema.ts";

/** Kinds of events: how grave a line of a log is. */
export const LEVELS = ["debug", "info", "warning", "error", "fatal"] as const;

/** Levels by their number: Foxglove's 1 to 5, those of ROS 2 in tens; ROS 1 has powers of two (spec §7). */
const FOXGLOVE: readonly string[] = ["info", ...LEVELS];
const ROS_1: ReadonlyMap<number, string> = new Map(LEVELS.map((level, i) => [2 ** i, level]));
const ROS_2: ReadonlyMap<number, string> = new Map(LEVELS.map((level, i) => [10 * (i + 1), level]));

/** Reads the lines of logs. */
export async function eventsOf({ channels }: Recorded): Promise<EventReader> {
  const logs = channels.filter((channel) => kindOfChannel(channel) === "log");
  return {
    channels: new Map(logs.map(({ id }) => [id, LEVELS])),
    begin: async () => undefined,
    read: (batch: MessageBatch, row: number, into: RecordingEvent[]) => {
      const channel = channels[batch.channel[row]!]!;
      const { schema } = channel;
      const decoded = schema instanceof PayloadSchema ? schema.value(batch.payload(row)) : undefined;
      if (decoded === undefined) return;
      const value = membersIn(decoded);
      const text = textIn(value["message"]) || textIn(value["msg"]);
      const name = textIn(value["name"]);
      const kind = levelOf(schema.name, numberIn(value["level"]));
      into.push(eventOf(channel, batch, row, { kind, text: name === "" ? text : `${name}: ${text}`, value: decoded }));
    },
  };
}

function levelOf(schema: string, level: number): string {
  if (schema.startsWith("rosgraph_msgs/")) return ROS_1.get(level) ?? "info";
  if (schema.startsWith("rcl_interfaces/")) return ROS_2.get(level) ?? "info";
  return FOXGLOVE[level] ?? "info";
}
