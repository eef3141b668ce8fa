import rateLimit, { type CreateRateLimitOptions } from "@fastify/rate-limit";
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
  request: Check;
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
  const byPerson = limit(requestsPerMinute, { keyGenerator: ({ person }) => person.id ?? "" });
  const byAddress = limit(requestsPerMinute);
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
    request: (request, reply) => (request.person.id === null ? byAddress : byPerson)(request, reply),
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
    if (found.isAllowed || !found.isExceeded) return;
    void reply.header("retry-after", found.ttlInSeconds);
    throw new Problem(429, `too many requests in a minute; try again in ${found.ttlInSeconds} s`);
  };
}
