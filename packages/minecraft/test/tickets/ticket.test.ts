import { createHash, createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sign, ticketIn, verify } from "../../src/tickets/ticket.ts";

const KEY = Buffer.alloc(32, 7);
const ALEX = { uuid: "069a79f4-44e9-4726-a5be-fca90e38aaf5", name: "Alex" };
const NOW = 1_800_000_000;

const ticket = (person: string, recording = "maps/race-7", until = NOW + 60): string =>
  sign(KEY, { person, recording, until });

describe("a ticket", () => {
  test.each(["Alex", "aLEX", ALEX.uuid, ALEX.uuid.replaceAll("-", "").toUpperCase()])(
    "for %s opens its recording",
    (of) => {
      const valid = verify(KEY, ticket(of), ALEX, NOW);
      expect(valid).toMatchObject({ until: NOW + 60 });
      if (typeof valid === "string") return;
      expect([valid.isFor("maps/race-7"), valid.isFor("maps/race-8")]).toEqual([true, false]);
    },
  );

  test("is the beginning of a host name, in any case, with what clients put behind it", () => {
    const text = ticket("Alex");
    expect(text.split(".").every((label) => label.length <= 63)).toBe(true);
    for (const host of [`${text}.replay.example.org`, `${text.toUpperCase()}.LOCALHOST\0FML\0`, ` ${text} `])
      expect(verify(KEY, ticketIn(host)!, ALEX, NOW)).toHaveProperty("id");
    expect(ticketIn("race.replay.example.org")).toBeNull();
  });

  test("has a number of its own", () => {
    const ids = Array.from({ length: 100 }, () => verify(KEY, ticket("Alex"), ALEX, NOW)).map((one) =>
      typeof one === "string" ? one : one.id,
    );
    expect(new Set(ids).size).toBe(100);
  });

  test.each([
    ["forged", sign(Buffer.alloc(32, 8), { person: "Alex", recording: "race", until: NOW + 60 }), ALEX, NOW],
    ["expired", ticket("Alex"), ALEX, NOW + 61],
    ["foreign", ticket("Alex"), { ...ALEX, name: "Alexa" }, NOW],
    ["foreign", ticket(ALEX.uuid), { ...ALEX, uuid: "00000000-0000-4000-8000-000000000000" }, NOW],
    ["malformed", "st1", ALEX, NOW],
    ["malformed", ticket("Alex").slice(0, -1), ALEX, NOW],
  ] as const)("is %s", (flaw, text, person, now) => {
    expect(verify(KEY, text, person, now)).toBe(flaw);
  });

  test("with any letter changed is refused", () => {
    const text = ticket("Alex");
    fc.assert(
      fc.property(
        fc.integer({ min: 3, max: text.length - 1 }),
        fc.constantFrom(...Array.from("abcdefghijklmnopqrstuvwxyz234567")),
        (at, letter) => {
          fc.pre(text[at] !== letter && text[at] !== ".");
          const changed = text.slice(0, at) + letter + text.slice(at + 1);
          expect(["forged", "malformed"]).toContain(verify(KEY, changed, ALEX, NOW));
        },
      ),
    );
  });

  test("is as its page says: made here from that alone", () => {
    const part = (text: string): Buffer => createHash("sha256").update(text).digest().subarray(0, 16);
    const head = Buffer.alloc(13);
    head.writeUInt8(2, 0);
    head.writeUInt32BE(NOW + 5, 1);
    head.write("0123456789abcdef", 5, "hex");
    const signed = Buffer.concat([head, part("alex"), part("race")]);
    const bytes = Buffer.concat([signed, createHmac("sha256", KEY).update(signed).digest().subarray(0, 16)]);
    const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
    const letters = bits
      .match(/.{1,5}/g)!
      .map((five) => "abcdefghijklmnopqrstuvwxyz234567"[Number.parseInt(five.padEnd(5, "0"), 2)]);
    const text = `st1${letters.slice(0, 49).join("")}.${letters.slice(49).join("")}`;
    const valid = verify(KEY, text, ALEX, NOW);
    expect(valid).toMatchObject({ id: "0123456789abcdef", until: NOW + 5 });
  });
});
