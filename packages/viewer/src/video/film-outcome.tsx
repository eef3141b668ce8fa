import { useEffect, useRef } from "react";
import { sizeText } from "../size.ts";
import type { Filming } from "./use-film.ts";

/** How far a video is, with the picture drawn last; its file, or why there is none. */
export function FilmOutcome({ filming }: { readonly filming: Filming }) {
  switch (filming.phase) {
    case "idle":
      return null;
    case "running":
      return (
        <div className="video-running">
          <p role="status" className="export-progress">
            {filming.total === 0 ? "Preparing …" : `Frame ${filming.done} of ${filming.total}${leftText(filming.left)}`}
            <progress aria-label="Frames made" max={Math.max(1, filming.total)} value={filming.done} />
          </p>
          {filming.canvas !== null && <Preview canvas={filming.canvas} />}
        </div>
      );
    case "failed":
      return (
        <p role="alert" className="start-failure">
          {filming.message}
        </p>
      );
    default:
      return (
        <p role="status" className="export-files">
          {filming.made.frames} {filming.made.frames === 1 ? "frame" : "frames"} in{" "}
          {filming.address === null ? (
            filming.name
          ) : (
            <a href={filming.address} download={filming.name}>
              {filming.name}
            </a>
          )}
          {filming.made.file !== null && ` (${sizeText(filming.made.file.size)})`}
        </p>
      );
  }
}

/** The canvas on which the frames are drawn. */
function Preview({ canvas }: { readonly canvas: HTMLCanvasElement }) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    host.current?.replaceChildren(canvas);
  }, [canvas]);
  return <div ref={host} className="video-preview" />;
}

function leftText(seconds: number | null): string {
  if (seconds === null) return "";
  if (seconds < 90) return `, ${Math.ceil(seconds)} s left`;
  return seconds < 5400 ? `, ${Math.ceil(seconds / 60)} min left` : `, ${(seconds / 3600).toFixed(1)} h left`;
}
