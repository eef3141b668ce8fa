import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { useObservable } from "../hooks.ts";
import { ask, messageOf, Refusal, refused } from "./api.ts";
import type { Me } from "./shapes.ts";
import { SignIn } from "./sign-in.tsx";
import { Trouble } from "./trouble.tsx";

const MeContext = createContext<Me | null>(null);

/** A server without accounts: all who reach it may do everything. */
const OPERATOR: Me = { id: "", name: "", role: "admin", identities: [], scopes: [], via: "open" };

/** Who is signed in. */
export function useMe(): Me {
  const me = useContext(MeContext);
  if (me === null) throw new Error("a component outside of SignedIn");
  return me;
}

/** Between two questions while the server cannot answer, milliseconds. */
const ASK_EVERY = 3000;

/** What it holds for those who are signed in; for others how to sign in. */
export function SignedIn({ children }: { readonly children: ReactNode }) {
  const refusals = useObservable(refused, (count) => count);
  const [me, setMe] = useState<Me | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [asked, setAsked] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again when an answer said that none is signed in
  useEffect(() => {
    const controller = new AbortController();
    let timer = 0;
    ask("GET /api/me", { signal: controller.signal })
      .catch((error: unknown) => {
        if (error instanceof Refusal && error.status === 401) return NOT_SIGNED_IN;
        if (error instanceof Refusal && error.status === 404) return OPERATOR;
        throw error;
      })
      .then((found) => {
        setMe(found);
        setFailure(null);
      })
      .catch((error: unknown) => {
        if (controller.signal.aborted) return;
        const isAway = error instanceof Refusal && error.status === 503;
        setFailure(isAway ? DATABASE_AWAY : messageOf(error));
        if (isAway) timer = window.setTimeout(() => setAsked((before) => before + 1), ASK_EVERY);
      });
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [refusals, asked]);
  const again = (): void => setAsked((before) => before + 1);
  if (me === null) return failure === null ? null : <Trouble message={failure} onAgain={again} />;
  if (me.role === "none") return <SignIn onSignedIn={again} />;
  return <MeContext value={me}>{children}</MeContext>;
}

const DATABASE_AWAY = "The server cannot reach its database at the moment. This page tries again by itself.";
const NOT_SIGNED_IN: Me = { id: "", name: "", role: "none", identities: [], scopes: [], via: "none" };
