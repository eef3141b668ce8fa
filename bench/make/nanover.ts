import { ByteBuilder } from "../../packages/simtape/src/bytes/builder.ts";
import { writeFrameResponse } from "../../packages/simtape/src/formats/nanover/layout/protobuf.ts";
import { writeFileHeader, writeRecord } from "../../packages/simtape/src/formats/nanover/layout/record.ts";

const ATOMS = 173;

/** A v2 trajectory of 173 atoms with positions and velocities, in pieces, until `size` bytes are reached. */
export function* makeNanover(size: number): Generator<Uint8Array> {
  let out = new ByteBuilder(1 << 21);
  let total = 0;
  writeFileHeader(out, 2);
  for (let index = 0; total + out.length < size; index++) {
    const positions = new Float32Array(3 * ATOMS).map((_, i) => Math.sin(i + index / 30));
    const frame = {
      "frame.index": index,
      "particle.positions": positions,
      "particle.velocities": positions,
      "energy.kinetic": 42 + index,
      "system.simulation.time": index * 0.001,
      ...(index === 0 ? { "particle.count": ATOMS, "particle.elements": new Uint32Array(ATOMS).fill(6) } : {}),
    };
    const payload = new ByteBuilder(8192);
    writeFrameResponse(payload, frame);
    writeRecord(out, index * 33333, payload.take());
    if (out.length < 1 << 20) continue;
    const piece = out.take();
    total += piece.length;
    yield piece;
    out = new ByteBuilder(1 << 21);
  }
  yield out.take();
}
