/** The collection of clips, which the server cuts for reports: the people who are in the clips do not see them. */
export const REPORTS = "reports";
