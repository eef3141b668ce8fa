import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Provider } from "oidc-provider";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startNode, type TestNode } from "./support/node.ts";
import { Caller, userCommand } from "./support/people.ts";

/** A browser as far as signing in needs it: follows, and keeps cookies by origin. */
class Browser {
  readonly #cookies = new Map<string, Map<string, string>>();

  cookiesOf(origin: string): string {
    return [...(this.#cookies.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  async ask(url: string, init: RequestInit = {}): Promise<Response> {
    const { origin } = new URL(url);
    const headers = { ...(init.headers as Record<string, string>), cookie: this.cookiesOf(origin) };
    const answer = await fetch(url, { ...init, headers, redirect: "manual" });
    const kept = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, kept);
    for (const cookie of answer.headers.getSetCookie()) {
      const [pair = "", ...attributes] = cookie.split(";");
      const [name, value] = [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)];
      const isOver = attributes.some((one) => /max-age=0|expires=thu, 01 jan 1970/i.test(one));
      if (isOver || value === "") kept.delete(name);
      else kept.set(name, value);
    }
    return answer;
  }

  /** Until `stop` holds of an address that it is led to, or an answer leads nowhere; forms of the issuer are filled in. */
  async go(from: string, stop: (url: string) => boolean, user: string): Promise<{ url: string; answer: Response }> {
    let url = from;
    for (let step = 0; step < 20; step++) {
      const answer = await this.ask(url);
      const to = answer.headers.get("location");
      if (to !== null) {
        await answer.body?.cancel();
        url = new URL(to, url).href;
        if (stop(url)) return { url, answer };
        continue;
      }
      const page = await answer.clone().text();
      const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1];
      if (action === undefined) return { url, answer };
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? "login";
      const form = new URLSearchParams({ prompt, login: user, password: "any" });
      const sent = await this.ask(new URL(action, url).href, { method: "POST", body: form });
      url = new URL(sent.headers.get("location")!, url).href;
    }
    throw new Error(`led on and on, last to ${url}`);
  }
}

describe("signing in by OpenID Connect", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-oidc-"));
  let issuer: Server;
  let at: string;
  let node: TestNode;

  beforeAll(async () => {
    issuer = createServer();
    await new Promise<void>((resolve) => issuer.listen(0, "127.0.0.1", resolve));
    at = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`;
    node = await startNode([folder, "--oidc-issuer", at, "--oidc-client", "simtape", "--sign-ins-per-minute", "100"], {
      SIMTAPE_OIDC_SECRET: "a secret of the client",
    });
    const provider = new Provider(at, {
      clients: [
        {
          client_id: "simtape",
          client_secret: "a secret of the client",
          redirect_uris: [`${node.address}/api/session/callback`],
        },
      ],
      pkce: { required: () => true },
      claims: { openid: ["sub"], profile: ["preferred_username"], email: ["email"] },
      conformIdTokenClaims: false,
      findAccount: (_: unknown, id: string) => ({
        accountId: id,
        claims: () => ({ sub: id, preferred_username: `${id} of elsewhere`, email: "anna@example.org" }),
      }),
    });
    issuer.on("request", provider.callback());
  });

  afterAll(async () => {
    await node?.stop();
    issuer.closeAllConnections();
    issuer.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const isBack = (url: string): boolean => url.startsWith(node.address);

  test("a server with an issuer is not open, and says how one signs in", async () => {
    const unknown = new Caller(node);
    expect(await unknown.status("GET", "/api/recordings")).toBe(401);
    expect(await unknown.json("GET", "/api/session")).toEqual({ password: true, oidc: true });
  });

  test("makes an account by issuer and subject, a session, and goes back to where one was", async () => {
    const browser = new Browser();
    const back = await browser.go(`${node.address}/api/session/oidc?to=/r/abc%3Ft%3D2`, isBack, "anna");
    const { url } = await browser.go(back.url, (to) => to.includes("/r/"), "anna");
    expect(url).toBe(`${node.address}/r/abc?t=2`);
    const me = await (await browser.ask(`${node.address}/api/me`)).json();
    expect(me).toMatchObject({ name: "anna of elsewhere", role: "viewer", via: "session" });
    // the same account the next time
    const again = new Browser();
    await again.go((await again.go(`${node.address}/api/session/oidc`, isBack, "anna")).url, () => true, "anna");
    expect(await (await again.ask(`${node.address}/api/me`)).json()).toEqual(me);
  });

  test("a local account is not taken over by its name", async () => {
    expect((await userCommand(["add", "mallory of elsewhere", folder, "--role", "admin"])).exit).toBe(0);
    const browser = new Browser();
    await browser.go((await browser.go(`${node.address}/api/session/oidc`, isBack, "mallory")).url, () => true, "x");
    const me = await (await browser.ask(`${node.address}/api/me`)).json();
    expect(me).toMatchObject({ name: "mallory of elsewhere 2", role: "viewer" });
  });

  test("another browser's way back, a wrong state, a code used twice: no session", async () => {
    const browser = new Browser();
    const { url } = await browser.go(`${node.address}/api/session/oidc`, isBack, "anna");
    // a link to the end of a sign-in, given to another person
    expect((await new Browser().ask(url)).status).toBe(400);
    const wrong = new URL(url);
    wrong.searchParams.set("state", "another");
    const other = new Browser();
    await other.ask(`${node.address}/api/session/oidc`);
    expect((await other.ask(wrong.href)).status).toBe(401);
    expect((await browser.ask(url)).status).toBe(303);
    expect((await browser.ask(url)).status).toBe(400);
    for (const one of [other, new Browser()]) expect((await one.ask(`${node.address}/api/me`)).status).toBe(401);
  });

  test("leads to no other server afterwards", async () => {
    for (const to of [
      "https://evil.example/",
      "//evil.example",
      "/\\evil.example",
      "/%5C..//evil.example",
      "/a/..//evil.example",
    ]) {
      const browser = new Browser();
      const begun = `${node.address}/api/session/oidc?to=${encodeURIComponent(to)}`;
      const back = await browser.go(begun, isBack, "anna");
      const answer = await browser.ask(back.url);
      const led = new URL(answer.headers.get("location")!, node.address);
      expect(led.origin, to).toBe(node.address);
    }
  });

  test("an account that is disabled is refused", async () => {
    const list = (await userCommand(["list", folder])).stdout;
    expect(list).toMatch(/anna of elsewhere {2}viewer {2}OpenID Connect/);
    expect((await userCommand(["disable", "anna of elsewhere", folder])).exit).toBe(0);
    const browser = new Browser();
    const { url } = await browser.go(`${node.address}/api/session/oidc`, isBack, "anna");
    expect((await browser.ask(url)).status).toBe(403);
  });
});
