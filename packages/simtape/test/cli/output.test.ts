import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { jsonText, visible, visibleLine } from "../../src/model/values/visible.ts";
import { tries } from "../soak.ts";

test("a terminal gets our own colours, and none that a recording brings", async () => {
  const written: string[] = [];
  const isTerminal = process.stdout.isTTY;
  process.stdout.isTTY = true;
  vi.stubEnv("NO_COLOR", undefined);
  vi.resetModules();
  const { Output, paint } = await import("../../src/cli/run/terminal.ts");
  const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => written.push(String(text)) > 0);
  try {
    const output = new Output();
    await output.line(`${paint.bold("a\u001b[31mb")} \u001b[1mc\nd ${paint.red("e")}`);
    await output.flush();
  } finally {
    write.mockRestore();
    vi.unstubAllEnvs();
    process.stdout.isTTY = isTerminal;
  }
  expect(written.join("")).toBe("\u001b[1ma\\x1b[31mb\u001b[22m \\x1b[1mc\\nd \u001b[31me\u001b[39m\n");
});

/** Texts of letters that terminals, spreadsheets and JSON know, and of all others. */
const texts = fc.string({
  unit: fc.oneof(
    fc.integer({ min: 0, max: 0xff }).map((code) => String.fromCharCode(code)),
    fc.constantFrom("\u061c", "\u200e", "\u2028", "\u202e", "\u2066", "=", "+", "-", "@", "＝", "\ud800", "1", "e"),
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
  ),
  maxLength: 20,
});

test("any text is shown and never acted on, in JSON without a change", async () => {
  // what it comes with settles whether there are colours
  const { textCell } = await import("../../src/cli/serving.ts");
  const isActedOn = (letter: string): boolean => {
    const code = letter.codePointAt(0)!;
    const isControl = code < 0x20 || (code >= 0x7f && code <= 0x9f);
    const isMark = [0x61c, 0x200e, 0x200f].includes(code) || (code >= 0x2028 && code <= 0x202e);
    return isControl || isMark || (code >= 0x2066 && code <= 0x2069);
  };
  fc.assert(
    fc.property(texts, (text) => {
      const acted = (shown: string, ...but: string[]): string[] =>
        Array.from(shown).filter((letter) => isActedOn(letter) && !but.includes(letter));
      expect(acted(visibleLine(text), "\t")).toEqual([]);
      expect(acted(visible(text), "\t", "\n")).toEqual([]);
      expect(acted(jsonText(text))).toEqual([]);
      expect(JSON.parse(jsonText(text))).toBe(text);
      if (Array.from(text).every((letter) => !isActedOn(letter))) expect(visibleLine(text)).toBe(text);
      const cell = textCell(text);
      expect(/^[=+\-@\t\r\n＝＋－＠]/.test(cell) && Number.isNaN(Number(cell))).toBe(false);
    }),
    { seed: 14, numRuns: tries(2000, 100_000) },
  );
});
