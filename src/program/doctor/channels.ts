/** What channels of `reins serve` say of themselves: each asks what it needs, and changes nothing. */
import { Effect } from "effect"
import { readBot } from "../../config/telegram.ts"
import type { Channel, Finding } from "../../messages/Channel.ts"
import type { Configuration } from "../../types/Configuration.ts"

export interface ChannelReport {
  readonly channel: string
  readonly findings: ReadonlyArray<Finding>
}

const failure = (message: string, help: string): Finding => ({ level: "failure", message, help })

/** How long a channel may take to look. */
const patience = "30 seconds"

/** Never fails; a channel that does not answer is a finding. */
export const channelFindings = ({ id, check }: Pick<Channel, "id" | "check">): Effect.Effect<ReadonlyArray<Finding>> =>
  check.pipe(
    Effect.timeout(patience),
    Effect.catchCause(() =>
      Effect.succeed([
        failure(`${id} did not say how it is within ${patience}`, "Look whether this machine reaches it")
      ])
    )
  )

/** Of a bot nobody may write to. */
const peopleFindings = ({
  owners = [],
  admins = [],
  approvers = [],
  users = []
}: NonNullable<Configuration["telegram"]>) =>
  owners.length + admins.length + approvers.length + users.length > 0
    ? []
    : [
        {
          level: "warning",
          message: "telegram lists nobody: only who has paired may write to the bot",
          help: "List your id as telegram.owners, or start once with reins serve --pair"
        } as const
      ]

const ofTelegram = Effect.fnUntraced(function* (
  configuration: Configuration,
  telegram: NonNullable<Configuration["telegram"]>
) {
  const bot = yield* readBot(configuration)
  if (bot === undefined) return []
  const { openTelegram } = yield* Effect.promise(() => import("../serve/telegramChannel.ts"))
  const opened = yield* Effect.result(openTelegram(bot))
  if (opened._tag === "Failure") {
    const { problem, help = "Correct telegram.token of reins.toml" } = opened.failure
    return [failure(`telegram: ${problem}`, help)]
  }
  return [...peopleFindings(telegram), ...(yield* channelFindings(opened.success))]
})

/** Of each channel that is configured, beside the page. */
export const examineChannels = (configuration: Configuration): Effect.Effect<ReadonlyArray<ChannelReport>> => {
  const { telegram } = configuration
  if (telegram === undefined) return Effect.succeed([])
  return ofTelegram(configuration, telegram).pipe(
    Effect.catch((problem) =>
      Effect.succeed([failure(problem, "Set the variable, or name a file that only you can read: mode 0600")])
    ),
    Effect.map((findings) => [{ channel: "telegram", findings }]),
    Effect.scoped
  )
}
