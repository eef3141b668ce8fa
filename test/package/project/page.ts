import { convert, FORMATS, MemoryFiles, open, play, type Recording, type State, seconds } from "simtape";
import { open as openWith } from "simtape/core";
import { carla } from "simtape/formats/carla";
import { record } from "simtape/record";

/** What a page does with types: any format, and one whose messages have types of their own. */
export async function vehiclesAt(address: string): Promise<number> {
  const recording: Recording = await open(address, { formats: FORMATS });
  const state: State = await recording.state(seconds(1));
  await recording.close();
  return state.sets.get("vehicles")?.ids.length ?? 0;
}

export async function farthest(file: File): Promise<number> {
  const recording = await openWith(file, { formats: [carla] });
  let most = 0;
  for await (const message of recording.messages("position")) {
    for (const { location } of message.value) most = Math.max(most, Math.abs(location[0]));
  }
  return most;
}

export { convert, MemoryFiles, play, record };
