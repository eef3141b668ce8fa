/** The collection of clips, which the server makes of what was reported: those who are in them do not see them. */
export const REPORTS = "reports";
