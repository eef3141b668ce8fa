import { type ReactNode, useEffect, useId, useState } from "react";
import { useTimeScale } from "../use-time-scale.ts";
import { useSession, useViewer } from "../hooks.ts";
import type { Ask, TargetFacts } from "../protocol.ts";
import type { Deck } from "../session.ts";
import { useWindow } from "../timeline/use-window.ts";
import { wholeOf } from "../timeline/window.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import "./export.css";
import { Outcome } from "./outcome.tsx";
import { ALL_OF_IT, type Chosen, Options } from "./options.tsx";
import { parseIds, parseInterval, parseOrigin } from "./typed.ts";
import { useExport } from "./use-export.ts";

/** Targets whose file has the rows of one set or channel. */
const OF_ONE: ReadonlySet<string> = new Set(["csv", "ndjson", "parquet", "arrow", "npz"]);

type Part = "all" | "window" | "loop";

/** Exports what plays for other programs. */
export function ExportDialog({ onClose }: { readonly onClose: () => void }) {
  const deck = useViewer(({ decks }) => decks[0]);
  const { targets, failure } = useTargets(deck);
  return (
    <Dialog title="Export" onClose={onClose}>
      <h2>Export</h2>
      {failure !== null && (
        <p role="alert" className="start-failure">
          {failure}
        </p>
      )}
      {deck?.opened.isHead === true && (
        <p role="status">The page is still reading the recording. It can be exported after that.</p>
      )}
      {targets === null && failure === null && deck?.opened.isHead === false && (
        <p role="status">Looking for programs that can read this recording …</p>
      )}
      {targets?.length === 0 && <p role="status">No target can carry anything of this recording.</p>}
      {deck !== undefined && targets !== null && targets.length > 0 && (
        <ExportForm key={deck.opened.recording} deck={deck} targets={targets} onClose={onClose} />
      )}
      {(targets === null || targets.length === 0) && <Button onClick={onClose}>Close</Button>}
    </Dialog>
  );
}

function ExportForm({
  deck,
  targets,
  onClose,
}: {
  readonly deck: Deck;
  readonly targets: readonly TargetFacts[];
  readonly onClose: () => void;
}) {
  const { opened, place } = deck;
  const { timeline, recording } = opened;
  const loop = useViewer(({ status }) => status.loop);
  const all = wholeOf(timeline);
  const [window] = useWindow(all);
  const isPart = window.start > all.start || window.end < all.end;
  const [to, setTo] = useState(targets[0]!.id);
  const [chosen, setChosen] = useState("");
  const [part, setPart] = useState<Part>("all");
  const [every, setEvery] = useState("");
  const [origin, setOrigin] = useState("");
  const [options, setOptions] = useState<Chosen>(ALL_OF_IT);
  const { exporting, begin, cancel } = useExport();
  const id = useId();
  const { text } = useTimeScale();
  const target = targets.find((each) => each.id === to)!;
  const of = target.fits[Number(chosen === "" ? "NaN" : chosen)] ?? (OF_ONE.has(to) ? target.fits[0]! : null);
  const takesEvery = of?.kind !== "channel";
  const interval = takesEvery && every.trim() !== "" ? parseInterval(every, timeline) : null;
  const isEveryWrong = takesEvery && every.trim() !== "" && interval === null;
  const { takes } = target;
  const takesAxes = takes.includes("axes") && of?.kind !== "channel";
  const isTurned = takesAxes && options.axes !== null;
  // places on the earth need it, and those that are turned may
  const takesOrigin = takes.includes("origin") && (isTurned || !takes.includes("axes"));
  const typedOrigin = takesOrigin && origin.trim() !== "" ? parseOrigin(origin) : null;
  const isOriginWrong = takesOrigin && origin.trim() !== "" && typedOrigin === null;
  const hasNoColumn = takes.includes("columns") && options.columns?.length === 0;
  const isWrong = isEveryWrong || isOriginWrong || hasNoColumn;
  const isRunning = exporting.phase === "running";
  const rangeOf = { all: null, window: isPart ? window : null, loop };
  const begun = (): void => {
    const range = rangeOf[part];
    begin({
      recording,
      to,
      of,
      // the last moment that is seen is in the file, too
      range: range === null ? null : { start: range.start, end: Math.floor(range.end ?? timeline.end) + 1 },
      every: interval,
      origin: typedOrigin,
      columns: takes.includes("columns") ? options.columns : null,
      ids: takes.includes("ids") && takesEvery ? parseIds(options.ids) : null,
      axes: isTurned ? options.axes : null,
      units: options.units || !takes.includes("units"),
      time: takes.includes("time") ? options.time : "s",
      original: originalOf(),
      name: place.name,
    });
  };
  const isWhole = part === "all" && of === null;
  const originalOf = (): Ask<"export">["original"] => {
    if (!takes.includes("original")) return "never";
    if (options.original === null) return isWhole ? "small" : "never";
    return options.original ? "always" : "never";
  };
  const partText = (range: { readonly start?: number | undefined; readonly end?: number | undefined }): string =>
    `${text(range.start ?? timeline.start)} to ${text(range.end ?? timeline.end)}`;
  return (
    <form
      className="export-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isRunning && !isWrong) begun();
      }}
    >
      <p className="faint">The page writes a file for other programs here, in your browser. It sends nothing.</p>
      <div className="export-line">
        <label htmlFor={`${id}-to`}>To</label>
        <select
          id={`${id}-to`}
          className="field"
          value={to}
          disabled={isRunning}
          onChange={(event) => {
            setTo(event.currentTarget.value);
            setChosen("");
            setOptions({ ...options, columns: null });
          }}
        >
          {targets.map((each) => (
            <option key={each.id} value={each.id}>
              {each.name}
            </option>
          ))}
        </select>
      </div>
      <div className="export-line">
        <label htmlFor={`${id}-of`}>Of</label>
        <select
          id={`${id}-of`}
          className="field"
          value={chosen === "" && OF_ONE.has(to) ? "0" : chosen}
          disabled={isRunning}
          onChange={(event) => {
            setChosen(event.currentTarget.value);
            setOptions({ ...options, columns: null });
          }}
        >
          {!OF_ONE.has(to) && <option value="">all that fits</option>}
          {target.fits.map(({ kind, name }, i) => (
            <option key={`${kind} ${name}`} value={i}>
              {kind === "channel" ? `messages of ${name}` : name}
            </option>
          ))}
        </select>
      </div>
      <fieldset className="export-parts" disabled={isRunning}>
        <legend>Time</legend>
        <PartChoice value="all" chosen={part} onChoose={setPart}>
          the whole recording
        </PartChoice>
        {isPart && (
          <PartChoice value="window" chosen={part} onChoose={setPart}>
            what the timeline shows: {partText(window)}
          </PartChoice>
        )}
        {loop !== null && (
          <PartChoice value="loop" chosen={part} onChoose={setPart}>
            the loop: {partText(loop)}
          </PartChoice>
        )}
      </fieldset>
      <div className="export-line">
        <label htmlFor={`${id}-every`}>Every</label>
        <input
          id={`${id}-every`}
          className="field"
          placeholder="recorded moment, or 100ms, 1s …"
          value={takesEvery ? every : ""}
          disabled={isRunning || !takesEvery}
          aria-invalid={isEveryWrong}
          aria-describedby={isEveryWrong ? `${id}-every-wrong` : undefined}
          onChange={(event) => setEvery(event.currentTarget.value)}
        />
      </div>
      {isEveryWrong && (
        <p id={`${id}-every-wrong`} className="export-wrong">
          This is no length of time. Write 100ms or 1s.
        </p>
      )}
      <Options
        recording={recording}
        takes={takes}
        of={of}
        isWhole={isWhole}
        chosen={options}
        isDisabled={isRunning}
        onChoose={setOptions}
      />
      {takesOrigin && (
        <div className="export-line">
          <label htmlFor={`${id}-origin`}>Origin</label>
          <input
            id={`${id}-origin`}
            className="field"
            placeholder="as recorded, or latitude,longitude"
            value={origin}
            disabled={isRunning}
            aria-invalid={isOriginWrong}
            aria-describedby={isOriginWrong ? `${id}-origin-wrong` : undefined}
            onChange={(event) => setOrigin(event.currentTarget.value)}
          />
        </div>
      )}
      {isOriginWrong && (
        <p id={`${id}-origin-wrong`} className="export-wrong">
          Write latitude and longitude in degrees, then altitude in metres and heading in degrees if they are known:
          48.35,11.79,450,90
        </p>
      )}
      <Outcome exporting={exporting} />
      <div className="row">
        {/* the keys keep apart what a click on one would else do to the other */}
        {isRunning ? (
          <Button key="cancel" kind="main" onClick={cancel}>
            Cancel
          </Button>
        ) : (
          <Button key="export" kind="main" type="submit" disabled={isWrong}>
            Export
          </Button>
        )}
        <Button onClick={onClose}>Close</Button>
      </div>
    </form>
  );
}

function PartChoice({
  value,
  chosen,
  onChoose,
  children,
}: {
  readonly value: Part;
  readonly chosen: Part;
  readonly onChoose: (part: Part) => void;
  readonly children: ReactNode;
}) {
  return (
    <label>
      <input type="radio" name="part" checked={chosen === value} onChange={() => onChoose(value)} /> {children}
    </label>
  );
}

/** The targets that fit; null: not known yet. */
function useTargets(deck: Deck | undefined): {
  readonly targets: readonly TargetFacts[] | null;
  readonly failure: string | null;
} {
  const session = useSession();
  const [targets, setTargets] = useState<readonly TargetFacts[] | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const recording = deck === undefined || deck.opened.isHead ? null : deck.opened.recording;
  useEffect(() => {
    setTargets(null);
    setFailure(null);
    if (recording === null) return;
    const controller = new AbortController();
    session
      .query("targets", { recording }, { signal: controller.signal })
      .then(setTargets)
      .catch((error: unknown) => {
        if (!controller.signal.aborted) setFailure(error instanceof Error ? error.message : String(error));
      });
    return () => controller.abort();
  }, [session, recording]);
  return { targets, failure };
}
