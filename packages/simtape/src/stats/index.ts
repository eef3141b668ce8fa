/** What the numbers of a recording are: extents, means, quantiles, rates, gaps, distances, events a minute. */
export {
  type ChannelRates,
  type PathStatistics,
  QUANTILES,
  type RecordingStatistics,
  type Travel,
} from "./report.ts";
export { statistics, type StatisticsOptions } from "./statistics.ts";
