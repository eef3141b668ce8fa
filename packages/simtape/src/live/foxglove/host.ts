import type { Link, LinkMessage } from "../../io/sink/link.ts";
import { Clock } from "../../export/mcap/clock.ts";
import type { Time } from "../../model/values/time.ts";
import { MAX_RATE } from "../../play/checks.ts";
import type { PlayerStatus } from "../../play/player.ts";
import type { Deck, Loaded } from "../deck.ts";
import type { OutletStatus } from "../outlet.ts";
import { type Asset, fetched } from "./assets.ts";
import { Board } from "./board.ts";
import { Client, MOST_SUBSCRIPTIONS, type Subscription } from "./client.ts";
import { Parameters } from "./parameters.ts";
import {
  type Parameter,
  type PlaybackControl,
  type PlaybackStatus,
  writeAsset,
  writePlaybackState,
} from "./protocol.ts";
import { type Request, requestOf } from "./request.ts";
import { Show } from "./show.ts";

/** Milliseconds between two looks whether clients that lag have caught up. */
const LOOK_EVERY = 50;
/** Fetches of assets that one client may wait for. */
const MOST_FETCHES = 16;

/** Answers clients, and lets shows speak to them. */
export class Host {
  readonly #assets: readonly Asset[];
  readonly #most: number;
  readonly #board = new Board();
  readonly #parameters: Parameters;
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #fetching = new Map<Client, number>();
  #show: Show | null = null;
  #loaded: Loaded | null = null;
  #session = crypto.randomUUID();
  #unwatch: () => void = () => undefined;
  readonly #unlist: (() => void)[];
  #ending: Promise<void> = Promise.resolve();

  constructor(deck: Deck, assets: readonly Asset[], most: number) {
    this.#assets = assets;
    this.#most = most;
    this.#parameters = new Parameters(deck);
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY);
    this.#unlist = [
      deck.onList(() => this.#changed(["/playback/recordings", "/playback/recording"])),
      deck.onFailure((name, error) =>
        this.#report(`${name}: ${error instanceof Error ? error.message : String(error)}`),
      ),
    ];
  }

  /** Shows another recording from now on. */
  load(loaded: Loaded): void {
    this.#leave();
    this.#loaded = loaded;
    const show = new Show(this.#board, loaded, {
      ready: () => {
        this.#session = crypto.randomUUID();
        this.#board.settle();
        for (const client of this.#board.clients) this.#greet(client);
        this.#changed(this.#parameters.names);
      },
      jumped: (time) => this.#jumped(time),
      failed: (message) => this.#report(message),
    });
    this.#show = show;
    // the board is that of the show before until it has ended
    void this.#ending.then(() => show.begin());
    this.#unwatch = loaded.player.onStatus(() => {
      this.#said();
      this.#changed(["/playback/playing", "/playback/rate", "/playback/duration"]);
    });
  }

  /** Shows nothing until the next `load`: all channels go. */
  unload(): void {
    this.#leave();
    this.#ending = this.#ending.then(() => {
      this.#board.begin(new Clock(0n), "");
      if (this.#loaded !== null) return;
      this.#session = crypto.randomUUID();
      for (const client of this.#board.clients) this.#greet(client);
      this.#changed(this.#parameters.names);
    });
  }

  arrived(link: Link): void {
    const client = new Client(link, this.#most);
    this.#board.flush();
    this.#board.clients.add(client);
    link.onEnd = () => {
      this.#board.leave(client);
      this.#fetching.delete(client);
    };
    link.onMessage = (message) => this.#take(client, message);
    // while a recording is being introduced, the client is greeted when that is done
    if (this.#show === null || this.#show.timeline !== null) this.#greet(client);
  }

  status(): OutletStatus {
    const { gone, clients } = this.#board;
    const all = [...clients];
    const sum = (of: (client: Client) => number): number => all.reduce((total, client) => total + of(client), 0);
    return {
      clients: clients.size,
      sentMessages: gone.sentMessages + sum((client) => client.sentMessages),
      sentBytes: gone.sentBytes + sum((client) => client.sentBytes),
      skippedFrames: gone.skipped + sum((client) => client.skipped),
      waitingBytes: sum((client) => client.link.waiting),
      failure: null,
    };
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    for (const leave of this.#unlist) leave();
    this.#leave();
    await this.#ending;
  }

  #leave(): void {
    this.#unwatch();
    const show = this.#show;
    this.#show = null;
    this.#loaded = null;
    if (show !== null) this.#ending = this.#ending.then(() => show.stop());
  }

  #report(message: string): void {
    for (const client of this.#board.clients) client.status("error", message);
  }

  /** What the server is, and every channel; without a recording there are parameters alone, by which one is loaded. */
  #greet(client: Client): void {
    const capabilities = ["time", "parameters", "parametersSubscribe"];
    if (this.#assets.length > 0) capabilities.push("assets");
    const info = { op: "serverInfo", name: "simtape", sessionId: this.#session };
    if (this.#loaded === null) {
      client.say({ ...info, capabilities, metadata: {} });
      return;
    }
    const { recording, name } = this.#loaded;
    const { start, end } = this.#show!.timeline!;
    if (client.isSdk) capabilities.push("playbackControl");
    const range = { dataStartTime: this.#stamp(start), dataEndTime: this.#stamp(end) };
    client.say({
      ...{ ...info, capabilities, metadata: { recording: name, format: recording.info.format } },
      ...(client.isSdk ? range : {}),
    });
    client.say({ op: "advertise", channels: this.#board.advertised });
    if (client.isSdk) this.#sayPlayback(client, false, "");
  }

  /** As the SDK has times in JSON. */
  #stamp(time: Time): { readonly sec: number; readonly nsec: number } {
    const { clock } = this.#board;
    clock.split(time);
    return { sec: clock.second, nsec: clock.nano };
  }

  #take(client: Client, message: LinkMessage): void {
    const request = requestOf(message);
    if (typeof request === "string") client.status("warning", request);
    else this.#answer(client, request);
  }

  #answer(client: Client, request: Request): void {
    switch (request.op) {
      case "subscribe":
        this.#subscribe(client, request.subscriptions);
        break;
      case "unsubscribe":
        this.#unsubscribe(client, request.ids);
        break;
      case "getParameters":
        this.#giveParameters(client, request.names, request.id);
        break;
      case "setParameters":
        this.#setParameters(client, request.parameters, request.id);
        break;
      case "subscribeParameterUpdates":
        for (const name of request.names.length === 0 ? this.#parameters.names : request.names)
          if (this.#parameters.names.includes(name)) client.parameters.add(name);
        break;
      case "unsubscribeParameterUpdates":
        if (request.names.length === 0) client.parameters.clear();
        for (const name of request.names) client.parameters.delete(name);
        break;
      case "fetchAsset":
        void this.#fetch(client, request.uri, request.request);
        break;
      case "playback":
        void this.#control(client, request.control);
        break;
      default:
        request satisfies never;
    }
  }

  #subscribe(client: Client, wanted: readonly { readonly id: number; readonly channel: number }[]): void {
    const made: Subscription[] = [];
    for (const { id, channel } of wanted) {
      if (!this.#board.has(channel)) client.status("warning", `no channel ${channel}`);
      else if (client.subscriptions.has(id)) client.status("warning", `the subscription ${id} exists`);
      else if (client.channels.has(channel)) client.status("warning", `the channel ${channel} is subscribed`);
      else if (client.subscriptions.size >= MOST_SUBSCRIPTIONS) client.status("warning", "too many subscriptions");
      else {
        const subscription = { id, channel, client, isFed: false };
        this.#board.subscribe(subscription);
        made.push(subscription);
      }
    }
    if (made.length > 0) this.#show?.feed(made);
  }

  #unsubscribe(client: Client, ids: readonly number[]): void {
    for (const id of ids) {
      const subscription = client.subscriptions.get(id);
      if (subscription === undefined) client.status("warning", `no subscription ${id}`);
      else this.#board.unsubscribe(subscription);
    }
  }

  #giveParameters(client: Client, names: readonly string[], id: string | null): void {
    const parameters = this.#parameters.get(names);
    client.say({ op: "parameterValues", parameters, ...(id === null ? {} : { id }) });
  }

  #setParameters(client: Client, parameters: readonly Parameter[], id: string | null): void {
    for (const reason of this.#parameters.set(parameters)) client.status("warning", reason);
    const names = parameters.map(({ name }) => name);
    if (id !== null && names.length > 0) this.#giveParameters(client, names, id);
    this.#changed(names);
  }

  #changed(names: readonly string[]): void {
    for (const client of this.#board.clients) {
      const wanted = names.filter((name) => client.parameters.has(name));
      if (wanted.length > 0) this.#giveParameters(client, wanted, null);
    }
  }

  async #fetch(client: Client, uri: string, request: number): Promise<void> {
    const fetching = this.#fetching.get(client) ?? 0;
    if (fetching >= MOST_FETCHES) return client.say(writeAsset(request, "too many assets are fetched at once"));
    this.#fetching.set(client, fetching + 1);
    const asset = await fetched(this.#assets, uri);
    if (!this.#fetching.has(client)) return;
    this.#fetching.set(client, this.#fetching.get(client)! - 1);
    client.say(writeAsset(request, asset));
  }

  async #control(client: Client, { isPlaying, speed, seek, request }: PlaybackControl): Promise<void> {
    const loaded = this.#loaded;
    if (!client.isSdk) return client.status("warning", "playback control needs the protocol foxglove.sdk.v1");
    if (loaded === null) return;
    const { player } = loaded;
    const isSpeed = Number.isFinite(speed) && speed !== 0 && Math.abs(speed) <= MAX_RATE;
    if (!isSpeed) client.status("warning", `the speed ${speed} is not from -${MAX_RATE} to ${MAX_RATE}, or is 0`);
    else if (speed !== Math.fround(player.status.rate)) player.setRate(speed);
    if (seek === null) {
      if (isPlaying) player.play();
      else player.pause();
      return this.#sayPlayback(client, false, request);
    }
    client.seeking.add(request);
    const shown = player.seek(Number(seek - this.#board.clock.base));
    if (isPlaying) player.play();
    else player.pause();
    if (await shown) return;
    // another command overtook it
    if (client.seeking.delete(request)) this.#sayPlayback(client, false, request);
  }

  /** What is shown from now on is elsewhere. */
  #jumped(time: Time): void {
    for (const client of this.#board.clients) {
      if (!client.isSdk) continue;
      const requests = [...client.seeking];
      client.seeking.clear();
      for (const request of requests.length === 0 ? [""] : requests) this.#sayPlayback(client, true, request, time);
    }
  }

  #said(): void {
    for (const client of this.#board.clients) if (client.isSdk) this.#sayPlayback(client, false, "");
  }

  #sayPlayback(client: Client, isSeek: boolean, request: string, at?: Time): void {
    if (this.#loaded === null) return;
    const { status } = this.#loaded.player;
    const time = this.#board.clock.base + BigInt(Math.round(at ?? status.time));
    const state = { status: playbackOf(status), time: time < 0n ? 0n : time, speed: status.rate };
    client.say(writePlaybackState({ ...state, isSeek, request }));
  }

  #look(): void {
    for (const client of this.#board.clients) {
      if (!client.hasCaughtUp()) continue;
      const stale = [...client.subscriptions.values()].filter(({ channel }) => client.stale.has(channel));
      client.stale.clear();
      for (const subscription of stale) subscription.isFed = false;
      this.#show?.feed(stale);
    }
  }
}

function playbackOf({ phase }: PlayerStatus): PlaybackStatus {
  switch (phase) {
    case "playing":
      return "playing";
    case "ended":
      return "ended";
    case "loading":
    case "buffering":
      return "buffering";
    default:
      return "paused";
  }
}
