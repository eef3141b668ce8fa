/** A bell, as a picture; filled: it rings. */
export function Bell({ isFilled }: { readonly isFilled: boolean }) {
  return (
    <svg className="bell" viewBox="0 0 16 16" width={15} height={15} aria-hidden="true">
      <path
        d="M8 1.6a4.2 4.2 0 0 0-4.2 4.2c0 3-.7 4.2-1.5 5.2h11.4c-.8-1-1.5-2.2-1.5-5.2A4.2 4.2 0 0 0 8 1.6Z"
        fill={isFilled ? "currentColor" : "none"}
        stroke="currentColor"
        strokeWidth={1.3}
        strokeLinejoin="round"
      />
      <path d="M6.4 13a1.7 1.7 0 0 0 3.2 0Z" fill="currentColor" />
    </svg>
  );
}
