import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from "vitest";
import { open as openWith } from "../src/core.ts";
import { carla, type CarlaChannels } from "../src/formats/carla/format.ts";
import { mira } from "../src/formats/mira/format.ts";
import { type Channel, type Location, open, type Recording } from "../src/index.ts";
import { temporaryFile } from "./cli/run.ts";
import { makeTown, RELEASES } from "./fixtures/carla/make.ts";

const town = makeTown(RELEASES[5]!);

describe("open", () => {
  let server: Server;
  let url: string;

  beforeAll(async () => {
    server = createServer((_, response) => response.end(town));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/town.log`;
  });

  afterAll(() => void server.close());

  test("takes the address of a recording as text", async () => {
    await using recording = await open(url);
    expect(recording.info.format).toBe("carla");
  });

  test("takes the URL of a file on Node, as text and as an object", async () => {
    const file = pathToFileURL(temporaryFile("a town.log", town));
    for (const location of [file, file.href]) {
      await using recording = await open(location);
      expect(recording.info.format).toBe("carla");
    }
  });

  test("says of a file that is not there what every command says", async () => {
    await expect(open("file:///nowhere/town.log")).rejects.toThrow("no such file: /nowhere/town.log");
  });

  test.each<[string, unknown, string]>([
    ["a path", "town.log", "found town.log"],
    ["another kind of address", "ftp://host/town.log", "found ftp://host/town.log"],
    ["an address with a password in it", "ftp://me:secret@host/town.log?key=secret", "found ftp://host/town.log?…"],
    ["a number", 7, "found 7"],
    ["nothing", null, "found null"],
    ["another object", {}, "found an object without `read` or `open`"],
  ])("rejects %s, and says what to use", async (_, location, found) => {
    const error = await open(location as Location).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TypeError);
    const { message } = error as TypeError;
    expect(message).toContain(found);
    expect(message).toContain('open(fromFile("town.log"))');
    expect(message).not.toContain("secret");
  });

  test("without formats of its own opens only those that are given", async () => {
    await using recording = await openWith(town, { formats: [carla] });
    expect(recording.info.format).toBe("carla");
    await expect(openWith(town, { formats: [mira] })).rejects.toMatchObject({ code: "unknown-format" });
  });
});

describe("messages", () => {
  test("of a channel are found by its name", async () => {
    await using recording = await open(town);
    const byName: number[] = [];
    for await (const message of recording.messages("position")) byName.push(message.sequence);
    const byChannel: number[] = [];
    for await (const message of recording.messages(recording.channel("position"))) byChannel.push(message.sequence);
    expect(byName.length).toBeGreaterThan(0);
    expect(byName).toEqual(byChannel);
  });

  test("of a name that no channel has are none, and the names are said", async () => {
    await using recording = await open(town);
    expect(() => recording.messages("positions")).toThrow(/no channel "positions"; there are: .*position/);
  });
});

describe("a recording", () => {
  test("says whether it is of a format", async () => {
    await using recording: Recording = await open(town);
    expect([recording.is(carla), recording.is(mira)]).toEqual([true, false]);
  });

  test("of one format has its id for a type", async () => {
    await using recording = await open(town, { formats: [carla] });
    expectTypeOf(recording.info.format).toEqualTypeOf<"carla">();
    const position = recording.channel("position");
    expectTypeOf(position.schema.decode).returns.toEqualTypeOf<CarlaChannels["position"]>();
    for await (const { value } of recording.messages("position")) {
      expectTypeOf(value).toEqualTypeOf<CarlaChannels["position"]>();
      expect(value[0]!.location).toHaveLength(3);
    }
    expectTypeOf(recording.channel("packet-139")).toEqualTypeOf<Channel>();
    await using any = await open(town);
    expectTypeOf(any).toEqualTypeOf<Recording>();
    expectTypeOf(any.channel("position")).toEqualTypeOf<Channel>();
    if (any.is(carla)) {
      const { schema } = any.channel("position");
      expectTypeOf(schema.decode).returns.toEqualTypeOf<CarlaChannels["position"]>();
    }
  });
});
