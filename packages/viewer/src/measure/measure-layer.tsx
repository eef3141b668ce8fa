import "./measure.css";
import type { SeriesPath } from "simtape";
import { useEffect, useRef, useState } from "react";
import { useFrames, useObservable, useSession, useViewer } from "../hooks.ts";
import { useUnitSystem } from "../use-unit-system.ts";
import { derivedPath } from "../plots/derived.ts";
import { type Shown, toggled } from "../plots/shared.ts";
import type { SceneView } from "../scene/scene-view.ts";
import { thingNamed } from "../subject.ts";
import { Button } from "../ui/button.tsx";
import { drawnOf, type Line, linesOf } from "./drawn.ts";
import { type Count, type Measure, measuring, pickMeasured } from "./measuring.ts";
import { expressionsOf, Gauge } from "./numbers.ts";
import { MeasureOverlay } from "./overlay.ts";
import { kindOf } from "./words.ts";

const KINDS: readonly (readonly [Count, string])[] = [
  [2, "Distance"],
  [3, "Angle"],
  [4, "Dihedral"],
];
/** Measures that are kept at most. */
const MOST = 40;

/** Measures in a scene, and while things are picked the list of them, where that was begun. */
export function MeasureLayer({
  view,
  panel,
  measures,
  onChange,
}: {
  readonly view: SceneView;
  /** That of the scene. */
  readonly panel: string;
  readonly measures: readonly Measure[];
  readonly onChange: (measures: readonly Measure[]) => void;
}) {
  const session = useSession();
  const system = useUnitSystem();
  const now = useObservable(measuring, (value) => value);
  const [overlay] = useState(() => new MeasureOverlay());
  const gauge = useRef(new Gauge());
  const [lines, setLines] = useState<readonly Line[]>([]);

  useEffect(() => view.lay(overlay), [view, overlay]);

  // What is complete is a measure.
  useEffect(() => {
    if (now === null || now.picked.length < now.count) return;
    onChange([...measures, { things: now.picked.slice(0, now.count) }].slice(-MOST));
    measuring.set({ ...now, picked: [] });
  }, [now, measures, onChange]);

  const write = (): void => {
    const { frame } = session;
    if (frame === null) return;
    const next = linesOf(measures, gauge.current, frame.recorded, system);
    overlay.measures = drawnOf(measures, next);
    overlay.picked = now?.picked ?? [];
    setLines((before) => (JSON.stringify(before) === JSON.stringify(next) ? before : next));
  };
  useFrames(write);
  // biome-ignore lint/correctness/useExhaustiveDependencies: drawn again when anything of it has changed
  useEffect(() => {
    write();
    view.invalidate();
  }, [view, measures, now, system]);

  if (now?.panel !== panel) return null;
  return (
    <section className="measures" aria-label="Measure">
      <fieldset className="measures-kinds" aria-label="What is measured">
        {KINDS.map(([count, text]) => (
          <Button
            key={count}
            kind="bare"
            label={`Measure: ${text.toLowerCase()} of ${count} things`}
            aria-pressed={now.count === count}
            onClick={() => measuring.set({ ...now, count, picked: now.picked.slice(0, count - 1) })}
          >
            {text}
          </Button>
        ))}
        <Button kind="bare" label="Stop measuring (m)" onClick={() => measuring.set(null)}>
          Done
        </Button>
      </fieldset>
      <p role="status">
        {`Click thing ${now.picked.length + 1} of ${now.count}`}
        {now.picked.length > 0 && `, after ${now.picked.map((thing) => view.nameOf(thing)).join(", ")}`}
      </p>
      <NameField />
      {measures.length > 0 && (
        <ul aria-label="Measures">
          {measures.map((measure, i) => (
            <li key={measure.things.map(({ set, id }) => `${set}/${id}`).join(" ")}>
              <span>
                <strong>{lines[i]?.number}</strong>
                {` ${kindOf(measure)}: ${measure.things.map((thing) => view.nameOf(thing)).join(" – ")}`}
                {lines[i]?.closing && <em>{lines[i].closing}</em>}
              </span>
              <Curves measure={measure} />
              <Button
                kind="bare"
                label={`Remove this ${kindOf(measure)}`}
                onClick={() => onChange(measures.filter((_, j) => j !== i))}
              >
                ×
              </Button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** For those who do not click: takes what is selected, or what is named as `set/id`. */
function NameField() {
  const session = useSession();
  const subject = useViewer((state) => state.subject);
  const [text, setText] = useState("");
  const [isWrong, setWrong] = useState(false);
  return (
    <form
      className="measures-name"
      onSubmit={(event) => {
        event.preventDefault();
        const { frame } = session;
        const named = text.trim() === "" ? subject : frame === null ? null : thingNamed(frame.state, text.trim());
        setWrong(named === null);
        if (named === null) return;
        pickMeasured(named);
        setText("");
      }}
    >
      <input
        className="field"
        aria-label="Thing to measure, as set/id"
        aria-invalid={isWrong}
        placeholder={subject === null ? "set/id" : `${subject.set}/${subject.id}`}
        value={text}
        onChange={({ currentTarget: { value } }) => setText(value)}
      />
      <Button type="submit" label="Measure this thing: what is named, else what is selected">
        Take
      </Button>
    </form>
  );
}

/** Makes curves of a measure. */
function Curves({ measure }: { readonly measure: Measure }) {
  const session = useSession();
  const format = useViewer(({ decks }) => decks[0]?.opened.info.format);
  const expressions = expressionsOf(measure);
  if (expressions === null) return null;
  const draw = (expression: string): void => {
    const path: SeriesPath = derivedPath(expression);
    const key = `plots-${format}`;
    const shown = (session.state.value.shared[key] as Shown | undefined) ?? { charts: [] };
    session.share(key, toggled(shown, path, null));
    session.showPanel("plots");
  };
  const { main, closing } = expressions;
  return (
    <>
      <Button kind="bare" label="Draw it as a curve" onClick={() => draw(main)}>
        Curve
      </Button>
      {closing !== null && (
        <Button kind="bare" label="Draw how fast they come nearer as a curve" onClick={() => draw(closing)}>
          Closing
        </Button>
      )}
    </>
  );
}
