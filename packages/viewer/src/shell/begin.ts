/** What the page needs once the user does something: loaded then. */
export { LayoutKeeper } from "./layout/layout-keeper.ts";
export { moreCommands } from "./more-commands.ts";
