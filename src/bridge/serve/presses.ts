/** Presses of the bridge's own buttons, each acknowledged once; the buttons are replaced by the choice. */
import { Effect, Fiber } from "effect"
import { harmless } from "../../contract/text/harmless.ts"
import { untraced } from "../../contract/untraced.ts"
import { literal } from "../../conversations/export/markdownText.ts"
import type { Role } from "../access/AccessOptions.ts"
import { type Shown, showMissing } from "../delivery/asking.ts"
import { OutboxSignal } from "../delivery/deliverOutbox.ts"
import type { Pressed } from "../messages/Incoming.ts"
import { Account } from "./account.ts"
import { AgentRequests } from "./agentRequests.ts"
import { Direct, patiently } from "./direct.ts"
import { notYours, over, type PressReader, type Settled } from "./pressReader.ts"

const showReplies: { readonly [S in Shown]: string | Settled } = {
  shown: { settled: "It is sent again." },
  there: { settled: "It is there, or on its way." },
  nothing: over
}

/** The *Show* button below a notice that an answer may be missing. */
export const showPresses = Effect.gen(function* () {
  const { journal } = yield* Account
  const { ring } = yield* OutboxSignal
  const press: PressReader = ({ data, conversation }) =>
    data.startsWith("s:")
      ? Effect.map(Effect.tap(showMissing(journal, conversation, data), ring), (result) => showReplies[result])
      : undefined
  return press
})

/** Longest delay of later updates by a press. */
const longestWait = "1 second"

/** Each press is acknowledged once: by the requests of agents, else by the first reader that knows its data. */
export const makePresses = Effect.fn(...untraced("Presses.makePresses"))(function* (
  readers: ReadonlyArray<PressReader>
) {
  const { channel, inBackground } = yield* Account
  const requests = yield* AgentRequests
  const settle = yield* settledButtons
  const readBy = (pressed: Pressed, role: Role): Effect.Effect<void> => {
    for (const read of readers) {
      const done = read(pressed, role)
      if (done === undefined) continue
      return Effect.matchCauseEffect(done, {
        onSuccess: (reply) =>
          typeof reply === "object"
            ? Effect.andThen(channel.acknowledge(pressed, reply.settled), inBackground(settle(pressed, reply.settled)))
            : channel.acknowledge(pressed, reply),
        onFailure: (cause) =>
          Effect.andThen(
            Effect.logWarning("a press failed", cause),
            channel.acknowledge(pressed, "That did not work. Try again.")
          )
      })
    }
    return channel.acknowledge(pressed, over)
  }
  const answer = (pressed: Pressed, role: Role | undefined): Effect.Effect<void> =>
    role === undefined
      ? channel.acknowledge(pressed, notYours)
      : Effect.flatMap(requests.press(pressed), (isDone) => (isDone ? Effect.void : readBy(pressed, role)))
  return (pressed: Pressed, role: Role | undefined): Effect.Effect<void> =>
    answer(pressed, role).pipe(
      Effect.catchCause((cause) => Effect.logWarning("a press failed", cause)),
      inBackground,
      Effect.flatMap((fiber) => Effect.asVoid(Effect.timeoutOption(Fiber.await(fiber), longestWait)))
    )
})

const longestName = 60

/** Replaces the buttons of an outbox message by the choice. Only if it has the button: a press may be forged. */
const settledButtons = Effect.gen(function* () {
  const { outbox } = (yield* Account).journal
  const { edit } = yield* Direct
  return ({ conversation, messageId, data, sender }: Pressed, word: string): Effect.Effect<void> =>
    Effect.gen(function* () {
      if (edit === undefined || messageId === undefined) return
      const row = yield* outbox.ofMessage(conversation, messageId)
      if (row === undefined || !JSON.stringify(row.piece.body).includes(JSON.stringify(data))) return
      const name = harmless(sender.name ?? sender.id).slice(0, longestName)
      const original = row.piece.text.split("\n").map(literal).join("\n")
      const text = `${original}\n\n${literal(name)}: ${word}`
      yield* patiently(edit("request", { conversation, messageId }, { text }), true)
    }).pipe(Effect.ignore)
})
