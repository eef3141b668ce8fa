import { ByteBuilder } from "../../packages/simtape/src/bytes/builder.ts";
import * as carla from "../../packages/simtape/src/formats/carla/layout/layout.ts";

const DIALECT: carla.Dialect = { scalar: 4, wheel: 48, late: [null, null, null, null], version: 1 };

/**
 * A log of 80 movers and 20 lights, in pieces of about a mebibyte, until `size` bytes are reached. `collideEvery`: frames
 * from one collision of two vehicles to the next; by default no vehicles collide.
 */
export function* makeCarla(size: number, collideEvery = Number.POSITIVE_INFINITY): Generator<Uint8Array> {
  let out = new ByteBuilder(1 << 21);
  let total = 0;
  let elapsed = 0;
  carla.writeHeader(out, { version: 1, magic: carla.MAGIC, date: 1_700_000_000n, map: "Town01" });
  const list = (
    id: number,
    count: number,
    write: (builder: ByteBuilder, i: number) => void = () => undefined,
  ): void => {
    const payload = new ByteBuilder(4096);
    payload.u16le(count);
    for (let i = 0; i < count; i++) write(payload, i);
    carla.writePacket(out, id, payload.take());
  };
  for (let frame = 1; total + out.length < size; frame++) {
    const start = new ByteBuilder();
    carla.writeFrameStart(start, { frame, durationThis: 0.05, elapsed });
    carla.writePacket(out, carla.FRAME_START, start.take());
    list(carla.EVENT_ADD, frame === 1 ? 100 : 0, (b, i) =>
      carla.writeEventAdd(
        b,
        {
          id: i + 1,
          type: i < 60 ? 1 : i < 80 ? 2 : 3,
          location: [0, 0, 0],
          rotation: [0, 0, 0],
          uid: 1,
          blueprint: "vehicle.tesla.model3",
          attributes: [],
        },
        DIALECT,
      ),
    );
    for (const id of [carla.EVENT_DEL, carla.EVENT_PARENT]) list(id, 0);
    list(carla.COLLISION, frame % collideEvery === 0 ? 1 : 0, (b) =>
      carla.writeCollision(b, { collision: frame, id1: 3, id2: 4, isHero1: false, isHero2: false }),
    );
    list(carla.POSITION, 80, (b, i) =>
      carla.writePosition(b, { id: i + 1, location: [frame + i, i, 0], rotation: [0, 0, frame % 360] }, DIALECT),
    );
    list(carla.STATE, 20, (b, i) => carla.writeState(b, { id: 81 + i, isFrozen: false, elapsedTime: 1, state: 0 }));
    list(carla.ANIM_VEHICLE, 60, (b, i) =>
      carla.writeAnimVehicle(b, { id: i + 1, steering: 0, throttle: 0.5, brake: 0, handbrake: false, gear: 1 }),
    );
    list(carla.ANIM_WALKER, 20, (b, i) => carla.writeAnimWalker(b, { id: 61 + i, speed: 140 }));
    list(carla.VEHICLE_LIGHT, 60, (b, i) => carla.writeVehicleLight(b, { id: i + 1, lights: 0 }));
    list(carla.KINEMATICS, 80, (b, i) =>
      carla.writeKinematics(b, { id: i + 1, linearVelocity: [1, 0, 0], angularVelocity: [0, 0, 0] }, DIALECT),
    );
    list(carla.BOUNDING_BOX, 0);
    carla.writePacket(out, carla.PLATFORM_TIME, new Uint8Array(8));
    carla.writePacket(out, carla.FRAME_END, new Uint8Array(0));
    elapsed += 0.05;
    if (out.length < 1 << 20) continue;
    const piece = out.take();
    total += piece.length;
    yield piece;
    out = new ByteBuilder(1 << 21);
  }
  yield out.take();
}
