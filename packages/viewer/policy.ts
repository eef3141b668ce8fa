/**
 * What the page may do: run its own scripts and workers, compile WebAssembly (zstd), style elements through the CSSOM,
 * and read recordings from addresses a user gives. No eval, no inline scripts, no inline style sheets.
 */
export const CONTENT_SECURITY_POLICY: string = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self' http: https:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
