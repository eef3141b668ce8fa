import { type IconName, PATHS } from "./icons.ts";

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg width={14} height={14} viewBox="0 0 16 16" fill="currentColor" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
