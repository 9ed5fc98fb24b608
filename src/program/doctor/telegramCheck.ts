/** What Telegram says of a bot, as `reins doctor` asks it; nothing is changed there but by `--fix`. */
import { Effect } from "effect"
import { readBot } from "../../api/config/telegram.ts"
import type { Finding } from "../../bridge/messages/Channel.ts"
import type { Configuration } from "../../contract/Configuration.ts"
import type { CheckedChannel } from "./channels.ts"

const failure = (message: string, help: string): Finding => ({ level: "failure", message, help })

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
  return [...peopleFindings(telegram), ...(yield* opened.success.check)]
})

/** A webhook goes; what else is wrong is for people, and the check tells it. */
const fixTelegram = Effect.fnUntraced(
  function* (configuration: Configuration) {
    const bot = yield* readBot(configuration)
    if (bot === undefined) return []
    const { freeTelegram } = yield* Effect.promise(() => import("../serve/telegramChannel.ts"))
    const place = yield* freeTelegram(bot)
    return place === undefined
      ? []
      : [`The webhook at ${place} is removed: messages come here again, those that waited, too.`]
  },
  Effect.scoped,
  Effect.orElseSucceed((): ReadonlyArray<string> => [])
)

/** Of the bot that is configured. @param fixes What can be put right is. */
export const telegramChannel = (configuration: Configuration, fixes: boolean): ReadonlyArray<CheckedChannel> => {
  const { telegram } = configuration
  if (telegram === undefined) return []
  const check = ofTelegram(configuration, telegram).pipe(
    Effect.catch((problem) =>
      Effect.succeed([failure(problem, "Set the variable, or name a file that only you can read: mode 0600")])
    ),
    Effect.scoped
  )
  return [{ id: "telegram", check, ...(fixes ? { fix: fixTelegram(configuration) } : {}) }]
}
