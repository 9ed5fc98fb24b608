/** The locks of several hosts in one process, as a kernel has them: they fall with their holder. */
import { Effect } from "effect"

export const makeHeldNames = () => {
  const holders = new Map<string, symbol>()

  const makeHolder = () => {
    const host = Symbol("host")
    const letGo = (name: string) => {
      if (holders.get(name) === host) holders.delete(name)
    }
    return {
      /** Until the scope closes; false where another one has it. */
      take: (name: string) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            if (holders.has(name)) return false
            holders.set(name, host)
            return true
          }),
          (isMine) => Effect.sync(() => isMine && letGo(name))
        ),
      isTaken: (name: string) => Effect.sync(() => holders.has(name)),
      /** The holder is dead. */
      drop: () => {
        for (const name of holders.keys()) letGo(name)
      }
    }
  }
  return { makeHolder }
}
