/** The greatest error in each part of the range, as a small picture. */
export function Curve({ values }: { readonly values: readonly number[] }) {
  const top = values.reduce((most, value) => (Number.isFinite(value) ? Math.max(most, value) : most), 0);
  if (top === 0) return <svg className="curve" aria-hidden viewBox="0 0 120 16" />;
  const width = 120 / values.length;
  const bars = values.flatMap((value, i) => {
    const tall = Number.isFinite(value) ? Math.max(1, (15 * value) / top) : 15;
    return value > 0 ? [`M${(i * width).toFixed(1)} 16v-${tall.toFixed(1)}h${width.toFixed(2)}V16z`] : [];
  });
  return (
    <svg className="curve" aria-hidden viewBox="0 0 120 16" preserveAspectRatio="none">
      <path d={bars.join("")} />
    </svg>
  );
}
