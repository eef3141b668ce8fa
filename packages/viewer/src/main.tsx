import "./theme.ts";
import "./viewer.css";
import "./touch.css";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { SessionContext } from "./hooks.ts";
import { Session } from "./session.ts";

const session = new Session();

// For the browser's console: `simtape.seek(12.5e9)`, `simtape.frame.recorded`, and `simtape.read(null)` for all of its values.
Object.assign(globalThis, { simtape: session });

// `simtape render` drives this page.
if (new URL(location.href).searchParams.has("render")) {
  void import("./video/remote.ts").then(({ remoteVideo }) =>
    Object.assign(globalThis, { simtapeVideo: remoteVideo(session) }),
  );
}

createRoot(document.getElementById("root")!).render(
  <SessionContext value={session}>
    <App />
  </SessionContext>,
);
