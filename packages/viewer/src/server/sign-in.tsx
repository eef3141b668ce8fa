import { useEffect, useId, useState } from "react";
import { Button } from "../ui/button.tsx";
import { ask, at, messageOf, Refusal } from "./api.ts";

/** Name and password of an account of this server, or another service to sign in at. */
export function SignIn({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [failure, setFailure] = useState<string | null>(null);
  const [isAsking, setAsking] = useState(false);
  const hasOther = useOther();
  const id = useId();
  useEffect(() => {
    document.title = "Sign in · simtape";
  }, []);
  const signIn = async (): Promise<void> => {
    setAsking(true);
    setFailure(null);
    try {
      await ask("POST /api/session", { body: { name, password } });
      onSignedIn();
    } catch (error) {
      const isWrong = error instanceof Refusal && (error.status === 401 || error.status === 403);
      setFailure(isWrong ? "Name and password do not belong together. Try again." : messageOf(error));
      setPassword("");
    } finally {
      setAsking(false);
    }
  };
  return (
    <main className="sign-in">
      <form
        className="sign-in-card"
        onSubmit={(event) => {
          event.preventDefault();
          void signIn();
        }}
      >
        <h1>
          <img src={at("icon.svg")} alt="" width={32} height={32} /> simtape
        </h1>
        <label htmlFor={`${id}-name`}>Name</label>
        <input
          id={`${id}-name`}
          className="field"
          autoComplete="username"
          required
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <label htmlFor={`${id}-password`}>Password</label>
        <input
          id={`${id}-password`}
          className="field"
          type="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {failure !== null && (
          <p role="alert" className="wrong">
            {failure}
          </p>
        )}
        <Button kind="main" type="submit" disabled={isAsking || name === "" || password === ""}>
          Sign in
        </Button>
        {hasOther && (
          <a
            className="button"
            href={at(`api/session/oidc?to=${encodeURIComponent(location.pathname + location.search)}`)}
          >
            Sign in with your organisation
          </a>
        )}
      </form>
    </main>
  );
}

/** Whether this server has a service besides where users sign in. */
function useOther(): boolean {
  const [hasOther, setOther] = useState(false);
  useEffect(() => {
    ask("GET /api/session")
      .then(({ oidc }) => setOther(oidc))
      .catch(() => undefined);
  }, []);
  return hasOther;
}
