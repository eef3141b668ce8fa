import { goToEvent } from "../events/event-list.ts";
import { goToSpan } from "../ask/asking.ts";
import { goToDifference } from "../compare/comparing.ts";
import { pickFiles } from "../open/pick.ts";
import { SCENE_COMMANDS, WORLD_COMMANDS } from "../scene/panel/commands.ts";
import type { Command } from "../transport/commands.ts";
import { videoShown } from "../video/shown.ts";

/** What can be done with a recording by keys; others are in `more-commands.ts`, which is loaded later. */
export const RECORDING_COMMANDS: readonly Command[] = [
  { title: "Next event", keys: ["e"], run: (session) => void goToEvent(session, 1) },
  { title: "Previous event", keys: ["Shift+E"], run: (session) => void goToEvent(session, -1) },
  { title: "Next time found", keys: ["f"], run: (session) => goToSpan(session, 1) },
  { title: "Previous time found", keys: ["Shift+F"], run: (session) => goToSpan(session, -1) },
  { title: "Next difference", keys: ["x"], run: (session) => goToDifference(session, 1) },
  { title: "Previous difference", keys: ["Shift+X"], run: (session) => goToDifference(session, -1) },
  ...WORLD_COMMANDS,
  ...SCENE_COMMANDS,
  { title: "Open files …", keys: ["Ctrl+o"], run: (session) => void pickFiles(session, "files") },
  { title: "Video …", keys: ["Shift+V"], run: () => videoShown.set(true) },
];
