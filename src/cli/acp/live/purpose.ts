/** The purpose of a request of ours, by which its answer is understood. */
import type { AcpRequest } from "./flavor.ts"

export type Purpose =
  | { readonly _tag: "Initialize" }
  | { readonly _tag: "Session" }
  | { readonly _tag: "Begin"; readonly request: AcpRequest }
  | { readonly _tag: "Prompt" }
  | { readonly _tag: "Change"; readonly changeId: string; readonly request: AcpRequest }
