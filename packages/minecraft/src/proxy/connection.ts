import { connect, type Socket } from "node:net";
import type { Body } from "../capture/body.ts";
import { Capture, type Line } from "../capture/capture.ts";
import type { GameData } from "../game/data.ts";
import { encodedAll } from "../game/encoding.ts";
import { frame, textBytes } from "../game/framing.ts";
import type { Packet } from "../game/packet.ts";
import type { Opponents } from "../ghosts/opponents.ts";
import { GhostTeam } from "../ghosts/team.ts";
import type { Adapter } from "../scene/adapter.ts";
import type { Decoded } from "./decoder.ts";
import { OWN_PACKETS, OwnMoves } from "./own-moves.ts";
import { Lane } from "./lane.ts";
import type { Room } from "./room.ts";
import type { Seer } from "./shared-world.ts";
import type { Runner } from "./runner.ts";
import { Tap } from "./tap.ts";

export interface ConnectionOptions {
  readonly client: Socket;
  readonly server: { readonly host: string; readonly port: number };
  /** The player is about to come. */
  readonly logsIn: (of: Connection, uuid: string) => void;
  /** The room of a dimension, which the player has come into. */
  readonly room: (of: Connection, dimension: string, data: GameData) => Room;
  /** The player is in that room no more. */
  readonly left: (of: Connection, room: Room) => void;
  /** The connection is not understood, and passes without being recorded. */
  readonly blind: (reason: string) => void;
  readonly unreachable: (reason: string) => void;
  /** Something could not be shown to the player, as it cannot be said in its version; called once. */
  readonly refused: (reason: string) => void;
  /** How a player of that version is told something; null: it is not, as there is nothing to tell, or no way to. */
  readonly adapter: (version: string) => Promise<Adapter> | null;
  /** Whom a player who has logged in races against; null: there is no course. */
  readonly opponents: (of: Connection, adapter: Adapter, team: GhostTeam) => Opponents | null;
  /** A player has typed something, and can be told something. Whether it is for the proxy alone. */
  readonly command: (of: Connection, text: string) => boolean;
  /** A player who is in the room of the course; null: it is not that room. */
  readonly runner: (of: Connection, room: Room) => Runner | null;
}

/** Number of the packet that refuses a login, in all versions. */
const REFUSED = 0;
/** What players type. */
const TYPED: readonly string[] = ["chat", "chat_command", "chat_command_signed"];
const CAPTURED = {
  toServer: [...OWN_PACKETS.toServer, ...TYPED],
  toClient: [...OWN_PACKETS.toClient, ...Capture.names, "teams", "map_chunk"],
};
/** Bytes that wait for a client: with more it is shown nothing of the proxy's own. */
const MOST_WAITING = 64 << 10;
/** Packets that bring the player into a dimension. */
const ENTERING: ReadonlySet<string> = new Set(["login", "respawn"]);

/** One client and the server: what goes between them passes as it is, and a copy is looked at. */
export class Connection implements Seer {
  readonly #options: ConnectionOptions;
  readonly #server: Socket;
  readonly #tap: Tap;
  readonly #toClient: Lane;
  #adapter: Adapter | null = null;
  /** It listens from the login on: what the server says of its teams is said once. */
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

  /** Packets that were looked at, and those of them that were not understood. */
  get packets(): number {
    return this.#tap.packets;
  }

  get faults(): number {
    return this.#tap.faults;
  }

  stanceOf(id: number): object | null {
    return this.#capture?.body(id)?.stance ?? null;
  }

  /** To be called in each tick. */
  advance(): void {
    this.#runner?.advance();
  }

  /** Shows the player something that the server has not sent. False: that cannot be done now. */
  show(packets: readonly Packet[]): boolean {
    if (this.#toClient.waiting + this.#options.client.writableLength > MOST_WAITING || !this.#tap.isPlaying)
      return false;
    try {
      return this.#toClient.inject(this.#tap.framed(encodedAll(this.#version, packets)));
    } catch (error) {
      // of a recording that another program has made: the game goes on without it
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

  /** The player is nowhere any more. */
  leave(): void {
    const room = this.#room;
    if (room === null) return;
    this.#room = null;
    this.#runner?.leave();
    this.#runner = null;
    this.player?.leave();
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
        client.write(frame(REFUSED, textBytes(JSON.stringify({ text: "The server is not there." }))));
      client.end();
    });
    client.on("error", () => undefined);
    client.once("close", () => server.destroy());
    // what the server has said last still goes out
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
      (line) => this.#tell(line),
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

  /** Settles when the player can be told something; null: never. */
  get ready(): Promise<void> | null {
    return this.#ready;
  }

  get room(): Room | null {
    return this.#room;
  }

  /** A line of chat to the player. */
  tell(text: string, color: string): void {
    if (this.#adapter !== null) this.show(this.#adapter.chat({ text, color }));
  }

  get opponents(): Opponents | null {
    return this.#opponents;
  }

  /** The player says something of itself. */
  #tell(line: Line): void {
    const room = this.#room;
    if (room === null) return;
    room.world.says(line);
    this.#runner?.says(line, room.lines.tick);
  }

  /** Whether it is for the proxy alone. */
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

  /** What the server says is never held back. */
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
    const lines: Line[] = [];
    if (Capture.carries(name)) capture.clientbound(name, params, lines);
    if (ENTERING.has(name)) {
      if (name === "login") this.#team?.forget();
      this.#opponents?.enter(name === "login");
      this.#enter(capture, player, params.entityId ?? player.id);
      return;
    }
    if (name === "position") player.see("toClient", packet);
    this.#follow();
    const room = this.#room;
    if (room !== null) for (const line of lines) this.#sees(room, player, line);
  }

  /** What the server says of the player itself is told by the player. */
  #sees(room: Room, player: OwnMoves, line: Line): void {
    const state = line["state"] as { id: number; flags: number; pose: number } | undefined;
    if (state !== undefined && state.id === player.id) player.shown(state.flags, state.pose);
    else room.world.sees(this, line);
  }

  /** Into a dimension; or it is the same one, after a death. */
  #enter(capture: Capture, player: OwnMoves, id: number | null): void {
    const { dimension } = capture;
    if (dimension === null || id === null) return;
    const lines: Line[] = [];
    this.#body = capture.own(id, player.uuid, lines);
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
    for (const line of lines) room.world.sees(this, line);
  }

  #follow(): void {
    const at = this.player?.at;
    if (at != null) this.#body?.put(...at);
  }
}
