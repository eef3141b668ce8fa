import type { Recording } from "../../../model/recording.ts";
import { WEATHER_FIELDS } from "../layout/layout.ts";
import { type CarlaLike, FORMS, type Forms } from "./forms.ts";
import { controlText, type Printed } from "./physics.ts";
import { type CarlaQueryOptions, type Frame, type Inspector, inspect, type Packet } from "./packets.ts";
import { cText, f32Text, f64Text, vectorText } from "./text.ts";

/** How much of the recording, and how the text looks. */
export interface CarlaInfoOptions extends CarlaQueryOptions {
  /** Print every packet of every frame, not only what is created, destroyed, attached and hit. 0.9.4 and 0.9.5 cannot. */
  readonly all?: boolean | undefined;
}

/**
 * The text of CARLA's `show_recorder_file_info`, piece by piece (semantics §3.1). What the file has cut off is printed
 * as far as whole records go. Throws `RangeError` for a recording of another format, and for `all` of a release that
 * cannot.
 */
export function carlaInfo(recording: Recording, options: CarlaInfoOptions = {}): AsyncGenerator<string> {
  const { all = false } = options;
  return inspect(recording, options, (like) => new Info(all, like), all);
}

/** Bits of `VehicleLight.lights` in the order of printing (semantics §3.1). */
const LIGHTS: readonly (readonly [number, string])[] = [
  [0x1, " Position"],
  [0x2, " LowBeam"],
  [0x4, " HighBeam"],
  [0x8, " Brake"],
  [0x10, " RightBlinker"],
  [0x20, " LeftBlinker"],
  [0x40, " Reverse"],
  [0x100, " Interior"],
  [0x80, " Fog"],
  [0x200, " Special1"],
  [0x400, " Special2"],
];
const DOORS = ["Front Left", "Front Right", "Rear Left", "Rear Right", "Hood", "Trunk", "All"] as const;
const WEATHER_BYTES = 4 * WEATHER_FIELDS.length;
const TEXT = new TextDecoder("utf-8", { ignoreBOM: true });

class Info implements Inspector {
  readonly title: string = "";
  readonly #all: boolean;
  readonly #forms: Forms;
  #text = "";
  /** The line of the current frame is still to be printed. */
  #isPending = false;
  #endsFrame = false;

  constructor(all: boolean, like: CarlaLike) {
    this.#forms = FORMS[like];
    if (all && !this.#forms.hasAll)
      throw new RangeError(`CARLA ${like} cannot print all packets; 0.9.6 is the first that can`);
    this.#all = all;
  }

  packet(packet: Packet): void {
    const { kind } = packet;
    this.#endsFrame = kind === "frame-end";
    switch (kind) {
      case "frame-start":
        this.#isPending = true;
        if (this.#all) this.#frame(packet.frame);
        return;
      case "frame-end":
        if (this.#forms.is2026) this.#text += "\n";
        return;
      case "event-add":
        this.#eventAdd(packet);
        return;
      case "event-del":
        this.#eventDel(packet);
        return;
      case "event-parent":
        this.#eventParent(packet);
        return;
      case "collision":
        this.#collision(packet);
        return;
      case "weather":
        if (this.#forms.is2026) this.#weather(packet);
        return;
      default:
        if (this.#all && kind !== null && packet.id <= this.#forms.until) this.#detail(packet);
    }
  }

  get length(): number {
    return this.#text.length;
  }

  take(): string {
    const text = this.#text;
    this.#text = "";
    return text;
  }

  /** CARLA sees the end of the file only after handling the last packet once more: it shows in the frame end of 2026. */
  rest(): Iterable<string> {
    return this.#forms.is2026 && this.#endsFrame ? ["\n"] : [];
  }

  duration(frame: Frame): string {
    return frame.elapsedText;
  }

  #frame(frame: Frame): void {
    if (!this.#isPending) return;
    this.#isPending = false;
    this.#text += `Frame ${frame.id} at ${frame.elapsedText} seconds\n`;
  }

  #eventAdd(packet: Packet): void {
    packet.actors(({ id, type, blueprint, attributes }, location) => {
      this.#frame(packet.frame);
      const place = vectorText(packet.view, location, packet.dialect.scalar);
      this.#text += ` Create ${id}: ${blueprint} (${type}) at ${place}\n`;
      for (const attribute of attributes) this.#text += `  ${cText(attribute.id)} = ${cText(attribute.value)}\n`;
    });
  }

  #eventDel(packet: Packet): void {
    packet.list(4);
    if (packet.total > 0) this.#frame(packet.frame);
    for (let n = 0, at = packet.first; n < packet.whole; n++, at += packet.stride) {
      this.#text += ` Destroy ${packet.view.getUint32(at, true)}\n`;
    }
  }

  #eventParent(packet: Packet): void {
    packet.list(8);
    const { view, stride } = packet;
    if (packet.total > 0) this.#frame(packet.frame);
    for (let n = 0, at = packet.first; n < packet.whole; n++, at += stride) {
      const parent = view.getUint32(this.#forms.isParentChild ? at : at + 4, true);
      this.#text += ` Parenting ${view.getUint32(at, true)} with ${parent} (parent)\n`;
    }
  }

  #collision(packet: Packet): void {
    packet.list(14);
    const { view, stride } = packet;
    if (packet.total > 0) this.#frame(packet.frame);
    for (let n = 0, at = packet.first; n < packet.whole; n++, at += stride) {
      const actor1 = `${view.getUint32(at + 4, true)}${view.getUint8(at + 12) === 0 ? "" : " (hero) "}`;
      const actor2 = `${view.getUint32(at + 8, true)}${view.getUint8(at + 13) === 0 ? "" : " (hero) "}`;
      this.#text += ` Collision id ${view.getUint32(at, true)} between ${actor1} with ${actor2}\n`;
    }
  }

  #weather(packet: Packet): void {
    packet.list(WEATHER_BYTES);
    if (packet.total > 0) this.#frame(packet.frame);
    if (packet.total > 0 || this.#all) this.#text += ` Weathers: ${packet.total}\n`;
    for (let n = 0, at = packet.first; n < packet.whole; n++, at += packet.stride) {
      this.#text += " ";
      for (let k = 0; k < WEATHER_FIELDS.length; k++) {
        const field = WEATHER_FIELDS[k]!;
        this.#text += ` ${field[0]!.toUpperCase()}${field.slice(1)}: ${f32Text(packet.view, at + 4 * k)}`;
      }
      this.#text += "\n";
    }
  }

  /** What is printed only on demand: a header line even without records, then the records. */
  #detail(packet: Packet): void {
    switch (packet.kind) {
      case "position":
        this.#pair(packet, " Positions: ", ...POSITION_FORMS[this.#forms.motion]);
        return;
      case "kinematics":
        this.#pair(packet, " Dynamic actors: ", " linear_velocity: ", " angular_velocity: ");
        return;
      case "bounding-box":
        this.#pair(packet, " Actor bounding boxes: ", " origin: ", " extension: ");
        return;
      case "trigger-volume":
        this.#pair(packet, " Actor trigger volumes: ", " origin: ", " extension: ");
        return;
      case "state":
        this.#list(packet, " State traffic lights: ", 10, stateText);
        return;
      case "anim-vehicle":
        this.#list(packet, " Vehicle animations: ", 21, VEHICLE_FORMS[this.#forms.motion], this.#head("Vehicle id"));
        return;
      case "anim-walker":
        this.#list(packet, " Walker animations: ", 8, WALKER_FORMS[this.#forms.motion], this.#head("Walker id"));
        return;
      case "vehicle-door":
        if (this.#forms.hasDoors) this.#list(packet, " Vehicle door animations: ", 6, doorText);
        return;
      case "vehicle-light":
        this.#list(packet, " Vehicle light animations: ", 8, lightText);
        return;
      case "scene-light":
        this.#sceneLights(packet);
        return;
      case "platform-time":
        this.#text += ` Current platform time: ${f64Text(packet.view, packet.start)}\n`;
        return;
      case "physics-control":
        this.#controls(packet);
        return;
      case "traffic-light-time":
        this.#list(packet, " Traffic Light time events: ", 16, lightTimeText);
        return;
      case "walker-bones":
        this.#bones(packet);
        return;
      default:
        return;
    }
  }

  /** Before the id of an actor that moves by itself. */
  #head(old: string): string {
    return this.#forms.motion === "0.9.6" ? `  ${old} ` : "  Id: ";
  }

  #list(
    packet: Packet,
    title: string,
    width: number,
    text: (view: DataView, at: number) => string,
    head = "  Id: ",
  ): void {
    packet.list(width);
    const { view, whole, stride } = packet;
    this.#text += `${title}${packet.total}\n`;
    for (let n = 0, at = packet.first; n < whole; n++, at += stride) {
      this.#text += `${head}${view.getUint32(at, true)}${text(view, at)}`;
    }
  }

  /** Records of an id and two vectors: most of a file. */
  #pair(packet: Packet, title: string, first: string, second: string): void {
    const scalar = packet.vectors();
    const { view, whole, stride } = packet;
    this.#text += `${title}${packet.total}\n`;
    for (let n = 0, at = packet.first; n < whole; n++, at += stride) {
      const a = vectorText(view, at + 4, scalar);
      const b = vectorText(view, at + 4 + 3 * scalar, scalar);
      this.#text += `  Id: ${view.getUint32(at, true)}${first}${a}${second}${b}\n`;
    }
  }

  #sceneLights(packet: Packet): void {
    packet.list(26);
    const { view, whole, stride } = packet;
    this.#text += ` Scene light changes: ${packet.total}\n`;
    for (let n = 0, at = packet.first; n < whole; n++, at += stride) {
      const isOn = view.getUint8(at + 24) === 0 ? "False" : "True";
      const intensity = f32Text(view, at + 4);
      const color = vectorText(view, at + 8, 4);
      this.#text += `  Id: ${view.getInt32(at, true)} enabled: ${isOn} intensity: ${intensity} RGB_color: ${color}\n`;
    }
  }

  #controls(packet: Packet): void {
    packet.varied();
    this.#text += ` Physics Control events: ${packet.total}\n`;
    let at = packet.first;
    for (let n = 0; n < packet.total; n++) {
      const printed: Printed | null = controlText(packet.view, at, packet.end, packet.dialect.wheel);
      if (printed === null) return;
      this.#text += printed.text;
      at = printed.end;
    }
  }

  #bones(packet: Packet): void {
    packet.varied();
    const { view, bytes, end, dialect } = packet;
    this.#text += ` Walkers Bones: ${packet.total}\n`;
    let at = packet.first;
    for (let n = 0; n < packet.total && at + 6 <= end; n++) {
      const count = view.getUint16(at + 4, true);
      this.#text += `  Id: ${view.getUint32(at, true)}\n`;
      at += 6;
      for (let k = 0; k < count && at + 2 <= end; k++) {
        const name = at + 2;
        const location = name + view.getUint16(at, true);
        const rotation = location + 3 * dialect.scalar;
        at = rotation + 3 * dialect.scalar;
        if (at > end) break;
        const bone = cText(TEXT.decode(bytes.subarray(name, location)));
        const relative = `Loc${vectorText(view, location, dialect.scalar)} Rot${vectorText(view, rotation, dialect.scalar)}`;
        this.#text += `     Bone: "${bone}" relative: ${relative}\n`;
      }
    }
    // In 2026 the frame end makes the empty line.
    if (!this.#forms.is2026) this.#text += "\n";
  }
}

function stateText(view: DataView, at: number): string {
  const state = String.fromCharCode((48 + view.getUint8(at + 9)) & 255);
  return ` state: ${state} frozen: ${flag(view, at + 4)} elapsedTime: ${f32Text(view, at + 5)}\n`;
}

/** Before location and rotation. */
const POSITION_FORMS: Readonly<Record<Forms["motion"], readonly [string, string]>> = {
  "0.9.6": [" Location ", " Rotation "],
  "0.9.10": [" Location: ", " Rotation "],
  "0.9.15": [" Location: ", " Rotation: "],
};

type TextOf = (view: DataView, at: number) => string;

const VEHICLE_FORMS: Readonly<Record<Forms["motion"], TextOf>> = {
  "0.9.6": (view, at) => `:${animText(view, at, "", "")}`,
  "0.9.10": (view, at) => animText(view, at, ":", ""),
  "0.9.15": (view, at) => animText(view, at, ":", ":"),
};

const WALKER_FORMS: Readonly<Record<Forms["motion"], TextOf>> = {
  "0.9.6": (view, at) => `: speed ${f32Text(view, at + 4)}\n`,
  "0.9.10": (view, at) => ` speed: ${f32Text(view, at + 4)}\n`,
  "0.9.15": (view, at) => ` speed: ${f32Text(view, at + 4)}\n`,
};

/** `colon` is behind the names, `brake` behind that of the brake. */
function animText(view: DataView, at: number, colon: string, brake: string): string {
  const pedals = ` Steering${colon} ${f32Text(view, at + 4)} Throttle${colon} ${f32Text(view, at + 8)} Brake${brake} ${f32Text(view, at + 12)}`;
  return `${pedals} Handbrake${colon} ${flag(view, at + 16)} Gear${colon} ${view.getInt32(at + 17, true)}\n`;
}

/** Doors that close are printed as opened too; one that CARLA does not know leaves the line open. */
function doorText(view: DataView, at: number): string {
  const door = DOORS[view.getUint8(at + 4)];
  return `\n  Doors opened: ${door === undefined ? "" : ` ${door} \n`}`;
}

function lightText(view: DataView, at: number): string {
  const mask = view.getUint32(at + 4, true);
  let text = "";
  for (const [bit, name] of LIGHTS) if ((mask & bit) !== 0) text += name;
  return `${text === "" ? " None" : text}\n`;
}

function lightTimeText(view: DataView, at: number): string {
  const [green, yellow, red] = [f32Text(view, at + 4), f32Text(view, at + 8), f32Text(view, at + 12)];
  return ` green_time: ${green} yellow_time: ${yellow} red_time: ${red}\n`;
}

function flag(view: DataView, at: number): string {
  return view.getUint8(at) === 0 ? "0" : "1";
}
