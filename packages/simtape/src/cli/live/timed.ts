import { parse } from "node:path";
import { under } from "../input/command-path.ts";

/** `run.nanover.zip` as `run-20261126-235959.nanover.zip`. */
export function timed(path: string, now: Date): string {
  const { dir, base } = parse(path);
  const [name, ...endings] = base.split(".");
  const [day, time] = now.toISOString().replaceAll(/[-:]/g, "").split(/[T.]/) as [string, string];
  const ending = endings.length === 0 ? "" : `.${endings.join(".")}`;
  const timedName = `${name}-${day}-${time}${ending}`;
  return dir === "" ? timedName : under(dir, timedName);
}
