import { type ComponentType, type ReactNode, useEffect, useState } from "react";

/** A component whose code is loaded when it is first shown, or earlier by `load`. */
export type Late<P> = ComponentType<P> & { readonly load: () => Promise<void> };

/**
 * A component that is loaded on use, with `meanwhile` in its place. It is shown as soon as it is there: React's `lazy` would
 * wait for up to 0.3 s, so that not too much appears one after the other. What loading rejects with is thrown to the next
 * error boundary; what is mounted later tries again.
 */
export function late<P extends object>(
  importOne: () => Promise<ComponentType<P>>,
  meanwhile: ReactNode = null,
): Late<P> {
  let Loaded: ComponentType<P> | null = null;
  let loading: Promise<void> | null = null;
  const load = (): Promise<void> => {
    loading ??= importOne().then(
      (component) => {
        Loaded = component;
      },
      (error: unknown) => {
        loading = null;
        throw error;
      },
    );
    return loading;
  };
  function LateComponent(props: P): ReactNode {
    const [news, setNews] = useState<{ readonly error?: unknown }>({});
    useEffect(() => {
      if (Loaded !== null) return;
      let isShown = true;
      const show = (next: { readonly error?: unknown }): void => {
        if (isShown) setNews(next);
      };
      load().then(
        () => show({}),
        (error: unknown) => show({ error }),
      );
      return () => {
        isShown = false;
      };
    }, []);
    if ("error" in news) throw news.error;
    return Loaded === null ? meanwhile : <Loaded {...props} />;
  }
  return Object.assign(LateComponent, { load });
}
