/** Units by the last part of a property's name, after the last `-` (names in fgdata and the default signal list, spec §10). */
const UNITS: Readonly<Record<string, string>> = {
  deg: "deg",
  rad: "rad",
  degps: "deg/s",
  radps: "rad/s",
  ft: "ft",
  m: "m",
  km: "km",
  nm: "nmi",
  in: "in",
  inches: "in",
  fps: "ft/s",
  fpm: "ft/min",
  mps: "m/s",
  ms: "m/s",
  kt: "kt",
  kts: "kt",
  knots: "kt",
  fps_sec: "ft/s2",
  mach: "Mach",
  rpm: "rpm",
  norm: "1",
  pct: "%",
  percent: "%",
  degc: "degC",
  degf: "degF",
  degk: "K",
  inhg: "inHg",
  hpa: "hPa",
  psi: "psi",
  psf: "lbf/ft2",
  gph: "gal/h",
  pph: "lb/h",
  gal_us: "gal",
  lbs: "lb",
  lb: "lb",
  kg: "kg",
  hp: "hp",
  volts: "V",
  volt: "V",
  amps: "A",
  hz: "Hz",
  khz: "kHz",
  mhz: "MHz",
  sec: "s",
  s: "s",
  hrs: "h",
  min: "min",
};

/**
 * The unit of a FlightGear property by the suffix of its name, `"1"` for normalised numbers; null when the name does
 * not tell. Values are never converted.
 */
export function unitOf(path: string): string | null {
  const name = path.slice(path.lastIndexOf("/") + 1).replace(/\[\d+\]$/, "");
  const suffix = name.slice(name.lastIndexOf("-") + 1).toLowerCase();
  const isWhole = suffix === name.toLowerCase();
  // Without a `-` the name itself is a unit only in these (spec §10).
  if (isWhole) return suffix === "rpm" || suffix === "mach" ? UNITS[suffix]! : null;
  return Object.hasOwn(UNITS, suffix) ? UNITS[suffix]! : null;
}
