import { describe, expect, it } from "vitest";
import { Track } from "../../../src/export/scene/track.ts";

function taken(track: Track): { times: number[]; values: number[] } {
  const { times, values } = track.take();
  return { times: [...times], values: [...values] };
}

describe("keyframes of a thing", () => {
  it("keep a value that stays by its first and last time", () => {
    const track = new Track(1, false);
    const added = [5, 5, 5, 5, 6, 6].map((value, time) => track.add(time, [value]));
    expect(added).toEqual([1, 0, 0, 0, 2, 0]);
    expect(taken(track)).toEqual({ times: [0, 3, 4], values: [5, 5, 6] });
  });

  it("have the first time of a value that holds, and no other", () => {
    const track = new Track(1, true);
    for (const [time, value] of [1, 1, 0, 0, 1].entries()) track.add(time, [value]);
    expect(taken(track)).toEqual({ times: [0, 2, 4], values: [1, 0, 1] });
  });

  it("ascend as float32: of two at one time the later holds", () => {
    const track = new Track(2, false);
    track.add(1000, [1, 2]);
    track.add(1000 + 1e-6, [3, 4]);
    track.add(1000.5, [5, 6]);
    expect(taken(track)).toEqual({ times: [1000, 1000.5], values: [3, 4, 5, 6] });
  });

  it("turn the short way", () => {
    const track = new Track(4, false);
    track.add(0, [0, 0, 0, 1]);
    const far = Float32Array.of(0.1, 0.2, -0.6, -0.8);
    track.turnToLast(far);
    expect([...far]).toEqual([...Float32Array.of(-0.1, -0.2, 0.6, 0.8)]);
  });
});
