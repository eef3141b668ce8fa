import { type PropertyNode, propertyNode, writeProperties } from "../../codec/properties.ts";
import { FILLER_BYTES, type SignalList, type SignalType } from "../../formats/flightgear/layout/signals.ts";

/** What a packet says before its signals, with the bytes that each takes. */
const EXTRAS = [
  ["/sim/time/elapsed-sec", "double"],
  ["/sim/freeze/master", "bool"],
  ["/sim/replay/replay-state", "int"],
] as const;
const SIGNALS_AT = 8 + 1 + 4;

/** Bytes of a value in a packet; whole numbers are all sent as four. */
const SENT: Readonly<Record<SignalType, number>> = { double: 8, float: 4, int: 4, int16: 4, int8: 4, bool: 1 };

/** What a packet says beside its signals. */
export interface PacketState {
  /** Simulation seconds, which go on while the simulator is paused. */
  readonly elapsed: number;
  readonly isPaused: boolean;
  /** 0: flying; else a tape is shown. */
  readonly replayState: number;
}

/** FlightGear's generic protocol, binary, for one list of signals: the file that it reads, and the packets that it sends. */
export class GenericProtocol {
  readonly list: SignalList;
  /** Bytes of a packet. */
  readonly packetBytes: number;

  constructor(list: SignalList) {
    this.list = list;
    this.packetBytes = list.signals.reduce((sum, { type }) => sum + SENT[type], SIGNALS_AT);
  }

  /** The text of the protocol file. */
  get file(): string {
    const leaf = (name: string, value: string): PropertyNode => propertyNode(name, { value });
    const chunk = (path: string, type: string, index: number): PropertyNode =>
      propertyNode("chunk", { index, children: [leaf("node", path), leaf("type", type)] });
    const chunks = [
      ...EXTRAS.map(([path, type]) => [path, type] as const),
      ...this.list.signals.map(({ property, type }) => [property, typeInFile(type)] as const),
    ].map(([path, type], index) => chunk(path, type, index));
    const output = propertyNode("output", {
      children: [leaf("binary_mode", "true"), leaf("byte_order", "network"), ...chunks],
    });
    return writeProperties(
      propertyNode("PropertyList", { children: [propertyNode("generic", { children: [output] })] }),
    );
  }

  /** Null for a packet of another length. */
  stateOf(packet: Uint8Array): PacketState | null {
    if (packet.length !== this.packetBytes) return null;
    const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength);
    return { elapsed: view.getFloat64(0), isPaused: packet[8] !== 0, replayState: view.getInt32(9) };
  }

  /** The signals of a packet as a tape has them, bit for bit: little-endian, whole numbers of their width, bools as bits. */
  record(packet: Uint8Array): Uint8Array {
    const record = new Uint8Array(this.list.bytes + FILLER_BYTES);
    const { counts } = this.list;
    let from = SIGNALS_AT;
    let to = 0;
    const reversed = (count: number, sent: number, kept: number): void => {
      for (let n = count; n > 0; n--) {
        for (let k = 0; k < kept; k++) record[to + k] = packet[from + sent - 1 - k]!;
        from += sent;
        to += kept;
      }
    };
    reversed(counts.double, SENT.double, 8);
    reversed(counts.float, SENT.float, 4);
    reversed(counts.int, SENT.int, 4);
    reversed(counts.int16, SENT.int16, 2);
    reversed(counts.int8, SENT.int8, 1);
    for (let k = 0; k < counts.bool; k++, from++) {
      if (packet[from] !== 0) record[to + (k >> 3)]! |= 1 << (k & 7);
    }
    return record;
  }
}

/** The protocol has no narrower whole number. */
function typeInFile(type: SignalType): string {
  return type === "int16" || type === "int8" ? "int" : type;
}
