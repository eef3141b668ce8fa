import type { Finding } from "../../model/error.ts";
import { paint } from "../run/terminal.ts";

/** A finding as every `--json` has it. */
export function findingToPlain({ code, severity, message, offset, length, time }: Finding): Record<string, unknown> {
  return { code, severity, message, offset: offset ?? null, length, time };
}

/** Findings as lines for people; one line when there is none. */
export function tellFindings(findings: readonly Finding[]): string[] {
  if (findings.length === 0) return [`  ${paint.green("no findings")}`];
  return findings.map(({ severity, code, message, offset }) => {
    const color =
      severity === "damage" || severity === "loss" ? paint.red : severity === "warning" ? paint.yellow : paint.dim;
    const isSaid = offset === undefined || message.includes(`0x${offset.toString(16)}`);
    return `  ${color(severity)} ${code}: ${message}${isSaid ? "" : ` (at 0x${offset.toString(16)})`}`;
  });
}
