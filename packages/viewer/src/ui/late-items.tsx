import { type ReactNode, useEffect, useRef } from "react";

/** Items of a menu that are loaded when the user comes near it: the first has the focus where the menu is open already. */
export function LateItems({ children }: { readonly children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const isWaiting = place.current?.closest(":popover-open") != null;
    if (isWaiting) place.current?.querySelector("button")?.focus();
  }, []);
  return (
    <div ref={place} role="none">
      {children}
    </div>
  );
}
