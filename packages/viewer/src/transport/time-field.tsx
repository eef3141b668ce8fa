import { useEffect, useRef, useState } from "react";
import { useFrames, useSession, useViewer } from "../hooks.ts";
import { useTimeScale } from "../use-time-scale.ts";

/** The time shown; another one, or a tick, can be typed over it. */
export function TimeField() {
  const session = useSession();
  const timeline = useViewer(({ decks }) => decks[0]?.opened.timeline);
  const field = useRef<HTMLInputElement>(null);
  const [isWrong, setWrong] = useState(false);
  const scale = useTimeScale();
  const show = (): void => {
    if (field.current !== null) field.current.value = scale.text(session.frame?.time ?? 0);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: shown otherwise at once
  useEffect(show, [scale]);
  useFrames(() => {
    if (document.activeElement !== field.current) show();
  });
  return (
    <input
      ref={field}
      className="field time time-field"
      aria-label="Time shown"
      aria-invalid={isWrong}
      title="12.5, 1:30, 1m30s, t1200 (a tick), 50%, +2s"
      spellCheck={false}
      autoComplete="off"
      onFocus={(event) => event.currentTarget.select()}
      onBlur={() => {
        setWrong(false);
        show();
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") event.currentTarget.blur();
        if (event.key !== "Enter" || timeline === undefined) return;
        const time = scale.parse(event.currentTarget.value, session.frame?.time ?? 0);
        setWrong(time === null);
        if (time === null) return;
        event.currentTarget.blur();
        void session.seek(time);
      }}
    />
  );
}
