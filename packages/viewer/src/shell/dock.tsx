import "dockview/dist/styles/dockview.css";
import { createDockview, type DockviewApi, themeDark, themeLight } from "dockview";
import { Suspense, useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { useObservable, useSession, useViewer } from "../hooks.ts";
import { mainPanel } from "../session.ts";
import { PANELS, type PanelKind } from "../panels.ts";
import { scheme } from "../theme.ts";
import { hideLoneTab, reset, restore, showPanel } from "./layout.ts";
import { PanelBoundary } from "./panel-boundary.tsx";
import { Tab } from "./tab.ts";

/** The elements that the layout has made for panels, by panel. */
type Places = ReadonlyMap<string, { readonly kind: PanelKind; readonly element: HTMLElement }>;

/** The panels, laid out as the address says, or as they are at first. */
export function Dock({ onReady }: { readonly onReady: (api: DockviewApi | null) => void }) {
  const session = useSession();
  const container = useRef<HTMLDivElement>(null);
  const dock = useRef<DockviewApi | null>(null);
  const [places, setPlaces] = useState<Places>(new Map());
  const shownScheme = useObservable(scheme, (value) => value);
  useEffect(() => {
    const api = createDockview(container.current!, {
      theme: themeOf(scheme.value),
      defaultTabComponent: "tab",
      createTabComponent: () => new Tab(),
      createComponent: ({ id, name }) => {
        const element = document.createElement("div");
        element.className = "panel-place";
        return {
          element,
          init: ({ api: panel }) => {
            const kind = PANELS.find((candidate) => candidate.id === name);
            if (kind === undefined) return;
            // Only when all are laid out is it known which are before the others, and which drawers are shut.
            const look = (): void => queueMicrotask(show);
            const changes = [
              panel.onDidVisibilityChange(look),
              panel.onDidDimensionsChange(look),
              panel.onDidGroupChange(look),
            ];
            const show = (): void => {
              if (!panel.isVisible || panel.group.api.isCollapsed()) return;
              for (const change of changes) change.dispose();
              setPlaces((before) =>
                before.get(id)?.element === element ? before : new Map(before).set(id, { kind, element }),
              );
            };
            look();
          },
          dispose: () =>
            setPlaces((before) => {
              if (before.get(id)?.element !== element) return before;
              const after = new Map(before);
              after.delete(id);
              return after;
            }),
        };
      },
    });
    dock.current = api;
    restore(api, session.state.value.shared["layout"], mainPanel(session.state.value));
    // What the user did, as against what followed from the size of the page.
    const keep = (): void => session.share("layout", api.toJSON());
    const changes = [
      api.onDidAddPanel(keep),
      api.onDidRemovePanel(keep),
      api.onDidMovePanel(keep),
      api.onDidLayoutChange(() => hideLoneTab(api)),
    ];
    hideLoneTab(api);
    const place = container.current!;
    const release = (): void => void setTimeout(keep);
    place.addEventListener("pointerup", release);
    session.showPanel = (id) => {
      const kind = PANELS.find((candidate) => candidate.id === id);
      if (kind !== undefined) showPanel(api, kind);
    };
    const press = ({ key }: KeyboardEvent): void => void ((key === "Enter" || key === " ") && release());
    place.addEventListener("keyup", press);
    onReady(api);
    return () => {
      session.showPanel = () => undefined;
      place.removeEventListener("pointerup", release);
      place.removeEventListener("keyup", press);
      for (const change of changes) change.dispose();
      onReady(null);
      api.dispose();
    };
  }, [session, onReady]);
  const main = useViewer(mainPanel);
  const laidOutFor = useRef(main);
  useEffect(() => {
    if (laidOutFor.current === main) return;
    laidOutFor.current = main;
    // The user's own layout stays as it is.
    if (dock.current !== null && session.state.value.shared["layout"] === undefined) reset(dock.current, session);
  }, [session, main]);
  useEffect(() => dock.current?.updateOptions({ theme: themeOf(shownScheme) }), [shownScheme]);
  return (
    <>
      <div ref={container} className="dock" />
      {[...places].map(([id, { kind, element }]) => createPortal(<Panel kind={kind} />, element, id))}
    </>
  );
}

function Panel({ kind: { component: Content, title, showsMoment = false } }: { readonly kind: PanelKind }) {
  const isHead = useViewer(({ decks }) => decks[0]?.opened.isHead) === true;
  return (
    <section className="panel" aria-label={title}>
      <PanelBoundary title={title}>
        <Suspense fallback={<p className="panel-note">Loading …</p>}>
          {isHead && !showsMoment ? (
            <p className="panel-note">This panel appears when the whole recording has been read.</p>
          ) : (
            <Content />
          )}
        </Suspense>
      </PanelBoundary>
    </section>
  );
}

function themeOf(name: "light" | "dark"): typeof themeDark {
  return name === "dark" ? themeDark : themeLight;
}
