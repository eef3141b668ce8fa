import "./path.css";
import { useCallback, useEffect, useRef, useState } from "react";
import { changes, changesOf, redo, undo } from "../changes.ts";
import { useObservable, useSession, useViewer } from "../hooks.ts";
import type { SceneView } from "../scene/scene-view.ts";
import { Button } from "../ui/button.tsx";
import { keptPath, PATH_KEY } from "./kept-path.ts";
import { NO_PATH } from "./path.ts";
import { bringPath } from "./own-path.ts";
import { addKeyframe, changePath } from "./path-changes.ts";
import { PathFile } from "./path-file.tsx";
import { fly, isFlying } from "./path-flight.ts";
import { PathList } from "./path-list.tsx";
import { PathOverlay } from "./path-overlay.ts";
import { pathShown, videoShown } from "./shown.ts";

/** The path of the camera in the scene, and the list of its keyframes. */
export function PathLayer({ view }: { readonly view: SceneView }) {
  const session = useSession();
  const path = keptPath(useViewer((state) => state.shared));
  const [overlay] = useState(
    () =>
      new PathOverlay(
        () => view.origin,
        () => view.time,
      ),
  );
  const isUnderWay = useObservable(isFlying, (value) => value);
  const land = useRef<(() => void) | null>(null);
  useObservable(changes, (value) => value);
  const { canUndo, canRedo } = changesOf(session, PATH_KEY);

  const recording = useViewer(({ decks }) => decks[0]?.opened.recording);
  // biome-ignore lint/correctness/useExhaustiveDependencies: of each recording that plays
  useEffect(() => bringPath(session), [session, recording]);
  useEffect(() => view.lay(overlay), [view, overlay]);
  useEffect(() => {
    overlay.path = path;
    view.invalidate();
  }, [view, overlay, path]);
  useEffect(() => {
    overlay.isHidden = isUnderWay;
    view.invalidate();
  }, [view, overlay, isUnderWay]);

  const stop = useCallback((): void => {
    land.current?.();
    land.current = null;
  }, []);
  // Another path is another flight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: ended with the path that it follows
  useEffect(() => stop, [path, view, stop]);

  const preview = (): void => {
    stop();
    land.current = fly(session, view, path, stop);
  };
  const { keyframes } = path;
  return (
    <section className="path" aria-label="Camera path">
      <div className="path-bar">
        <Button kind="main" label="A keyframe here, at the time shown (Shift K)" onClick={() => addKeyframe(session)}>
          Add keyframe
        </Button>
        {isUnderWay ? (
          <Button
            key="stop"
            onClick={() => {
              session.pause();
              stop();
            }}
          >
            Stop
          </Button>
        ) : (
          <Button
            key="preview"
            disabled={keyframes.length < 2}
            label="Fly along the path, from here or from its first keyframe"
            onClick={preview}
          >
            Preview
          </Button>
        )}
        <Button kind="bare" label="Undo (Ctrl Z)" disabled={!canUndo} onClick={() => undo(session, PATH_KEY)}>
          ↶
        </Button>
        <Button kind="bare" label="Redo (Ctrl Shift Z)" disabled={!canRedo} onClick={() => redo(session, PATH_KEY)}>
          ↷
        </Button>
        <span className="spring" />
        <Button kind="bare" label="Hide the camera path (Shift P)" onClick={() => pathShown.set(false)}>
          Done
        </Button>
      </div>
      {isUnderWay ? null : keyframes.length === 0 ? (
        <p className="faint">
          Go to a moment, turn the camera to what the video should show, and add a keyframe. The camera of the video
          moves from one keyframe to the next on a smooth curve.
        </p>
      ) : (
        <PathList
          view={view}
          path={path}
          onMark={(index) => {
            overlay.marked = index;
            view.invalidate();
          }}
        />
      )}
      <div className="path-bar" hidden={isUnderWay}>
        <PathFile path={path} />
        <Button kind="bare" disabled={keyframes.length === 0} onClick={() => changePath(session, NO_PATH)}>
          Clear
        </Button>
        <Button kind="bare" disabled={keyframes.length === 0} onClick={() => videoShown.set(true)}>
          Video …
        </Button>
      </div>
    </section>
  );
}
