import type { FastifyContextConfig } from "fastify";
import { hasRole, type Person } from "../people/person.ts";
import { Problem } from "../problem.ts";

type Needed = Pick<FastifyContextConfig, "role" | "scope" | "session">;

/** Checks whether a person may use a route; the route decides what its answer shows. */
export function mayAsk(person: Person, { role = null, scope = "read", session }: Needed): boolean {
  if (role === null) return true;
  const least = person.via === "token" ? role : (session ?? role);
  if (!hasRole(person, least)) return false;
  // every request asks this: a list of one would cost as much as all the rest
  return typeof scope === "string" ? person.scopes.includes(scope) : scope.some((one) => person.scopes.includes(one));
}

/** Throws `Problem` when not: it names the needed rights, whatever the request asks for. */
export function checkRights(person: Person, needed: Needed): void {
  if (mayAsk(person, needed)) return;
  if (person.role === "none") throw new Problem(401, "sign in, or send a token: Authorization: Bearer …");
  const { role, scope = "read", session = role } = needed;
  const least = person.via === "token" ? role : session;
  const scopes = [scope].flat().join(" or ");
  throw new Problem(403, `the role ${least} and the scope ${scopes} are needed; yours is ${person.role}`);
}
