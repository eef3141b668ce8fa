import { createContext } from "react";
import type { SceneView } from "../scene-view.ts";

/** Where a scene is drawn for a video, away from the page: picture by picture, each of them whole. */
export interface SceneStage {
  /** Pixels of a picture for each of the page. */
  readonly ratio: number;
  /** Has the view that the panel has made. */
  onView(view: SceneView): void;
  /** Waits for a part of the picture that is being loaded. */
  onLoad(part: Promise<unknown>): void;
}

/** Null: the scene is that of the page. */
export const StageContext: React.Context<SceneStage | null> = createContext<SceneStage | null>(null);
