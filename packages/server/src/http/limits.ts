import rateLimit, { type CreateRateLimitOptions, normalizeIP } from "@fastify/rate-limit";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Settings } from "../settings.ts";
import type { Person } from "../people/person.ts";
import { Problem } from "../problem.ts";
import { Quota } from "./quota.ts";

/**
 * Counts requests in each minute on this node. Each method throws `Problem` when its limit is exceeded, with
 * `retry-after`.
 */
export interface Limits {
  /** Limit for a person, or for an address that is not signed in. */
  request(request: FastifyRequest, reply: FastifyReply): void;
  /** The one whose requests are counted: a person, or an address. */
  asker(request: FastifyRequest): string;
  /** Counts a request; null: it is within the limit. Otherwise returns the seconds until it is again. */
  take(asker: string): number | null;
  /** Counts one less, which is counted again elsewhere. */
  giveBack(asker: string): void;
  /** Limit before the server looks up a token or cookie: whether its address has sent too many invalid ones. */
  forgeries: Check;
  /** Counts an invalid one. */
  forged: Check;
  /** Limit for signing in: by address, and by name from any address. */
  signIn(name: string, request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Counts one more for an account in this hour, by any of its sessions or tokens. */
  account(what: "reports" | "uploads" | "rooms" | "links", person: Person): void;
}

type Check = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Programs with trusted reports may make this many times as many reports as a person. */
const TRUSTED = 100;
/** Most things in an hour that a person makes by hand: each is in a list that others see, or takes a job. */
const BY_HAND = 300;
/** A name may be tried this many times as often, from all addresses together, as one address may try. */
const ADDRESSES = 5;
const LEAST_FORGERIES = 600;

export async function limitsOf(
  app: FastifyInstance,
  { requestsPerMinute, signInsPerMinute, reportsPerHour, uploadsPerHour }: Settings,
): Promise<Limits> {
  await app.register(rateLimit, { global: false });
  const limit = (max: number, options: CreateRateLimitOptions = {}, increment = true): Check =>
    checked(app.createRateLimit({ max, timeWindow: MINUTE, ...options }), increment);
  const requests = new Quota(MINUTE);
  const take = (asker: string): number | null => requests.take(asker, requestsPerMinute);
  const names = new WeakMap<FastifyRequest, string>();
  const signInAt = limit(signInsPerMinute);
  const signInAs = limit(signInsPerMinute * ADDRESSES, { keyGenerator: (request) => names.get(request) ?? "" });
  // two views of the same count: one reads it, the other adds to it
  const forgeries = app.createRateLimit({ max: Math.max(LEAST_FORGERIES, signInsPerMinute), timeWindow: MINUTE });
  const quotas = new Quota(HOUR);
  return {
    account: (what, person) => {
      const reports = reportsPerHour * (person.scopes.includes("report:trusted") ? TRUSTED : 1);
      const most = { reports, uploads: uploadsPerHour, rooms: BY_HAND, links: BY_HAND }[what];
      const wait = quotas.take(`${what} ${person.id}`, most);
      if (wait !== null) throw new Problem(429, `too many ${what} of this account in an hour; try again in ${wait} s`);
    },
    request: (request, reply) => {
      const wait = take(askerOf(request));
      if (wait !== null) refuse(reply, wait);
    },
    asker: askerOf,
    take,
    giveBack: (asker) => requests.giveBack(asker),
    forgeries: checked(forgeries, false),
    forged: checked(forgeries, true),
    signIn: async (name, request, reply) => {
      await signInAt(request, reply);
      names.set(request, name.normalize("NFC").toLowerCase());
      await signInAs(request, reply);
    },
  };
}

function checked(check: ReturnType<FastifyInstance["createRateLimit"]>, increment: boolean): Check {
  return async (request, reply) => {
    const found = await check(request, { increment });
    if (!found.isAllowed && found.isExceeded) refuse(reply, found.ttlInSeconds);
  };
}

function refuse(reply: FastifyReply, seconds: number): never {
  void reply.header("retry-after", seconds);
  throw new Problem(429, `too many requests in a minute; try again in ${seconds} s`);
}

/** An address is one with all of its network, as one client may have many of IPv6. */
function askerOf({ person, ip }: FastifyRequest): string {
  return person.id === null ? `at ${normalizeIP(ip)}` : person.id;
}
