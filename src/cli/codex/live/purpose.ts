/** What a request about a turn is for: its answer is read by that. */
import type { Input } from "./input.ts"

export type Purpose =
  | { readonly _tag: "Turn"; readonly settings: Settings }
  | { readonly _tag: "Steer"; readonly input: Input }
  | { readonly _tag: "Explain" }
  | { readonly _tag: "Interrupt" }
  | { readonly _tag: "List" }
  | { readonly _tag: "Clean" }

/** Of a turn, by Codex's names. */
export type Settings = Readonly<Record<string, unknown>>
