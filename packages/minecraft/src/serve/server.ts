import { stat } from "node:fs/promises";
import type { Store, Time } from "simtape";
import { directoryStore } from "simtape/node";
import type { ServerClient } from "../game/protocol.ts";
import { failureOf, UsageError } from "simtape/command";
import { encodedAll } from "../game/encoding.ts";
import { WATCHED } from "../scene/adapter.ts";
import { adapterFor } from "../scene/families.ts";
import { isVersion, VERSIONS, versionList } from "../scene/versions.ts";
import { GRID } from "../scene/thing.ts";
import { ticketIn } from "../tickets/ticket.ts";
import { Access, type AccessOptions } from "./access.ts";
import { CONTROLS, commandOf, goToPoint, HOTBAR, pointText, thingNamed } from "./controls.ts";
import { Backdrop } from "../world/backdrop.ts";
import { worldIn } from "../world/names.ts";
import type { Filing } from "./filing.ts";
import { Front } from "./front.ts";
import { isLoopback } from "./loopback.ts";
import { keepNote } from "./notes.ts";
import { isFor, type Point, pointsOf, REPORT, type Role } from "./points.ts";
import { reviewOf } from "./review.ts";
import { named, storedIn, type Stored } from "../stored/recordings.ts";
import { reportIn, reportText } from "../stored/report.ts";
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
  /** Store of the worlds that recordings were made in; absent: the same folder. */
  readonly worlds?: Store | undefined;
  /** The only version that clients may have; absent: all known versions. */
  readonly version?: string | undefined;
  /** Clients need not prove who they are: only for this machine. */
  readonly isInsecure: boolean;
  /** Who may open which recording; absent: all viewers may open all. */
  readonly access?: AccessOptions | undefined;
  /** Where reports are also sent; absent: they are only saved as notes. */
  readonly filing?: Filing | undefined;
  /** Most viewers. */
  readonly most?: number | undefined;
  /** Milliseconds that a client may take to log in. */
  readonly timeout?: number | undefined;
  readonly report?: ((text: string) => void) | undefined;
}

const MOST_VIEWERS = 100;
/** Most recordings that are open at once. */
const MOST_SESSIONS = 32;
/** Rows of a list in the chat. */
const MOST_LISTED = 50;
/** Invalid tickets that one connection may try. */
const MOST_FLAWED = 10;
const OPEN_TO_ALL: AccessOptions = { isPublic: "all", key: null, audit: null };
/** The library's reason when a client has disconnected itself. */
const CLOSED = "socketClosed";
/** A name that the game allows. */
const NAME = /^\w{1,16}$/;

/** Shows recordings to clients of the game: a lobby, and sessions with any number of viewers. */
export class ReplayServer {
  readonly #options: ReplayOptions;
  readonly #most: number;
  readonly #access: Access;
  readonly #worlds: Store;
  /** Chunks for all viewers. */
  readonly chunks: ChunkCache = new ChunkCache();
  readonly #viewers = new Map<Viewer, Session | null>();
  /** By viewer: its commands run one after the other. */
  readonly #turns = new WeakMap<Viewer, Promise<void>>();
  readonly #flawed = new WeakMap<Viewer, number>();
  readonly #opening = new Map<string, Promise<Session>>();
  /** Recordings that are open, or are being opened. */
  #open = 0;
  #front!: Front;

  private constructor(options: ReplayOptions, access: Access) {
    this.#options = options;
    this.#most = options.most ?? MOST_VIEWERS;
    this.#access = access;
    this.#worlds = options.worlds ?? directoryStore(options.store);
  }

  /**
   * Rejects when the port is taken, or the store cannot be read; `UsageError` for a version that clients cannot have,
   * and when clients of other machines would not have to prove who they are.
   */
  static async listen(options: ReplayOptions): Promise<ReplayServer> {
    const { version, host = "127.0.0.1", port, timeout } = options;
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
      timeout,
      login: (client, spoken) => void server.#welcome(client, spoken).catch((error) => server.#drop(client, error)),
    });
    return server;
  }

  get port(): number {
    return this.#front.port;
  }

  /** Sessions that have viewers. */
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
    const adapter = await adapterFor(version, WATCHED);
    if (client.ended) return;
    if (this.#viewers.size >= this.#most) return client.end("The replay server is full: come again later.");
    for (const { client: other, name, isGone } of this.#viewers.keys()) {
      // the same verified player connects from elsewhere
      if (!this.#options.isInsecure && other.uuid === client.uuid) other.end("You connected from elsewhere.");
      // any client may take a name that is not verified
      else if (!isGone && name.toLowerCase() === client.username.toLowerCase())
        return client.end(`${name} is here already.`);
    }
    const viewer = new Viewer(client, adapter);
    this.#viewers.set(viewer, null);
    client.once("end", (reason) => this.#inTurn(viewer, () => this.#leave(viewer, reason)));
    this.#options.report?.(`${viewer.name} came with ${version}`);
    listen(viewer, {
      say: (text) => this.#inTurn(viewer, () => this.#hear(viewer, text)),
      use: (slot) => this.#inTurn(viewer, () => this.#use(viewer, slot)),
      sneak: () => viewer.look(null),
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

  /** Takes the viewer to the recording that its host name asks for, by name or by ticket; or to the lobby. */
  async #invite(viewer: Viewer): Promise<void> {
    const { serverHost = "" } = viewer.client as { serverHost?: string };
    const ticket = ticketIn(serverHost);
    if (ticket !== null) {
      await this.#redeem(viewer, ticket).catch((error: unknown) => this.#refuse(viewer, error));
      if (this.#viewers.get(viewer) != null) return;
    }
    const allowed = await this.#allowed(viewer);
    const [first = ""] = serverHost.split(/[.\0]/);
    // digits alone are an IP address, not a name
    if (ticket === null && serverHost.includes(".") && !/^\d*$/.test(first)) {
      const wanted = named(allowed, first);
      if (wanted !== null) return this.#watch(viewer, wanted);
      await this.#access.refuse(viewer.asker, first);
    }
    viewer.tell("Recordings: click into the chat and type /play NAME. /help lists all commands.", "gold");
    this.#list(viewer, allowed);
  }

  async #redeem(viewer: Viewer, ticket: string): Promise<void> {
    let found: Stored;
    try {
      found = await this.#access.redeem(viewer.asker, ticket, () => storedIn(this.#options.store));
    } catch (error) {
      const flawed = (this.#flawed.get(viewer) ?? 0) + 1;
      this.#flawed.set(viewer, flawed);
      if (flawed >= MOST_FLAWED) viewer.client.end("Too many invalid tickets.");
      throw error;
    }
    await this.#watch(viewer, found, true);
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
    mustLead(viewer, session);
    await CONTROLS[name]!(session, rest);
  }

  /** Marks, reports and notes that the viewer may see, ascending. */
  async #pointsFor(viewer: Viewer, { stored }: Session): Promise<readonly Point[]> {
    const points = (await pointsOf(stored)).filter((point) => isFor(point, viewer));
    const { filing } = this.#options;
    if (filing === undefined || viewer.role !== "reviewer") return points;
    const open = await filing.pointsOf(stored).catch((error: unknown) => {
      this.#refuse(viewer, error);
      return [];
    });
    // a report that was made here is also saved as a note
    const others = open.filter(({ text }) => !points.some((point) => point.text === text));
    return [...points, ...others].sort((a, b) => a.at - b.at);
  }

  async #goToPoint(viewer: Viewer, session: Session, isBack: boolean): Promise<void> {
    mustLead(viewer, session);
    const found = await goToPoint(session.player, await this.#pointsFor(viewer, session), isBack);
    session.tell(
      pointText(found),
      "gold",
      [...session.viewers].filter((other) => isFor(found, other)),
    );
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
      // viewers who may not open a recording do not learn whether it exists, but the attempt is logged
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
      if (session === null) throw new UsageError(`${rest} watches no recording`);
      if (session === this.#viewers.get(viewer)) throw new UsageError(`you watch with ${rest} already`);
      const role = await this.#access.enter(viewer.asker, session.stored);
      if (!(await this.#enter(viewer, session, role))) throw new UsageError(`${rest} has left it just now`);
    },
    lobby: async (viewer) => {
      await this.#leave(viewer, null);
      viewer.tell("You are in the lobby: /list, /play NAME.", "gold");
    },
    hotbar: (viewer) => {
      viewer.become(viewer.mode === "hotbar" ? "spectator" : "hotbar");
      if (viewer.mode === "hotbar") viewer.send(viewer.adapter.hotbar(HOTBAR.map(([item, name]) => [item, name])));
    },
  };

  /** Commands of any viewer in a session. */
  readonly #own: Readonly<Record<string, (viewer: Viewer, session: Session, rest: string) => Promise<void> | void>> = {
    view: (viewer, session, rest) => viewer.look(rest === "" ? null : thingNamed(session, rest).uuid),
    goto: (viewer, session, rest) => {
      const { x, y, z, yaw, pitch } = thingNamed(session, rest);
      viewer.look(null);
      viewer.put({ x: x / GRID, y: y / GRID, z: z / GRID, yaw, pitch });
    },
    free: async (viewer, session) => {
      if (session.viewers.size === 1) throw new UsageError("you watch alone already");
      const role = await this.#access.enter(viewer.asker, session.stored);
      const own = await this.#opened(session.stored);
      const { time, rate } = session.player.status;
      await own.player.seek(time);
      own.player.setRate(rate);
      own.begin(session.isPlaying);
      await this.#enter(viewer, own, role);
    },
    marks: async (viewer, session) => {
      const points = await this.#pointsFor(viewer, session);
      const first = firstListed(points, session.player.status.time);
      const later = points.length - first - MOST_LISTED;
      if (first > 0) viewer.tell(`… ${first} earlier`, "gray");
      for (const point of points.slice(first, first + MOST_LISTED)) viewer.tell(pointText(point), "gray");
      if (later > 0) viewer.tell(`… ${later} later`, "gray");
      if (points.length === 0) viewer.tell("There are no marks: /mark TEXT keeps one.", "gray");
    },
    next: async (viewer, session) => this.#goToPoint(viewer, session, false),
    prev: async (viewer, session) => this.#goToPoint(viewer, session, true),
    mark: async (viewer, session, rest) => {
      if (rest === "") throw new UsageError("/mark TEXT keeps a note here; /next and /prev go to marks");
      await this.#keep(viewer, session, "mark", { kind: "review", text: `${viewer.name}: ${rest}` }, { text: rest });
      session.tell(`${viewer.name} marks: ${rest}`, "gold");
    },
    report: async (viewer, session, rest) => {
      const { name, words } = reportIn(rest);
      if (name === "") throw new UsageError("/report NAME TEXT keeps a report of a player at this moment");
      const { name: subject, uuid } = thingNamed(session, name);
      const text = reportText(subject, words);
      const at = await this.#keep(
        viewer,
        session,
        "report",
        { kind: REPORT, text },
        { text: words, subject, of: uuid },
      );
      viewer.tell(`Reported: ${text}`, "gold");
      await this.#options.filing?.file(session.stored, { subject, words, reporter: viewer.name, at: at / 1e9 });
    },
    lead: (viewer, session, rest) => {
      if (session.leader !== viewer) throw new UsageError(`${session.leader?.name} leads`);
      const next = [...session.viewers].find(({ name }) => name.toLowerCase() === rest.toLowerCase());
      if (next === undefined) throw new UsageError(`${rest} does not watch this`);
      session.leader = next;
      next.tell("You lead now.", "gold");
    },
  };

  /** Saves a note at the present moment, and returns it. */
  async #keep(
    viewer: Viewer,
    { player, stored, title: recording }: Session,
    action: "mark" | "report",
    note: { readonly kind: string; readonly text: string },
    details: Readonly<Record<string, unknown>>,
  ): Promise<Time> {
    const { time: at } = player.status;
    await this.#access.note(viewer.asker, { action, recording, details: { seconds: at / 1e9, ...details } });
    await keepNote(stored, { at, ...note });
    return at;
  }

  async #use(viewer: Viewer, slot: number): Promise<void> {
    const session = this.#viewers.get(viewer);
    const item = HOTBAR[slot]?.[2];
    if (viewer.mode !== "hotbar" || session == null || item === undefined) return;
    await this.#hear(viewer, `/${commandOf(item, session)}`);
  }

  /**
   * Shows the viewer a recording, together with those who watch it already. `isReview`: starts at what was reported in
   * it.
   */
  async #watch(viewer: Viewer, stored: Stored, isReview = false): Promise<void> {
    if (this.#viewers.get(viewer)?.title === stored.title) throw new UsageError(`you watch ${stored.title} already`);
    const role = await this.#access.enter(viewer.asker, stored);
    // when the recording cannot be read, opening it reports the error
    const review = isReview ? await reviewOf(stored).catch(() => null) : null;
    // all viewers may have left while the recording was opened
    for (let isIn = false; !isIn; ) {
      const session = await this.#sessionOf(stored, review?.from);
      isIn = await this.#enter(viewer, session, role);
      if (isIn) session.begin();
    }
    if (review === null) return;
    viewer.look(review.suspect);
    viewer.tell(pointText(review.point), "gold");
  }

  /** Returns the session that others watch, or a new one. */
  #sessionOf(stored: Stored, from: Time | undefined): Promise<Session> {
    for (const session of this.sessions)
      if (session.title === stored.title && !session.isClosed) return Promise.resolve(session);
    const known = this.#opening.get(stored.title);
    if (known !== undefined) return known;
    const opening = this.#opened(stored, from).finally(() => this.#opening.delete(stored.title));
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

  async #opened(stored: Stored, from?: Time): Promise<Session> {
    if (this.#open >= MOST_SESSIONS) throw new UsageError("too many recordings are open: try again later");
    this.#open++;
    try {
      return await Session.open(stored, this.#below, from);
    } catch (error) {
      this.#open--;
      const isThere = (await stat(stored.path).catch(() => null)) !== null;
      throw isThere ? error : new UsageError(`${stored.title} is no longer in the store`);
    }
  }

  /** False: the session has already ended. */
  async #enter(viewer: Viewer, session: Session, role: Role): Promise<boolean> {
    await this.#leave(viewer, null);
    if (viewer.isGone) {
      await this.#closeIfAlone(session);
      return true;
    }
    if (session.isClosed) return false;
    this.#viewers.set(viewer, session);
    viewer.role = role;
    session.add(viewer);
    const leads = session.leader === viewer ? "You lead: /pause, /t, /speed, /next." : `${session.leader?.name} leads.`;
    viewer.tell(`${session.title}. ${leads} /lobby leaves.`, "gold");
    this.#options.report?.(`${viewer.name} watches ${session.title}`);
    return true;
  }

  /** Takes the viewer to the lobby; `reason`: the server's reason, if it decided that. */
  async #leave(viewer: Viewer, reason: string | null): Promise<void> {
    const session = this.#viewers.get(viewer) ?? null;
    if (reason !== null) {
      this.#viewers.delete(viewer);
      this.#options.report?.(`${viewer.name} went${reason === CLOSED ? "" : `: ${reason}`}`);
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

  /** Answers a command that failed; the viewer stays. */
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

/** Of points too many for a list: the first of those around that time. */
function firstListed(points: readonly Point[], time: Time): number {
  const next = points.filter(({ at }) => at <= time).length;
  return Math.max(0, Math.min(next - MOST_LISTED / 2, points.length - MOST_LISTED));
}

/** Throws `UsageError` for a viewer who follows. */
function mustLead(viewer: Viewer, { leader }: Session): void {
  if (leader !== viewer) throw new UsageError(`${leader?.name} leads: /free watches alone from here`);
}

/** Loads the data of a version, so that its first viewer does not wait for it. */
async function warm(version: string): Promise<void> {
  encodedAll(version, (await adapterFor(version)).chat({ text: "" }));
}

/** Reads only own members of a table: `/constructor` is not a command. */
function entry<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
