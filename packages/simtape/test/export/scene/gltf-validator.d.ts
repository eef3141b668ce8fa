/** The parts of Khronos' validator that the tests use; it has no types of its own. */
declare module "gltf-validator" {
  export interface Issue {
    readonly code: string;
    readonly message: string;
    readonly pointer: string;
    /** 0 error, 1 warning, 2 information, 3 hint. */
    readonly severity: number;
  }

  export interface Report {
    readonly issues: {
      readonly numErrors: number;
      readonly numWarnings: number;
      readonly messages: readonly Issue[];
    };
  }

  export interface Options {
    readonly maxIssues?: number;
    readonly externalResourceFunction?: (uri: string) => Promise<Uint8Array>;
  }

  export function validateBytes(bytes: Uint8Array, options?: Options): Promise<Report>;
}
