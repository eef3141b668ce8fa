import { connectPlayer, type Frame, type RemotePlayer, type Time } from "simtape";
import { createRoot, type Root } from "react-dom/client";
import type { Gaze } from "../gaze.ts";
import { SessionContext } from "../hooks.ts";
import { Observable } from "../observable.ts";
import { ScenePanel } from "../scene/panel/scene-panel.tsx";
import { sceneSettings } from "../scene/panel/settings.ts";
import type { SceneView } from "../scene/scene-view.ts";
import { type SceneStage, StageContext } from "../scene/panel/stage.ts";
import type { Session, ViewerState } from "../session.ts";
import type { Scheme } from "../theme.ts";
import { paintOver } from "./overlay.ts";
import "./stage.css";

export interface StageOptions {
  /** Pixels of its pictures. */
  readonly width: number;
  readonly height: number;
  readonly scheme: Scheme;
  /** Whether names, readings, the compass and the time are in the pictures. */
  readonly overlays: boolean;
  /** What is written for a time. */
  readonly timeText: (time: Time) => string;
}

/** A picture is laid out as if it were so high, in pixels of the page: what is written in 4K is as large as in 720p. */
const LAID_OUT = 720;
/** What the scene asks for, as blocks of a world, is waited for so long, milliseconds. */
const TIMEOUT = 15_000;

/**
 * The scene of the page once more, out of sight, with a player of its own: it shows what the page shows, at any time,
 * with a camera of its own, in any size. What the user does in the page meanwhile does not reach it.
 */
export class Stage {
  /** The picture that was drawn last; `data-time` is its time. */
  readonly canvas: HTMLCanvasElement = document.createElement("canvas");
  readonly #context: CanvasRenderingContext2D;
  readonly #options: StageOptions;
  readonly #host = document.createElement("div");
  readonly #panel = document.createElement("div");
  readonly #time = document.createElement("div");
  readonly #root: Root;
  readonly #watchers = new Set<(frame: Frame) => void>();
  readonly #player: RemotePlayer;
  #view: SceneView | null = null;
  #frame: Frame | null = null;
  #shown: Time | null = null;
  /** Questions under way: what they bring belongs into the picture. */
  #asked = 0;
  #settled: (() => void)[] = [];

  /** Rejects where nothing is open, or nothing can be drawn. Close it. */
  static async open(session: Session, options: StageOptions): Promise<Stage> {
    const [main, ...ghosts] = session.state.value.decks;
    if (main === undefined) throw new Error("nothing is open");
    const { port1, port2 } = new MessageChannel();
    const stage = new Stage(session, options, connectPlayer(port1));
    try {
      const ask = {
        recording: main.opened.recording,
        port: port2,
        ghosts: ghosts.map(({ opened, placement }) => ({ ...placement, recording: opened.recording })),
        at: session.time,
        rate: 1,
        loop: null,
        isBeside: true,
      };
      await session.query("play", ask, {}, [port2]);
      await stage.#ready(session);
      return stage;
    } catch (error) {
      stage.close();
      throw error;
    }
  }

  private constructor(session: Session, options: StageOptions, player: RemotePlayer) {
    this.#options = options;
    this.#player = player;
    this.canvas.width = options.width;
    this.canvas.height = options.height;
    this.#context = this.canvas.getContext("2d", { alpha: false, willReadFrequently: false })!;
    const ratio = options.height / LAID_OUT;
    this.#host.className = "video-stage";
    this.#host.dataset["scheme"] = options.scheme;
    this.#host.inert = true;
    this.#host.style.width = `${options.width / ratio}px`;
    this.#host.style.height = `${LAID_OUT}px`;
    this.#panel.className = "video-scene";
    this.#time.className = "video-time";
    this.#host.append(this.#panel, this.#time);
    document.body.append(this.#host);
    player.subscribe((frame) => {
      this.#frame = frame;
    });
    const stage: SceneStage = {
      ratio,
      onView: (view) => {
        view.resize(options.width / ratio, LAID_OUT);
        this.#view = view;
      },
      onLoad: (part) => this.#await(part),
    };
    this.#root = createRoot(this.#panel);
    this.#root.render(
      <SessionContext value={this.#actingAs(session)}>
        <StageContext value={stage}>
          <ScenePanel />
        </StageContext>
      </SessionContext>,
    );
  }

  /** Whether places of the recording are degrees north, degrees east and metres. */
  get isGeodetic(): boolean {
    return this.#view!.origin.isGeodetic;
  }

  /** The canvas with the state of exactly that time, seen from `gaze`; null: from where the page's scene was seen. */
  async draw(time: Time, gaze: Gaze | null): Promise<HTMLCanvasElement> {
    await this.#show(time);
    const view = this.#view!;
    view.gaze = gaze;
    view.complete();
    // Drawing may have asked for more, as blocks of the world that are seen now.
    for (let round = 0; this.#asked > 0 && round < 4; round++) {
      await this.#untilSettled();
      view.complete();
    }
    view.copyTo(this.#context, this.#options.overlays);
    if (this.#options.overlays) {
      this.#time.textContent = this.#options.timeText(time);
      await paintOver(this.#context, this.#host);
    }
    this.canvas.dataset["time"] = String(time);
    return this.canvas;
  }

  close(): void {
    void this.#player.close();
    // React must not be unmounted while it renders.
    setTimeout(() => {
      this.#root.unmount();
      this.#host.remove();
    });
  }

  /** As the page's scene is now. */
  async #ready(session: Session): Promise<void> {
    const started = performance.now();
    while (this.#view === null) {
      if (performance.now() - started > TIMEOUT) throw new Error("this browser cannot draw a scene for a video");
      await turn();
    }
    // Where the user has not moved it, each view finds its own place by its shape.
    const gaze = sceneSettings(session).camera === undefined ? null : (session.camera?.gaze() ?? null);
    const time = session.time ?? session.bounds.start;
    await this.#show(time);
    this.#view.scheme = this.#options.scheme;
    this.#view.complete();
    // The panel finds how the recording is best looked at when it has seen the first frame.
    await turn();
    await turn();
    this.#view.scheme = this.#options.scheme;
    this.#view.complete();
    if (gaze !== null) {
      // In the way of the camera that goes along, it goes along from there.
      this.#view.gaze = { ...gaze, field: null };
      this.#view.complete();
      this.#view.gaze = null;
    }
    await this.#untilSettled();
  }

  /** Shows a time without drawing. */
  async #show(time: Time): Promise<void> {
    if (this.#frame?.time !== time || this.#shown !== time) await this.#player.seek(time);
    if (this.#frame === null || this.#frame.time !== time) {
      const { error } = this.#player.status;
      throw new Error(error?.message ?? "the recording cannot be read at this time");
    }
    // What follows is no jump: nothing is sought again.
    const isOn = this.#shown !== null && time >= this.#shown;
    const frame: Frame = isOn ? { ...this.#frame, since: this.#shown } : this.#frame;
    this.#shown = time;
    for (const watcher of [...this.#watchers]) watcher(frame);
  }

  /** What comes of it belongs into the picture. */
  #await(part: Promise<unknown>): void {
    this.#asked++;
    const end = (): void => {
      this.#asked--;
      if (this.#asked > 0) return;
      for (const resolve of this.#settled.splice(0)) resolve();
    };
    part.then(end, end);
  }

  async #untilSettled(): Promise<void> {
    await turn();
    if (this.#asked > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, TIMEOUT);
        this.#settled.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
    await turn();
  }

  /** The session as the panel on the stage knows it: what it asks is answered, what it keeps is kept nowhere. */
  #actingAs(session: Session): Session {
    const state = new Observable<ViewerState>(session.state.value);
    const own: Partial<Record<keyof Session, unknown>> = {
      state,
      frame: null,
      pictures: new Map(),
      sights: new Map(),
      camera: null,
      company: new Observable([]),
      pointing: () => null,
      share: () => undefined,
      select: () => undefined,
      read: () => () => undefined,
      regard: (thing: { readonly set: string; readonly id: number | string }) => {
        if (state.value.subject?.isChosen !== true) state.update({ subject: { ...thing, isChosen: false } });
      },
      onFrame: (watcher: (frame: Frame) => void) => {
        this.#watchers.add(watcher);
        return () => this.#watchers.delete(watcher);
      },
      query: (...asked: Parameters<Session["query"]>) => {
        const answer = session.query(...asked);
        this.#await(answer);
        return answer;
      },
    };
    return new Proxy(session, {
      get: (target, key) => {
        if (key in own) return own[key as keyof Session];
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
      set: (_, key, value) => {
        own[key as keyof Session] = value;
        return true;
      },
    });
  }
}

/** Lets what waits in the page happen. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve);
  });
}
