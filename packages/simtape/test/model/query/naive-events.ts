import type { Recording } from "../../../src/model/recording.ts";
import type { Value } from "../../../src/model/values/value.ts";

/** An event as a test compares it: enough to tell it from any other. */
export interface NaiveEvent {
  readonly time: number;
  readonly sequence: number;
  readonly kind: string;
  /** Ids of those it is about. */
  readonly who: readonly (number | string)[];
}

type Fields = { readonly [key: string]: Value };
/** What one message tells, by name of its channel; state is kept in the closure. */
type Tell = (channel: string, value: Value, at: { readonly time: number; readonly keyframe: boolean }) => Reported[];
type Reported = readonly [kind: string, ...who: (number | string)[]];

/** The events of a recording, found by decoding every message of every channel, one by one. */
export async function naiveEvents(recording: Recording): Promise<NaiveEvent[]> {
  const tell = await TELLERS[recording.info.format]!(recording);
  const events: NaiveEvent[] = [];
  for await (const message of recording.messages()) {
    const { time, sequence, keyframe } = message;
    let value: Value;
    try {
      value = message.value;
    } catch {
      continue;
    }
    const reported = tell(message.channel.name, value, { time, keyframe });
    for (const [kind, ...who] of reported) events.push({ time, sequence, kind, who });
  }
  return events;
}

const LEVELS = ["debug", "info", "warning", "error", "fatal"] as const;

const TELLERS: Readonly<Record<string, (recording: Recording) => Promise<Tell>>> = {
  mcap: async ({ channels }) => {
    const schemas = new Map(channels.map(({ name, schema }) => [name, schema.name]));
    /** The number of the lowest level, and how those above follow from it. */
    const steps: Readonly<Record<string, (level: number) => number>> = {
      "foxglove.Log": (level) => level - 1,
      "rosgraph_msgs/Log": (level) => Math.log2(level),
      "rcl_interfaces/msg/Log": (level) => level / 10 - 1,
    };
    return (channel, value) => {
      const step = steps[schemas.get(channel)!];
      if (step === undefined || value === null || typeof value !== "object" || value instanceof Uint8Array) return [];
      return [[LEVELS[step(Number((value as Fields)["level"]))] ?? "info"]];
    };
  },
  carla: async () => {
    let before: string[] = [];
    let now: string[] = [];
    const lights = new Map<Value, Value>();
    const lamps = new Map<Value, Value>();
    let weather = "";
    const changed = (of: Map<Value, Value>, id: Value, value: Value): boolean => {
      const isChange = of.has(id) && of.get(id) !== value;
      of.set(id, value);
      return isChange;
    };
    return (channel, value) => {
      const records = value as readonly Fields[];
      switch (channel) {
        case "frame-start":
          before = now;
          now = [];
          return [];
        case "event-add":
          return records.map(({ id }) => ["spawn", id as number]);
        case "event-del":
          for (const id of value as readonly number[]) lights.delete(id);
          return (value as readonly number[]).map((id) => ["removal", id]);
        case "event-parent":
          return records.map(({ id, parent }) => ["attach", id as number, parent as number]);
        case "vehicle-door":
          return records.map(({ id }) => ["door", id as number]);
        case "state":
          return records
            .filter(({ id, state }) => changed(lights, id!, state!))
            .map(({ id }) => ["traffic-light", id as number]);
        case "scene-light":
          return records
            .filter(({ id, isOn }) => changed(lamps, id!, isOn!))
            .map(({ id }) => ["scene-light", id as number]);
        case "weather":
          return records.flatMap((record) => {
            const text = JSON.stringify(record);
            const isChange = weather !== "" && text !== weather;
            weather = text;
            return isChange ? [["weather"] as const] : [];
          });
        case "collision":
          return records.flatMap(({ id1, id2 }) => {
            const pair = JSON.stringify([id1, id2]);
            now.push(pair);
            if (before.includes(pair)) return [];
            return [id2 === 0xffff_ffff ? ["collision", id1 as number] : ["collision", id1 as number, id2 as number]];
          });
        default:
          return [];
      }
    };
  },

  nanover: async () => {
    const users = new Set<string>();
    const grips = new Map<string, string[]>();
    let loaded: Value = null;
    return (channel, value, { keyframe }) => {
      const fields = value as Fields;
      if (channel === "frame") return keyframe && fields["frame.index"] === 0 ? [["reset"]] : [];
      if (channel === "command") return [["command"]];
      if (channel !== "state") return [];
      const reported: Reported[] = [];
      for (const [key, item] of Object.entries(fields["updates"] as Fields)) {
        const id = key.slice(key.indexOf(".") + 1);
        if (key.startsWith("avatar.") && !users.has(id)) {
          users.add(id);
          reported.push(["join", id]);
        } else if (key.startsWith("interaction.")) {
          const owner = (item as Fields | null)?.["owner.id"];
          const before = grips.get(id);
          if (before === undefined || before.length === 1)
            grips.set(id, typeof owner === "string" ? [owner, id] : [id]);
          if (before === undefined) reported.push(["grab", ...grips.get(id)!]);
        } else if (key.startsWith("selection.")) reported.push(["selection"]);
        else if (key === "simulation.name" && item !== loaded) {
          loaded = item;
          reported.push(["simulation"]);
        }
      }
      for (const key of fields["removals"] as readonly string[]) {
        const id = key.slice(key.indexOf(".") + 1);
        if (key.startsWith("avatar.") && users.delete(id)) reported.push(["leave", id]);
        else if (key.startsWith("interaction.") && grips.has(id)) {
          reported.push(["release", ...grips.get(id)!]);
          grips.delete(id);
        } else if (key.startsWith("selection.")) reported.push(["selection"]);
      }
      return reported;
    };
  },

  flightgear: async () => {
    let flags: Fields = {};
    const said = new Map<string, string>();
    return (channel, value) => {
      const fields = value as Fields;
      if (channel === "extra-properties") return [["property"]];
      if (channel === "signals") {
        const reported: Reported[] = [];
        for (const [path, now] of Object.entries(fields)) {
          const before = flags[path];
          const isWheel = path.endsWith("/wow");
          if (before === undefined || Boolean(before) === Boolean(now)) continue;
          if (isWheel) reported.push([now ? "touchdown" : "liftoff", "self"]);
          else if (typeof now === "boolean") reported.push([path === "/sim/crashed" && now ? "crash" : "flag", "self"]);
        }
        flags = fields;
        return reported;
      }
      const callsign = fields["callsign"] as string | undefined;
      if (channel !== "multiplayer" || callsign === undefined || fields["position"] === undefined) return [];
      const reported: Reported[] = [];
      const properties = fields["properties"] as Fields;
      const before = said.get(callsign);
      const chat = properties["sim/multiplay/chat"] ?? before ?? "";
      if (before === undefined) reported.push(["join", callsign]);
      if (chat !== (before ?? "") && chat !== "") reported.push(["chat", callsign]);
      said.set(callsign, chat as string);
      return reported;
    };
  },

  mira: async (recording) => {
    const statistics = await recording.statistics();
    const before = new Map<string, Value>();
    const poses = new Set((await recording.state(Number.MAX_SAFE_INTEGER)).sets.get("poses")?.ids ?? []);
    return (channel, value) => {
      const { id, schema } = recording.channels.find(({ name }) => name === channel)!;
      if (/string/.test(schema.name)) return [[channel]];
      if (statistics[id]!.messages <= 64) return poses.has(channel) ? [] : [[channel]];
      if (typeof value !== "boolean") return [];
      const isChange = before.has(channel) && before.get(channel) !== value;
      before.set(channel, value);
      return isChange ? [[channel]] : [];
    };
  },

  hcrp: async (recording) => {
    const { start } = await recording.timeline();
    if (recording.info.version.includes("production")) return production();
    const hosts = new Set(
      recording.channels.filter(({ metadata }) => Number(metadata["type"]) >= 64).map((c) => c.name),
    );
    return world(hosts, start);
  },
};

function production(): Tell {
  let here = new Set<Value>();
  let before = new Set<Value>();
  const kinds: Readonly<Record<string, string>> = {
    "run-start": "start",
    "checkpoint-reached": "checkpoint",
    "checkpoint-reset": "reset",
    "run-end": "end",
  };
  return (channel, value) => {
    const entity = (value as Fields | null)?.["entity"] as number;
    switch (channel) {
      case "snapshot":
        before = here;
        here = new Set();
        return [];
      case "spawn":
        here.add(entity);
        return before.delete(entity) ? [] : [["spawn", entity]];
      case "destroy":
        here.delete(entity);
        return [["removal", entity]];
      case "clear-ghost-blocks":
        return [["clear-blocks"]];
      default:
        return kinds[channel] === undefined ? [] : [[kinds[channel], 0]];
    }
  };
}

const MARKS = ["bookmark", "checkpoint", "anticheat", "report", "start", "end"];

/** Of health, views, effects and vehicles, only for recordings in which no thing loses or changes any: those of the samples. */
function world(hosts: ReadonlySet<string>, start: number): Tell {
  return (channel, value, { time }) => {
    const fields = value as Fields;
    const entity = fields?.["entity"] as number;
    switch (channel) {
      case "spawn":
      case "join":
      case "leave":
        return [[channel, entity]];
      case "remove":
        return Array.from(fields["entities"] as Uint32Array, (id) => ["removal", id] as const);
      case "place":
        return ((fields["flags"] as number) & 2) === 0 ? [] : [["teleport", entity]];
      case "chat":
        return [fields["sender"] === null ? ["chat"] : ["chat", fields["sender"] as number]];
      case "hurt":
        return [fields["attacker"] === null ? ["hurt", entity] : ["hurt", entity, fields["attacker"] as number]];
      case "mark": {
        const kind = MARKS[fields["kind"] as number] ?? "mark";
        return [fields["entity"] === null ? [kind] : [kind, entity]];
      }
      case "clear-blocks":
        return [["clear-blocks"]];
      case "effect":
        return time === start || fields["ticks"] === 0 ? [] : [["effect", entity]];
      default:
        return hosts.has(channel) && !channel.startsWith("simtape:") ? [[channel]] : [];
    }
  };
}
