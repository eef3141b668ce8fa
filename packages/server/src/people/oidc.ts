import type { FastifyReply, FastifyRequest } from "fastify";
import type { Configuration, IDToken } from "openid-client";
import type { Context } from "../context.ts";
import type { Query } from "../database/database.ts";
import { Problem } from "../problem.ts";
import { newId } from "../ids.ts";
import { Audit } from "./audit.ts";
import type { Sessions } from "./sessions.ts";
import { scopesOf } from "./person.ts";

export const LONGEST_ADDRESS = 500;

/** Name of the cookie that a browser has while the user signs in at the issuer. */
const PENDING = "simtape_sign_in";
const PENDING_SECONDS = 600;
const CALLBACK = "/api/session/callback";

/** Loaded when a user signs in, as most servers have no issuer. */
type OpenId = typeof import("openid-client");

/** Signing in at an issuer of OpenID Connect: code and PKCE. */
export interface ForeignSignIn {
  /** Redirects to the issuer. `to`: the path of this server that is shown afterwards; any other address is ignored. */
  begin(to: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
  /** Begins a session and returns the path to redirect to. Throws `Problem`. */
  finish(request: FastifyRequest, reply: FastifyReply): Promise<string>;
}

/** The parameters that the browser brings back from the issuer. */
interface Pending {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly to: string;
}

/** Null: no issuer is set. */
export function foreignSignIn({ settings, query, log }: Context, sessions: Sessions): ForeignSignIn | null {
  const { oidcIssuer, oidcClient, oidcSecret, publicOrigin, oidcRole } = settings;
  if (oidcIssuer === null || oidcClient === null) return null;
  const audit = new Audit(query);
  let known: Promise<Configuration> | null = null;
  const configuration = (openid: OpenId): Promise<Configuration> => {
    const execute = oidcIssuer.startsWith("http:") ? [openid.allowInsecureRequests] : [];
    known ??= openid.discovery(new URL(oidcIssuer), oidcClient, oidcSecret ?? undefined, undefined, { execute });
    known.catch((error: unknown) => {
      // try again at the next request
      known = null;
      log.warn({ error: String(error) }, "the issuer of OpenID Connect cannot be reached");
    });
    return known.catch(() => {
      throw new Problem(503, "the issuer of OpenID Connect cannot be reached now; try again");
    });
  };
  // the host name was checked: it belongs to this server
  const originOf = (request: FastifyRequest): string =>
    publicOrigin ?? `${request.protocol}://${request.headers.host ?? ""}`;

  return {
    begin: async (to, request, reply) => {
      const openid = await import("openid-client");
      const config = await configuration(openid);
      const pending: Pending = {
        state: openid.randomState(),
        nonce: openid.randomNonce(),
        verifier: openid.randomPKCECodeVerifier(),
        to: pathOf(to),
      };
      const url = openid.buildAuthorizationUrl(config, {
        redirect_uri: originOf(request) + CALLBACK,
        scope: "openid profile email",
        code_challenge: await openid.calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: "S256",
        state: pending.state,
        nonce: pending.nonce,
      });
      const value = Buffer.from(JSON.stringify(pending)).toString("base64url");
      void reply.setCookie(PENDING, value, { ...sessions.cookie(request), path: CALLBACK, maxAge: PENDING_SECONDS });
      return reply.redirect(url.href, 303);
    },

    finish: async (request, reply) => {
      const pending = pendingOf(request);
      void reply.clearCookie(PENDING, { ...sessions.cookie(request), path: CALLBACK });
      if (pending === null)
        throw new Problem(400, "this sign-in was started in another browser, or too long ago; start again");
      const openid = await import("openid-client");
      const config = await configuration(openid);
      let claims: IDToken;
      try {
        const tokens = await openid.authorizationCodeGrant(config, new URL(originOf(request) + request.url), {
          pkceCodeVerifier: pending.verifier,
          expectedState: pending.state,
          expectedNonce: pending.nonce,
          idTokenExpected: true,
        });
        claims = tokens.claims()!;
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        await audit.note(request, { action: "sign-in failed", details: { via: "oidc", reason } });
        throw new Problem(401, `the issuer did not sign you in: ${reason}`);
      }
      const user = await userOf(query, claims, oidcRole);
      if (user === null || user.disabled) {
        await audit.note(request, { action: "sign-in failed", details: { via: "oidc", subject: claims.sub } });
        throw new Problem(403, "this account may not use this server; ask its administrator");
      }
      const { id, name, role, identities } = user;
      await sessions.begin(id, request, reply);
      request.person = { id, name, role, identities, scopes: scopesOf(role), via: "session" };
      await audit.note(request, { action: "sign-in", details: { via: "oidc" } });
      return pending.to;
    },
  };
}

/** A path of this server; `/` when the address would lead elsewhere. */
function pathOf(to: string): string {
  const base = "http://server.invalid";
  if (!/^\/(?![/\\])/.test(to) || !URL.canParse(to, base)) return "/";
  const { origin, pathname, search, hash } = new URL(to, base);
  return origin === base && !pathname.startsWith("//") ? pathname + search + hash : "/";
}

function pendingOf({ cookies }: FastifyRequest): Pending | null {
  try {
    const found = JSON.parse(Buffer.from(cookies[PENDING] ?? "", "base64url").toString()) as Partial<Pending>;
    const { state, nonce, verifier, to } = found;
    const texts = [state, nonce, verifier, to];
    if (!texts.every((text) => typeof text === "string" && text !== "")) return null;
    // another site may have set the cookie: check its path again
    return { state: state!, nonce: nonce!, verifier: verifier!, to: pathOf(to!) };
  } catch {
    return null;
  }
}

type Found = { id: string; name: string; role: "recorder" | "viewer" | "player" | "staff" | "admin" } & {
  identities: readonly string[];
  disabled: boolean;
};

/**
 * Returns the account of the user who signed in at the issuer; makes it when it does not exist. Names and addresses
 * never prove who a user is.
 */
async function userOf(query: Query, claims: IDToken, role: Context["settings"]["oidcRole"]): Promise<Found | null> {
  const subject = `${claims.iss} ${claims.sub}`;
  const find = (): Promise<Found | undefined> =>
    query
      .selectFrom("users")
      .select(["id", "name", "role", "identities", "disabled"])
      .where("subject", "=", subject)
      .executeTakeFirst();
  const found = await find();
  if (found !== undefined || role === "none") return found ?? null;
  const wished = nameOf(claims);
  for (let n = 1; n <= 100; n++) {
    const name = n === 1 ? wished : `${wished} ${n}`;
    await query
      .insertInto("users")
      .values({ id: newId(), name, role, subject, password: null, identities: "[]", disabled: false })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const made = await find();
    if (made !== undefined) return made;
  }
  return null;
}

function nameOf(claims: IDToken): string {
  const wished = [claims["preferred_username"], claims["name"], claims["email"], claims.sub];
  const names = wished.map((name) =>
    typeof name === "string"
      ? name
          .normalize("NFC")
          .replace(/[\p{Cc}\p{Cs}]/gu, "")
          .trim()
          .slice(0, 90)
      : "",
  );
  return names.find((name) => name !== "") ?? "somewhere";
}
