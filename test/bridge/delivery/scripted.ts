/**
 * A channel whose chat is a list, and a host that can be killed at any step of its journal or channel: from then on
 * nothing that it does goes any further, as after SIGKILL.
 */
import { Deferred, Effect, Latch, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { makeNewest } from "../../../src/bridge/delivery/attempt.ts"
import { deliverOutbox, makeSignal, type OutboxOptions } from "../../../src/bridge/delivery/deliverOutbox.ts"
import { makePacer } from "../../../src/bridge/delivery/pacer.ts"
import type { AccountJournal } from "../../../src/bridge/journal/Journal.ts"
import type { NewPiece } from "../../../src/bridge/journal/outbox.ts"
import type { Channel, Pace } from "../../../src/bridge/messages/Channel.ts"
import { type Conversation, conversationText } from "../../../src/bridge/messages/Conversation.ts"
import { ReplyPayload } from "../../../src/bridge/messages/ReplyPayload.ts"
import { SendError, type SendReason } from "../../../src/bridge/messages/SendError.ts"

export interface Message {
  readonly to: Conversation
  readonly key: string
  readonly text: string
  /** Payloads of its buttons. */
  readonly data: ReadonlyArray<string>
  readonly at: number
  readonly isLate: boolean
}

/**
 * The fate of one call. `cutBefore`, `cutAfter`: no answer, and it is not there, or is; `late`: is, ten seconds later.
 * `hangs`: no answer ever.
 */
export type Fault = SendReason | "ok" | "cutBefore" | "cutAfter" | "late" | "hangs"

const Body = Schema.Struct({ payload: ReplyPayload })
const bodyOf = Schema.decodeUnknownSync(Body)

export interface WorldOptions {
  readonly accountId: string
  readonly canFind?: boolean
  readonly pace?: Pace
  readonly buttons?: number
  /** The nth send, from 0. */
  readonly fault?: (call: number, key: string, to: Conversation) => Fault
  /** Wrong answer of the nth look. */
  readonly lookFault?: (look: number) => SendReason | undefined
}

/** Messages as a person sees them, and the answers of the channel; it outlives the hosts. */
export const makeWorld = (options: WorldOptions) => {
  const {
    accountId,
    canFind = false,
    pace = {},
    buttons = 8,
    fault = () => "ok",
    lookFault = () => undefined
  } = options
  const chat: Array<Message> = []
  const calls: Array<{ readonly key: string; readonly at: number; readonly to: Conversation }> = []
  const looks: Array<{ readonly key: string; readonly at: number; readonly after: string | undefined }> = []
  const arrived = (to: Conversation, key: string, body: unknown, at: number, isLate = false) => {
    const { payload } = bodyOf(body)
    const data = (payload.buttons ?? []).flat().map((button) => button.data)
    chat.push({ to, key, text: payload.text ?? "", data, at, isLate })
    return { conversation: to, messageId: `m${chat.length}` }
  }
  const failed = (reason: SendReason) => Effect.fail(new SendError({ reason }))
  const now = Effect.clockWith((clock) => clock.currentTimeMillis)
  const find: NonNullable<Channel["find"]> = (to, _piece, key, after) =>
    Effect.flatMap(now, (at) => {
      looks.push({ key, at, after })
      const reason = lookFault(looks.length - 1)
      if (reason !== undefined) return failed(reason)
      const index = chat.findIndex((one) => one.key === key && conversationText(one.to) === conversationText(to))
      return Effect.succeed(index < 0 ? undefined : { conversation: to, messageId: `m${index + 1}` })
    })
  const channel: Channel = {
    id: "test",
    accountId,
    limits: { text: 4_000, buttons: { most: buttons, label: 40, data: 64 }, pace, uploadBytes: 0, downloadBytes: 0 },
    isPerson: () => true,
    incoming: () => Stream.never,
    render: (payload) => [{ text: payload.text ?? "", body: JSON.parse(JSON.stringify({ payload })) }],
    send: (to, { body }, key) =>
      Effect.gen(function* () {
        const at = yield* now
        calls.push({ key, at, to })
        const what = fault(calls.length - 1, key, to)
        if (typeof what === "object") return yield* failed(what)
        if (what === "hangs") return yield* Effect.never
        if (what === "cutBefore") return yield* failed({ _tag: "Unknown" })
        if (what === "late") {
          const late = Effect.andThen(
            Effect.sleep("10 seconds"),
            Effect.sync(() => arrived(to, key, body, at + 10_000, true))
          )
          yield* Effect.forkDetach(late)
          return yield* failed({ _tag: "Unknown" })
        }
        const ref = arrived(to, key, body, at)
        return what === "cutAfter" ? yield* failed({ _tag: "Unknown" }) : ref
      }),
    ...(canFind ? { find } : {}),
    acknowledge: () => Effect.void,
    check: Effect.succeed([])
  }
  return { chat, calls, looks, channel }
}
export type World = ReturnType<typeof makeWorld>

export interface Kill {
  /** From 1. */
  readonly atStep: number
  /** Whether the step itself is still done. */
  readonly when: "before" | "after"
}

/** The steps of a host, until it is killed. */
const makeSteps = (kill: Kill | undefined) => {
  const killed = Latch.makeUnsafe(false)
  let steps = 0
  const step =
    <A extends ReadonlyArray<unknown>, B, E, R>(does: (...args: A) => Effect.Effect<B, E, R>) =>
    (...args: A): Effect.Effect<B, E, R> =>
      Effect.suspend((): Effect.Effect<B, E, R> => {
        steps += 1
        if (kill === undefined || steps < kill.atStep) return does(...args)
        const die = Effect.andThen(
          Effect.sync(() => killed.openUnsafe()),
          Effect.never
        )
        return steps === kill.atStep && kill.when === "after" ? Effect.andThen(does(...args), die) : die
      })
  /** Without a step: progress only stops. */
  const alive = <B, E, R>(does: Effect.Effect<B, E, R>) => Effect.suspend(() => (killed.isOpen() ? Effect.never : does))
  return { step, alive, killed }
}

/** Until it is killed, or the time is over; a host that was killed is left as it is, since it does nothing any more. */
export const runHost = Effect.fnUntraced(function* (
  account: AccountJournal,
  { channel: real }: World,
  { kill, forMs, ...options }: Partial<OutboxOptions> & { readonly kill?: Kill | undefined; readonly forMs: number }
) {
  const { step, alive, killed } = makeSteps(kill)
  const { outbox } = account
  const journal: AccountJournal = {
    ...account,
    outbox: {
      ...outbox,
      heads: alive(outbox.heads),
      sending: step(outbox.sending),
      sent: step(outbox.sent),
      again: step(outbox.again),
      hold: step(outbox.hold),
      fail: step(outbox.fail),
      unknown: step(outbox.unknown)
    }
  }
  const find = real.find === undefined ? {} : { find: step(real.find) }
  const channel: Channel = { ...real, send: step(real.send), ...find }
  const stop = yield* Deferred.make<void>()
  const host = Effect.scoped(
    Effect.gen(function* () {
      const pacer = yield* makePacer(channel.limits.pace)
      const signal = makeSignal()
      yield* deliverOutbox({ journal, channel, pacer, newest: makeNewest(journal), signal, ...options })
    })
  )
  yield* Effect.forkDetach(Effect.raceFirst(host, Deferred.await(stop)))
  yield* Effect.repeat(TestClock.adjust(0), { times: 50 })
  let passed = 0
  while (passed < forMs && !killed.isOpen()) {
    yield* TestClock.adjust(Math.min(20_000, forMs - passed))
    passed += 20_000
  }
  const wasKilled = killed.isOpen()
  if (!wasKilled) yield* Deferred.succeed(stop, undefined)
  yield* Effect.repeat(TestClock.adjust(0), { times: 5 })
  return wasKilled
})

export const chatOf = (accountId: string, chatId: string, threadId?: string): Conversation => ({
  channel: "test",
  accountId,
  chatId,
  ...(threadId === undefined ? {} : { threadId })
})

export const textPiece = (
  key: string,
  conversation: Conversation,
  kind: NewPiece["kind"] = "answer",
  file?: string
): NewPiece => ({
  key,
  conversation,
  kind,
  turnId: key.split("/")[0] ?? key,
  piece: {
    text: `text of ${key}`,
    body: { payload: { text: `text of ${key}` } },
    ...(file === undefined ? {} : { file })
  }
})
