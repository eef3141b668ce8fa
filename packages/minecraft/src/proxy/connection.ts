import { connect, type Socket } from "node:net";
import { faultIn, type LiveEvent } from "simtape/record";
import type { Body, Stance } from "../capture/body.ts";
import { Capture } from "../capture/capture.ts";
import type { GameData } from "../game/data.ts";
import { encodedAll } from "../game/encoding.ts";
import { frame, textBytes } from "../game/framing.ts";
import type { Packet } from "../game/packet.ts";
import type { Opponents } from "../ghosts/opponents.ts";
import { GhostTeam } from "../ghosts/team.ts";
import type { Adapter } from "../scene/adapter.ts";
import type { Decoded } from "./decoder.ts";
import { OWN_PACKETS, type OwnEvent, OwnMoves } from "./own-moves.ts";
import { Lane } from "./lane.ts";
import type { Room } from "./room.ts";
import type { Seer } from "./shared-world.ts";
import type { Runner } from "./runner.ts";
import { Tap } from "./tap.ts";

export interface ConnectionOptions {
  readonly client: Socket;
  readonly server: { readonly host: string; readonly port: number };
  /** The player is about to enter the game. */
  readonly logsIn: (of: Connection, uuid: string) => void;
  /** Returns the room of a dimension that the player has entered. */
  readonly room: (of: Connection, dimension: string, data: GameData) => Room;
  /** The player has left that room. */
  readonly left: (of: Connection, room: Room) => void;
  /** The connection cannot be decoded, and passes without being recorded. */
  readonly blind: (reason: string) => void;
  readonly unreachable: (reason: string) => void;
  /** A packet could not be shown to the player, because its version cannot express it; called once. */
  readonly refused: (reason: string) => void;
  /** Sends messages to a player of that version; null: there is nothing to send, or no way to send it. */
  readonly adapter: (version: string) => Promise<Adapter> | null;
  /** The opponents of a player who has logged in; null: there is no course. */
  readonly opponents: (of: Connection, adapter: Adapter, team: GhostTeam) => Opponents | null;
  /**
   * Handles the text that a player has typed; the player can get an answer. Returns whether the text is for the proxy
   * alone.
   */
  readonly command: (of: Connection, text: string) => boolean;
  /** The runner of a player who is in the room of the course; null: it is another room. */
  readonly runner: (of: Connection, room: Room) => Runner | null;
}

/** Number of the packet that refuses a login, in all versions. */
const REFUSED = 0;
/** Packets with text that players type. */
const TYPED: readonly string[] = ["chat", "chat_command", "chat_command_signed"];
const CAPTURED = {
  toServer: [...OWN_PACKETS.toServer, ...TYPED],
  toClient: [...OWN_PACKETS.toClient, ...Capture.names, "teams", "map_chunk"],
};
/** Bytes that wait for a client; above this it gets no packets of the proxy. */
const MOST_WAITING = 64 << 10;
/** Packets that bring the player into a dimension. */
const ENTERING: ReadonlySet<string> = new Set(["login", "respawn"]);

/** The connection of one client with the server: packets pass unchanged, and a copy is decoded. */
export class Connection implements Seer {
  readonly #options: ConnectionOptions;
  readonly #server: Socket;
  readonly #tap: Tap;
  readonly #toClient: Lane;
  #adapter: Adapter | null = null;
  /** It listens from the login on, because the server sends its teams only once. */
  #team: GhostTeam | null = null;
  #ready: Promise<void> | null = null;
  #opponents: Opponents | null = null;
  #runner: Runner | null = null;
  #version = "";
  #capture: Capture | null = null;
  #body: Body | null = null;
  #room: Room | null = null;
  #wasBlind = false;
  #isRefused = false;
  player: OwnMoves | null = null;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    const { client, server } = options;
    this.#server = connect({ ...server, noDelay: true, allowHalfOpen: true });
    this.#tap = new Tap(CAPTURED, {
      login: (uuid, name, version) => this.#logIn(uuid, name, version),
      packet: (direction, packet) => (direction === "toServer" ? this.#says(packet) : this.#hears(packet)),
    });
    this.#toClient = new Lane("toClient", this.#tap, () => this.#looked());
    this.#join(client, this.#server);
  }

  /** Number of packets that were examined, and of those that could not be decoded. */
  get packets(): number {
    return this.#tap.packets;
  }

  get faults(): number {
    return this.#tap.faults;
  }

  stanceOf(id: number | string): Stance | null {
    return this.#capture?.body(Number(id))?.stance ?? null;
  }

  /** Shows the player a packet that the server has not sent. False: this is not possible now. */
  show(packets: readonly Packet[]): boolean {
    if (this.#toClient.waiting + this.#options.client.writableLength > MOST_WAITING || !this.#tap.isPlaying)
      return false;
    try {
      return this.#toClient.inject(this.#tap.framed(encodedAll(this.#version, packets)));
    } catch (error) {
      // the recording belongs to another program: the game goes on without it
      if (!this.#isRefused) this.#options.refused(error instanceof Error ? error.message : String(error));
      this.#isRefused = true;
      return false;
    }
  }

  /** Ends both sides. */
  destroy(): void {
    this.#options.client.destroy();
    this.#server.destroy();
  }

  /** The player is in no dimension any more. */
  leave(): void {
    const room = this.#room;
    if (room === null) return;
    this.#runner?.leave();
    this.#runner = null;
    // its last events belong to the room that it leaves
    this.player?.leave();
    this.#room = null;
    room.world.leave(this);
    this.#options.left(this, room);
  }

  #join(client: Socket, server: Socket): void {
    let isConnected = false;
    client.pipe(new Lane("toServer", this.#tap, () => this.#looked())).pipe(server);
    server.pipe(this.#toClient).pipe(client);
    server.once("connect", () => {
      isConnected = true;
    });
    server.on("error", (error) => {
      if (isConnected) return;
      this.#options.unreachable(error.message);
      if (this.#tap.isInLogin)
        client.write(frame(REFUSED, textBytes(JSON.stringify({ text: "The server cannot be reached." }))));
      client.end();
    });
    client.on("error", () => undefined);
    client.once("close", () => server.destroy());
    // the last packets of the server are still sent
    server.once("close", () => (this.#toClient.writableEnded ? undefined : this.#toClient.end()));
  }

  #looked(): void {
    if (this.#tap.blind === null || this.#wasBlind) return;
    this.#wasBlind = true;
    this.#options.blind(this.#tap.blind);
  }

  #logIn(uuid: string, name: string, version: string): void {
    const capture = new Capture({ version });
    this.#capture = capture;
    this.#options.logsIn(this, uuid);
    this.#version = version;
    this.player = new OwnMoves(
      uuid,
      name,
      () => capture.profileOf(uuid),
      (event) => this.#give(event),
    );
    this.#team = new GhostTeam(name);
    const adapter = this.#options.adapter(version);
    if (adapter !== null) this.#ready = adapter.then((loaded) => this.#speak(loaded));
  }

  #speak(adapter: Adapter): void {
    this.#adapter = adapter;
    this.#opponents = this.#options.opponents(this, adapter, this.#team!);
    this.#opponents?.refresh();
  }

  /** Settles when the player can get messages; null: never. */
  get ready(): Promise<void> | null {
    return this.#ready;
  }

  get room(): Room | null {
    return this.#room;
  }

  /** Sends a line of chat to the player. */
  tell(text: string, color: string): void {
    if (this.#adapter !== null) this.show(this.#adapter.chat({ text, color }));
  }

  get opponents(): Opponents | null {
    return this.#opponents;
  }

  /** Handles a packet that the client sends about its player. */
  #give(event: OwnEvent): void {
    const room = this.#room;
    if (room === null || !isSound(room, event)) return;
    room.says(this, event);
    this.#runner?.says(event, room.events.tick);
  }

  /** Returns whether the packet is for the proxy alone. */
  #says(packet: Decoded): boolean {
    const { name, params } = packet;
    if (TYPED.includes(name)) return this.#types(name === "chat" ? params.message : `/${params.command}`);
    this.player?.see("toServer", packet);
    this.#follow();
    return false;
  }

  #types(text: string): boolean {
    return this.#ready !== null && this.#options.command(this, text);
  }

  /** Packets of the server are never withheld. */
  #hears(packet: Decoded): false {
    this.#hear(packet);
    return false;
  }

  #hear(packet: Decoded): void {
    const { name, params } = packet;
    const [capture, player] = [this.#capture, this.player];
    if (capture === null || player === null) return;
    if (name === "teams") {
      this.#team?.see(params);
      return;
    }
    if (name === "map_chunk") {
      this.#room?.ground?.see(params);
      return;
    }
    const events: LiveEvent[] = [];
    if (Capture.carries(name)) capture.clientbound(name, params, events);
    if (ENTERING.has(name)) {
      if (name === "login") this.#team?.forget();
      this.#opponents?.enter(name === "login");
      this.#enter(capture, player, params.entityId ?? player.id);
      return;
    }
    if (name === "position") player.see("toClient", packet);
    this.#follow();
    const room = this.#room;
    if (room !== null) for (const event of events) this.#sees(room, player, event);
  }

  /** What the server sends about the player itself counts as an event of the player. */
  #sees(room: Room, player: OwnMoves, event: LiveEvent): void {
    if (!isSound(room, event)) return;
    if (event.kind === "state" && event.value.id === player.id) {
      const { flags = 0, pose = 0 } = event.value;
      player.shown(flags, pose);
    } else room.world.sees(this, event);
  }

  /** The player enters a dimension, or the same one again after a death. */
  #enter(capture: Capture, player: OwnMoves, id: number | null): void {
    const { dimension } = capture;
    if (dimension === null || id === null) return;
    const events: LiveEvent[] = [];
    this.#body = capture.own(id, player.uuid, events);
    if (this.#room !== null && this.#room.dimension === dimension && player.id === id) {
      this.#room.world.forget(this);
      player.enter(id);
      return;
    }
    this.leave();
    player.enter(id);
    const room = this.#options.room(this, dimension, capture.data);
    this.#room = room;
    this.#runner = this.#options.runner(this, room);
    room.world.enter(this, id);
    for (const event of events) room.world.sees(this, event);
  }

  #follow(): void {
    const at = this.player?.at;
    if (at != null) this.#body?.put(...at);
  }
}

/** Whether an event can be recorded: packets may hold anything, such as a position that is not a number. */
function isSound(room: Room, event: LiveEvent): boolean {
  const fault = faultIn(event);
  if (fault !== null) room.events.lose(event, fault);
  return fault === null;
}
