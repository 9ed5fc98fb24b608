/** One step of one piece, between two changes of the journal: after a crash the host knows what it had begun. */
import { Clock, Effect } from "effect"
import { untraced } from "../../contract/untraced.ts"
import type { ChangeError } from "../journal/account.ts"
import type { OutboxRow } from "../journal/outbox.ts"
import { conversationText } from "../messages/Conversation.ts"
import type { MessageRef } from "../messages/ReplyPayload.ts"
import { SendError, type SendReason } from "../messages/SendError.ts"
import { askedAgain, askNumber, maybeMissing, refused, threadGone, tooOld } from "./asking.ts"
import { type Attempt, type AttemptOptions, makeAttempts, pieceMarks, putNewest } from "./attempt.ts"
import { holdMsOf } from "./budgets.ts"

/** The reaction to a failed attempt; pure. */
export type Verdict =
  /** Surely not sent: another attempt, after so long. */
  | { readonly do: "again"; readonly inMs: number; readonly isUnreachable: boolean }
  /** It may have arrived. */
  | { readonly do: "doubt" }
  | { readonly do: "hold" }
  /** `isHeard`: the person can be told in the same place. */
  | { readonly do: "fail"; readonly isHeard: boolean }

const [firstMs, longestMs] = [200, 30_000]

/** `failures`: failed attempts in a row before this one. */
const backOffMs = (failures: number): number => Math.min(firstMs * 2 ** Math.min(failures, 20), longestMs)

const verdictOf = (reason: SendReason, { failures }: { readonly failures: number }): Verdict => {
  switch (reason._tag) {
    case "TooFast":
      return { do: "again", inMs: holdMsOf(reason.retryAfterMs), isUnreachable: false }
    case "Unreachable":
      return { do: "again", inMs: backOffMs(failures), isUnreachable: true }
    case "Unknown":
      return { do: "doubt" }
    case "Closed":
      return { do: "hold" }
    case "Refused":
      return { do: "fail", isHeard: true }
    case "Gone":
      return { do: "fail", isHeard: reason.what === "message" }
  }
}

// Which pieces have become too old to be sent unasked; pure, but for what was released.

const tooOldMs = 6 * 3_600_000
const mostLanes = 1_000

/** Questions, and pieces that a person asked for, are sent at any age. */
const isTooOld = ({ at, kind, key }: OutboxRow, wallNow: number): boolean =>
  wallNow - at > tooOldMs && kind !== "ask" && !key.includes("/shown/")

/** Held pieces that the person has released by writing. */
const isReleased = ({ tries, notBefore }: OutboxRow) => tries > 0 && notBefore === 0

/** Held pieces are sent at any age, and those behind them, too. */
const makePatience = () => {
  const releasedAt = new Map<string, number>()
  return (lane: string, row: OutboxRow, wallNow: number): boolean => {
    if (isReleased(row)) putNewest(releasedAt, lane, wallNow, mostLanes)
    return row.at <= (releasedAt.get(lane) ?? Number.NEGATIVE_INFINITY)
  }
}

export interface DeliveryOptions extends AttemptOptions {
  readonly onSent?: (row: OutboxRow, messageId: string) => Effect.Effect<void>
  readonly onFailed?: (row: OutboxRow, reason: SendReason) => Effect.Effect<void>
}

/** Most unanswered looks, and most repeats of a text. */
const most = 3
const retryStoreMs = 1_000

/** `now`: of a monotonic clock. */
export const makePieceWork = (options: DeliveryOptions, later: RetryTimes, now: () => number) => {
  const { journal, channel, newest, onSent, onFailed } = options
  const { outbox, marks } = journal
  const attempts = makeAttempts(options)
  const hasPatience = makePatience()
  /** Keys of unsent questions about old pieces, by conversation: one is enough. */
  const askedOld = new Map<string, string>()

  const clear = Effect.fn(...untraced("PieceWork.clear"))(function* (row: OutboxRow, leftThread = false) {
    later.forget(row.key)
    if (row.tries === 0 && !leftThread) return
    if (row.conversation.threadId !== undefined) yield* marks.set(pieceMarks(row.key).leftThread, undefined)
    if (options.onUnknown === "again") yield* marks.set(pieceMarks(row.key).repeated, undefined)
  })

  const there = Effect.fn(...untraced("PieceWork.there"))(function* (
    row: OutboxRow,
    { messageId }: MessageRef,
    leftThread: boolean
  ) {
    yield* outbox.sent(row.key, messageId)
    later.reached(now())
    yield* newest.heard(row.conversation, messageId)
    yield* clear(row, leftThread)
    if (leftThread) yield* outbox.put(threadGone(channel, row))
    yield* onSent?.(row, messageId) ?? Effect.void
  })

  const again = Effect.fn(...untraced("PieceWork.again"))(function* (
    row: OutboxRow,
    inMs: number,
    isUnreachable = false
  ) {
    const wallNow = yield* Clock.currentTimeMillis
    yield* outbox.again(row.key, Math.ceil(wallNow + inMs))
    later.put(row.key, now() + inMs, isUnreachable)
  })

  const doubt = Effect.fn(...untraced("PieceWork.doubt"))(function* (row: OutboxRow, leftThread = false) {
    const wallNow = yield* Clock.currentTimeMillis
    if (row.kind === "ask") {
      const next = askedAgain(row)
      yield* outbox.unknown(row.key, "no answer", [next])
      later.put(next.key, now() + backOffMs(askNumber(next.key) + 1))
      return yield* clear(row, leftThread)
    }
    if (options.onUnknown === "again" && row.piece.file === undefined) {
      const name = pieceMarks(row.key).repeated
      const times = Number((yield* marks.get(name)) ?? 0)
      if (times < most) {
        yield* marks.set(name, String(times + 1))
        yield* outbox.again(row.key, wallNow)
        return later.forget(row.key)
      }
    }
    yield* outbox.unknown(row.key, "no answer", maybeMissing(channel, row))
    yield* clear(row, leftThread)
  })

  const fail = Effect.fn(...untraced("PieceWork.fail"))(function* (
    row: OutboxRow,
    reason: SendReason,
    isHeard: boolean,
    leftThread: boolean
  ) {
    const description = new SendError({ reason }).message.slice(0, 300)
    yield* outbox.fail(row.key, description, isHeard ? refused(channel, row) : [])
    yield* clear(row, leftThread)
    yield* Effect.logWarning("a piece was refused for good", { key: row.key, kind: row.kind, reason: reason._tag })
    yield* onFailed?.(row, reason) ?? Effect.void
  })

  const failed = Effect.fn(...untraced("PieceWork.failed"))(function* (
    row: OutboxRow,
    reason: SendReason,
    leftThread: boolean
  ) {
    const verdict = verdictOf(reason, { failures: later.failures(row.key) })
    switch (verdict.do) {
      case "again":
        return yield* again(row, verdict.inMs, verdict.isUnreachable)
      case "hold":
        yield* outbox.hold(row.key)
        return later.forget(row.key)
      case "fail":
        return yield* fail(row, reason, verdict.isHeard, leftThread)
      case "doubt":
        if (channel.find === undefined) return yield* doubt(row, leftThread)
        // The attempt can still arrive.
        later.forget(row.key)
        return later.put(row.key, now() + lookAfterMs)
    }
  })

  const looked = Effect.fn(...untraced("PieceWork.looked"))(function* (row: OutboxRow, attempt: Attempt) {
    if (attempt.end === "there") return yield* there(row, attempt.ref, attempt.leftThread)
    if (attempt.end === "absent") return yield* again(row, 0)
    if (attempt.end === "none") return
    const verdict = verdictOf(attempt.reason, { failures: later.failures(row.key) })
    if (verdict.do === "again") return later.put(row.key, now() + verdict.inMs, verdict.isUnreachable)
    if (verdict.do !== "doubt" || later.failures(row.key) >= most) return yield* doubt(row)
    later.put(row.key, now() + backOffMs(later.failures(row.key)))
  })

  const old = Effect.fn(...untraced("PieceWork.old"))(function* (row: OutboxRow, wallNow: number) {
    const name = conversationText(row.conversation)
    const before = askedOld.get(name)
    const isAsked = before !== undefined && (yield* outbox.get(before))?.state === "ready"
    const asking = isAsked ? [] : tooOld(channel, row, wallNow)
    yield* outbox.unknown(row.key, "old", asking)
    later.forget(row.key)
    const key = asking.at(-1)?.key
    if (key !== undefined) askedOld.set(name, key)
  })

  /** Steps after an attempt run to their end; only waits for a busy store can be interrupted. */
  const retrying = (restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>) => {
    const until = <A>(change: Effect.Effect<A, ChangeError>): Effect.Effect<A, ChangeError> =>
      Effect.catchTag(change, "StoreError", () => Effect.andThen(restore(Effect.sleep(retryStoreMs)), until(change)))
    return until
  }

  return (row: OutboxRow, lane: string): Effect.Effect<void, ChangeError> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const until = retrying(restore)
        if (row.state === "sending") {
          if (channel.find === undefined) return yield* doubt(row)
          return yield* until(looked(row, yield* restore(attempts.look(row))))
        }
        const wallNow = yield* Clock.currentTimeMillis
        if (isTooOld(row, wallNow) && !hasPatience(lane, row, wallNow)) return yield* old(row, wallNow)
        const attempt = yield* restore(attempts.send(row))
        if (attempt.end === "there") return yield* until(there(row, attempt.ref, attempt.leftThread))
        if (attempt.end === "failed") return yield* until(failed(row, attempt.reason, attempt.leftThread))
      })
    )
}

// When pieces are looked at again, by a monotonic clock: setting the date neither hurries nor delays them.

/** An attempt can still arrive for so long. */
const lookAfterMs = 30_000
const day = 24 * 3_600_000

interface Put {
  readonly at: number
  /** Failed attempts in a row. */
  readonly failures: number
  readonly isUnreachable: boolean
}

const within = (ms: number, most: number) => Math.min(Math.max(ms, 0), most)

/** The wait after a restart, from the row alone. */
const waitOf = ({ state, attempted = 0, notBefore }: OutboxRow, wallNow: number, canFind: boolean) => {
  if (state === "ready") return within(notBefore - wallNow, day)
  return canFind ? within(attempted + lookAfterMs - wallNow, lookAfterMs) : 0
}

export const makeRetryTimes = (canFind: boolean) => {
  const known = new Map<string, Put>()
  return {
    /** `now` and the result are monotonic. */
    dueAt: (row: OutboxRow, now: number, wallNow: number): number => {
      const put = known.get(row.key)
      if (put !== undefined) return put.at
      const wait = waitOf(row, wallNow, canFind)
      if (wait > 0) known.set(row.key, { at: now + wait, failures: 0, isUnreachable: false })
      return now + wait
    },
    failures: (key: string) => known.get(key)?.failures ?? 0,
    /** Notes a failed attempt. */
    put: (key: string, at: number, isUnreachable = false) => {
      known.set(key, { at, failures: (known.get(key)?.failures ?? 0) + 1, isUnreachable })
    },
    forget: (key: string) => {
      known.delete(key)
    },
    /** The channel answers: pieces that did not reach it are due. */
    reached: (now: number) => {
      for (const [key, put] of known) if (put.isUnreachable) known.set(key, { ...put, at: Math.min(put.at, now) })
    },
    /** Forgets pieces that are due, and not the next of a conversation. */
    keep: (keys: ReadonlySet<string>, now: number) => {
      for (const [key, { at }] of known) if (at < now && !keys.has(key)) known.delete(key)
    },
    size: () => known.size
  }
}
export type RetryTimes = ReturnType<typeof makeRetryTimes>
