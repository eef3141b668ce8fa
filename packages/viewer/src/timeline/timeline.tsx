import { type PointerEvent, useEffect, useMemo, useRef, useState } from "react";
import { useFrames, useObservable, useSession, useShared, useViewer } from "../hooks.ts";
import type { Mark } from "../protocol.ts";
import { scheme } from "../theme.ts";
import { useTimeScale } from "../use-time-scale.ts";
import { Activity } from "./activity.ts";
import { damageAt } from "./damage.ts";
import { spanUnder } from "./spans.ts";
import { drawGround, drawPlayhead, type Palette, paletteOf } from "./draw.ts";
import { type Lane, lanesOf, UNFOLDED, unfoldMessages } from "./lanes.ts";
import { GUTTER, LANE, MARGIN, OVERVIEW, RULER } from "./measures.ts";
import { timelineBox } from "./plot-box.ts";
import { useQuestions } from "./use-questions.ts";
import { useWindow } from "./use-window.ts";
import { clamped, panned, pinched, pixelOf, timeOf, wholeOf, type Window, zoomed } from "./window.ts";

const HEIGHT = { first: 122, least: 80, most: 480 };
/** Pixels that a pointer may move while it is held on a mark. */
const TREMBLE = 4;

/** When what happens: lanes by channel, marks, ghosts; drag to scrub, with Shift to loop, wheel to zoom. */
export function Timeline() {
  const session = useSession();
  const decks = useViewer((state) => state.decks);
  const loop = useViewer(({ status }) => status.loop);
  const shownScheme = useObservable(scheme, (value) => value);
  const { opened, place } = decks[0]!;
  const [shared, setHeight] = useShared<unknown>("timeline", null);
  const keptHeight = typeof shared === "number" ? Math.min(HEIGHT.most, Math.max(HEIGHT.least, shared)) : null;
  const all = useMemo(() => wholeOf(opened.timeline), [opened]);
  const [window, setWindow] = useWindow(all);
  const scale = useTimeScale();
  const isUnfolded = useViewer(({ shared }) => shared[UNFOLDED]) === true;
  const questions = useQuestions(decks[0]!);
  const [width, setWidth] = useState(0);
  const [scroll, setScroll] = useState(0);
  const [version, setVersion] = useState(0);
  const [tip, setTip] = useState<{ readonly x: number; readonly text: string } | null>(null);
  const [activity, setActivity] = useState<Activity | null>(null);
  const container = useRef<HTMLDivElement>(null);
  const ground = useRef<HTMLCanvasElement>(null);
  const head = useRef<HTMLCanvasElement>(null);
  const palette = useRef<Palette | null>(null);
  const drag = useRef<{
    readonly kind: "scrub" | "loop" | "overview" | "lanes";
    readonly from: number;
    /** That was clicked on. */
    readonly mark?: Mark | null;
    readonly y: number;
  } | null>(null);
  /** Fingers on the timeline, where they are; and the times that two of them took hold of. */
  const fingers = useRef(new Map<number, number>());
  const held = useRef<readonly [number, number] | null>(null);

  useEffect(() => {
    const made = new Activity(session, opened, place, () => setVersion((before) => before + 1));
    setActivity(made);
    return () => made.close();
  }, [session, opened, place]);

  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      const shown = Math.floor(entry!.contentRect.width);
      const { left } = entry!.target.getBoundingClientRect();
      setWidth(shown);
      timelineBox.set({ left: left + GUTTER, right: left + shown - MARGIN });
    });
    observer.observe(container.current!);
    return () => {
      observer.disconnect();
      timelineBox.set(null);
    };
  }, []);

  const plot = Math.max(1, width - GUTTER - MARGIN);
  useEffect(() => activity?.look(window, plot), [activity, window, plot]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the version tells that more was counted
  const lanes = useMemo(
    () => (activity === null ? [] : lanesOf(activity, decks, isUnfolded, questions)),
    [activity, decks, isUnfolded, questions, version],
  );
  const height =
    keptHeight ?? Math.min(HEIGHT.first, Math.max(HEIGHT.least, OVERVIEW + RULER + lanes.length * LANE + 8));
  const most = Math.max(0, lanes.length * LANE - (height - OVERVIEW - RULER));
  const scrolled = Math.min(scroll, most);

  // biome-ignore lint/correctness/useExhaustiveDependencies: drawn again when more was counted, and in the colours of the scheme
  useEffect(() => {
    const context = contextOf(ground.current!, width, height);
    palette.current = paletteOf(container.current!);
    if (context === null || activity === null) return;
    const scene = { width, height, all, window, activity, lanes, scroll: scrolled, palette: palette.current, scale };
    drawGround(context, scene);
  }, [width, height, all, window, activity, version, lanes, scrolled, shownScheme, scale]);

  const drawHead = (): void => {
    const context = head.current?.getContext("2d") ?? null;
    if (context === null || palette.current === null) return;
    const time = session.frame?.time ?? all.start;
    drawPlayhead(context, { width, height, window, all, palette: palette.current }, time, loop);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: drawn again in the colours of the scheme
  useEffect(() => {
    contextOf(head.current!, width, height);
    drawHead();
  }, [width, height, window, loop, shownScheme, version]);
  useFrames((frame) => {
    const { start, end } = window;
    const isAll = start <= all.start && end >= all.end;
    if (!isAll && drag.current === null && session.isPlaying && (frame.time < start || frame.time > end)) {
      const from = frame.state.time < start ? frame.time - (end - start) * 0.95 : frame.time - (end - start) * 0.05;
      setWindow(clamped({ start: from, end: from + end - start }, all));
    }
    container.current?.setAttribute("aria-valuenow", String(frame.time / 1e9));
    container.current?.setAttribute("aria-valuetext", scale.text(frame.time));
    drawHead();
  });

  // React listens to wheels passively, and the page would scroll.
  const wheel = useRef<(event: WheelEvent) => void>(() => undefined);
  wheel.current = (event) => {
    event.preventDefault();
    const x = event.clientX - container.current!.getBoundingClientRect().left - GUTTER;
    if (x < 0) setScroll(Math.min(most, Math.max(0, scrolled + event.deltaY)));
    else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
      setWindow(panned(window, (event.deltaX + event.deltaY) / plot, all));
    else setWindow(zoomed(window, timeOf(x, window, plot), 1.0015 ** event.deltaY, all));
  };
  useEffect(() => {
    const element = container.current!;
    const listen = (event: WheelEvent): void => wheel.current(event);
    element.addEventListener("wheel", listen, { passive: false });
    return () => element.removeEventListener("wheel", listen);
  }, []);

  const placeOf = (event: PointerEvent): { x: number; y: number } => {
    const { left, top } = container.current!.getBoundingClientRect();
    return { x: event.clientX - left - GUTTER, y: event.clientY - top };
  };
  const centre = (x: number): void => {
    const middle = timeOf(x, all, plot);
    const half = (window.end - window.start) / 2;
    setWindow(clamped({ start: middle - half, end: middle + half }, all));
  };
  const move = (event: PointerEvent): void => {
    const { x, y } = placeOf(event);
    if (fingers.current.has(event.pointerId)) fingers.current.set(event.pointerId, x);
    if (held.current !== null) {
      const [one, other] = [...fingers.current.values()] as [number, number];
      setWindow(pinched(held.current, [one, other], plot, all));
      return;
    }
    const dragged = drag.current;
    if (dragged === null) {
      setTip(y < OVERVIEW || x < 0 ? null : tipAt(x, y));
      container.current!.dataset["over"] = x < 0 ? (laneAt(y)?.kind ?? "") : "";
      return;
    }
    if (dragged.kind === "overview") centre(x);
    else if (dragged.kind === "lanes") setScroll(Math.min(most, Math.max(0, dragged.from - y)));
    else if (dragged.kind === "scrub") {
      const mark = dragged.mark ?? null;
      // A click on a mark goes to what it marks, and a hand that trembles stays there.
      const isHeld = mark !== null && Math.abs(x - dragged.from) <= TREMBLE;
      if (!isHeld) drag.current = { ...dragged, mark: null };
      void session.seek(isHeld ? mark.time : timeOf(x, window, plot));
    } else if (Math.abs(x - dragged.from) > 2) {
      const [a, b] = [dragged.from, x].sort((one, other) => one - other) as [number, number];
      session.setLoop({
        start: Math.max(all.start, Math.round(timeOf(a, window, plot))),
        end: Math.min(all.end, Math.round(timeOf(b, window, plot))),
      });
    }
  };
  const release = (event: PointerEvent): void => {
    const { y } = placeOf(event);
    if (drag.current?.kind === "lanes" && Math.abs(drag.current.y - y) < 3 && laneAt(y)?.kind === "all")
      unfoldMessages(session);
    fingers.current.delete(event.pointerId);
    if (fingers.current.size < 2) held.current = null;
    drag.current = null;
  };
  const laneAt = (y: number): Lane | undefined =>
    y < OVERVIEW + RULER ? undefined : lanes[Math.floor((y - OVERVIEW - RULER + scrolled) / LANE)];
  const markAt = (x: number, y: number): Mark | null => {
    const lane = laneAt(y);
    return lane?.kind === "marks" ? nearest(lane.marks, x, window, plot) : null;
  };
  const tipAt = (x: number, y: number): { x: number; text: string } => {
    const near = markAt(x, y);
    const time = scale.text(near?.time ?? timeOf(x, window, plot));
    const damaged = near !== null || activity === null ? null : damageAt(activity.damage, x, window, plot);
    const lane = laneAt(y);
    const span = lane?.kind === "spans" ? spanUnder(lane.spans, x, window, plot) : null;
    const said = near?.label ?? span?.label ?? damaged?.message;
    return { x: GUTTER + x, text: said === undefined ? time : `${time} ${said}` };
  };

  return (
    <div className="timeline-box">
      <div
        className="timeline-edge"
        title="Drag to resize"
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={(event) => {
          if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
          const { bottom } = container.current!.getBoundingClientRect();
          setHeight(Math.round(Math.min(HEIGHT.most, Math.max(HEIGHT.least, bottom - event.clientY))));
        }}
      />
      <div
        ref={container}
        className="timeline"
        role="slider"
        tabIndex={0}
        aria-label="Timeline"
        aria-valuemin={all.start / 1e9}
        aria-valuemax={all.end / 1e9}
        aria-valuenow={(session.time ?? all.start) / 1e9}
        aria-valuetext={scale.text(session.time ?? all.start)}
        style={{ height }}
        onPointerDown={(event) => {
          const { x, y } = placeOf(event);
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          setTip(null);
          if (event.pointerType === "touch") {
            fingers.current.set(event.pointerId, x);
            if (fingers.current.size === 2) {
              const [one, other] = [...fingers.current.values()] as [number, number];
              held.current = [timeOf(one, window, plot), timeOf(other, window, plot)];
              drag.current = null;
            }
            if (fingers.current.size > 1) return;
          }
          if (x < 0) drag.current = { kind: "lanes", from: scrolled + y, y };
          else {
            const kind = y < OVERVIEW && !isWhole(window, all) ? "overview" : event.shiftKey ? "loop" : "scrub";
            drag.current = { kind, from: x, y, mark: kind === "scrub" ? markAt(x, y) : null };
          }
          move(event);
        }}
        onPointerMove={move}
        onPointerUp={release}
        onPointerCancel={release}
        onPointerLeave={() => setTip(null)}
        onDoubleClick={() => setWindow(all)}
        onKeyDown={(event) => {
          if (event.key !== "+" && event.key !== "-") return;
          event.preventDefault();
          setWindow(zoomed(window, session.frame?.time ?? window.start, event.key === "+" ? 0.5 : 2, all));
        }}
      >
        <canvas ref={ground} />
        <canvas ref={head} />
        {tip !== null && (
          <div className="timeline-tip" style={{ left: Math.min(tip.x, Math.max(0, width - 260)) }}>
            {tip.text}
          </div>
        )}
      </div>
    </div>
  );
}

function nearest(marks: readonly Mark[], x: number, window: Window, plot: number): Mark | null {
  let best: Mark | null = null;
  let least = 6;
  for (const mark of marks) {
    const far = Math.abs(pixelOf(mark.time, window, plot) - x);
    if (far < least) {
      least = far;
      best = mark;
    }
  }
  return best;
}

function isWhole(window: Window, all: Window): boolean {
  return window.start <= all.start && window.end >= all.end;
}

/** Sized for the screen's own pixels; null where nothing can be drawn. */
function contextOf(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D | null {
  const ratio = devicePixelRatio || 1;
  const [wide, tall] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide || canvas.height !== tall) {
    canvas.width = wide;
    canvas.height = tall;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext("2d");
  context?.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}
