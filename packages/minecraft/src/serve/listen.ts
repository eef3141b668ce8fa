import type { Viewer } from "./viewer.ts";

/** Actions of a viewer. */
export interface Doing {
  readonly say: (text: string) => void;
  /** Uses the item in a slot of the hotbar. */
  readonly use: (slot: number) => void;
  /** Sneaks, which ends the view through the eyes of another player. */
  readonly sneak: () => void;
}

/** Most commands and lines of chat in a second. */
const MOST_SAID = 20;
const LONGEST = 256;

interface Where {
  readonly x?: number;
  readonly y?: number;
  readonly z?: number;
  readonly yaw?: number;
  readonly pitch?: number;
}

/** Listens to a viewer's client. Text that is sent too fast is ignored. */
export function listen(viewer: Viewer, { say, use, sneak }: Doing): void {
  const { client } = viewer;
  let [second, said] = [0, 0];
  const hear = (text: unknown): void => {
    const now = Math.floor(performance.now() / 1000);
    if (now !== second) [second, said] = [now, 0];
    if (typeof text !== "string" || text === "") return;
    if (++said > MOST_SAID) return void (said === MOST_SAID + 1 && viewer.tell("Not so fast.", "red"));
    say(text.slice(0, LONGEST));
  };
  client.on("chat", ({ message }: { message?: string }) => hear(message));
  client.on("chat_message", ({ message }: { message?: string }) => hear(message));
  client.on("chat_command", ({ command }: { command?: string }) => hear(`/${command}`));
  client.on("chat_command_signed", ({ command }: { command?: string }) => hear(`/${command}`));
  client.on("held_item_slot", ({ slotId }: { slotId?: number }) => {
    if (slotId !== undefined && slotId >= 0 && slotId < 9) viewer.slot = slotId;
  });
  // An item that is used at a block sends two packets.
  let used = Number.NEGATIVE_INFINITY;
  const act = (): void => {
    const now = performance.now();
    if (now - used < 150) return;
    used = now;
    use(viewer.slot);
  };
  for (const name of ["use_item", "block_place", "arm_animation"]) client.on(name, act);
  // clients send the pressed keys since 1.21.2, and the resulting action before
  client.on("entity_action", ({ actionId }: { actionId?: number | string }) => {
    if (viewer.isAway && (actionId === 0 || actionId === "start_sneaking")) sneak();
  });
  client.on("player_input", ({ inputs }: { inputs?: { readonly shift?: boolean } }) => {
    if (viewer.isAway && inputs?.shift === true) sneak();
  });
  const moved = ({ x, y, z, yaw, pitch }: Where): void => {
    if (viewer.isAway) return;
    const { place } = viewer;
    const next = {
      x: x ?? place.x,
      y: y ?? place.y,
      z: z ?? place.z,
      yaw: yaw ?? place.yaw,
      pitch: pitch ?? place.pitch,
    };
    if (Object.values(next).every((value) => Math.abs(value) < 3e7)) viewer.goes(next);
  };
  for (const name of ["position", "position_look", "look"]) client.on(name, moved);
}
