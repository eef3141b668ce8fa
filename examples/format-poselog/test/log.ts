import * as kit from "simtape/kit";
import { type Dialect, writePose } from "../src/layout.ts";
import poselog from "../src/poselog.ts";

export const format: ReturnType<typeof poselog> = poselog(kit);

/** A rotation to the left about the axis y, which is up. */
function yawed(degrees: number, dialect: Dialect): number[] {
  if (dialect === "euler") return [0, 0, degrees];
  const half = (degrees * Math.PI) / 360;
  return [0, Math.sin(half), 0, Math.cos(half)];
}

/** Ten seconds of two drones: 7 goes along x, 1 m each second, and turns by 9 degrees; 9 rises, and is gone at the end. */
export async function makeLog(dialect: Dialect): Promise<Uint8Array> {
  const to = new kit.MemoryFiles("drones.plog");
  const writing = await format.writing!();
  const options = { dialect, epoch: 1_700_000_000_000_000_000n, metadata: { title: "two drones" } };
  const writer = await writing.create(to, options);
  const [poses, gone] = ["pose", "gone"].map((name) => writer.channel({ name }));
  const out = new kit.ByteBuilder();
  for (let tick = 0; tick <= 100; tick++) {
    const seconds = tick / 10;
    writePose(out, { thing: 7, position: [seconds, 1, -2], rotation: yawed(9 * seconds, dialect) });
    writer.write(poses!, tick * 1e8, out.take());
    if (tick === 100) writer.write(gone!, tick * 1e8, out.u32le(9).take());
    else {
      writePose(out, { thing: 9, position: [3, seconds, 4], rotation: yawed(0, dialect) });
      writer.write(poses!, tick * 1e8, out.take());
    }
  }
  await writer.close();
  return to.bytes;
}
