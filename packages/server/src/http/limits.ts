import rateLimit, { type CreateRateLimitOptions } from "@fastify/rate-limit";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Settings } from "../settings.ts";
import { Problem } from "./problem.ts";

/** Counts what is asked for in a minute on this node. Each throws `Problem` for what is too much, with `retry-after`. */
export interface Limits {
  /** Of a person, or of an address that is not signed in. */
  request: Check;
  /** Before a token or cookie is looked up: whether its address has sent too many that are none. */
  forgeries: Check;
  /** Counts one that was none. */
  forged: Check;
  /** Of signing in: by address, and by name from wherever. */
  signIn(name: string, request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

type Check = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

const MINUTE = 60_000;
/** As often as one address, a name may be tried from all together. */
const ADDRESSES = 5;
const LEAST_FORGERIES = 600;

export async function limitsOf(
  app: FastifyInstance,
  { requestsPerMinute, signInsPerMinute }: Settings,
): Promise<Limits> {
  await app.register(rateLimit, { global: false });
  const limit = (max: number, options: CreateRateLimitOptions = {}, increment = true): Check =>
    checked(app.createRateLimit({ max, timeWindow: MINUTE, ...options }), increment);
  const byPerson = limit(requestsPerMinute, { keyGenerator: ({ person }) => person.id ?? "" });
  const byAddress = limit(requestsPerMinute);
  const names = new WeakMap<FastifyRequest, string>();
  const signInAt = limit(signInsPerMinute);
  const signInAs = limit(signInsPerMinute * ADDRESSES, { keyGenerator: (request) => names.get(request) ?? "" });
  // the same count: looked at, and counted
  const forgeries = app.createRateLimit({ max: Math.max(LEAST_FORGERIES, signInsPerMinute), timeWindow: MINUTE });
  return {
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
    throw new Problem(429, `too much in a minute; try again in ${found.ttlInSeconds} s`);
  };
}
