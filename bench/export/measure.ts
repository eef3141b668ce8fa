import type { ByteSink } from "../../packages/simtape/dist/index.js";

const ROUNDS = 3;

/**
 * What `work` takes of the processor, threads included, in milliseconds, so that neighbours do not count: the middle of
 * three, behind one that is not counted.
 */
export async function middle(work: () => Promise<void> | void): Promise<number> {
  await work();
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const began = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(began);
    times.push((user + system) / 1000);
  }
  return times.sort((a, b) => a - b)[ROUNDS >> 1]!;
}

/**
 * A line of what is measured: the speed of ours and of the peer, and their ratio. `codec`: milliseconds of both that are
 * those of the same compressor; 0: there is none.
 */
export function report(
  name: string,
  [peerName, peer]: readonly [string, number],
  own: number,
  count: number,
  codec = 0,
): void {
  const speed = (milliseconds: number): string => `${(count / milliseconds / 1000).toFixed(2)} M/s`;
  const line = [
    name.padEnd(34),
    `ours ${speed(own)}`.padEnd(18),
    `${peerName} ${speed(peer)}`.padEnd(28),
    `${(peer / own).toFixed(2)} times as fast`,
    ...(codec > 0
      ? [
          `(zstd alone takes ${((100 * codec) / own).toFixed(0)} % of ours: at most ${(peer / codec).toFixed(2)} times; without it ${((peer - codec) / (own - codec)).toFixed(1)} times)`,
        ]
      : []),
  ];
  console.log(line.join(" "));
}

/** A line of a raw limit, in bytes. */
export function limit(name: string, milliseconds: number, bytes: number): void {
  console.log(`${`  raw: ${name}`.padEnd(34)} ${Math.round(bytes / milliseconds / 1000)} MB/s`);
}

export function toNowhere(): ByteSink {
  let position = 0;
  const done = Promise.resolve();
  return {
    name: "nowhere",
    get position() {
      return position;
    },
    write: ({ length }) => {
      position += length;
      return done;
    },
    writeAt: () => done,
    flush: () => done,
    close: () => done,
    abort: () => done,
  };
}
