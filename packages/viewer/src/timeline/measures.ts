/** Pixels left of what is drawn by time, for names. */
export const GUTTER = 128;
/** Right of the last message. */
export const MARGIN = 10;
export const OVERVIEW = 20;
export const RULER = 18;
export const LANE = 14;
