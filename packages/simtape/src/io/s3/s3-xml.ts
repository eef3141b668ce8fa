import { parseXml, XmlElement } from "@rgrove/parse-xml";
import { StoreError } from "../store/store.ts";

/** One page of a list. */
export interface ListPage {
  readonly contents: readonly { key: string; size: number; etag: string; modified: number }[];
  /** Where the next page begins; null after the last. */
  readonly next: string | null;
}

/** A ListBucketResult, asked for with `encoding-type=url`. Throws `StoreError` for what is no such document. */
export function readList(text: string): ListPage {
  const root = rootOf(text, "ListBucketResult");
  const contents = childrenOf(root, "Contents").map((entry) => ({
    key: decodeURIComponent(textOf(entry, "Key").replaceAll("+", " ")),
    size: Number(textOf(entry, "Size")),
    etag: bareEtag(textOf(entry, "ETag")),
    modified: Date.parse(textOf(entry, "LastModified")),
  }));
  const next = textOf(root, "IsTruncated") === "true" ? textOf(root, "NextContinuationToken") : "";
  return { contents, next: next === "" ? null : next };
}

/** The id of an upload that was begun. Throws `StoreError` for what is no such document. */
export function readUploadId(text: string): string {
  const id = textOf(rootOf(text, "InitiateMultipartUploadResult"), "UploadId");
  if (id === "") throw new StoreError("unavailable", "the server begins an upload without an id", null);
  return id;
}

/** What the server says is wrong; null when `text` is no Error document. */
export function readError(text: string): { readonly code: string; readonly message: string } | null {
  try {
    const root = rootOf(text, "Error");
    return { code: textOf(root, "Code"), message: textOf(root, "Message") };
  } catch {
    return null;
  }
}

/** The document that joins the parts with these etags, in their order. */
export function completion(etags: readonly string[]): string {
  const parts = etags.map((etag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>"${etag}"</ETag></Part>`);
  return `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`;
}

/** Without the quotation marks that headers and lists have around it. */
export function bareEtag(text: string): string {
  return text.replaceAll('"', "");
}

function rootOf(text: string, name: string): XmlElement {
  try {
    const { root } = parseXml(text);
    if (root?.name === name) return root;
    throw new SyntaxError(`${root?.name ?? "nothing"} instead of ${name}`);
  } catch (cause) {
    throw new StoreError("unavailable", `the server does not answer like S3, there is no ${name}`, null, { cause });
  }
}

function childrenOf(element: XmlElement, name: string): XmlElement[] {
  return element.children.filter((child) => child instanceof XmlElement).filter((child) => child.name === name);
}

function textOf(element: XmlElement, name: string): string {
  return childrenOf(element, name)[0]?.text ?? "";
}
