import type { AskedOf } from "simtape-client";
import { useEffect, useState } from "react";
import type { Locator } from "../protocol.ts";
import { ask, at, messageOf } from "../server/api.ts";
import { Button } from "../ui/button.tsx";

type Asked = AskedOf<"POST /api/recordings/{id}/renders">["body"];

/** Milliseconds between two questions how far it is. */
const LOOK_EVERY = 1000;

/** The id of a recording in the library of the server that this page comes from; null: it is in none. */
export function idOnServer(place: Locator): string | null {
  if (place.kind !== "url" || new URL(place.url).searchParams.has("token")) return null;
  const path = `${new URL(at(""), location.href).href}api/recordings/`;
  return place.url.startsWith(path) ? place.url.slice(path.length).split("/")[0]! : null;
}

type Rendering =
  | { readonly phase: "idle" | "running" }
  | { readonly phase: "failed"; readonly message: string }
  | { readonly phase: "done"; readonly name: string; readonly href: string };

/** Lets the server make the video, and gives the file. */
export function OnServer({ id, asked }: { readonly id: string; readonly asked: Asked }) {
  const [rendering, setRendering] = useState<Rendering>({ phase: "idle" });
  const [job, setJob] = useState<number | null>(null);
  useEffect(() => {
    if (job === null) return;
    const timer = setInterval(() => {
      ask("GET /api/jobs/{id}", { params: { id: job } })
        .then(({ state, error, result }) => {
          if (state === "waiting" || state === "running") return;
          setJob(null);
          const [file] = (result as { files?: readonly { name: string }[] } | null)?.files ?? [];
          if (state === "done" && file !== undefined) {
            const href = at(`api/jobs/${job}/files/${encodeURIComponent(file.name)}`);
            setRendering({ phase: "done", name: file.name, href });
          } else setRendering({ phase: "failed", message: error ?? "The video was cancelled" });
        })
        .catch(() => undefined);
    }, LOOK_EVERY);
    return () => clearInterval(timer);
  }, [job]);
  const begin = async (): Promise<void> => {
    setRendering({ phase: "running" });
    try {
      setJob((await ask("POST /api/recordings/{id}/renders", { params: { id }, body: asked })).id);
    } catch (error) {
      setRendering({ phase: "failed", message: messageOf(error) });
    }
  };
  return (
    <>
      {rendering.phase === "running" && (
        <p role="status" className="faint">
          The server makes the video. It continues when you close this dialog, and keeps the file for a day.
        </p>
      )}
      {rendering.phase === "failed" && (
        <p role="alert" className="start-failure">
          {rendering.message}
        </p>
      )}
      {rendering.phase === "done" && (
        <p role="status" className="export-files">
          The server has made{" "}
          <a href={rendering.href} download={rendering.name}>
            {rendering.name}
          </a>
        </p>
      )}
      <Button disabled={rendering.phase === "running"} onClick={() => void begin()}>
        Make it on the server
      </Button>
    </>
  );
}
