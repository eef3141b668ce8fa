import type { ButtonHTMLAttributes } from "react";

/** A button; `label` is its tip, and names it where it shows only a sign. */
export function Button({
  label,
  kind = "plain",
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & {
  readonly label?: string;
  readonly kind?: "plain" | "main" | "bare";
}) {
  const isSign = typeof rest.children !== "string" || !/\p{L}/u.test(rest.children);
  const name = isSign ? label : undefined;
  return <button type="button" className={`button button-${kind}`} title={label} aria-label={name} {...rest} />;
}
