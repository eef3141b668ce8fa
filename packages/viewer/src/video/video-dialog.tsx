import { useEffect, useId, useState } from "react";
import { useTimeScale } from "../use-time-scale.ts";
import { useSession, useViewer } from "../hooks.ts";
import type { Deck } from "../session.ts";
import { DraftField } from "../shell/draft-field.tsx";
import { scheme as pageScheme, type Scheme } from "../theme.ts";
import { useWindow } from "../timeline/use-window.ts";
import { wholeOf } from "../timeline/window.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { FilmOutcome } from "./film-outcome.tsx";
import { idOnServer, OnServer } from "./on-server.tsx";
import { type Codec, CODEC_NAMES, codecsFor, ENDINGS, GIF_RATES, type VideoKind } from "./kinds.ts";
import { keptPath } from "./kept-path.ts";
import { bringPath } from "./own-path.ts";
import { type CameraPath, RATES } from "./path.ts";
import { scheduleOf } from "./schedule.ts";
import { useFilm } from "./use-film.ts";
import "../export/export.css";
import "./video.css";

const KINDS: readonly { readonly kind: VideoKind; readonly text: string }[] = [
  { kind: "mp4", text: "MP4" },
  { kind: "webm", text: "WebM" },
  { kind: "gif", text: "GIF" },
  { kind: "png", text: "PNG pictures in a zip" },
];

const SIZES = [
  { text: "360p, 640 × 360", width: 640, height: 360 },
  { text: "720p, 1280 × 720", width: 1280, height: 720 },
  { text: "1080p, 1920 × 1080", width: 1920, height: 1080 },
  { text: "4K, 3840 × 2160", width: 3840, height: 2160 },
] as const;

const FRAMES: readonly number[] = [24, 30, 60];

/** Makes a video of a range of what plays. */
export function VideoDialog({ onClose }: { readonly onClose: () => void }) {
  const session = useSession();
  const deck = useViewer(({ decks }) => decks[0]);
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    // the form begins with the range of the path
    bringPath(session);
    setReady(true);
  }, [session]);
  return (
    <Dialog title="Video" onClose={onClose}>
      <h2>Video</h2>
      {deck?.opened.isHead === false ? (
        isReady && <VideoForm key={deck.opened.recording} deck={deck} onClose={onClose} />
      ) : (
        <>
          <p role="status">The page is still reading the recording. A video can be made after that.</p>
          <Button onClick={onClose}>Close</Button>
        </>
      )}
    </Dialog>
  );
}

function VideoForm({ deck, onClose }: { readonly deck: Deck; readonly onClose: () => void }) {
  const session = useSession();
  const { timeline } = deck.opened;
  const all = wholeOf(timeline);
  const [window] = useWindow(all);
  const loop = useViewer(({ status }) => status.loop);
  const shared = useViewer((state) => state.shared);
  const path = keptPath(shared);
  const hasPath = path.keyframes.length > 0;
  const way = rangeOf(path);
  const first = loop === null ? (way ?? window) : { start: loop.start ?? all.start, end: loop.end ?? all.end };
  const [kind, setKind] = useState<VideoKind>("mp4");
  const [size, setSize] = useState<number>(1);
  const [fps, setFps] = useState(30);
  const [rate, setRate] = useState(1);
  const [start, setStart] = useState(Math.max(all.start, first.start));
  const [end, setEnd] = useState(Math.min(all.end, first.end));
  const [overlays, setOverlays] = useState(true);
  const [colours, setColours] = useState<Scheme>(pageScheme.value);
  const [onPath, setOnPath] = useState(hasPath);
  const { filming, begin, cancel } = useFilm();
  const { text, parse } = useTimeScale();
  const id = useId();
  const { width, height } = SIZES[size]!;
  const codecs = useCodecs(kind, width, height);
  const [chosen, setChosen] = useState<Codec | null>(null);
  const codec = codecs?.find((one) => one === chosen) ?? codecs?.[0] ?? null;
  const isMovie = kind === "mp4" || kind === "webm";
  const isRunning = filming.phase === "running";
  const isBackwards = end < start;
  const used = onPath && hasPath ? path : null;
  const { count } = scheduleOf({ start, end, fps, rate }, used);
  const cannot = isBackwards || (isMovie && codec === null);
  const frames = kind === "gif" ? GIF_RATES : FRAMES;
  const onServer = idOnServer(deck.place);
  const range = (part: { readonly start?: number | undefined; readonly end?: number | undefined }): void => {
    setStart(Math.max(all.start, part.start ?? all.start));
    setEnd(Math.min(all.end, part.end ?? all.end));
  };
  const moment = (typed: string): number | null => {
    const time = parse(typed, session.time ?? all.start);
    return time === null ? null : Math.min(all.end, Math.max(all.start, Math.round(time)));
  };
  return (
    <form
      className="export-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (isRunning || cannot) return;
        const name = `${deck.place.name.replace(/\.[^.]*$/, "")}.${ENDINGS[kind]}`;
        const options = { kind, codec: isMovie ? codec : null, width, height, scheme: colours, overlays, path: used };
        void begin({ ...options, start, end, fps, rate }, name);
      }}
    >
      <p className="faint">
        The page makes the video here, in your browser. It sends nothing.
        {onServer !== null && " The server can make it also, as the recording is shown at first."}
      </p>
      <fieldset className="video-fields" disabled={isRunning}>
        <Line id={`${id}-kind`} name="Format">
          <select
            id={`${id}-kind`}
            className="field"
            value={kind}
            onChange={(event) => {
              const next = event.currentTarget.value as VideoKind;
              setKind(next);
              if (next === "gif") setSize(0);
              if (next === "gif" || !FRAMES.includes(fps)) setFps(next === "gif" ? 20 : 30);
            }}
          >
            {KINDS.map((each) => (
              <option key={each.kind} value={each.kind}>
                {each.text}
              </option>
            ))}
          </select>
        </Line>
        {isMovie && codecs !== null && codecs.length > 0 && (
          <Line id={`${id}-codec`} name="Codec">
            <select
              id={`${id}-codec`}
              className="field"
              value={codec ?? ""}
              onChange={(event) => setChosen(event.currentTarget.value as Codec)}
            >
              {codecs.map((each) => (
                <option key={each} value={each}>
                  {CODEC_NAMES[each]}
                </option>
              ))}
            </select>
          </Line>
        )}
        <Line id={`${id}-size`} name="Size">
          <select
            id={`${id}-size`}
            className="field"
            value={size}
            onChange={(event) => setSize(Number(event.currentTarget.value))}
          >
            {SIZES.map((each, i) => (
              <option key={each.text} value={i}>
                {each.text}
              </option>
            ))}
          </select>
        </Line>
        <Line id={`${id}-fps`} name="Frames">
          <select
            id={`${id}-fps`}
            className="field"
            value={fps}
            onChange={(event) => setFps(Number(event.currentTarget.value))}
          >
            {frames.map((each) => (
              <option key={each} value={each}>
                {each} a second
              </option>
            ))}
          </select>
        </Line>
        <div className="row">
          <span className="spring">Rate: 0.25 is slow motion, 8 a time lapse</span>
          <DraftField label="Rate" text={String(rate)} parse={parseRate} onChange={setRate} />
        </div>
        <div className="row">
          <span className="spring">From</span>
          <DraftField label="From" text={text(start)} parse={moment} onChange={setStart} />
          until
          <DraftField label="Until" text={text(end)} parse={moment} onChange={setEnd} />
        </div>
        <div className="row">
          <Button onClick={() => range(all)}>All</Button>
          <Button onClick={() => range(window)}>What the timeline shows</Button>
          {loop !== null && <Button onClick={() => range(loop)}>The loop</Button>}
          {way !== null && <Button onClick={() => range(way)}>The camera path</Button>}
          <Button onClick={() => setStart(session.time ?? all.start)}>From here</Button>
          <Button onClick={() => setEnd(session.time ?? all.end)}>Until here</Button>
        </div>
        <label>
          <input type="checkbox" checked={overlays} onChange={(event) => setOverlays(event.currentTarget.checked)} />{" "}
          Names, readings and the time
        </label>
        <label>
          <input
            type="checkbox"
            checked={colours === "light"}
            onChange={(event) => setColours(event.currentTarget.checked ? "light" : "dark")}
          />{" "}
          Light colours
        </label>
        {hasPath && (
          <label>
            <input type="checkbox" checked={onPath} onChange={(event) => setOnPath(event.currentTarget.checked)} />{" "}
            Along the camera path
          </label>
        )}
      </fieldset>
      <p role="status" className="faint">
        {count} {count === 1 ? "frame" : "frames"}, {(count / fps).toFixed(1)} s
      </p>
      {isMovie && codecs !== null && <Offered kind={kind} codecs={codecs} />}
      {isBackwards && <p className="export-wrong">The video ends before it begins.</p>}
      <FilmOutcome filming={filming} />
      <div className="row">
        {isRunning ? (
          <Button key="cancel" kind="main" onClick={cancel}>
            Cancel
          </Button>
        ) : (
          <Button key="make" kind="main" type="submit" disabled={cannot}>
            Make the video
          </Button>
        )}
        <Button onClick={onClose}>Close</Button>
      </div>
      {onServer !== null && kind !== "png" && !isBackwards && (
        <OnServer
          id={onServer}
          asked={{
            ...{ to: kind, from: `${start}ns`, until: `${end}ns`, size: `${width}x${height}` },
            ...{ fps, rate, theme: colours, overlays },
            ...(used === null ? {} : { camera: used as never }),
          }}
        />
      )}
    </form>
  );
}

function Line({
  id,
  name,
  children,
}: {
  readonly id: string;
  readonly name: string;
  readonly children: React.ReactNode;
}) {
  return (
    <div className="export-line">
      <label htmlFor={id}>{name}</label>
      {children}
    </div>
  );
}

/** What this browser cannot encode. */
function Offered({ kind, codecs }: { readonly kind: "mp4" | "webm"; readonly codecs: readonly Codec[] }) {
  if (codecs.length === 0)
    return (
      <p className="export-wrong">
        This browser encodes no video for {kind === "mp4" ? "MP4" : "WebM"} in this size. Choose another format.
      </p>
    );
  if (kind === "webm" || codecs.includes("avc")) return null;
  return (
    <p className="faint">
      This browser does not encode H.264. The MP4 has {CODEC_NAMES[codecs[0]!]}, which browsers and VLC play, and
      QuickTime does not.
    </p>
  );
}

/** Null: not known yet, or not asked. */
function useCodecs(kind: VideoKind, width: number, height: number): readonly Codec[] | null {
  const [codecs, setCodecs] = useState<readonly Codec[] | null>(null);
  useEffect(() => {
    let isCurrent = true;
    setCodecs(null);
    if (kind !== "mp4" && kind !== "webm") return;
    void codecsFor(kind, width, height).then((found) => isCurrent && setCodecs(found));
    return () => {
      isCurrent = false;
    };
  }, [kind, width, height]);
  return codecs;
}

/** From the first keyframe to the last; null: there are no two. */
function rangeOf({ keyframes }: CameraPath): { readonly start: number; readonly end: number } | null {
  if (keyframes.length < 2) return null;
  return { start: Math.round(keyframes[0]!.time * 1e9), end: Math.round(keyframes.at(-1)!.time * 1e9) };
}

function parseRate(text: string): number | null {
  const rate = text.trim() === "" ? Number.NaN : Number(text);
  return rate >= RATES.least && rate <= RATES.most ? rate : null;
}
