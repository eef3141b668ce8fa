import { framed, Splitter } from "../game/framing.ts";
import { type Decoded, Decoder, type Direction, type State, type Wanted } from "./decoder.ts";

/** The listener of a tap. */
export interface TapListener {
  /** A client has logged in. */
  login(uuid: string, name: string, version: string): void;
  /**
   * Gets a captured packet of the state `play`. True: the packet is for the proxy, and is not sent to the other side.
   */
  packet(direction: Direction, packet: Decoded): boolean;
}

/** Where a withheld packet is: bytes from the start of the bytes that were seen last; it may begin before them. */
export interface Taken {
  readonly start: number;
  readonly end: number;
}

const NOTHING: readonly Taken[] = [];

/** Longer packets are not inflated. Packets of clients are short; the server's list of players is not. */
const LARGEST = { toServer: 32_768, toClient: 2 ** 20 } as const satisfies Record<Direction, number>;
/** The first protocol (1.20.2) with a state between login and play. */
const WITH_CONFIGURATION = 764;
/** Packets that change the state of a connection. */
const CONTROL: Wanted = {
  "login toClient": ["compress", "success", "encryption_begin"],
  "login toServer": ["login_acknowledged"],
  "configuration toClient": ["finish_configuration"],
  "configuration toServer": ["finish_configuration"],
  "play toClient": ["start_configuration"],
  "play toServer": ["configuration_acknowledged"],
};
/** The handshake is the same in all versions; this version decodes it. */
const HANDSHAKE = new Decoder("1.16.5", { "handshaking toServer": ["set_protocol"] });

/**
 * Decodes a copy of the packets between a client and a server. It never throws: when it cannot decode the bytes, it
 * stops and keeps the reason.
 */
export class Tap {
  readonly #listener: TapListener;
  readonly #captured: Wanted;
  readonly #splitters = { toServer: new Splitter(), toClient: new Splitter() };
  readonly #states: Record<Direction, State> = { toServer: "handshaking", toClient: "handshaking" };
  #decoder: Decoder | null = null;
  #version = "";
  #hasConfiguration = false;
  /** Number of packets that were examined, and of those that could not be decoded. */
  packets = 0;
  faults = 0;
  /** Why the tap has stopped; null: it has not. */
  blind: string | null = null;

  /** `captured`: names of packets of the state `play` that the listener gets, besides those of the login. */
  constructor(captured: Readonly<Record<Direction, readonly string[]>>, listener: TapListener) {
    this.#listener = listener;
    this.#captured = {
      ...CONTROL,
      "play toClient": [...CONTROL["play toClient"]!, ...captured.toClient],
      "play toServer": [...CONTROL["play toServer"]!, ...captured.toServer],
    };
  }

  /** Whether the client only asks for the server's name and players. */
  get isStatus(): boolean {
    return this.#states.toServer === "status";
  }

  /** Whether the client is still in its login, so that a packet of the login can say why it is refused. */
  get isInLogin(): boolean {
    return this.#states.toClient === "login" && this.#splitters.toClient.threshold < 0;
  }

  /** Whether the connection is in the state `play`, and both directions can be decoded. */
  get isPlaying(): boolean {
    return this.blind === null && this.#states.toClient === "play";
  }

  /** Bytes of an incomplete packet in this direction. */
  held(direction: Direction): number {
    return this.#splitters[direction].held;
  }

  /** Encodes packets of the proxy as they are sent to the client. */
  framed(packets: readonly Buffer[]): Buffer {
    return Buffer.concat(packets.map((packet) => framed(packet, this.#splitters.toClient.threshold)));
  }

  /**
   * Examines bytes of this direction, which must not be changed, even afterwards. Returns which packets of them are
   * withheld.
   */
  see(direction: Direction, bytes: Buffer): readonly Taken[] {
    if (this.blind !== null || this.isStatus) return NOTHING;
    const taken: Taken[] = [];
    try {
      const splitter = this.#splitters[direction];
      let start = -splitter.held;
      splitter.push(bytes);
      const most = LARGEST[direction];
      for (let packet = splitter.next(most); packet !== null; packet = splitter.next(most)) {
        const end = bytes.length - splitter.held;
        this.packets++;
        if (packet.length > 0 && this.#look(direction, packet)) taken.push({ start, end });
        if (this.blind !== null || this.isStatus) break;
        start = end;
      }
    } catch (error) {
      this.blind = error instanceof Error ? error.message : String(error);
    }
    return taken;
  }

  /** Returns whether the packet is withheld. */
  #look(direction: Direction, packet: Buffer): boolean {
    const state = this.#states[direction];
    const decoder = state === "handshaking" ? HANDSHAKE : this.#decoder!;
    try {
      const decoded = decoder.decode(state, direction, packet);
      if (decoded === null) return false;
      const isControl = CONTROL[`${state} ${direction}`]?.includes(decoded.name) === true;
      if (state !== "handshaking" && !isControl) return this.#listener.packet(direction, decoded);
      if (isControl) this.#control(state, direction, decoded);
      else this.#shake(decoded);
    } catch (error) {
      this.faults++;
      // the states depend on this packet
      if (state !== "play") throw error;
    }
    return false;
  }

  #shake({ params: { protocolVersion, nextState } }: Decoded): void {
    if (nextState === 1) {
      this.#states.toServer = "status";
      return;
    }
    const version = Decoder.versionOf(protocolVersion);
    if (version === null) {
      this.blind = `no version of the game has the protocol ${protocolVersion}`;
      return;
    }
    this.#version = version;
    this.#hasConfiguration = protocolVersion >= WITH_CONFIGURATION;
    this.#decoder = new Decoder(version, this.#captured);
    this.#states.toServer = "login";
    this.#states.toClient = "login";
  }

  #control(state: State, direction: Direction, { name, params }: Decoded): void {
    switch (name) {
      case "encryption_begin":
        this.blind = "the server is in online mode: what it says is encrypted";
        return;
      case "compress":
        this.#splitters.toClient.threshold = params.threshold;
        this.#splitters.toServer.threshold = params.threshold;
        return;
      case "success":
        // A client sends nothing between this packet and its acknowledgement, or its first packet of the next state.
        this.#states.toClient = this.#hasConfiguration ? "configuration" : "play";
        if (!this.#hasConfiguration) this.#states.toServer = "play";
        this.#listener.login(params.uuid, params.username, this.#version);
        return;
      case "finish_configuration":
        this.#states[direction] = "play";
        return;
      default:
        // login_acknowledged, start_configuration, configuration_acknowledged
        this.#states[direction] = state === "play" || state === "login" ? "configuration" : state;
    }
  }
}
