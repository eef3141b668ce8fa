import type { ButtonHTMLAttributes } from "react";

/** A button; `label` names it where it shows only a sign, and is its tip. */
export function Button({
  label,
  kind = "plain",
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & {
  readonly label?: string;
  readonly kind?: "plain" | "main" | "bare";
}) {
  return <button type="button" className={`button button-${kind}`} title={label} aria-label={label} {...rest} />;
}
