/** What fails at the files of a session → a sentence that shows nothing of them. */
import { Effect } from "effect"
import { codeOf, explain } from "../../contract/errors/system.ts"
import { NotMoved, notMoved } from "./packed.ts"

const problemOf = (cause: unknown): NotMoved => {
  if (cause instanceof NotMoved) return cause
  const code = codeOf(cause)
  return notMoved(`the files of the CLI cannot be used: ${code === undefined ? "an unknown error" : explain(code)}`)
}

export const asNotMoved = <A>(work: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, NotMoved> =>
  Effect.tryPromise({ try: work, catch: problemOf })
