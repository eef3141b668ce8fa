import { describe, expect, test, vi } from "vitest";
import { LayoutError, SourceError } from "../../src/index.ts";
import { type Finding, Findings, RecordingError } from "../../src/model/error.ts";

describe("a recording error", () => {
  test("is known by errors of another copy of the library", async () => {
    vi.resetModules();
    const copy = await import("../../src/model/error.ts");
    const error = new copy.RecordingError("malformed", "no", { format: "carla", offset: 4 });
    expect(copy.RecordingError).not.toBe(RecordingError);
    expect(error).not.toBeInstanceOf(RecordingError);
    expect(RecordingError.is(error)).toBe(true);
    expect(copy.RecordingError.is(new RecordingError("closed", "no"))).toBe(true);
  });

  test.each([
    [null],
    [undefined],
    ["text"],
    [new Error("other")],
    [{ code: "malformed" }],
    [new LayoutError("truncated", "x", 0)],
  ])("is not %s", (other) => {
    expect(RecordingError.is(other)).toBe(false);
  });

  test("says what, in which format, where and why, and null or nothing where it does not know", () => {
    const cause = new Error("why");
    const error = new RecordingError("unsupported", "no such version", { format: "mira", offset: 12, cause });
    expect(error).toMatchObject({ name: "RecordingError", code: "unsupported", format: "mira", offset: 12, cause });
    const bare = new RecordingError("closed", "closed");
    expect([bare.format, bare.offset, "cause" in bare]).toEqual([null, null, false]);
  });
});

describe("what comes of a thrown", () => {
  test("layout error keeps its reason and place, behind the section it was in", () => {
    const cause = new LayoutError("truncated", "u32 needs 4 bytes, 1 are left", 0x1f);
    const error = RecordingError.from(cause, "carla", "header") as RecordingError;
    expect(error).toMatchObject({ code: "truncated", format: "carla", offset: 0x1f, cause });
    expect(error.message).toBe("header: u32 needs 4 bytes, 1 are left at 0x1f");
    expect(RecordingError.from(new LayoutError("malformed", "bad", 1), "carla")).toMatchObject({
      code: "malformed",
      message: "bad at 0x1",
    });
  });

  test.each([
    ["changed", "source-changed"],
    ["closed", "closed"],
    ["failed", "source-failed"],
  ] as const)("source error %s becomes %s", (reason, code) => {
    const cause = new SourceError(reason, "no bytes");
    expect(RecordingError.from(cause, "mira")).toMatchObject({
      code,
      format: "mira",
      offset: null,
      message: "no bytes",
      cause,
    });
  });

  test("anything else stays what it is", () => {
    const others = [new RecordingError("malformed", "x"), new TypeError("wrong"), "text", undefined];
    for (const other of others) expect(RecordingError.from(other, "carla")).toBe(other);
  });
});

describe("findings", () => {
  const finding = (letter: string, n: number): Finding => ({
    code: `test:${letter}`,
    severity: "damage",
    message: `${letter} ${n}`,
    offset: n,
  });

  test("are kept in the order reported", () => {
    const findings = new Findings();
    findings.report(finding("b", 1));
    findings.report(finding("a", 2));
    expect(findings.list()).toEqual([finding("b", 1), finding("a", 2)]);
  });

  test("are kept of each code up to the limit, and the rest is counted", () => {
    const findings = new Findings(3);
    for (let n = 0; n < 1000; n++) findings.report(finding("many", n));
    for (let n = 0; n < 3; n++) findings.report(finding("few", n));
    expect(findings.list()).toEqual([
      ...[0, 1, 2].map((n) => finding("many", n)),
      ...[0, 1, 2].map((n) => finding("few", n)),
      { code: "test:many", severity: "damage", message: "and 997 more of these" },
    ]);
    findings.report(finding("few", 3));
    expect(findings.list().at(-1)).toEqual({ code: "test:few", severity: "damage", message: "and 1 more of these" });
  });

  test("listed before do not change when more is reported", () => {
    const findings = new Findings();
    const before = findings.list();
    findings.report(finding("a", 1));
    expect(before).toEqual([]);
  });
});
