import { readFileSync } from "node:fs";
import {
  connectPlayer,
  filesBundle,
  type Frame,
  type MovingState,
  open,
  type Player,
  play,
  servePlayer,
} from "simtape";
import { InstancedMesh, Vector3 } from "three";
import { describe, expect, test } from "vitest";
import { ManualClock } from "../../../simtape/test/play/manual-clock.ts";
import { Cast } from "../../src/scene/cast.ts";
import { Origin } from "../../src/scene/things/origin.ts";
import { swingOf } from "../../src/scene/presenters/gait.ts";
import { example } from "../support/viewer.ts";

const SECOND = 1e9;
const WALKING = ["players", "walkers"];

/** The numbers of all figures as they are drawn from near by. */
function drawn(state: MovingState, cast: Cast, set: string): number[] {
  cast.show(state);
  const { poses } = cast.crowds.find((crowd) => crowd.set === set)!;
  cast.see({ position: new Vector3().fromArray(poses.positions), pixels: 1e9, seen: 1e9 });
  const numbers: number[] = [];
  cast.object.traverse((part) => {
    if (part instanceof InstancedMesh && part.count > 0)
      for (const number of part.instanceMatrix.array.subarray(0, 16 * part.count)) numbers.push(number + 0);
  });
  return numbers;
}

async function frameAt(player: Player, time: number): Promise<Frame> {
  expect(await player.seek(time)).toBe(true);
  return await new Promise((resolve) => {
    const leave = player.subscribe((frame) => {
      if (frame.time !== time) return;
      queueMicrotask(() => leave());
      resolve(frame);
    });
  });
}

describe.each([
  ["race.hcrp", "players", 12.3],
  ["town.log", "walkers", 4.3],
])("those who walk in %s", (name, set, seconds) => {
  const files = new Map([[name, new Uint8Array(readFileSync(example(name)))]]);
  const at = seconds * SECOND;

  test.each([1, -1])("step at rate %i as they do where a time is sought", async (rate) => {
    await using recording = await open(filesBundle(files));
    const clock = new ManualClock();
    await using player = play(recording, { clock, rate, speeds: WALKING, interval: 30e6 });
    await using other = play(recording, { speeds: WALKING });
    await frameAt(player, at - rate * SECOND);
    const frames: Frame[] = [];
    player.subscribe((frame) => void frames.push(frame));
    player.play();
    await clock.advance(SECOND);
    expect(frames.length).toBeGreaterThan(20);
    const cast = new Cast(new Origin(), -1);
    for (const frame of frames) {
      const played = drawn(frame.state, cast, set);
      const sought = drawn((await frameAt(other, frame.time)).state, new Cast(new Origin(), -1), set);
      expect(played).toEqual(sought);
    }
  });

  test("have other legs a moment later, at recorded moments as between them, and legs at rest stand", async () => {
    await using recording = await open(filesBundle(files));
    await using player = play(recording, { speeds: WALKING });
    const speeds: number[] = [];
    for (let time = at; time < at + SECOND; time += 50e6) {
      await frameAt(player, time);
      await player.step(1, "frame");
      const { state } = await frameAt(player, player.status.time);
      speeds.push(Math.max(...state.speeds!.get(set)!));
    }
    for (const speed of speeds) expect(speed).toBeGreaterThan(0.3);
    const { state } = await frameAt(player, at);
    const standing = { ...state, speeds: new Map([[set, new Float32Array(state.sets.get(set)!.ids.length)]]) };
    const legs = (shown: MovingState) => drawn(shown, new Cast(new Origin(), -1), set);
    expect(legs({ ...state, time: at + 2e8 })).not.toEqual(legs(state));
    expect(legs({ ...standing, time: at + 2e8 })).toEqual(legs(standing));
  });

  test("have the same speeds behind a port, and no number of the recording is another for it", async () => {
    await using recording = await open(filesBundle(files));
    await using player = play(recording, { speeds: WALKING, at });
    await using plain = play(recording, { at });
    const { port1, port2 } = new MessageChannel();
    void servePlayer(player, port1);
    const remote = connectPlayer(port2);
    const [here, there, other] = [await frameAt(player, at), await frameAt(remote, at), await frameAt(plain, at)];
    expect(there.state.speeds).toEqual(here.state.speeds);
    const { speeds, ...state } = here.state;
    expect([...speeds!.keys()]).toEqual([set]);
    expect(state).toEqual(other.state);
    expect(here.recorded).toEqual(other.recorded);
    await remote.close();
    port1.close();
  });
});

test("legs swing with time, as far as they are quick, and not where one is put elsewhere", () => {
  const angles = Array.from({ length: 20 }, (_, i) => swingOf(1, i * 5e7, 2, 1));
  expect(Math.max(...angles)).toBeGreaterThan(0.5);
  expect(Math.min(...angles)).toBeLessThan(-0.5);
  expect(Math.max(...angles.map(Math.abs))).toBeGreaterThan(Math.abs(swingOf(1, 2e8, 0.5, 1)));
  expect(swingOf(1, 1e8, 0, 1)).toBeCloseTo(0);
  expect(swingOf(1, 1e8, 100, 1)).toBe(0);
});
