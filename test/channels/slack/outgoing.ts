/** The half of the channel that calls a fake Slack. */
import { Effect, type Exit } from "effect"
import { makeClient } from "../../../src/channels/slack/calls/client.ts"
import { render } from "../../../src/channels/slack/outgoing/render.ts"
import { makeAcknowledge, makeWrite } from "../../../src/channels/slack/outgoing/write.ts"
import { checkSlack, type SlackOptions } from "../../../src/channels/slack/SlackOptions.ts"
import { SlackServer } from "../../../src/testing/Scoped.ts"
import type { SlackServerOptions } from "../../../src/testing.ts"

export const [direct, channel] = ["D1001", "C1"]

export const placeOf = (chatId: string, threadId?: string) => ({
  channel: "slack",
  accountId: "A0TESTAPP",
  chatId,
  ...(threadId === undefined ? {} : { threadId })
})

/** `onRefused` collects the tokens that were refused. */
export const start = (options: SlackServerOptions = {}, more: Partial<SlackOptions> = {}) =>
  Effect.gen(function* () {
    const slack = yield* SlackServer.make({ pace: false, ...options })
    const checked = yield* Effect.fromResult(
      checkSlack({ botToken: slack.token, appToken: slack.appToken, apiRoot: slack.url, ...more })
    )
    const refused: Array<string> = []
    const client = makeClient(checked, (token) => Effect.sync(() => void refused.push(token)))
    slack.open(direct)
    slack.open(channel)
    const parts = { client, apiRoot: checked.apiRoot }
    return {
      slack,
      checked,
      client,
      refused,
      ...makeWrite({ ...parts, accountId: "A0TESTAPP" }),
      acknowledge: makeAcknowledge(parts)
    }
  }).pipe(Effect.orDie)

export const pieceOf = (text: string) => {
  const [piece] = render({ text })
  if (piece === undefined) throw new Error("it is not a text")
  return piece
}

export const tagOf = <A>(exit: Exit.Exit<A, { readonly reason: { readonly _tag: string } }>) => {
  if (exit._tag === "Success") return "done"
  const failure = exit.cause.reasons.find((reason) => reason._tag === "Fail")
  return failure === undefined ? "died" : failure.error.reason._tag
}
