/** Queues a message before its tool answers. No tool waits for longer than a second: a model would call it again. */
import { Effect, Fiber, Option } from "effect"
import { untraced } from "../../contract/untraced.ts"
import type { Conversation } from "../messages/Conversation.ts"
import type { ReplyPayload } from "../messages/ReplyPayload.ts"
import { maySendElsewhere } from "./GatewayOptions.ts"
import type { Gateway, GatewayTarget, GatewayTurn, Outlet } from "./gatewayContext.ts"
import { quoted, refuse, type ToolRefused } from "./toolInput.ts"

const patience = "1 second"

/** The row may still be written. */
export const notKnown = refuse(
  "It is not known whether this was queued: the store of the bridge does not answer. It may still be sent, so do not call again; say in your answer what you wanted to send."
)

/** Slow work continues in the background; its outcome is reported as unknown. */
export const withinPatience = <A, E>(work: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkDetach(work)
    const done = yield* Effect.timeoutOption(Fiber.join(fiber), patience)
    return Option.isSome(done) ? done.value : yield* notKnown
  })

export interface Addressed {
  readonly conversation: Conversation
  readonly outlet: Outlet
}

const mostNames = 20

/** Forged names, ids of chats and names of prototypes match no listed target. */
export const addressOf = (
  { conversation, outlet, profile = "reply", targets = [] }: Gateway,
  { role }: GatewayTurn,
  to: string | undefined
): Effect.Effect<Addressed, ToolRefused> => {
  if (to === undefined) return Effect.succeed({ conversation, outlet })
  if (!maySendElsewhere(profile, role)) {
    return Effect.fail(refuse(`"to" is not allowed here: leave it out to write to this chat.`))
  }
  const target = targets.find(({ name }) => name === to)
  const there = target?.outlet()
  if (target !== undefined && there !== undefined) {
    return Effect.succeed({ conversation: target.conversation, outlet: there })
  }
  if (target !== undefined) return Effect.fail(refuse(`"to": ${quoted(to)} cannot be reached now: it is not served.`))
  return Effect.fail(refuse(`"to": ${quoted(to)} is not a listed target. ${namesOf(targets)}`))
}

const namesOf = (targets: ReadonlyArray<GatewayTarget>) => {
  if (targets.length === 0) return "No targets are listed: leave it out to write to this chat."
  const names = targets.slice(0, mostNames).map(({ name }) => JSON.stringify(name))
  return `Listed are ${names.join(", ")}${targets.length > mostNames ? " and others, see list_targets" : ""}.`
}

export interface Sending extends Addressed {
  readonly sendId: string
  readonly turn: GatewayTurn
  readonly tool: string
  readonly payload: ReplyPayload
  readonly text: string
  readonly media: ReadonlyArray<{ readonly path: string; readonly digest: string }>
}

/** Returns the queued send: this one, or an earlier one that is the same. */
export const queue = Effect.fn(...untraced("Sending.queue"))(function* (sending: Sending) {
  const { conversation, outlet, payload, sendId, text, tool, turn, media } = sending
  const pieces = outlet.render(payload).map((piece, at) => ({ key: `${sendId}/${at}`, piece }))
  const file = payload.mediaUrls?.[0]
  if (file !== undefined && !pieces.some(({ piece }) => piece.file === file)) {
    return yield* refuse("This chat takes no files. Say where the file is, or send its text.")
  }
  if (pieces.length === 0) return yield* refuse("There is nothing to be seen in it: nothing was sent.")
  const put = outlet.journal.sends.put({
    ...{ sendId, turnId: turn.id, tool, conversation, text, pieces },
    mediaUrls: media.map(({ path }) => path),
    digests: media.map(({ digest }) => digest)
  })
  const queued = yield* withinPatience(
    Effect.tap(put, () => outlet.onPut).pipe(
      Effect.tapCause((cause) => Effect.logWarning("a message of the agent could not be queued", cause)),
      Effect.catchTags({
        ChannelLost: () => Effect.fail(refuse("This was not sent: the bridge is ending.")),
        StoreError: () => Effect.fail(notKnown)
      })
    )
  )
  if (queued._tag !== "TooMany") return { id: queued.sendId, isSame: queued._tag === "Same" }
  return yield* refuse(
    `This was not sent: a turn may send ${queued.most} messages, and has. Put the rest into your answer.`
  )
})

/** The reply to the model. */
export const queuedAnswer = ({ id, isSame }: { readonly id: string; readonly isSame: boolean }) =>
  isSame ? { status: "queued", id, note: "It was queued before: it is sent once." } : { status: "queued", id }
