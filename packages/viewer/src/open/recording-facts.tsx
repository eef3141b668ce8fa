import { useEffect, useRef, useState } from "react";
import { clock } from "../time.ts";

/** What the server tells of a recording. */
export interface Facts {
  readonly format: string;
  readonly seconds: number | null;
  /** From 0 to 1: where, y upwards, and when. */
  readonly places: readonly (readonly [x: number, y: number, when: number])[];
}

/** Pixels of the picture. */
const WIDTH = 112;
const HEIGHT = 72;
const DOT = 3;

/** A small picture of where things were, the format and the length; nothing, until they are known. */
export function RecordingFacts({ facts }: { readonly facts: Facts | undefined }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const context = canvas.current?.getContext("2d") ?? null;
    if (context !== null && facts !== undefined) sketch(context, facts.places);
  }, [facts]);
  return (
    <>
      <canvas ref={canvas} className="start-sketch" width={WIDTH} height={HEIGHT} aria-hidden />
      <small className="facts-text">
        {facts?.format} {facts?.seconds == null ? "" : clock(facts.seconds * 1e9, 0)}
      </small>
    </>
  );
}

/**
 * What the server tells of recordings, by address and size. It is asked of one at a time: a browser has few connections, and
 * the recording that the user opens needs them.
 */
export function useFacts(
  list: readonly { readonly facts?: string | null; readonly bytes: number | null }[],
): (listed: (typeof list)[number]) => Facts | undefined {
  const [known, setKnown] = useState<ReadonlyMap<string, Facts | undefined>>(new Map());
  const next = list.find((listed) => listed.facts != null && !known.has(keyOf(listed)));
  const [address, key] = [next?.facts, next === undefined ? "" : keyOf(next)];
  useEffect(() => {
    if (address == null) return;
    const controller = new AbortController();
    const keep = (facts?: Facts | null): void => setKnown((before) => new Map(before).set(key, facts ?? undefined));
    fetch(address, { signal: controller.signal })
      .then(async (response) => keep(response.ok ? ((await response.json()) as Facts | null) : null))
      .catch(() => void (controller.signal.aborted || keep()));
    return () => controller.abort();
  }, [address, key]);
  return (listed) => known.get(keyOf(listed));
}

function keyOf({ facts, bytes }: { readonly facts?: string | null; readonly bytes: number | null }): string {
  return `${facts} ${bytes}`;
}

/** Dots seen from above, the later the stronger. */
function sketch(context: CanvasRenderingContext2D, places: Facts["places"]): void {
  context.clearRect(0, 0, WIDTH, HEIGHT);
  context.fillStyle = getComputedStyle(context.canvas).getPropertyValue("color");
  const size = HEIGHT - 4 * DOT;
  for (const [x, y, when] of places) {
    context.globalAlpha = 0.15 + 0.75 * when;
    context.fillRect((WIDTH - size) / 2 + x * size - DOT / 2, 2 * DOT + (1 - y) * size - DOT / 2, DOT, DOT);
  }
}
