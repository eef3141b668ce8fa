import { damage } from "../run/ending.ts";
import { findingToPlain } from "./findings.ts";
import { toJson } from "../../model/values/json.ts";
import { counted, Output, say } from "../run/terminal.ts";
import type { Target } from "./target.ts";

/**
 * What a command that writes has done: one JSON object with every file it wrote and what is damaged in its sources, or
 * lines. On standard output, or on standard error where the recording itself goes there.
 */
export async function report(
  target: Target,
  options: { readonly json?: boolean },
  did: Readonly<Record<string, unknown>>,
  lines: readonly string[],
): Promise<void> {
  const files = filesOf(target);
  const findings = damage().map((finding) => ({ file: finding.file, ...findingToPlain(finding) }));
  const others = files.filter(
    ({ name }) => name !== target.main && !lines.some((line) => line.startsWith(`${name}: `)),
  );
  const all =
    options.json === true
      ? [toJson({ ...did, files, findings: did["findings"] ?? findings })]
      : [...lines, ...others.map(({ name, bytes }) => `${name}: ${counted(bytes, "byte")}`)];
  if (target.isStandardOutput) {
    for (const line of all) say(line);
    return;
  }
  const out = new Output();
  await out.lines(all);
  await out.flush();
}

/** Every file that was written, the main one first. */
export function filesOf({ files, main }: Pick<Target, "files" | "main">): { name: string; bytes: number }[] {
  const all = [...files].map(([name, bytes]) => ({ name, bytes }));
  return [...all.filter(({ name }) => name === main), ...all.filter(({ name }) => name !== main)];
}
