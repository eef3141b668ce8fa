import "./first-page.css";
import type { ReactNode } from "react";
import { Button } from "../../ui/button.tsx";
import { at } from "../api.ts";
import { useMe } from "../me.tsx";
import { Link } from "../route.tsx";
import { hasRole } from "../shapes.ts";

/** What to do in a library without recordings, for who is signed in. */
export function FirstPage({ onUpload }: { readonly onUpload: () => void }) {
  const me = useMe();
  const server = new URL(at(""), location.origin).href.replace(/\/$/, "");
  if (!hasRole(me, "staff"))
    return (
      <div className="first-page">
        <h2>No recordings are here for you yet</h2>
        <p>
          You see recordings as soon as staff add some that you may read: those of a collection that is open to all, and
          those that you are in. This page shows them as they come.
        </p>
      </div>
    );
  const isOpen = me.via === "open";
  return (
    <div className="first-page">
      <h2>This library is empty</h2>
      <p>Recordings of {FORMAT_NAMES} can be here. There are three ways to add some.</p>
      <ol>
        <Way title="Drop files on this page">
          <p>
            Files, folders, and what shows their world: road nets (<code>.xodr</code>), heights (<code>.tif</code>),
            maps and models.
          </p>
          <Button kind="main" onClick={onUpload}>
            Choose files …
          </Button>
        </Way>
        <Way title="Send them from a command line">
          <Command>{`simtape push FILE… ${server}`}</Command>
          <p>
            {isOpen ? (
              "What the server has is not sent again. Files that you put into its folder appear, too."
            ) : (
              <>
                With a token of your account (scope <code>write</code>) in <code>SIMTAPE_SERVER_TOKEN</code>. What the
                server has is not sent again.
              </>
            )}
          </p>
        </Way>
        <Way title="Record live">
          <Command>{`my-simulator | simtape record ${server}/api/live/run-1`}</Command>
          <p>
            A simulator writes lines of JSON while it runs, and all watch it here.
            {isOpen || " It needs a token with the scope live."}
          </p>
        </Way>
      </ol>
      {hasRole(me, "admin") && !isOpen && (
        <p className="hint">
          Accounts, tokens and who may read what are on the page <Link href={at("admin")}>Administration</Link>.
        </p>
      )}
    </div>
  );
}

function Way({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <li>
      <h3>{title}</h3>
      {children}
    </li>
  );
}

/** A command, with a button that copies it. */
function Command({ children }: { readonly children: string }) {
  return (
    <p className="first-command">
      <code>{children}</code>
      <Button label={`Copy ${children}`} onClick={() => void navigator.clipboard?.writeText(children)}>
        Copy
      </Button>
    </p>
  );
}
