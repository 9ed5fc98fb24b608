/** Checks each configured channel for `reins doctor`, each with a time limit. */
import { Cause, Effect, Option } from "effect"
import type { Channel, Finding } from "../../bridge/messages/Channel.ts"

export interface CheckedChannel extends Pick<Channel, "id" | "check"> {
  /** Fixes problems before the check; returns sentences about it. Default: nothing. */
  readonly fix?: Effect.Effect<ReadonlyArray<string>>
}

export interface ChannelReport {
  readonly channel: string
  readonly findings: ReadonlyArray<Finding>
  readonly fixed?: ReadonlyArray<string>
}

const patience = "10 seconds"
const help = "Try again; then look at its section of reins.toml"

const fixedBy = ({ fix }: CheckedChannel): Effect.Effect<Pick<ChannelReport, "fixed">> =>
  fix === undefined
    ? Effect.succeed({})
    : Effect.timeoutOption(fix, patience).pipe(
        Effect.map(Option.getOrElse((): ReadonlyArray<string> => [])),
        Effect.map((fixed) => (fixed.length === 0 ? {} : { fixed }))
      )

/** A check that fails or times out is a finding, too. */
const checked = ({ id: channel, check }: CheckedChannel): Effect.Effect<ChannelReport> =>
  Effect.suspend(() => check).pipe(
    Effect.timeoutOption(patience),
    Effect.map(
      Option.getOrElse(
        (): ReadonlyArray<Finding> => [{ level: "failure", message: `it did not answer within ${patience}`, help }]
      )
    ),
    Effect.catchCause((cause) => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
      const broken: Finding = { level: "failure", message: "its check broke off", help }
      return Effect.as(Effect.logError(`the check of ${channel} broke off`, Cause.squash(cause)), [broken])
    }),
    Effect.map((findings) => ({ channel, findings }))
  )

/** Runs concurrently; reports are in the order of the channels. */
export const checkChannels = (channels: ReadonlyArray<CheckedChannel>): Effect.Effect<ReadonlyArray<ChannelReport>> =>
  Effect.forEach(
    channels,
    (result) =>
      Effect.flatMap(fixedBy(result), (fixed) => Effect.map(checked(result), (report) => ({ ...report, ...fixed }))),
    { concurrency: "unbounded" }
  )
