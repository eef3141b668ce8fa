/** Signs of 16 × 16, as paths that are filled. */
export const PATHS = {
  play: "M4 2.5v11l9-5.5z",
  reverse: "M12 2.5v11L3 8z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  stepForward: "M3 3v10l7-5zM11 3h2v10h-2z",
  stepBack: "M13 3v10L6 8zM3 3h2v10H3z",
  start: "M2 3h2v10H2zM14 3v10L9.5 8zM9.5 3v10L5 8z",
  end: "M12 3h2v10h-2zM2 3v10L6.500 8zM6.500 3v10L11 8z",
  loop: "M4 5h7V2.500L15 6l-4 3.500V7H6v3H4zM12 11H5v2.500L1 10l4-3.500V9h5V6h2z",
  fullScreen: "M2 2h5v2H4v3H2zM9 2h5v5h-2V4H9zM2 9h2v3h3v2H2zM12 9h2v5H9v-2h3z",
} as const;

export type IconName = keyof typeof PATHS;
