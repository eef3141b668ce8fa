import { once } from "node:events";
import { join } from "node:path";
import type { Point } from "../../src/ghosts/box.ts";
import { courseOf } from "../../src/ghosts/course.ts";
import { type FinishedRun, writeRun } from "../../src/proxy/kept-run.ts";
import { GameData } from "../../src/game/data.ts";
import { eventOf } from "./lines.ts";
import { Looker } from "./looker.ts";

const across = (x: number): object => ({ from: [x, 0, -100], to: [x, 255, 100] });

/** Along x: from 0 to 2, by 20 and 40, to 60. */
export const COURSE = courseOf({
  map: "line",
  start: { from: [0, 0, -100], to: [2, 255, 100] },
  checkpoints: [across(20), across(40)],
  finish: across(60),
});
const PASSED = [20, 40, 60];

/** A run along the course that was recorded: `speed` in steps of the grid per tick, from x 3 on. */
export interface Past {
  readonly player: string;
  readonly speed: number;
  readonly z: number;
}

export function uuidFor(i: number): string {
  return `00000000-0000-4000-8000-${String(i).padStart(12, "0")}`;
}

/** Where it was, blocks. */
export function placeOf({ speed, z }: Past, tick: number): Point {
  return [3 + (Math.min(tick, ticksOf({ speed })) * speed) / 4096, 64, z];
}

/** Ticks from the start to the finish, or to a checkpoint, from 1 on. */
export function ticksOf({ speed }: Pick<Past, "speed">, checkpoint = 3): number {
  return Math.ceil(((PASSED[checkpoint - 1]! - 3) * 4096) / speed);
}

export async function writePast(store: string, title: string, past: Past, uuid: string): Promise<void> {
  const lines: [number, Record<string, unknown>][] = [
    [0, { dimension: COURSE.dimension }],
    [
      0,
      {
        join: {
          id: 7,
          uuid,
          name: past.player,
          at: placeOf(past, 0),
          properties: [{ name: "textures", value: title }],
        },
      },
    ],
    [0, { mark: { id: 7, kind: "start", label: "Start" } }],
  ];
  for (let tick = 1; tick <= ticksOf(past); tick++) {
    lines.push([tick, { move: { id: 7, at: placeOf(past, tick) } }]);
    const checkpoint = [1, 2].find((one) => ticksOf(past, one) === tick);
    if (checkpoint !== undefined) lines.push([tick, { mark: { id: 7, kind: "checkpoint", label: `${checkpoint}` } }]);
  }
  lines.push([ticksOf(past), { mark: { id: 7, kind: "end", label: "Finish" } }]);
  const { dataVersion } = GameData.of("1.16.5");
  const events = lines.map(([tick, line]) => [tick, eventOf(line)] as const);
  const run: FinishedRun = { events, start: 0, durationMs: ticksOf(past) * 50, ticks: ticksOf(past) };
  await writeRun(join(store, `${title}.hcrp`), { dataVersion, metadata: { map: COURSE.map } }, run);
}

/** A client on the course that moves as it is let. */
export class Sprinter {
  readonly looker: Looker;

  private constructor(looker: Looker) {
    this.looker = looker;
  }

  static async join(port: number, version: string, name: string): Promise<Sprinter> {
    const looker = Looker.try(port, version, name);
    looker.client.on("position", ({ teleportId }: { teleportId: number }) =>
      looker.client.write("teleport_confirm", { teleportId }),
    );
    while (Number.isNaN(looker.place.x) && looker.ended === null) await once(looker.client, "packet");
    return new Sprinter(looker);
  }

  step(x: number): void {
    const onGround =
      this.looker.version === "1.16.5"
        ? { onGround: true }
        : { flags: { onGround: true, hasHorizontalCollision: false } };
    this.looker.client.write("position", { x, y: 64, z: 1, ...onGround });
  }

  /** From one place to another, a block every so many milliseconds. */
  async run(from: number, to: number, every = 25): Promise<void> {
    for (let x = from; x <= to; x++) {
      this.step(x);
      await new Promise((resolve) => setTimeout(resolve, every));
    }
  }
}
