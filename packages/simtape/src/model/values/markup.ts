import { visibleLine } from "./visible.ts";

/** Text for a page: what is in a recording is no markup, and control characters are seen. */
export function escaped(text: string): string {
  return visibleLine(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** `1:02:03.456`. */
export function clockText(time: number): string {
  const whole = Math.round(Math.abs(time) / 1e6);
  const [hours, minutes] = [Math.floor(whole / 3_600_000), Math.floor(whole / 60_000) % 60];
  const seconds = ((whole % 60_000) / 1000).toFixed(3).padStart(6, "0");
  const rest = hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${seconds}` : `${minutes}:${seconds}`;
  return time < 0 ? `-${rest}` : rest;
}

/** Seven digits, as short as it goes. */
export function numberText(value: number): string {
  return String(Number(value.toPrecision(7)));
}
