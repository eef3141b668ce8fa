import { describe, expect, test } from "vitest";
import * as carla from "../../../src/formats/carla/layout/layout.ts";
import { STILL, supersededIn } from "../../../src/formats/carla/meaning/superseded.ts";
import { bundleOf, memory, MutableState, open } from "../../../src/index.ts";
import { ByteBuilder } from "../../../src/kit.ts";
import { applyRows } from "../../../src/model/state/apply.ts";
import { stateText } from "../../../src/testing/index.ts";
import { makeTown, RELEASES } from "../../fixtures/carla/make.ts";
import { REAL, SOUND } from "../../specimens.ts";

const DIALECT: carla.Dialect = { scalar: 4, wheel: 48, late: [null, null, null, null], version: 1 };

/** Nothing is attached; actors come, leave, come again and are left out of packets, some were never added. */
function makeCrowd(frames: number): Uint8Array {
  const out = new ByteBuilder();
  carla.writeHeader(out, { version: 1, magic: carla.MAGIC, date: 1_700_000_000n, map: "Town01" });
  const list = (packet: number, ids: readonly number[], write: (builder: ByteBuilder, id: number) => void): void => {
    const payload = new ByteBuilder();
    payload.u16le(ids.length);
    for (const id of ids) write(payload, id);
    carla.writePacket(out, packet, payload.take());
  };
  for (let frame = 0; frame < frames; frame++) {
    const start = new ByteBuilder();
    carla.writeFrameStart(start, { frame, durationThis: 0.05, elapsed: frame * 0.05 });
    carla.writePacket(out, carla.FRAME_START, start.take());
    list(carla.EVENT_ADD, frame % 37 === 0 ? [1 + ((frame / 37) % 9), 20] : [], (b, id) =>
      carla.writeEventAdd(
        b,
        {
          ...{ id, type: 1 + (id % 2), location: [id, 0, 0], rotation: [0, 0, 0], uid: 1 },
          ...{ blueprint: "vehicle.tesla.model3", attributes: [] },
        },
        DIALECT,
      ),
    );
    list(carla.EVENT_DEL, frame % 53 === 7 ? [1 + (frame % 9)] : [], (b, id) => b.u32le(id));
    const moving = [1, 2, 3, 20, 77].filter((id) => (frame + id * 11) % 61 > 8);
    if (frame % 90 > 70) moving.reverse();
    list(carla.POSITION, moving, (b, id) =>
      carla.writePosition(b, { id, location: [frame, id, 0], rotation: [0, frame % 360, 0] }, DIALECT),
    );
    list(carla.KINEMATICS, moving.slice(1), (b, id) =>
      carla.writeKinematics(b, { id, linearVelocity: [frame, 0, 0], angularVelocity: [0, 0, id] }, DIALECT),
    );
    carla.writePacket(out, carla.FRAME_END, new Uint8Array(0));
  }
  return out.take();
}

const CASES = [
  { name: "a crowd", bundle: () => bundleOf(memory(makeCrowd(2000), "crowd.log")) },
  ...RELEASES.map(({ name }, k) => ({
    name: `a town of ${name}`,
    bundle: () => bundleOf(memory(makeTown(RELEASES[k]!, 200), "town.log")),
  })),
  ...[...SOUND, ...REAL].filter(({ name }) => name.includes("carla") || name.endsWith(".log")),
];

describe("many rows folded at once", () => {
  test.each(CASES)("give the state of all of them one by one: $name", async ({ bundle }) => {
    await using recording = await open(bundle());
    const { state: model } = recording.reader;
    const [at, one] = [new MutableState(), new MutableState()];
    for (const state of [at, one]) model.begin?.(state);
    for await (const batch of recording.batches()) {
      // parts that begin and end anywhere, short and long
      for (let from = 0, length = 1; from < batch.length; from += length, length = 1 + ((length * 7) % 1999)) {
        const to = Math.min(batch.length, from + length);
        applyRows(model, at, batch, from, to);
        for (let i = from; i < to; i++) model.apply(one, batch, i);
        if (length > 1000) expect(stateText(at.freeze())).toBe(stateText(one.freeze()));
      }
    }
    expect(stateText(at.freeze())).toBe(stateText(one.freeze()));
  });

  test("most packets of motion leave no trace", async () => {
    await using recording = await open(bundleOf(memory(makeCrowd(2000), "crowd.log")));
    const { id } = recording.channel("position");
    const widths = recording.channels.map((channel) => (channel.id === id ? 28 : STILL));
    let marked = 0;
    let packets = 0;
    for await (const batch of recording.batches()) {
      const marks = supersededIn(batch, 0, batch.length, widths);
      for (let i = 0; i < batch.length; i++) {
        if (batch.channel[i] === id) packets++;
        else expect(marks[i]).toBe(0);
        marked += marks[i]!;
      }
    }
    expect(packets).toBe(2000);
    expect(marked).toBeGreaterThan(1000);
    expect(marked).toBeLessThan(1990);
  });
});
