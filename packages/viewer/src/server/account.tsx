import "./reviews/reviews.css";
import { useEffect, useId, useState } from "react";
import { Button } from "../ui/button.tsx";
import { ask, messageOf } from "./api.ts";
import { useMe } from "./me.tsx";
import { SiteBar } from "./site-bar.tsx";

/** What one changes of oneself: the password. */
export function AccountPage() {
  const me = useMe();
  useEffect(() => {
    document.title = "Your account · simtape";
  }, []);
  return (
    <>
      <SiteBar />
      <main className="reviews">
        <h1>{me.via === "open" ? "This server has no accounts" : me.name}</h1>
        {me.via === "session" && (
          <>
            <p className="hint">Your role is {me.role}.</p>
            <PasswordForm name={me.name} />
          </>
        )}
      </main>
    </>
  );
}

/** Characters of a password at least, as the server has it. */
const SHORTEST = 8;

function PasswordForm({ name }: { readonly name: string }) {
  const [old, setOld] = useState("");
  const [fresh, setFresh] = useState("");
  const [again, setAgain] = useState("");
  const [failure, setFailure] = useState<string | null>(null);
  const [isDone, setDone] = useState(false);
  const change = async (): Promise<void> => {
    setDone(false);
    if (fresh !== again) {
      setFailure("The two new passwords are not the same.");
      return;
    }
    try {
      await ask("PUT /api/me/password", { body: { old, new: fresh } });
      setFailure(null);
      setDone(true);
      for (const set of [setOld, setFresh, setAgain]) set("");
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  return (
    <form
      className="account-form"
      onSubmit={(event) => {
        event.preventDefault();
        void change();
      }}
    >
      <h2>Another password</h2>
      {/* for programs that keep passwords */}
      <input type="hidden" name="username" autoComplete="username" value={name} />
      <Field title="Password until now" complete="current-password" value={old} onChange={setOld} />
      <Field title="New password" complete="new-password" value={fresh} onChange={setFresh} />
      <Field title="New password once more" complete="new-password" value={again} onChange={setAgain} />
      <p className="hint">{SHORTEST} characters at least. Other browsers are signed out.</p>
      {failure !== null && (
        <p role="alert" className="wrong">
          {failure}
        </p>
      )}
      {isDone && <p role="status">Your password is changed.</p>}
      <Button type="submit" kind="main" disabled={old === "" || fresh.length < SHORTEST || again === ""}>
        Change it
      </Button>
    </form>
  );
}

function Field(props: {
  readonly title: string;
  readonly complete: "current-password" | "new-password";
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const { title, complete, value, onChange } = props;
  const id = useId();
  return (
    <>
      <label htmlFor={id}>{title}</label>
      <input
        id={id}
        className="field"
        type="password"
        autoComplete={complete}
        required
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </>
  );
}
