import { useCallback, useEffect, useState } from "react";
import { useTimeScale } from "../../use-time-scale.ts";
import { useSession } from "../../hooks.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Snippets } from "../../shell/sharing/snippets.tsx";
import { ask, at, messageOf } from "../api.ts";
import { momentText } from "../dates.ts";
import type { Details, Share } from "../shapes.ts";
import { shownText } from "../shared/part-text.ts";

type Part = "all" | "range" | "moment";

/** Hours for which a link is good. */
const TIMES = [
  [24, "a day"],
  [168, "a week"],
  [720, "30 days"],
  [8760, "a year"],
] as const;

/** Makes a link that shows this recording, or a part of it, without an account; and takes links back. */
export function ShareDialog({ details, onClose }: { readonly details: Details; readonly onClose: () => void }) {
  const session = useSession();
  const scale = useTimeScale();
  const { start, end } = session.state.value.status.loop ?? {};
  const loop = start === undefined || end === undefined ? null : { start, end };
  const now = session.time ?? session.bounds.start;
  const [part, setPart] = useState<Part>(loop === null ? "all" : "range");
  const [hours, setHours] = useState<number>(168);
  const [link, setLink] = useState<string | null>(null);
  /** Of the file that the link shows; null: it is still being made. */
  const [source, setSource] = useState<string | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [isAsking, setAsking] = useState(false);
  const { shares, again } = useShares(details.id);
  const make = async (): Promise<void> => {
    setAsking(true);
    setFailure(null);
    try {
      const range = part === "range" && loop !== null ? { first: loop.start / 1e9, last: loop.end / 1e9 } : {};
      const moment = part === "moment" ? { moment: now / 1e9 } : {};
      const body = { recording: details.id, hours, ...range, ...moment };
      const { page, secret } = await ask("POST /api/shares", { body });
      setLink(new URL(page, location.origin).href);
      again();
      const { url } = await ask("GET /api/shares/{secret}", { params: { secret } });
      setSource(url === null ? null : new URL(url, location.origin).href);
    } catch (error) {
      setFailure(messageOf(error));
    }
    setAsking(false);
  };
  const choice = (value: Part, text: string, isDisabled = false) => (
    <label>
      <input
        type="radio"
        name="part"
        checked={part === value}
        disabled={isDisabled}
        onChange={() => {
          setPart(value);
          setLink(null);
          setSource(null);
        }}
      />{" "}
      {text}
    </label>
  );
  return (
    <Dialog title="Share" onClose={onClose}>
      <h2>Share by a link</h2>
      <p>All who have the link can watch what you choose here. They need no account. They cannot change anything.</p>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void make();
        }}
      >
        <fieldset className="form-stack share-parts">
          <legend>What the link shows</legend>
          {choice("all", "The whole recording")}
          {choice(
            "range",
            loop === null
              ? "Only a range: first set A and B on the timeline"
              : `Only the range from A to B: ${scale.text(loop.start)} to ${scale.text(loop.end)}`,
            loop === null,
          )}
          {choice("moment", `Only this moment: ${scale.text(now)}`)}
        </fieldset>
        <label>
          The link works for{" "}
          <select className="field" value={hours} onChange={(event) => setHours(Number(event.currentTarget.value))}>
            {TIMES.map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <p className="hint">
          {part === "all"
            ? "They can download the recording, too."
            : "They get a copy of this part. The rest of the recording is not in it."}
        </p>
        {failure !== null && (
          <p role="alert" className="wrong">
            {failure}
          </p>
        )}
        {link === null ? (
          <Button kind="main" type="submit" disabled={isAsking}>
            Make the link
          </Button>
        ) : (
          <div className="form-line">
            <input
              className="field"
              readOnly
              aria-label="The link"
              aria-describedby="share-once"
              value={link}
              onFocus={(event) => event.currentTarget.select()}
            />
            <Button
              label="Copy the link"
              onClick={() => void navigator.clipboard?.writeText(link).then(() => session.tell("The link is copied."))}
            >
              Copy
            </Button>
          </div>
        )}
        {link !== null && (
          <p id="share-once" role="status" className="hint">
            The link is ready. Copy it now: it is shown only once.
          </p>
        )}
      </form>
      {link !== null && (
        <details>
          <summary>Show it in another page</summary>
          <p className="hint">
            The server shows it only in pages of the sites that its setting <code>frameAncestors</code> lists.
          </p>
          <Snippets
            beginning={{
              page: link,
              source,
              module: new URL(at("player.js"), location.origin).href,
              name: details.name,
            }}
            time={Math.round(now / 1e6) / 1e3}
          />
        </details>
      )}
      {shares.length > 0 && (
        <>
          <h3>Links that work now</h3>
          <p className="hint">A link that you take back stops working at once.</p>
          <ul className="share-list">
            {shares.map(({ id, first, last, expires }) => (
              <li key={id}>
                {shownText(first, last)}, until {momentText(expires)}
                <Button
                  label={`Take back the link: ${shownText(first, last)}, until ${momentText(expires)}`}
                  onClick={() =>
                    void ask("DELETE /api/shares/{id}", { params: { id } })
                      .then(again)
                      .catch((error: unknown) => setFailure(messageOf(error)))
                  }
                >
                  Take back
                </Button>
              </li>
            ))}
          </ul>
        </>
      )}
    </Dialog>
  );
}

function useShares(recording: string): { readonly shares: readonly Share[]; readonly again: () => void } {
  const [shares, setShares] = useState<readonly Share[]>([]);
  const [count, setCount] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again when a link was made or taken back
  useEffect(() => {
    const controller = new AbortController();
    ask("GET /api/shares", { query: { recording }, signal: controller.signal })
      .then((found) => setShares(found.shares))
      .catch(() => undefined);
    return () => controller.abort();
  }, [recording, count]);
  return { shares, again: useCallback(() => setCount((before) => before + 1), []) };
}
