import { expect, test, vi } from "vitest";

test("a terminal gets our own colours, and none that a recording brings", async () => {
  const written: string[] = [];
  const isTerminal = process.stdout.isTTY;
  process.stdout.isTTY = true;
  vi.stubEnv("NO_COLOR", undefined);
  vi.resetModules();
  const { Output, paint } = await import("../../src/cli/output.ts");
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
