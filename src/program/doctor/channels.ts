/** What each channel of the configuration says of itself, as `reins doctor` asks it: each within its time, whatever it does. */
import { Cause, Effect, Option } from "effect"
import type { Channel, Finding } from "../../messages/Channel.ts"

/** The part of a channel that is asked. */
export type CheckedChannel = Pick<Channel, "id" | "check">

export interface ChannelReport {
  /** Such as `web`. */
  readonly channel: string
  readonly findings: ReadonlyArray<Finding>
}

const patience = "10 seconds"

const help = "Try again; then look at its section of reins.toml"

/** One that fails or says nothing is a finding, too. Side by side; in the order of the channels. */
export const checkChannels = (channels: ReadonlyArray<CheckedChannel>): Effect.Effect<ReadonlyArray<ChannelReport>> =>
  Effect.forEach(
    channels,
    ({ id: channel, check }) =>
      Effect.suspend(() => check).pipe(
        Effect.timeoutOption(patience),
        Effect.map(
          Option.getOrElse((): ReadonlyArray<Finding> => {
            return [{ level: "failure", message: `it did not answer within ${patience}`, help }]
          })
        ),
        Effect.catchCause((cause) => {
          if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
          const broken: Finding = { level: "failure", message: "its check broke off", help }
          return Effect.as(Effect.logError(`the check of ${channel} broke off`, Cause.squash(cause)), [broken])
        }),
        Effect.map((findings) => ({ channel, findings }))
      ),
    { concurrency: "unbounded" }
  )
