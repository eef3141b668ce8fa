import "./site.css";
import { lazy, type ReactNode, Suspense } from "react";
import { Library } from "./library/library.tsx";
import { SignedIn } from "./me.tsx";
import { Link, useRoute } from "./route.tsx";
import { serverRoot } from "./root.ts";
import { SiteBar } from "./site-bar.tsx";

const RecordingPage = lazy(async () => ({ default: (await import("./recording/page.tsx")).RecordingPage }));
const AccountPage = lazy(async () => ({ default: (await import("./account.tsx")).AccountPage }));
const AdminPage = lazy(async () => ({ default: (await import("./admin/page.tsx")).AdminPage }));
const ReviewsPage = lazy(async () => ({ default: (await import("./reviews/page.tsx")).ReviewsPage }));
const AlertsPage = lazy(async () => ({ default: (await import("./alerts/page.tsx")).AlertsPage }));
const SqlPage = lazy(async () => ({ default: (await import("./sql/page.tsx")).SqlPage }));
const SharedPage = lazy(async () => ({ default: (await import("./shared/page.tsx")).SharedPage }));
const RoomPage = lazy(async () => ({ default: (await import("./room/page.tsx")).RoomPage }));

/** The pages of a server, by path. What one needs is loaded when it is shown. */
export function Site() {
  const { pathname } = useRoute();
  const [kind = "", id = ""] = pathname.slice((serverRoot() ?? "/").length).split("/");
  // a link needs no account
  if (kind === "s")
    return (
      <Suspense fallback={null}>
        <SharedPage key={id} secret={id} />
      </Suspense>
    );
  return (
    <SignedIn>
      <Suspense fallback={null}>{pageOf(kind, id)}</Suspense>
    </SignedIn>
  );
}

function pageOf(kind: string, id: string): ReactNode {
  switch (kind) {
    case "":
      return <Library />;
    case "r":
      return <RecordingPage key={id} id={id} />;
    case "account":
      return <AccountPage />;
    case "admin":
      return <AdminPage />;
    case "reviews":
      return <ReviewsPage />;
    case "alerts":
      return <AlertsPage />;
    case "sql":
      return <SqlPage />;
    case "room":
      return <RoomPage key={id} id={id} />;
    default:
      return (
        <>
          <SiteBar />
          <main className="site-empty">
            <h1>Nothing is at this address.</h1>
            <Link className="button" href={serverRoot() ?? "/"}>
              To the library
            </Link>
          </main>
        </>
      );
  }
}
