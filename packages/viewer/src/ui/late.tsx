import { type ComponentType, type ReactNode, useEffect, useState } from "react";

/**
 * A component whose code is loaded when it is first shown, with `meanwhile` in its place. It is shown as soon as it is there:
 * React's `lazy` would wait for up to 0.3 s, so that not too much appears one after the other. What loading rejects with is
 * thrown to the next error boundary.
 */
export function late<P extends object>(
  load: () => Promise<ComponentType<P>>,
  meanwhile: ReactNode = null,
): ComponentType<P> {
  let Loaded: ComponentType<P> | null = null;
  return function Late(props: P): ReactNode {
    // each outcome is another value, and so draws again
    const [failures, setFailures] = useState<readonly unknown[]>([]);
    useEffect(() => {
      if (Loaded !== null) return;
      load().then(
        (component) => {
          Loaded = component;
          setFailures([]);
        },
        (error: unknown) => setFailures([error]),
      );
    }, []);
    if (failures.length > 0) throw failures[0];
    return Loaded === null ? meanwhile : <Loaded {...props} />;
  };
}
