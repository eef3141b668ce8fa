import { useEffect, useState } from "react";

/** A field whose text counts when it is left, or Enter is pressed; what cannot be parsed is marked, and then forgotten. */
export function DraftField<T>({
  label,
  text,
  parse,
  onChange,
  placeholder,
  isNumber = true,
}: {
  readonly label: string;
  readonly text: string;
  /** Null: it is none. */
  readonly parse: (text: string) => T | null;
  readonly onChange: (value: T) => void;
  readonly placeholder?: string;
  /** It is short, and a touch screen shows digits for it. */
  readonly isNumber?: boolean;
}) {
  const [draft, setDraft] = useState(text);
  useEffect(() => setDraft(text), [text]);
  const take = (): void => {
    const value = parse(draft);
    if (value === null || draft === text) setDraft(text);
    else onChange(value);
  };
  return (
    <input
      className={isNumber ? "field number-field" : "field spring"}
      placeholder={placeholder}
      aria-label={label}
      aria-invalid={parse(draft) === null}
      inputMode={isNumber ? "decimal" : "text"}
      value={draft}
      onChange={(event) => setDraft(event.currentTarget.value)}
      onBlur={take}
      onKeyDown={(event) => {
        if (event.key === "Enter") take();
      }}
    />
  );
}
