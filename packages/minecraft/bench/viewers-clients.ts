/** The clients of bench:viewers, as a process of their own: PORT VIEWERS SECONDS. Prints their figures as JSON. */
import { setTimeout as later } from "node:timers/promises";
import { RawViewer } from "./raw-viewer.ts";
import { spreadOf } from "./spread.ts";

const [port, count, seconds] = process.argv.slice(2).map(Number) as [number, number, number];
const viewers: RawViewer[] = [];
for (let i = 0; i < count; i++) {
  viewers.push(new RawViewer(port, `Viewer${i}`, "race.replays.example"));
  await later(100);
}
// it plays from the first of them on: what counts begins when all are there
viewers[0]!.say("/pause");
await later(2000);
for (const viewer of viewers) viewer.moves.length = 0;
viewers[0]!.say("/pause");
await later(seconds * 1000);
console.log(JSON.stringify({ ...spreadOf(viewers), packets: viewers.reduce((sum, { packets }) => sum + packets, 0) }));
for (const viewer of viewers) viewer.close();
