import minecraftData from "minecraft-data";
import protocol from "minecraft-protocol";
import { varInt } from "../game/framing.ts";

export type State = "handshaking" | "login" | "configuration" | "play" | "status";
export type Direction = "toServer" | "toClient";

/** A packet's name and fields, as minecraft-data has them. */
export interface Decoded {
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: each packet has fields of its own, which no type of the library tells
  readonly params: any;
}

/** Names of the wanted packets, by state and direction; all others are not decoded. */
export type Wanted = Readonly<Partial<Record<`${State} ${Direction}`, readonly string[]>>>;

/** A member of the library that its types lack. */
interface Deserializer {
  parsePacketBuffer(bytes: Buffer): { readonly data: Decoded };
}

interface Table {
  readonly wanted: ReadonlySet<number>;
  readonly deserializer: Deserializer;
}

type Mappings = Readonly<Record<string, string>>;

/** Decodes the wanted packets of one version. */
export class Decoder {
  readonly #version: string;
  readonly #wanted: Wanted;
  readonly #tables = new Map<string, Table | null>();

  constructor(version: string, wanted: Wanted) {
    this.#version = version;
    this.#wanted = wanted;
  }

  /** The version whose protocol has this number; null: it is unknown. */
  static versionOf(number: number): string | null {
    // The types say one version; several may share a number.
    const versions = minecraftData.postNettyVersionsByProtocolVersion.pc as unknown as Readonly<
      Record<number, readonly { readonly minecraftVersion?: string }[]>
    >;
    return versions[number]?.[0]?.minecraftVersion ?? null;
  }

  /** Null: the packet is not wanted. Throws the error of the library when a packet cannot be decoded. */
  decode(state: State, direction: Direction, packet: Buffer): Decoded | null {
    const table = this.#tableOf(state, direction);
    const id = table === null ? null : varInt(packet, 0);
    if (id === null || !table!.wanted.has(id.value)) return null;
    return table!.deserializer.parsePacketBuffer(packet).data;
  }

  #tableOf(state: State, direction: Direction): Table | null {
    const key = `${state} ${direction}` as const;
    let table = this.#tables.get(key);
    if (table === undefined) {
      table = this.#load(state, direction, this.#wanted[key] ?? []);
      this.#tables.set(key, table);
    }
    return table;
  }

  #load(state: State, direction: Direction, names: readonly string[]): Table | null {
    if (names.length === 0) return null;
    const wanted = new Set<number>();
    for (const [id, name] of Object.entries(mappingsOf(this.#version, state, direction)))
      if (names.includes(name)) wanted.add(Number(id));
    const deserializer = protocol.createDeserializer({
      state: state as protocol.States,
      isServer: direction === "toServer",
      version: this.#version,
      customPackets: {},
      noErrorLogging: true,
    } as Parameters<typeof protocol.createDeserializer>[0]) as Deserializer;
    return { wanted, deserializer };
  }
}

function mappingsOf(version: string, state: State, direction: Direction): Mappings {
  // The protocol is a tree of types; a packet is a container of its number, mapped to a name, and its fields.
  // biome-ignore lint/suspicious/noExplicitAny: as it is in minecraft-data
  const { types } = (minecraftData(version) as any).protocol[state][direction];
  return types.packet[1][0].type[1].mappings as Mappings;
}
