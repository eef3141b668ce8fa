/** What the name of a recording's main file is followed by in that of the file that keeps its seek index. */
export const SIDE_CAR_ENDING = ".simtape-index";
