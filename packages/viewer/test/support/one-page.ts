import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { startViewer, type Viewer } from "./viewer.ts";

/** How long a page waits for what is to be there, milliseconds: for a busy machine. */
const TIMEOUT = 20_000;

/**
 * One page for all tests of a group, given to `ready` before the first of them. What goes wrong in it fails the test in
 * which it does.
 */
export function onePage(
  files: readonly string[],
  ready: (opened: { readonly viewer: Viewer; readonly page: Page }) => void,
): void {
  let viewer: Viewer | undefined;
  let errors: readonly string[] = [];
  beforeAll(async () => {
    viewer = await startViewer(files);
    const { page, ...reported } = await viewer.page("about:blank");
    ({ errors } = reported);
    page.setDefaultTimeout(TIMEOUT);
    ready({ viewer, page });
  });
  afterEach(() => {
    expect(errors).toEqual([]);
  });
  afterAll(() => viewer?.[Symbol.asyncDispose]());
}
