import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type FeedPlace, type OutletPlace, parseFeedPlaces, parseOutletPlaces } from "simtape/command";
import { LOG_LEVELS, type LogLevel } from "./log.ts";

/** Settings of a server. All are text, as flags, the environment or a file give them; see `SETTINGS`. */
export interface Settings {
  /** A folder, or `s3://BUCKET/PREFIX`. */
  readonly store: string;
  readonly data: string;
  readonly host: string;
  readonly port: number;
  readonly publicOrigin: string | null;
  /** Origins of sites that may show links and players in frames, and read what a player needs; empty: none. */
  readonly frameAncestors: readonly string[];
  readonly database: string;
  readonly bus: string;
  /**
   * `open`: every client that reaches the server is an administrator; `sign-in`; `auto`: open while only this machine
   * reaches the server and there is no account.
   */
  readonly access: "auto" | "open" | "sign-in";
  readonly public: "off" | "own" | "all";
  readonly s3Endpoint: string | null;
  readonly s3Region: string;
  readonly s3Key: string | null;
  readonly s3Secret: string | null;
  readonly oidcIssuer: string | null;
  readonly oidcClient: string | null;
  readonly oidcSecret: string | null;
  /** Role of users who sign in there for the first time; `none`: they are refused. */
  readonly oidcRole: "none" | "viewer" | "player" | "staff";
  readonly sessionHours: number;
  readonly idleHours: number;
  /** Limit for one person, or for one address that has not signed in. */
  readonly requestsPerMinute: number;
  readonly signInsPerMinute: number;
  readonly reportsPerHour: number;
  readonly uploadsPerHour: number;
  readonly liveAtOnce: number;
  readonly tokensAtOnce: number;
  /** Simultaneous connections; further ones are closed at once. */
  readonly connections: number;
  /** Addresses of proxies whose `X-Forwarded-For` the server trusts. */
  readonly proxies: string;
  readonly workers: number;
  readonly uploadBytes: number;
  /** Seconds. */
  readonly liveSilence: number;
  /** Running programs that this node records. */
  readonly from: readonly FeedPlace[];
  /** Where clients of programs watch recordings of the library. */
  readonly into: readonly OutletPlace[];
  /** Name or id of the account whose recordings these clients may watch; null: all recordings, on an open server only. */
  readonly intoAs: string | null;
  /** Origins of pages that may connect there, beside those of this machine. */
  readonly intoOrigins: readonly string[];
  /** Path of a policy; null: nothing is ever deleted. */
  readonly retention: string | null;
  /** 0: the policy runs only on request. */
  readonly retentionHours: number;
  /** A folder, or `s3://BUCKET/PREFIX`, for a data set of all recordings; null: there is none. */
  readonly lake: string | null;
  /** Limits of one statement of SQL: seconds, MiB of the database and as many of the process that reads, rows. */
  readonly sqlSeconds: number;
  readonly sqlMemory: number;
  readonly sqlRows: number;
  /** Seconds for the expressions of all watched searches of one account, in one recording. */
  readonly alertSeconds: number;
  /** Seconds for which a node that is shutting down still takes requests. */
  readonly drain: number;
  /** Whether pages read from S3 directly. */
  readonly direct: "on" | "off";
  readonly log: LogLevel;
}

/** The value of a setting; absent: its default. */
export type Given = { readonly [name in keyof Settings]?: string | number | undefined };

interface Setting<T> {
  readonly help: string;
  /** Environment variables; the first one that is set counts. */
  readonly environment: readonly string[];
  readonly isSecret?: true;
  /** Throws `RangeError` with the expected form. */
  readonly parse: (text: string) => T;
  readonly default: (given: { readonly store: string; readonly data: string }) => T;
}

/** Thrown for an invalid setting, with its name and the expected form. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

const text = (value: string): string => value;

function oneOf<const T extends string>(...names: readonly T[]): (value: string) => T {
  return (value) => {
    const found = names.find((name) => name === value);
    if (found === undefined) throw new RangeError(`one of ${names.join(", ")}`);
    return found;
  };
}

function whole(least: number, most: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (!Number.isInteger(number) || number < least || number > most || value.trim() === "")
      throw new RangeError(`a whole number from ${least} to ${most}`);
    return number;
  };
}

function origin(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.pathname !== "/" || url.username !== "")
    throw new RangeError("http:// or https:// with a host and a port, as https://tapes.example.org");
  return url.origin;
}

function origins(value: string): readonly string[] {
  return value
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "")
    .map(origin);
}

function address(value: string): string {
  if (!URL.canParse(value)) throw new RangeError("a URL");
  return value;
}

function database(value: string): string {
  if (!/^(postgres|postgresql):\/\/|^embedded:./.test(value)) throw new RangeError("postgres://… or embedded:FOLDER");
  return value;
}

/** Every setting: flag `--public-origin`, variable `SIMTAPE_PUBLIC_ORIGIN`, key `publicOrigin` of the file. */
export const SETTINGS: { readonly [name in keyof Settings]: Setting<Settings[name]> } = {
  store: setting("folder of recordings, or s3://BUCKET/PREFIX", "STORE", text, () => "."),
  data: setting(
    "folder for the server's own data (default: .simtape in the folder of recordings)",
    "DATA",
    text,
    ({ store }) => (store.startsWith("s3://") ? resolve("simtape-data") : resolve(store, ".simtape")),
  ),
  host: setting("name or address to listen at", "HOST", text, () => "127.0.0.1"),
  port: setting("port; 0: any free one", "PORT", whole(0, 65_535), () => 8000),
  publicOrigin: setting(
    "origin that browsers use, behind a proxy: https://tapes.example.org",
    "PUBLIC_ORIGIN",
    origin,
    () => null,
  ),
  frameAncestors: setting(
    "origins of sites that may show links and players in frames, separated by commas (default: none)",
    "FRAME_ANCESTORS",
    origins,
    () => [],
  ),
  database: setting(
    "postgres://USER@HOST/NAME (default: an embedded database)",
    "DATABASE",
    database,
    ({ data }) => `embedded:${resolve(data, "database")}`,
    true,
  ),
  bus: setting("how nodes notify each other: local, postgres or nats://HOST:PORT", "BUS", text, () => "local", true),
  access: setting(
    "who may use it: auto, open (all users are administrators) or sign-in",
    "ACCESS",
    oneOf("auto", "open", "sign-in"),
    () => "auto",
  ),
  public: setting(
    "which recordings players may read: off, own or all",
    "PUBLIC",
    oneOf("off", "own", "all"),
    () => "off",
  ),
  s3Endpoint: setting("URL of the S3 server", "S3_ENDPOINT", address, () => null, false, "AWS_ENDPOINT_URL"),
  s3Region: setting("region of the S3 server", "S3_REGION", text, () => "us-east-1", false, "AWS_REGION"),
  s3Key: setting("access key of S3", "S3_KEY", text, () => null, false, "AWS_ACCESS_KEY_ID"),
  s3Secret: setting("secret of the access key", "S3_SECRET", text, () => null, true, "AWS_SECRET_ACCESS_KEY"),
  oidcIssuer: setting("URL of the OpenID Connect issuer", "OIDC_ISSUER", address, () => null),
  oidcClient: setting("client id at the issuer", "OIDC_CLIENT", text, () => null),
  oidcSecret: setting("client secret at the issuer", "OIDC_SECRET", text, () => null, true),
  oidcRole: setting(
    "role of users who first sign in by OpenID Connect: none, viewer, player or staff",
    "OIDC_ROLE",
    oneOf("none", "viewer", "player", "staff"),
    () => "viewer",
  ),
  sessionHours: setting("hours until a session ends", "SESSION_HOURS", whole(1, 8760), () => 336),
  idleHours: setting("hours until a session without requests ends", "IDLE_HOURS", whole(1, 8760), () => 48),
  requestsPerMinute: setting(
    "requests per minute of one user or address",
    "REQUESTS_PER_MINUTE",
    whole(1, 1e9),
    () => 60_000,
  ),
  signInsPerMinute: setting(
    "sign-ins per minute by one address or for one name",
    "SIGN_INS_PER_MINUTE",
    whole(1, 1e9),
    () => 10,
  ),
  reportsPerHour: setting(
    "reports per hour of one account; trusted ones may send a hundred times as many",
    "REPORTS_PER_HOUR",
    whole(1, 1e9),
    () => 60,
  ),
  uploadsPerHour: setting("uploads per hour of one account", "UPLOADS_PER_HOUR", whole(1, 1e9), () => 10_000),
  liveAtOnce: setting("simultaneous live recordings of one account", "LIVE_AT_ONCE", whole(1, 1e6), () => 500),
  tokensAtOnce: setting("valid tokens of one account", "TOKENS_AT_ONCE", whole(1, 1e6), () => 100),
  connections: setting("simultaneous connections; further ones are closed", "CONNECTIONS", whole(10, 1e6), () => 8192),
  proxies: setting(
    "addresses of proxies, separated by commas; needs a public origin",
    "PROXIES",
    text,
    () => "loopback",
  ),
  workers: setting("threads for jobs; 0: none, see simtape work", "WORKERS", whole(0, 16), () => 1),
  uploadBytes: setting("largest upload, in bytes", "UPLOAD_BYTES", whole(1, 2 ** 46), () => 2 ** 36),
  liveSilence: setting(
    "seconds until a live recording without a sender ends",
    "LIVE_SILENCE",
    whole(1, 86_400),
    () => 60,
  ),
  from: setting(
    "running programs to record: nanover=ws://HOST:PORT, flightgear=…, foxglove=…, with commas between them",
    "FROM",
    parseFeedPlaces,
    () => [],
  ),
  into: setting(
    "let clients of programs watch the library: foxglove, nanover=PORT, nanover=HOST:PORT, with commas between them",
    "INTO",
    parseOutletPlaces,
    () => [],
  ),
  intoAs: setting("account whose recordings the clients of --into may watch", "INTO_AS", text, () => null),
  intoOrigins: setting(
    "pages that may connect to --into beside those of this machine: https://app.foxglove.dev, with commas between them",
    "INTO_ORIGINS",
    (value) => value.split(",").map((one) => origin(one.trim())),
    () => [],
  ),
  retention: setting("file with the retention policy, see docs/retention.md", "RETENTION", text, () => null),
  retentionHours: setting(
    "hours between runs of the policy; 0: only by hand",
    "RETENTION_HOURS",
    whole(0, 8760),
    () => 0,
  ),
  lake: setting(
    "folder or s3://BUCKET/PREFIX for a Parquet data set of all recordings, see docs/lake.md",
    "LAKE",
    text,
    () => null,
  ),
  sqlSeconds: setting("seconds of one statement of SQL, see docs/sql.md", "SQL_SECONDS", whole(1, 3600), () => 30),
  sqlMemory: setting(
    "MiB of one statement of SQL in the database, and as many in the process that reads",
    "SQL_MEMORY",
    whole(64, 1 << 20),
    () => 512,
  ),
  sqlRows: setting("most rows of an answer in SQL", "SQL_ROWS", whole(1, 1e9), () => 1_000_000),
  alertSeconds: setting(
    "seconds for the expressions of one account's watched searches, in one recording",
    "ALERT_SECONDS",
    whole(1, 3600),
    () => 60,
  ),
  drain: setting(
    "seconds to keep answering before shutdown, so that a balancer sees /ready",
    "DRAIN",
    whole(0, 60),
    () => 0,
  ),
  direct: setting("on: browsers read from S3 directly; off", "DIRECT", oneOf("on", "off"), () => "off"),
  log: setting("silent, error, warn, info or debug", "LOG", oneOf(...LOG_LEVELS), () => "warn"),
};

function setting<T>(
  help: string,
  variable: string,
  parse: (text: string) => T,
  byDefault: Setting<T>["default"],
  isSecret = false,
  ...others: readonly string[]
): Setting<T> {
  const environment = [`SIMTAPE_${variable}`, ...others];
  return { help, environment, parse, default: byDefault, ...(isSecret ? { isSecret } : {}) };
}

/**
 * Reads settings from flags, then the environment, then a JSON file; the rest have their defaults. Throws
 * `SettingsError`.
 */
export async function settingsOf(
  flags: Given,
  file: string | undefined,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<Settings> {
  const inFile = file === undefined ? {} : await readSettings(file);
  const found: Record<string, unknown> = {};
  for (const [name, { environment: variables, parse, default: usual }] of Object.entries(SETTINGS)) {
    const variable = variables.find((one) => (environment[one] ?? "") !== "");
    const given =
      flags[name as keyof Settings] ?? (variable === undefined ? undefined : environment[variable]) ?? inFile[name];
    const where = flags[name as keyof Settings] === undefined ? (variable ?? `${file}: ${name}`) : flagOf(name);
    try {
      found[name] = given === undefined ? usual(found as { store: string; data: string }) : parse(String(given));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      const isSecret = SETTINGS[name as keyof Settings].isSecret === true;
      throw new SettingsError(`${where}: ${error.message} is expected${isSecret ? "" : `, not ${String(given)}`}`);
    }
  }
  return found as unknown as Settings;
}

/** Writes `publicOrigin` as `--public-origin`. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The settings without secrets. */
export function shownSettings(settings: Settings): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name,
      SETTINGS[name as keyof Settings].isSecret === true && typeof value === "string" ? withoutSecret(value) : value,
    ]),
  );
}

/** An address without its password; any other text is hidden. */
function withoutSecret(value: string): string {
  if (/^(embedded:|local$|postgres$)/.test(value)) return value;
  if (!URL.canParse(value)) return "***";
  const url = new URL(value);
  if (url.password !== "") url.password = "***";
  url.search = "";
  return url.href;
}

async function readSettings(file: string): Promise<Readonly<Record<string, string | number | undefined>>> {
  const content = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new SettingsError(`${file} cannot be read (${error.code ?? ""})`);
  });
  let parsed: unknown;
  try {
    parsed = JSON.parse(content);
  } catch (error) {
    throw new SettingsError(`${file} is no JSON: ${error instanceof Error ? error.message : ""}`);
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    throw new SettingsError(`${file}: an object is expected`);
  const unknown = Object.keys(parsed).find((name) => !Object.hasOwn(SETTINGS, name));
  if (unknown !== undefined)
    throw new SettingsError(`${file}: no setting ${unknown}; there are ${Object.keys(SETTINGS).join(", ")}`);
  return parsed as Readonly<Record<string, string | number>>;
}
