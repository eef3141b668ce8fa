import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { ByteSink } from "../../packages/simtape/dist/index.js";

const ROUNDS = 3;
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/**
 * Processor time of `work` in milliseconds, threads included, which other programs hardly change: the median of three
 * runs, after a first one that does not count.
 */
export async function middle(work: () => Promise<void> | void): Promise<number> {
  const [time] = await middles([work], 1, ROUNDS);
  return time!;
}

/** The same of several works, in turns: the speed of a machine changes. `warm`: rounds that do not count. */
export async function middles(
  works: readonly (() => Promise<void> | void)[],
  warm: number,
  rounds: number,
): Promise<number[]> {
  const times: number[][] = works.map(() => []);
  for (let round = 0; round < warm + rounds; round++) {
    for (const [n, work] of works.entries()) {
      // what the work before it has left is not its own
      collect();
      const began = process.cpuUsage();
      await work();
      const { user, system } = process.cpuUsage(began);
      if (round >= warm) times[n]!.push((user + system) / 1000);
    }
  }
  return times.map((all) => all.sort((one, other) => one - other)[rounds >> 1]!);
}

/**
 * Prints the speed of simtape, that of the peer, and their ratio. `codec`: milliseconds of both that the same
 * compressor takes; 0 without one.
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

/** Prints the speed of a raw operation on so many bytes, which is a limit. */
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
