import "dockview/dist/styles/dockview.css";
import { createDockview, type DockviewApi, themeDark, themeLight } from "dockview";
import { useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { PanelContext, useObservable, useSession, useViewer } from "../../hooks.ts";
import { mainPanel } from "../../session.ts";
import type { Command } from "../../transport/commands.ts";
import { nameOfPanel, PANELS, type PanelKind } from "../../panels.ts";
import { scheme } from "../../theme.ts";
import { keptLayout, unpack } from "./kept-layout.ts";
import { hideLoneTab, LAYOUT, restore, showPanel } from "./layout.ts";
import type { LayoutKeeper } from "./layout-keeper.ts";
import { PanelBoundary } from "./panel-boundary.tsx";
import { Tab } from "./tab.ts";

/** The elements that the layout has made for panels, by panel. */
type Places = ReadonlyMap<string, { readonly kind: PanelKind; readonly element: HTMLElement }>;

/** The panels, laid out as the address says, as this recording was left in this browser, or as they are at first. */
export function Dock({
  onReady,
  onBegin,
}: {
  readonly onReady: (api: DockviewApi | null) => void;
  /** Called when the user does something first, with what can be done from then on. */
  readonly onBegin: (commands: readonly Command[]) => void;
}) {
  const session = useSession();
  const container = useRef<HTMLDivElement>(null);
  const dock = useRef<DockviewApi | null>(null);
  const keeper = useRef<LayoutKeeper | null>(null);
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
    const kept = keptLayout(session.state.value.decks[0]);
    if (kept !== undefined && session.state.value.shared[LAYOUT] === undefined)
      session.share(LAYOUT, unpack(session, kept));
    restore(api, session.state.value.shared[LAYOUT], mainPanel(session.state.value));
    const change = api.onDidLayoutChange(() => hideLoneTab(api));
    hideLoneTab(api);
    // Until the user does something, there is nothing to keep.
    const ends = new AbortController();
    const begin = (): void => {
      ends.abort();
      const before = api.toJSON();
      void import("../begin.ts").then((it) => {
        if (dock.current !== api) return;
        keeper.current = new it.LayoutKeeper(api, session, container.current!, before);
        onBegin(it.moreCommands(api));
      });
    };
    for (const kind of ["pointermove", "pointerdown", "keydown"])
      addEventListener(kind, begin, { signal: ends.signal, capture: true });
    session.showPanel = (id) => {
      const kind = PANELS.find((candidate) => candidate.id === id);
      if (kind !== undefined) showPanel(api, kind);
    };
    onReady(api);
    return () => {
      session.showPanel = () => undefined;
      ends.abort();
      keeper.current?.dispose();
      keeper.current = dock.current = null;
      change.dispose();
      onReady(null);
      api.dispose();
    };
  }, [session, onReady, onBegin]);
  const main = useViewer(mainPanel);
  const laidOutFor = useRef(main);
  useEffect(() => {
    if (laidOutFor.current === main) return;
    laidOutFor.current = main;
    const api = dock.current;
    // The user's own layout stays as it is.
    if (api === null || session.state.value.shared[LAYOUT] !== undefined) return;
    const lay = (): void => restore(api, null, main);
    if (keeper.current === null) lay();
    else keeper.current.quietly(lay);
  }, [session, main]);
  useEffect(() => dock.current?.updateOptions({ theme: themeOf(shownScheme) }), [shownScheme]);
  return (
    <>
      <div ref={container} className="dock" />
      {[...places].map(([id, { kind, element }]) => createPortal(<Panel kind={kind} id={id} />, element, id))}
    </>
  );
}

function Panel({ kind, id }: { readonly kind: PanelKind; readonly id: string }) {
  const { component: Content, showsMoment = false } = kind;
  const title = nameOfPanel(kind, id);
  const isHead = useViewer(({ decks }) => decks[0]?.opened.isHead) === true;
  return (
    <section className="panel" aria-label={title}>
      <PanelBoundary title={title}>
        {isHead && !showsMoment ? (
          <p className="panel-note">This panel appears when the whole recording has been read.</p>
        ) : (
          <PanelContext value={id}>
            <Content />
          </PanelContext>
        )}
      </PanelBoundary>
    </section>
  );
}

function themeOf(name: "light" | "dark"): typeof themeDark {
  return name === "dark" ? themeDark : themeLight;
}
