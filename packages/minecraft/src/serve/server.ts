import type { ServerClient } from "../game/protocol.ts";
import { failureOf, UsageError } from "simtape/serving";
import { adapterFor, VERSIONS } from "../scene/families.ts";
import { CONTROLS, commandOf, HOTBAR, thingNamed } from "./controls.ts";
import { Front } from "./front.ts";
import { named, storedIn, type Stored } from "./recordings.ts";
import { Session } from "./session.ts";
import { listen } from "./listen.ts";
import { Viewer } from "./viewer.ts";
import { HELP, wordsOf } from "./words.ts";
import { GRID } from "../scene/thing.ts";

export interface ReplayOptions {
  /** A folder of recordings. */
  readonly store: string;
  readonly host?: string | undefined;
  readonly port: number;
  /** The only version that clients may have; absent: all that are known. */
  readonly version?: string | undefined;
  /** Clients are not asked to prove who they are. */
  readonly isInsecure: boolean;
  /** Viewers at most. */
  readonly most?: number | undefined;
  readonly report?: ((text: string) => void) | undefined;
}

const MOST_VIEWERS = 100;
/** Recordings that are open at once, at most. */
const MOST_SESSIONS = 32;
/** Rows of a list in the chat. */
const MOST_LISTED = 50;

/** Shows recordings to clients of the game: a lobby, and sessions in which any number of them look on. */
export class ReplayServer {
  readonly #options: ReplayOptions;
  readonly #most: number;
  readonly #viewers = new Map<Viewer, Session | null>();
  readonly #opening = new Map<string, Promise<Session>>();
  #front!: Front;

  private constructor(options: ReplayOptions) {
    this.#options = options;
    this.#most = options.most ?? MOST_VIEWERS;
  }

  /** Rejects where the port cannot be had; `UsageError` for a version that clients cannot have, or an empty store. */
  static async listen(options: ReplayOptions): Promise<ReplayServer> {
    const { version, host = "127.0.0.1", port } = options;
    if (version !== undefined && !VERSIONS.includes(version))
      throw new UsageError(`--version is ${VERSIONS.join(" or ")}, not ${version}`);
    await storedIn(options.store);
    const server = new ReplayServer(options);
    server.#front = await Front.listen({
      host,
      port,
      versions: version === undefined ? VERSIONS : [version],
      isOnline: !options.isInsecure,
      motd: "Replays",
      most: server.#most,
      login: (client, spoken) => void server.#welcome(client, spoken).catch((error) => server.#drop(client, error)),
    });
    return server;
  }

  get port(): number {
    return this.#front.port;
  }

  /** Those in which somebody looks on. */
  get sessions(): ReadonlySet<Session> {
    return new Set([...this.#viewers.values()].filter((session) => session !== null));
  }

  async close(): Promise<void> {
    await this.#front.close();
    const sessions = [...this.sessions];
    this.#viewers.clear();
    await Promise.all(sessions.map((session) => session.close()));
  }

  async #welcome(client: ServerClient, version: string): Promise<void> {
    if (this.#viewers.size >= this.#most) return client.end("The replay server is full: come again later.");
    for (const viewer of this.#viewers.keys())
      if (viewer.client.uuid === client.uuid) viewer.client.end("You came in from elsewhere.");
    const viewer = new Viewer(client, await adapterFor(version));
    this.#viewers.set(viewer, null);
    client.once("end", () => void this.#leave(viewer, true));
    this.#options.report?.(`${viewer.name} came with ${version}`);
    listen(viewer, {
      say: (text) => void this.#hear(viewer, text).catch((error: unknown) => this.#refuse(viewer, error)),
      use: (slot) => void this.#use(viewer, slot),
    });
    viewer.begin(this.#most);
    await this.#invite(viewer);
  }

  /** To the recording that its host name asks for, or to the lobby. */
  async #invite(viewer: Viewer): Promise<void> {
    const { serverHost = "" } = viewer.client as { serverHost?: string };
    const stored = await storedIn(this.#options.store);
    const wanted = named(stored, serverHost.split(/[.\0]/)[0]!);
    if (wanted !== null && serverHost.includes(".")) return this.#enter(viewer, await this.#sessionOf(wanted));
    viewer.tell("Recordings: click into the chat and type /play NAME. /help has the rest.", "gold");
    this.#list(viewer, stored);
  }

  async #hear(viewer: Viewer, text: string): Promise<void> {
    const words = wordsOf(text);
    const session = this.#viewers.get(viewer) ?? null;
    if (words === null) {
      for (const [other, of] of this.#viewers) if (of === session) other.tell(`${viewer.name}: ${text.slice(0, 256)}`);
      return;
    }
    const { name, rest } = words;
    const anywhere = this.#anywhere[name];
    if (anywhere !== undefined) return anywhere(viewer, rest);
    const control = CONTROLS[name];
    const own = this.#own[name];
    if (control === undefined && own === undefined)
      throw new UsageError(`there is no /${name}: /help has what there is`);
    if (session === null) throw new UsageError("open a recording first: /play NAME");
    if (own !== undefined) return own(viewer, session, rest);
    if (session.leader !== viewer) throw new UsageError(`${session.leader?.name} leads: /free watches alone from here`);
    await control!(session, rest);
  }

  /** Commands that need no recording. */
  readonly #anywhere: Readonly<Record<string, (viewer: Viewer, rest: string) => Promise<void> | void>> = {
    help: (viewer) => {
      for (const [command, does] of HELP) viewer.tell(`${command}: ${does}`, "gray");
    },
    list: async (viewer) => this.#list(viewer, await storedIn(this.#options.store)),
    play: async (viewer, rest) => {
      const wanted = named(await storedIn(this.#options.store), rest);
      if (wanted === null) throw new UsageError(`no recording is called ${rest}: /list shows them`);
      await this.#enter(viewer, await this.#sessionOf(wanted));
    },
    join: async (viewer, rest) => {
      const [, session] = [...this.#viewers].find(([{ name }]) => name.toLowerCase() === rest.toLowerCase()) ?? [];
      if (session === undefined) throw new UsageError(`${rest} is not on this server`);
      if (session === null) throw new UsageError(`${rest} watches nothing`);
      await this.#enter(viewer, session);
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
      const stored = await storedIn(this.#options.store);
      const own = await this.#open(stored.find(({ title }) => title === session.title)!);
      const { time, rate, phase } = session.player.status;
      await own.player.seek(time);
      own.player.setRate(rate);
      if (phase === "playing") own.player.play();
      await this.#enter(viewer, own);
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
    await this.#hear(viewer, `/${commandOf(item, session)}`).catch((error: unknown) => this.#refuse(viewer, error));
  }

  /** The one that others watch, or a new one. */
  #sessionOf(stored: Stored): Promise<Session> {
    for (const session of this.sessions) if (session.title === stored.title) return Promise.resolve(session);
    const known = this.#opening.get(stored.title);
    if (known !== undefined) return known;
    const opening = this.#open(stored).finally(() => this.#opening.delete(stored.title));
    this.#opening.set(stored.title, opening);
    return opening;
  }

  async #open({ title, path }: Stored): Promise<Session> {
    if (this.sessions.size >= MOST_SESSIONS) throw new UsageError("too many recordings are open: come again later");
    return Session.open(title, path);
  }

  async #enter(viewer: Viewer, session: Session): Promise<void> {
    await this.#leave(viewer, false);
    if (viewer.isGone) return closeIfAlone(session);
    this.#viewers.set(viewer, session);
    session.add(viewer);
    const leads = session.leader === viewer ? "You lead: /pause, /t, /speed." : `${session.leader?.name} leads.`;
    viewer.tell(`${session.title}. ${leads} /lobby leaves.`, "gold");
    this.#options.report?.(`${viewer.name} watches ${session.title}`);
  }

  /** To the lobby; `isGone`: from the server. */
  async #leave(viewer: Viewer, isGone: boolean): Promise<void> {
    const session = this.#viewers.get(viewer) ?? null;
    if (isGone) this.#viewers.delete(viewer);
    else this.#viewers.set(viewer, null);
    if (isGone) this.#options.report?.(`${viewer.name} went`);
    if (session === null) return;
    session.remove(viewer);
    await closeIfAlone(session);
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

async function closeIfAlone(session: Session): Promise<void> {
  if (session.viewers.size === 0) await session.close();
}
