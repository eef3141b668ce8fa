import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { LOG_LEVELS, type LogLevel } from "./log.ts";

/** How a server runs. All are text, as they come from flags, the environment or a file; see `SETTINGS`. */
export interface Settings {
  /** A folder, or `s3://BUCKET/PREFIX`. */
  readonly store: string;
  readonly data: string;
  readonly host: string;
  readonly port: number;
  readonly publicOrigin: string | null;
  readonly database: string;
  readonly bus: string;
  /** `open`: all who reach it are administrators; `sign-in`; `auto`: open while only this machine reaches it and there is no account. */
  readonly access: "auto" | "open" | "sign-in";
  readonly public: "off" | "own" | "all";
  readonly s3Endpoint: string | null;
  readonly s3Region: string;
  readonly s3Key: string | null;
  readonly s3Secret: string | null;
  readonly oidcIssuer: string | null;
  readonly oidcClient: string | null;
  readonly oidcSecret: string | null;
  /** Of those who sign in there for the first time; `none`: they are refused. */
  readonly oidcRole: "none" | "viewer" | "player" | "staff";
  readonly sessionHours: number;
  readonly idleHours: number;
  /** Of one person, or of one address that has not signed in. */
  readonly requestsPerMinute: number;
  readonly signInsPerMinute: number;
  /** At once; more are closed as they come. */
  readonly connections: number;
  /** Addresses whose `X-Forwarded-For` is believed. */
  readonly proxies: string;
  readonly workers: number;
  readonly uploadBytes: number;
  /** Seconds. */
  readonly liveSilence: number;
  /** Path of a policy; null: nothing is ever deleted. */
  readonly retention: string | null;
  /** 0: only when it is asked for. */
  readonly retentionHours: number;
  /** Seconds in which a node that is to end still takes requests. */
  readonly drain: number;
  /** Whether pages read from S3 directly. */
  readonly direct: "on" | "off";
  readonly log: LogLevel;
}

/** What was given for a setting; absent: its default. */
export type Given = { readonly [name in keyof Settings]?: string | number | undefined };

interface Setting<T> {
  readonly help: string;
  /** Environment variables, the first one first. */
  readonly environment: readonly string[];
  readonly isSecret?: true;
  /** Throws `RangeError` with what is expected. */
  readonly parse: (text: string) => T;
  readonly default: (given: { readonly store: string; readonly data: string }) => T;
}

/** Thrown for a setting that has no meaning: what it is called, and what is expected. */
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
    "folder of what the server keeps besides; .simtape in the folder of recordings",
    "DATA",
    text,
    ({ store }) => (store.startsWith("s3://") ? resolve("simtape-data") : resolve(store, ".simtape")),
  ),
  host: setting("name or address of this machine to listen at", "HOST", text, () => "127.0.0.1"),
  port: setting("port; 0: any free one", "PORT", whole(0, 65_535), () => 8000),
  publicOrigin: setting("what a browser has before the path, behind a proxy", "PUBLIC_ORIGIN", origin, () => null),
  database: setting(
    "postgres://USER@HOST/NAME; else one of its own",
    "DATABASE",
    database,
    ({ data }) => `embedded:${resolve(data, "database")}`,
    true,
  ),
  bus: setting("local, postgres or nats://HOST:PORT, between nodes", "BUS", text, () => "local", true),
  access: setting(
    "auto, open (all who reach it are administrators) or sign-in",
    "ACCESS",
    oneOf("auto", "open", "sign-in"),
    () => "auto",
  ),
  public: setting("what players may see: off, own or all", "PUBLIC", oneOf("off", "own", "all"), () => "off"),
  s3Endpoint: setting("URL of the S3 server", "S3_ENDPOINT", address, () => null, false, "AWS_ENDPOINT_URL"),
  s3Region: setting("its region", "S3_REGION", text, () => "us-east-1", false, "AWS_REGION"),
  s3Key: setting("access key", "S3_KEY", text, () => null, false, "AWS_ACCESS_KEY_ID"),
  s3Secret: setting("its secret", "S3_SECRET", text, () => null, true, "AWS_SECRET_ACCESS_KEY"),
  oidcIssuer: setting("issuer of OpenID Connect to sign in at", "OIDC_ISSUER", address, () => null),
  oidcClient: setting("id of this server there", "OIDC_CLIENT", text, () => null),
  oidcSecret: setting("its secret there", "OIDC_SECRET", text, () => null, true),
  oidcRole: setting(
    "role of those who come from there: none, viewer, player or staff",
    "OIDC_ROLE",
    oneOf("none", "viewer", "player", "staff"),
    () => "viewer",
  ),
  sessionHours: setting("hours until one signs in again", "SESSION_HOURS", whole(1, 8760), () => 336),
  idleHours: setting("the same without any request", "IDLE_HOURS", whole(1, 8760), () => 48),
  requestsPerMinute: setting("of one person or address", "REQUESTS_PER_MINUTE", whole(1, 1e9), () => 60_000),
  signInsPerMinute: setting("tried by one address or for one name", "SIGN_INS_PER_MINUTE", whole(1, 1e9), () => 10),
  connections: setting("at once; more are closed as they come", "CONNECTIONS", whole(10, 1e6), () => 8192),
  proxies: setting("addresses of proxies, with commas; used with a public origin", "PROXIES", text, () => "loopback"),
  workers: setting("threads for jobs; 0: none here, see simtape work", "WORKERS", whole(0, 16), () => 1),
  uploadBytes: setting("largest upload", "UPLOAD_BYTES", whole(1, 2 ** 46), () => 2 ** 36),
  liveSilence: setting(
    "seconds until a live recording ends whose sender is gone",
    "LIVE_SILENCE",
    whole(1, 86_400),
    () => 60,
  ),
  retention: setting("file with the policy of what stays, docs/retention.md", "RETENTION", text, () => null),
  retentionHours: setting(
    "hours from one run of it to the next; 0: by hand",
    "RETENTION_HOURS",
    whole(0, 8760),
    () => 0,
  ),
  drain: setting("seconds to answer on before an end, for a balancer to see /ready", "DRAIN", whole(0, 60), () => 0),
  direct: setting("on: browsers read from S3 themselves; off", "DIRECT", oneOf("on", "off"), () => "off"),
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

/** Settings from flags, then the environment, then a file of JSON, then what is usual. Throws `SettingsError`. */
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

/** `publicOrigin` as `--public-origin`. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** As they are, without what is secret. */
export function shownSettings(settings: Settings): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name,
      SETTINGS[name as keyof Settings].isSecret === true && typeof value === "string" ? withoutSecret(value) : value,
    ]),
  );
}

/** An address without its password; anything else is not shown at all. */
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
