/**
 * Answers of agents: into the chat that a webhook names, by the outbox of its account, else into the log; and to the request
 * that still waits. A message has a key by which it is there once, however often it is sent.
 */
import { Deferred, Effect, Schema } from "effect"
import type { Channel, ChannelLimits } from "../../../bridge/messages/Channel.ts"
import type { Conversation } from "../../../bridge/messages/Conversation.ts"
import type { Piece, ReplyPayload } from "../../../bridge/messages/ReplyPayload.ts"
import { SendError } from "../../../bridge/messages/SendError.ts"
import type { AgentRunResult } from "../../../contract/AgentRunResult.ts"
import { shortLine } from "../../../contract/text/harmless.ts"
import type { WebhooksOptions } from "../webhookOptions.ts"

const Body = Schema.Struct({ text: Schema.String, isError: Schema.optionalKey(Schema.Boolean) })
const isBody = Schema.is(Body)

export const limits: ChannelLimits = {
  // Other channels cut it as they need it.
  text: 1_000_000,
  buttons: { most: 0, label: 0, data: 0 },
  pace: {},
  uploadBytes: 0,
  downloadBytes: 0
}

const longestLogged = 500

/** Files and buttons have no place. */
export const render = ({ text = "", isError }: ReplyPayload): ReadonlyArray<Piece> =>
  text.trim() === "" ? [] : [{ text, body: isError === true ? { text, isError } : { text } }]

export const makeSend = ({ webhooks, post }: WebhooksOptions): Channel["send"] =>
  Effect.fnUntraced(function* (to: Conversation, { body }: Piece, key: string) {
    const ref = { conversation: to, messageId: key }
    if (!isBody(body)) return ref
    const { text, isError } = body
    const own = webhooks.filter(({ chatId }) => chatId === to.chatId)
    const name = own.map((webhook) => webhook.name).join(", ") || to.chatId
    const tell = own.find((webhook) => webhook.tell !== undefined)?.tell
    if (tell === undefined) {
      yield* Effect.logInfo(`webhook ${name}: ${shortLine(text, longestLogged)}`)
      return ref
    }
    const payload = { text: `Webhook ${name}:\n\n${text}`, ...(isError === true ? { isError } : {}) }
    const isPosted = yield* post(tell, payload, key)
    return isPosted ? ref : yield* new SendError({ reason: { _tag: "Unreachable" } })
  })

/** Requests that wait for the end of their turn. */
export const makeAnswers = () => {
  const waiting = new Set<{ readonly turnId: string; readonly end: Deferred.Deferred<AgentRunResult> }>()
  return {
    size: () => waiting.size,
    /** Expects the end of a turn from now on, until `forget`. */
    expect: (turnId: string) => {
      const request = { turnId, end: Deferred.makeUnsafe<AgentRunResult>() }
      waiting.add(request)
      return { end: Deferred.await(request.end), forget: Effect.sync(() => void waiting.delete(request)) }
    },
    ended: (turnId: string, result: AgentRunResult) => {
      for (const request of waiting)
        if (request.turnId === turnId) Deferred.doneUnsafe(request.end, Effect.succeed(result))
    }
  }
}
export type Answers = ReturnType<typeof makeAnswers>
