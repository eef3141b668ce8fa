import { useTimeScale } from "../use-time-scale.ts";
import { useSession, useViewer } from "../hooks.ts";
import type { SceneView } from "../scene/scene-view.ts";
import { DraftField } from "../shell/draft-field.tsx";
import { Button } from "../ui/button.tsx";
import { type CameraPath, type Keyframe, RATES, USUAL_FIELD, withKeyframe, withoutKeyframe } from "./path.ts";
import { changePath, viewOf } from "./path-changes.ts";

/** The keyframes of a path, each with what can be done to it. */
export function PathList({
  view,
  path,
  onMark,
}: {
  readonly view: SceneView;
  readonly path: CameraPath;
  /** The keyframe that is pointed at; -1: none. */
  readonly onMark: (index: number) => void;
}) {
  return (
    <ol className="path-list" aria-label="Keyframes">
      {path.keyframes.map((keyframe, i) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: what has the focus keeps it where a time changes, or one is removed
          key={i}
          onPointerEnter={() => onMark(i)}
          onPointerLeave={() => onMark(-1)}
          onFocus={() => onMark(i)}
          onBlur={() => onMark(-1)}
        >
          <KeyframeRow view={view} path={path} keyframe={keyframe} number={i + 1} />
        </li>
      ))}
    </ol>
  );
}

function KeyframeRow({
  view,
  path,
  keyframe,
  number,
}: {
  readonly view: SceneView;
  readonly path: CameraPath;
  readonly keyframe: Keyframe;
  readonly number: number;
}) {
  const session = useSession();
  const { text, parse } = useTimeScale();
  const { time, rate, ease = false } = keyframe;
  const put = (changes: Partial<Keyframe>): void =>
    changePath(session, withKeyframe(path, { ...keyframe, ...changes }));
  const parseTime = (typed: string): number | null => {
    const parsed = parse(typed, session.time ?? 0);
    if (parsed === null) return null;
    const { start, end } = session.bounds;
    const seconds = Math.round(Math.min(end, Math.max(start, parsed))) / 1e9;
    return path.keyframes.some((other) => other !== keyframe && other.time === seconds) ? null : seconds;
  };
  return (
    <>
      <span className="path-number" aria-hidden="true">
        {number}
      </span>
      <DraftField
        label={`Time of keyframe ${number}`}
        text={text(Math.round(time * 1e9))}
        parse={parseTime}
        onChange={(next) => changePath(session, withKeyframe(withoutKeyframe(path, time), { ...keyframe, time: next }))}
      />
      <Button kind="bare" label={`Go to keyframe ${number}`} onClick={() => void goTo(view, session, keyframe)}>
        Go
      </Button>
      <Button
        kind="bare"
        label={`Give keyframe ${number} the view that the scene has now`}
        onClick={() => {
          if (view.gaze !== null) put(viewOf(view.gaze, view.origin.isGeodetic));
        }}
      >
        Set view
      </Button>
      <span
        className="path-rate"
        title="Speed of the video at this keyframe: 0.25 is slow motion. Empty: between those of its neighbours"
      >
        Speed
        <DraftField
          label={`Speed at keyframe ${number}`}
          text={rate === undefined ? "" : String(rate)}
          placeholder="–"
          parse={parseRate}
          onChange={(next) => {
            const { rate: _, ...others } = keyframe;
            changePath(session, withKeyframe(path, next.rate === null ? others : { ...others, rate: next.rate }));
          }}
        />
      </span>
      <label title="The camera comes to rest here">
        <input
          type="checkbox"
          aria-label={`Ease at keyframe ${number}`}
          checked={ease}
          onChange={({ currentTarget: { checked } }) => {
            const { ease: _, ...others } = keyframe;
            changePath(session, withKeyframe(path, checked ? { ...others, ease: true } : others));
          }}
        />{" "}
        Ease
      </label>
      <LookAt view={view} path={path} keyframe={keyframe} number={number} />
      <Button
        kind="bare"
        label={`Remove keyframe ${number}`}
        onClick={() => changePath(session, withoutKeyframe(path, time))}
      >
        ×
      </Button>
    </>
  );
}

/** What a keyframe looks at: a place, or a thing wherever it goes. */
function LookAt({
  view,
  path,
  keyframe,
  number,
}: {
  readonly view: SceneView;
  readonly path: CameraPath;
  readonly keyframe: Keyframe;
  readonly number: number;
}) {
  const session = useSession();
  const subject = useViewer((state) => state.subject);
  const { lookAt } = keyframe;
  const isOther = subject !== null && (lookAt?.set !== subject.set || lookAt.id !== subject.id);
  return (
    <select
      className="field path-look"
      aria-label={`Keyframe ${number} looks at`}
      value={lookAt === undefined ? "place" : "kept"}
      onChange={({ currentTarget: { value } }) => {
        const { lookAt: kept, ...others } = keyframe;
        const next = value === "subject" && subject !== null ? { set: subject.set, id: subject.id } : kept;
        const looked = value === "place" || next === undefined ? others : { ...others, lookAt: next };
        changePath(session, withKeyframe(path, looked));
      }}
    >
      <option value="place">at a place</option>
      {lookAt !== undefined && <option value="kept">at {view.nameOf(lookAt)}</option>}
      {isOther && <option value="subject">at {view.nameOf(subject)}</option>}
    </select>
  );
}

/** To its time, with the camera where it is then. */
async function goTo(view: SceneView, session: ReturnType<typeof useSession>, keyframe: Keyframe): Promise<void> {
  const { time, position, target, field = USUAL_FIELD, lookAt } = keyframe;
  session.pause();
  if (!(await session.seek(Math.round(time * 1e9)))) return;
  if (view.mode === "first-person") {
    const settings = session.state.value.shared["scene"] as object | undefined;
    session.share("scene", { ...settings, mode: "orbit" });
    // the scene hears of it when the page has rendered
    await new Promise((resolve) => {
      setTimeout(resolve);
    });
  }
  view.ease();
  view.place({ position, target, field, things: lookAt === undefined ? [] : [{ ...lookAt, weight: 1 }] });
}

function parseRate(text: string): { readonly rate: number | null } | null {
  if (text.trim() === "") return { rate: null };
  const rate = Number(text);
  return rate >= RATES.least && rate <= RATES.most ? { rate } : null;
}
