/** Colours of numbers, from the least to the most, evenly spaced. */
export const RAMP: readonly string[] = ["#4527a0", "#1976d2", "#00a676", "#f2b705", "#f4511e"];
