/** Requests of agents in the chats of an account: the approvals at work on its channel. */
import { Effect } from "effect"
import type { AccountJournal } from "../../journal/Journal.ts"
import type { Channel } from "../../messages/Channel.ts"
import type { Sender } from "../../messages/ChannelMessage.ts"
import type { Conversation } from "../../messages/Conversation.ts"
import type { Surface } from "../approvals/board.ts"
import { makeApprovals } from "../approvals/makeApprovals.ts"
import { type Direct, patiently } from "./direct.ts"
import { isAskUser } from "./questions.ts"

/** How long people may take: a phone is not always at hand. */
export const answerDeadlineMs = 60 * 60 * 1000

/** Of a channel that draws requests from events: all of each is there, and changes by itself. */
const drawnBy = (watch: NonNullable<Channel["watch"]>): Omit<Surface, "buttons" | "deadlineMs"> => ({
  isOneMessage: () => true,
  send: (conversation, _payload, key) => Effect.succeed({ conversation, messageId: key }),
  edit: () => Effect.void,
  over: ({ id, conversation, turnId, request }) =>
    watch({
      _tag: "Event",
      conversation,
      turnId,
      event: request.startsWith('{"type":"question"')
        ? { type: "question_answer", requestId: id, by: "end" }
        : { type: "permission_decision", requestId: id, decision: "withdrawn", by: "end" }
    })
})

export const makeRequests = (
  channel: Channel,
  { requests }: Pick<AccountJournal, "requests">,
  { send, edit }: Direct,
  mayAnswer: (conversation: Conversation, sender: Sender) => boolean
) =>
  makeApprovals({
    // Questions that an agent asks by a tool wait for no host: their answer is a message.
    rows: { ...requests, open: Effect.map(requests.open, (rows) => rows.filter(({ request }) => !isAskUser(request))) },
    acknowledge: channel.acknowledge,
    mayAnswer,
    surface: {
      buttons: channel.limits.buttons,
      deadlineMs: answerDeadlineMs,
      ...(channel.watch === undefined
        ? {
            isOneMessage: (payload) => channel.render(payload).length <= 1,
            // An agent waits for it: twice is better than never, and either can be answered.
            send: (to, payload, key) => patiently(send("request", to, payload, key), true),
            edit: edit && ((ref, payload) => Effect.asVoid(patiently(edit("request", ref, payload), true)))
          }
        : drawnBy(channel.watch))
    }
  })
