/** What the ghosts of one runner cost: time and bytes of a second of 8 ghosts, without the network. */
import { encodedAll } from "../src/game/encoding.ts";
import { framed } from "../src/game/framing.ts";
import { Ghost } from "../src/ghosts/ghost.ts";
import { GHOSTLY, MOST_GHOSTS, Race } from "../src/ghosts/race.ts";
import { GhostTeam } from "../src/ghosts/team.ts";
import { adapterFor } from "../src/scene/families.ts";
import { VERSIONS } from "../src/scene/versions.ts";

const TICKS = 6000;
const THRESHOLD = 256;

const column = (of: (row: number) => number): Float64Array => Float64Array.from({ length: TICKS }, (_, i) => of(i));
const way = {
  step: 1,
  x: column((i) => i * 1150),
  y: column((i) => Math.round(Math.abs(Math.sin(i / 6)) * 5000)),
  z: column((i) => Math.round(Math.sin(i / 40) * 40_000)),
  yaw: column((i) => (i * 300) % 65_536),
};
const ghosts = Array.from({ length: MOST_GHOSTS }, (_, i) => new Ghost(`run-${i}`, `player${i}`, [], way, []));

for (const version of VERSIONS) {
  let bytes = 0;
  const race = new Race(await adapterFor(version, GHOSTLY), new GhostTeam("runner"), (packets) => {
    for (const packet of encodedAll(version, packets)) bytes += framed(packet, THRESHOLD).length;
    return true;
  });
  race.ghosts = ghosts;
  const before = performance.now();
  for (let tick = 0; tick < TICKS; tick++) race.show(tick, [0, 1000, 0]);
  const [seconds, ms] = [TICKS / 20, performance.now() - before];
  console.log(`${version}: ${(ms / seconds).toFixed(2)} ms and ${Math.round(bytes / seconds)} bytes of a second`);
}
