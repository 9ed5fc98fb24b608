/** One log line for a refused peer, at most one a second, so that endless attempts do not fill the log. */
import { Clock, Effect } from "effect"

const everyMs = 1000

/** `what` begins the line. */
export const refusalLog = (what: string) =>
  Effect.withFiber<(peer: string, why: string) => void>((fiber) =>
    Effect.map(Clock.Clock, (clock) => {
      let last = Number.NEGATIVE_INFINITY
      let unsaid = 0
      return (peer, why) => {
        const now = clock.currentTimeMillisUnsafe()
        if (now - last < everyMs) {
          unsaid += 1
          return
        }
        const others = unsaid === 0 ? "" : `; ${unsaid} more since the last line`
        last = now
        unsaid = 0
        Effect.runForkWith(fiber.context)(Effect.logWarning(`${what}, ${peer.slice(0, 80)}: ${why}${others}`))
      }
    })
  )
