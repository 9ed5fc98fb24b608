/** An adapter runs one prompt through its package, as the package's own documentation shows it. */

export type Item =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "tool" }
  | { readonly kind: "output"; readonly length: number }
  | { readonly kind: "notice"; readonly text: string }
  | { readonly kind: "result" }

export interface Task {
  /** The stub, an executable file with the CLI's name; its directory is also the first one of PATH. */
  readonly command: string
  readonly directory: string
  readonly prompt: string
  readonly abort: AbortController
  /** Where the package documents a time-out: this one. */
  readonly timeoutMs: number | undefined
  /** To be awaited for every item: the consumer pauses by not resolving it. */
  readonly take: (item: Item) => Promise<void>
}

/** Returns how the package says that the run has ended; what it throws is told by the host. */
export type Run = (task: Task) => Promise<string>

export const nothingTold = "ends without a result, no error"

export const described = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const line = error.message.split("\n")[0] ?? ""
  return `${error.name}: ${line.length > 120 ? `${line.slice(0, 120)}…` : line}`
}
