/** Where it is kept which channel's messages are listed, by its name. */
export const MESSAGES = "messages";
