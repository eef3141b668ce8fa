import type { ExportOptions, ExportTarget, TargetOption } from "./exporter.ts";

/** How the options are called, to people. */
const CALLED: Readonly<Record<TargetOption, string>> = {
  channel: "a channel",
  columns: "columns",
  ids: "ids",
  axes: "axes",
  origin: "an origin",
  units: "units",
  time: "a unit of time",
  original: "the files of the recording",
};

/** Throws `TypeError` for an option that the target has no use for, and for a set together with a channel. */
export function refuseOthers({ id, takes }: Pick<ExportTarget, "id" | "takes">, options: ExportOptions): void {
  if (options.set !== undefined && options.channel !== undefined)
    throw new TypeError("a set and a channel do not go together");
  for (const name of Object.keys(CALLED) as TargetOption[]) {
    if (takes.includes(name) || !isGiven(name, options)) continue;
    throw new TypeError(`${id} takes no ${bare(name)}, only a set, times, an interval${listOf(takes)}`);
  }
}

/** Units are written unless they are refused, which is the one way to ask for something of them. */
function isGiven(name: TargetOption, options: ExportOptions): boolean {
  const value = options[name];
  return name === "units" ? value === false : value !== undefined && value !== null;
}

function bare(name: TargetOption): string {
  return CALLED[name].replace(/^(an?|the) /, "");
}

function listOf(takes: readonly TargetOption[]): string {
  const names = takes.map((name) => CALLED[name]);
  return names.length === 0
    ? ""
    : names.length === 1
      ? ` and ${names[0]!}`
      : `, ${names.slice(0, -1).join(", ")} and ${names.at(-1)!}`;
}
