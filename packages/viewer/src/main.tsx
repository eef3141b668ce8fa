import "./theme.ts";
import "./viewer.css";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { SessionContext } from "./hooks.ts";
import { Session } from "./session.ts";

createRoot(document.getElementById("root")!).render(
  <SessionContext value={new Session()}>
    <App />
  </SessionContext>,
);
