import { expect, test } from "vitest";
import { natsBus } from "../src/bus/nats.ts";
import { startNats, withoutNats } from "./support/nats.ts";

test.skipIf(withoutNats !== null)("a bus that is away does not keep a node from ending", async () => {
  const nats = await startNats();
  const bus = await natsBus(nats.address);
  await nats.stop();
  await expect.poll(() => bus.isConnected).toBe(false);
  await bus.close();
});

test.skipIf(withoutNats !== null)("what was published just before a bus is closed arrives", async () => {
  const nats = await startNats();
  const [one, other] = [await natsBus(nats.address), await natsBus(nats.address)];
  const heard: string[] = [];
  other.subscribe("topic", (message) => heard.push(message));
  // it hears its own when it listens
  await expect
    .poll(() => {
      other.publish("topic", "begun");
      return heard.includes("begun");
    })
    .toBe(true);
  for (let n = 0; n < 100; n++) one.publish("topic", String(n));
  await one.close();
  await expect.poll(() => heard.includes("99")).toBe(true);
  await other.close();
  await nats.stop();
});
