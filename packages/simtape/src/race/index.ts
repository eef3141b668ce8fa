/** Laps against each other along a common course: gaps, splits, where time was won and lost, the theoretical best. */
export { type CoursePath, parseCourse } from "./course.ts";
export { RaceError, type RaceErrorCode } from "./error.ts";
export { passing, type TimedWay } from "./passing.ts";
export { racePage, type RacePageOptions } from "./page.ts";
export { race, type RaceEntry, type RaceOptions } from "./race.ts";
export type {
  CourseKind,
  Race,
  RaceCourse,
  RaceLap,
  RaceSplit,
  SplitTime,
  Stretch,
  TheoreticalBest,
} from "./report.ts";
