import type { Session } from "../../session.ts";
import type { SceneView } from "../scene-view.ts";
import { SCENE } from "./settings.ts";

/** Scenes of a page by their panels. */
interface Scenes {
  readonly views: Map<string, SceneView>;
  /** The one that the user turned to last. */
  used: string;
}

const SCENES = new WeakMap<Session, Scenes>();

/**
 * Lends a scene to others of the page, until the function given back is called: the pictures and sights of each, the
 * camera of the first, and what is pointed at in any.
 */
export function lend(session: Session, panel: string, view: SceneView): () => void {
  const scenes = SCENES.get(session) ?? { views: new Map<string, SceneView>(), used: SCENE };
  SCENES.set(session, scenes);
  scenes.views.set(panel, view);
  session.sights.set(panel, (set, id) => view.sightOf(set, id));
  lendFirst(session, scenes);
  return () => {
    scenes.views.delete(panel);
    session.sights.delete(panel);
    session.pictures.delete(panel);
    lendFirst(session, scenes);
  };
}

/** Takes note that the user has turned to the scene of a panel: what keys do is done there. */
export function use(session: Session, panel: string): void {
  const scenes = SCENES.get(session);
  if (scenes !== undefined) scenes.used = panel;
}

/** The panel of the scene that the user turned to last; where that is gone, of the first. */
export function usedScene(session: Session): string {
  const { views, used } = SCENES.get(session) ?? { views: NONE, used: SCENE };
  return views.has(used) ? used : (inOrder(views)[0]?.[0] ?? SCENE);
}

function lendFirst(session: Session, { views }: Scenes): void {
  const ordered = inOrder(views);
  for (const [panel, view] of ordered) {
    session.pictures.delete(panel);
    session.pictures.set(panel, () => view.picture());
  }
  const [first] = ordered.map(([, view]) => view);
  session.pointing = () => {
    const [main, ...others] = ordered.map(([, view]) => view.pointing());
    if (main == null) return null;
    return { ...main, at: [main, ...others].find((one) => one?.at != null)?.at ?? null };
  };
  session.camera =
    first === undefined
      ? null
      : {
          get isFollowing() {
            return first.mode === "follow";
          },
          get isGeodetic() {
            return first.origin.isGeodetic;
          },
          gaze: () => first.gaze,
          look: (gaze) => {
            first.gaze = gaze;
          },
        };
}

/** `scene` before `scene-2`. */
function inOrder(views: ReadonlyMap<string, SceneView>): readonly (readonly [string, SceneView])[] {
  return [...views].toSorted(([a], [b]) => a.length - b.length || (a < b ? -1 : 1));
}

const NONE: ReadonlyMap<string, SceneView> = new Map();
