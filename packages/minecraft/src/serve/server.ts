import { stat } from "node:fs/promises";
import type { Store } from "simtape";
import { directoryStore } from "simtape/node";
import type { ServerClient } from "../game/protocol.ts";
import { failureOf, UsageError } from "simtape/serving";
import { encodedAll } from "../game/encoding.ts";
import { adapterFor } from "../scene/families.ts";
import { isVersion, VERSIONS, versionList } from "../scene/versions.ts";
import { GRID } from "../scene/thing.ts";
import { ticketIn } from "../tickets/ticket.ts";
import { Access, type AccessOptions } from "./access.ts";
import { CONTROLS, commandOf, HOTBAR, thingNamed } from "./controls.ts";
import { Backdrop } from "../world/backdrop.ts";
import { worldIn } from "../world/names.ts";
import { Front } from "./front.ts";
import { isLoopback } from "./loopback.ts";
import { keepMark } from "./marks.ts";
import { named, storedIn, type Stored } from "../stored/recordings.ts";
import { ChunkCache, Scenery } from "./scenery.ts";
import { type Below, Session } from "./session.ts";
import { listen } from "./listen.ts";
import { Viewer } from "./viewer.ts";
import { HELP, wordsOf } from "./words.ts";

export interface ReplayOptions {
  /** A folder of recordings. */
  readonly store: string;
  readonly host?: string | undefined;
  readonly port: number;
  /** The worlds that recordings were made in; absent: in their folder. */
  readonly worlds?: Store | undefined;
  /** The only version that clients may have; absent: all that are known. */
  readonly version?: string | undefined;
  /** Clients are not asked to prove who they are: for this machine alone. */
  readonly isInsecure: boolean;
  /** Who may open what; absent: all may open all. */
  readonly access?: AccessOptions | undefined;
  /** Viewers at most. */
  readonly most?: number | undefined;
  /** Milliseconds that a client may take to log in. */
  readonly patience?: number | undefined;
  readonly report?: ((text: string) => void) | undefined;
}

const MOST_VIEWERS = 100;
/** Recordings that are open at once, at most. */
const MOST_SESSIONS = 32;
/** Rows of a list in the chat. */
const MOST_LISTED = 50;
/** Tickets that one connection may try in vain. */
const MOST_FLAWED = 10;
const OPEN_TO_ALL: AccessOptions = { isPublic: "all", key: null, audit: null };
/** A name as the game has it. */
const NAME = /^\w{1,16}$/;

/** Shows recordings to clients of the game: a lobby, and sessions in which any number of them look on. */
export class ReplayServer {
  readonly #options: ReplayOptions;
  readonly #most: number;
  readonly #access: Access;
  readonly #worlds: Store;
  /** Chunks for all viewers. */
  readonly chunks: ChunkCache = new ChunkCache();
  readonly #viewers = new Map<Viewer, Session | null>();
  /** By viewer: what it wants is done one after the other. */
  readonly #turns = new WeakMap<Viewer, Promise<void>>();
  readonly #flawed = new WeakMap<Viewer, number>();
  readonly #opening = new Map<string, Promise<Session>>();
  /** Recordings that are open, or about to be. */
  #open = 0;
  #front!: Front;

  private constructor(options: ReplayOptions, access: Access) {
    this.#options = options;
    this.#most = options.most ?? MOST_VIEWERS;
    this.#access = access;
    this.#worlds = options.worlds ?? directoryStore(options.store);
  }

  /**
   * Rejects where the port cannot be had, or the store not be read; `UsageError` for a version that clients cannot have, and
   * for clients of other machines that do not prove who they are.
   */
  static async listen(options: ReplayOptions): Promise<ReplayServer> {
    const { version, host = "127.0.0.1", port, patience } = options;
    if (version !== undefined && !isVersion(version))
      throw new UsageError(`--version is ${versionList()}, not ${version}`);
    if (options.isInsecure && !isLoopback(host))
      throw new UsageError(`--insecure is for this machine alone: --host 127.0.0.1, not ${host}`);
    await storedIn(options.store);
    const versions = version === undefined ? VERSIONS : [version];
    for (const spoken of versions) await warm(spoken);
    const access = await Access.open(options.access ?? OPEN_TO_ALL);
    const server = new ReplayServer(options, access);
    server.#front = await Front.listen({
      host,
      port,
      versions,
      isOnline: !options.isInsecure,
      motd: "Replays",
      most: server.#most,
      patience,
      login: (client, spoken) => void server.#welcome(client, spoken).catch((error) => server.#drop(client, error)),
    });
    return server;
  }

  get port(): number {
    return this.#front.port;
  }

  /** Those that have viewers. */
  get sessions(): ReadonlySet<Session> {
    return new Set([...this.#viewers.values()].filter((session) => session !== null));
  }

  async close(): Promise<void> {
    await this.#front.close();
    const sessions = [...this.sessions];
    this.#viewers.clear();
    await Promise.all(sessions.map((session) => session.close()));
    await this.#access.close();
  }

  async #welcome(client: ServerClient, version: string): Promise<void> {
    if (!NAME.test(client.username)) return client.end("A name has 1 to 16 letters, digits and _.");
    const adapter = await adapterFor(version);
    if (client.ended) return;
    if (this.#viewers.size >= this.#most) return client.end("The replay server is full: come again later.");
    for (const { client: other, name, isGone } of this.#viewers.keys()) {
      // who has proved to be the same comes in from elsewhere
      if (!this.#options.isInsecure && other.uuid === client.uuid) other.end("You came in from elsewhere.");
      // a name that is not proven may be taken by any who come
      else if (!isGone && name.toLowerCase() === client.username.toLowerCase())
        return client.end(`${name} is here already.`);
    }
    const viewer = new Viewer(client, adapter);
    this.#viewers.set(viewer, null);
    client.once("end", () => this.#inTurn(viewer, () => this.#leave(viewer, true)));
    this.#options.report?.(`${viewer.name} came with ${version}`);
    listen(viewer, {
      say: (text) => this.#inTurn(viewer, () => this.#hear(viewer, text)),
      use: (slot) => this.#inTurn(viewer, () => this.#use(viewer, slot)),
    });
    viewer.begin(this.#most);
    this.#inTurn(viewer, () => this.#invite(viewer));
  }

  #inTurn(viewer: Viewer, work: () => Promise<void>): void {
    const before = this.#turns.get(viewer) ?? Promise.resolve();
    this.#turns.set(
      viewer,
      before.then(work).catch((error: unknown) => this.#refuse(viewer, error)),
    );
  }

  /** To the recording that its host name asks for, by name or by ticket; or to the lobby. */
  async #invite(viewer: Viewer): Promise<void> {
    const { serverHost = "" } = viewer.client as { serverHost?: string };
    const ticket = ticketIn(serverHost);
    if (ticket !== null) {
      await this.#redeem(viewer, ticket).catch((error: unknown) => this.#refuse(viewer, error));
      if (this.#viewers.get(viewer) != null) return;
    }
    const allowed = await this.#allowed(viewer);
    const [first = ""] = serverHost.split(/[.\0]/);
    // numbers are an address, and no name
    if (ticket === null && serverHost.includes(".") && !/^\d*$/.test(first)) {
      const wanted = named(allowed, first);
      if (wanted !== null) return this.#watch(viewer, wanted);
      await this.#access.refuse(viewer.asker, first);
    }
    viewer.tell("Recordings: click into the chat and type /play NAME. /help has the rest.", "gold");
    this.#list(viewer, allowed);
  }

  async #redeem(viewer: Viewer, ticket: string): Promise<void> {
    let found: Stored;
    try {
      found = await this.#access.redeem(viewer.asker, ticket, () => storedIn(this.#options.store));
    } catch (error) {
      const flawed = (this.#flawed.get(viewer) ?? 0) + 1;
      this.#flawed.set(viewer, flawed);
      if (flawed >= MOST_FLAWED) viewer.client.end("Too many tickets that are none.");
      throw error;
    }
    await this.#watch(viewer, found);
  }

  async #hear(viewer: Viewer, text: string): Promise<void> {
    const words = wordsOf(text);
    const session = this.#viewers.get(viewer) ?? null;
    if (words === null) {
      for (const [other, of] of this.#viewers) if (of === session) other.tell(`${viewer.name}: ${text.slice(0, 256)}`);
      return;
    }
    const { name, rest } = words;
    const anywhere = entry(this.#anywhere, name);
    if (anywhere !== undefined) return anywhere(viewer, rest);
    const control = entry(CONTROLS, name);
    const own = entry(this.#own, name);
    if (control === undefined && own === undefined)
      throw new UsageError(`there is no /${name}: /help has what there is`);
    if (session === null) throw new UsageError("open a recording first: /play NAME");
    if (own !== undefined) return own(viewer, session, rest);
    await this.#control(viewer, session, name, rest);
  }

  async #control(viewer: Viewer, session: Session, name: string, rest: string): Promise<void> {
    if (session.leader !== viewer) throw new UsageError(`${session.leader?.name} leads: /free watches alone from here`);
    await CONTROLS[name]!(session, rest);
  }

  async #allowed({ asker }: Viewer): Promise<readonly Stored[]> {
    return this.#access.allowed(asker, () => storedIn(this.#options.store));
  }

  /** Commands that need no recording. */
  readonly #anywhere: Readonly<Record<string, (viewer: Viewer, rest: string) => Promise<void> | void>> = {
    help: (viewer) => {
      for (const [command, does] of HELP) viewer.tell(`${command}: ${does}`, "gray");
    },
    list: async (viewer) => this.#list(viewer, await this.#allowed(viewer)),
    play: async (viewer, rest) => {
      const wanted = named(await this.#allowed(viewer), rest);
      if (wanted !== null) return this.#watch(viewer, wanted);
      // whether there is one is not said to those who may not open it, but that they asked is noted
      await this.#access.refuse(viewer.asker, rest);
      throw new UsageError(`no recording is called ${rest}: /list shows them`);
    },
    review: async (viewer, rest) => {
      const ticket = ticketIn(rest);
      if (ticket === null) throw new UsageError("/review takes a ticket, which begins with st1");
      await this.#redeem(viewer, ticket);
    },
    join: async (viewer, rest) => {
      const [, session] = [...this.#viewers].find(([{ name }]) => name.toLowerCase() === rest.toLowerCase()) ?? [];
      if (session === undefined) throw new UsageError(`${rest} is not on this server`);
      if (session === null) throw new UsageError(`${rest} watches nothing`);
      if (session === this.#viewers.get(viewer)) throw new UsageError(`you watch with ${rest} already`);
      await this.#access.enter(viewer.asker, session.stored);
      if (!(await this.#enter(viewer, session))) throw new UsageError(`${rest} has left it just now`);
    },
    lobby: async (viewer) => {
      await this.#leave(viewer, false);
      viewer.tell("You are in the lobby: /list, /play NAME.", "gold");
    },
    hotbar: (viewer) => {
      viewer.become(viewer.mode === "hotbar" ? "spectator" : "hotbar");
      if (viewer.mode === "hotbar") viewer.send(viewer.adapter.hotbar(HOTBAR.map(([item, name]) => [item, name])));
    },
  };

  /** Commands of any viewer in a session. */
  readonly #own: Readonly<Record<string, (viewer: Viewer, session: Session, rest: string) => Promise<void> | void>> = {
    view: (viewer, session, rest) => session.look(viewer, rest === "" ? null : thingNamed(session, rest)),
    goto: (viewer, session, rest) => {
      const { x, y, z, yaw, pitch } = thingNamed(session, rest);
      viewer.put({ x: x / GRID, y: y / GRID, z: z / GRID, yaw, pitch });
    },
    free: async (viewer, session) => {
      if (session.viewers.size === 1) throw new UsageError("you watch alone already");
      await this.#access.enter(viewer.asker, session.stored);
      const own = await this.#opened(session.stored);
      const { time, rate, phase } = session.player.status;
      await own.player.seek(time);
      own.player.setRate(rate);
      if (phase === "playing") own.player.play();
      await this.#enter(viewer, own);
    },
    mark: async (viewer, session, rest) => {
      if (rest === "" || rest === "back") return this.#control(viewer, session, "mark", rest);
      const { time } = session.player.status;
      await this.#access.note(viewer.asker, {
        action: "mark",
        recording: session.title,
        details: { seconds: time / 1e9, text: rest },
      });
      await keepMark(session.stored.root, time, rest, viewer.name);
      for (const other of session.viewers) other.tell(`${viewer.name} marks: ${rest}`, "gold");
    },
    lead: (viewer, session, rest) => {
      if (session.leader !== viewer) throw new UsageError(`${session.leader?.name} leads`);
      const next = [...session.viewers].find(({ name }) => name.toLowerCase() === rest.toLowerCase());
      if (next === undefined) throw new UsageError(`${rest} does not watch this`);
      session.leader = next;
      next.tell("You lead now.", "gold");
    },
  };

  async #use(viewer: Viewer, slot: number): Promise<void> {
    const session = this.#viewers.get(viewer);
    const item = HOTBAR[slot]?.[2];
    if (viewer.mode !== "hotbar" || session == null || item === undefined) return;
    await this.#hear(viewer, `/${commandOf(item, session)}`);
  }

  /** Shows it a recording, with those who watch it already. */
  async #watch(viewer: Viewer, stored: Stored): Promise<void> {
    if (this.#viewers.get(viewer)?.title === stored.title) throw new UsageError(`you watch ${stored.title} already`);
    await this.#access.enter(viewer.asker, stored);
    // all who watched may have gone while it came
    for (let isIn = false; !isIn; ) isIn = await this.#enter(viewer, await this.#sessionOf(stored));
  }

  /** The one that others watch, or a new one. */
  #sessionOf(stored: Stored): Promise<Session> {
    for (const session of this.sessions)
      if (session.title === stored.title && !session.isClosed) return Promise.resolve(session);
    const known = this.#opening.get(stored.title);
    if (known !== undefined) return known;
    const opening = this.#opened(stored).finally(() => this.#opening.delete(stored.title));
    this.#opening.set(stored.title, opening);
    return opening;
  }

  readonly #below: Below = async ({ info }) => {
    const world = worldIn(info);
    if (world === null) return null;
    const backdrop = new Backdrop(this.#worlds, world);
    try {
      return (await backdrop.isThere()) ? new Scenery(backdrop, this.chunks) : null;
    } catch (error) {
      this.#options.report?.(`the world ${world.id} cannot be read: ${failureOf(error).message}`);
      return null;
    }
  };

  async #opened(stored: Stored): Promise<Session> {
    if (this.#open >= MOST_SESSIONS) throw new UsageError("too many recordings are open: come again later");
    this.#open++;
    try {
      return await Session.open(stored, this.#below);
    } catch (error) {
      this.#open--;
      const isThere = (await stat(stored.path).catch(() => null)) !== null;
      throw isThere ? error : new UsageError(`${stored.title} is no longer in the store`);
    }
  }

  /** False: the session was over before. */
  async #enter(viewer: Viewer, session: Session): Promise<boolean> {
    await this.#leave(viewer, false);
    if (viewer.isGone) {
      await this.#closeIfAlone(session);
      return true;
    }
    if (session.isClosed) return false;
    this.#viewers.set(viewer, session);
    session.add(viewer);
    const leads = session.leader === viewer ? "You lead: /pause, /t, /speed." : `${session.leader?.name} leads.`;
    viewer.tell(`${session.title}. ${leads} /lobby leaves.`, "gold");
    this.#options.report?.(`${viewer.name} watches ${session.title}`);
    return true;
  }

  /** To the lobby; `isGone`: from the server. */
  async #leave(viewer: Viewer, isGone: boolean): Promise<void> {
    const session = this.#viewers.get(viewer) ?? null;
    if (isGone) {
      this.#viewers.delete(viewer);
      this.#options.report?.(`${viewer.name} went`);
    } else if (this.#viewers.has(viewer)) this.#viewers.set(viewer, null);
    if (session === null) return;
    session.remove(viewer);
    await this.#closeIfAlone(session);
    await this.#access.note(viewer.asker, { action: "leave", recording: session.title });
  }

  async #closeIfAlone(session: Session): Promise<void> {
    if (session.viewers.size > 0 || session.isClosed) return;
    this.#open--;
    await session.close();
  }

  #list(viewer: Viewer, stored: readonly Stored[]): void {
    for (const { title } of stored.slice(0, MOST_LISTED)) viewer.tell(title, "gray");
    if (stored.length > MOST_LISTED) viewer.tell(`… and ${stored.length - MOST_LISTED} more`, "gray");
  }

  /** What a command came to nothing for; the viewer stays. */
  #refuse(viewer: Viewer, error: unknown): void {
    const { message, code } = failureOf(error);
    if (code === "internal") this.#options.report?.(`a fault of simtape itself, please report it: ${message}`);
    if (!viewer.isGone) viewer.tell(message, "red");
  }

  #drop(client: ServerClient, error: unknown): void {
    this.#options.report?.(`${client.username} was sent away: ${failureOf(error).message}`);
    client.end(failureOf(error).message);
  }
}

/** Loads what a version needs, so that its first viewer does not wait for it. */
async function warm(version: string): Promise<void> {
  encodedAll(version, (await adapterFor(version)).chat({ text: "" }));
}

/** Of a table: what it has itself, for `/constructor` is no command. */
function entry<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
