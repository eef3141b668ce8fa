import { useEffect, useId, useState } from "react";
import type { WrongExpression } from "./use-fits.ts";

/** Letters before and after the first caret that are shown. */
const [BEFORE, AFTER] = [16, 10];

/** An expression of which recordings are asked. Enter asks; leaving the field does, too. */
export function WhereField({
  value,
  wrong,
  onChange,
}: {
  readonly value: string;
  readonly wrong: WrongExpression | null;
  readonly onChange: (where: string) => void;
}) {
  const id = useId();
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const say = (): void => {
    if (typed.trim() !== value) onChange(typed.trim());
  };
  const isWrong = wrong !== null && typed.trim() === value;
  return (
    <fieldset className="facet">
      <legend>True at some time</legend>
      <textarea
        className="field where-field"
        aria-label="Expression that is true at some time"
        aria-describedby={isWrong ? id : undefined}
        aria-invalid={isWrong || undefined}
        rows={3}
        maxLength={2000}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        placeholder="any vehicles (speed > 100 km/h)"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onBlur={say}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey) return;
          event.preventDefault();
          say();
        }}
      />
      {isWrong && (
        <div id={id} role="alert">
          <p className="wrong">{wrong.message}</p>
          {wrong.excerpt !== null && (
            <pre className="where-excerpt" aria-hidden="true">
              {nearCaret(wrong.excerpt)}
            </pre>
          )}
        </div>
      )}
    </fieldset>
  );
}

/** Of a line and the carets below it what is near them, as there is little room. */
function nearCaret(excerpt: string): string {
  const [line = "", carets = ""] = excerpt.split("\n");
  const at = carets.indexOf("^");
  const from = Math.max(0, at - BEFORE);
  const sign = from > 0 ? "…" : "";
  const shown = line.slice(from, at + AFTER);
  const below = carets.slice(at, at + AFTER);
  return `${sign}${shown}\n${" ".repeat(at - from + sign.length)}${below}`;
}
