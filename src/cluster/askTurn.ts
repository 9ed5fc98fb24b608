/**
 * Puts a turn into the queue of a home, in one transaction: a new turn after all others of its conversation, in the home of
 * that. An open turn of the same id is followed, and a finished one gives its end.
 */
import { Clock, Effect } from "effect"
import type { SqlError } from "effect/sql"
import { type FailureReason, Refused, StoreUnavailable, TurnInterrupted, TurnMismatch } from "../contract/AgentError.ts"
import type { DataAttachment } from "../contract/Attachment.ts"
import type { End } from "../contract/Start.ts"
import type { StoreError } from "../contract/StoreError.ts"
import { untraced } from "../contract/untraced.ts"
import { textIn } from "../conversations/store/columns.ts"
import type { OpenStore } from "../conversations/store/OpenStore.ts"
import { type KeyParts, keyText } from "../conversations/turns/conversationKey.ts"
import { isOnItsWay } from "../conversations/turns/lookUp.ts"
import { sessionOfConversation } from "../conversations/turns/sessionRows.ts"
import { endOfText } from "../conversations/turns/storedEnd.ts"
import { enqueueTurn, type TurnRow, turnById } from "../conversations/turns/turnRows.ts"
import { putAttachments } from "./attachments.ts"
import { chooseHome, homeProblem } from "./chooseHome.ts"
import { type Home, listHomes } from "./homes.ts"
import { type StoredParams, storedParamsOf, storedParamsText } from "./storedParams.ts"

export interface Question {
  readonly turnId: string
  readonly key: KeyParts | undefined
  readonly cli: string
  readonly prompt: string
  readonly digest: string
  readonly asked: StoredParams
  readonly attachments: ReadonlyArray<DataAttachment>
  readonly version: string
}

/** `Over`: it has ended before. `Asked`: it is pending or running in its home. */
type Placed =
  | { readonly _tag: "Over"; readonly end: End }
  | { readonly _tag: "Asked"; readonly home: Home; readonly attempt: number }

const refused = (problem: string, retryable = false) => new Refused({ gate: "cluster", problem, retryable })

/** A move takes seconds, as a rule. */
export const moving = refused("the session is on its way to another home: ask again in a moment", true)

type Work<A> = Effect.Effect<A, FailureReason | StoreError | SqlError.SqlError>

const homeOfSession = ({ sql, read }: OpenStore, cli: string, sessionId: string) =>
  Effect.map(
    read(sql<object>`select home from sessions where cli = ${cli} and session_id = ${sessionId}
      order by used desc limit 1`),
    ([row = {}]) => textIn(row, "home")
  )

/** The home of the last turn in one of these states, unless the turn was given up. */
const homeOfTurns = (
  { sql, read }: OpenStore,
  conversation: string,
  cli: string,
  states: ReadonlyArray<TurnRow["state"]>
) =>
  Effect.map(
    read(sql<object>`select for_home from turns where conversation = ${conversation} and cli = ${cli}
      and for_home is not null and given_up = 0 and ${sql.in("state", states)} order by seq desc limit 1`),
    ([row = {}]) => textIn(row, "for_home")
  )

/** The home of the conversation; undefined for a new one. */
const presentHome = Effect.fn(...untraced("AskTurn.presentHome"))(function* (
  store: OpenStore,
  { key, cli, asked: storedParams }: Question
) {
  const { sessionId } = storedParams.params
  if (typeof sessionId === "string") return yield* homeOfSession(store, cli, sessionId)
  if (key === undefined) return undefined
  const waiting = yield* homeOfTurns(store, keyText(key), cli, ["queued", "claimed", "spawned"])
  if (waiting !== undefined || storedParams.fresh) return waiting
  const session = yield* sessionOfConversation(store, keyText(key), cli)
  // An interrupted first turn may have worked, though it left no session.
  return session?.home ?? (yield* homeOfTurns(store, keyText(key), cli, ["interrupted"]))
})

const homeFor = Effect.fn(...untraced("AskTurn.homeFor"))(function* (
  store: OpenStore,
  question: Question,
  homes: ReadonlyArray<Home>
) {
  const present = yield* presentHome(store, question)
  if (present === undefined) {
    const { workingDirectory } = question.asked.params
    const directory = typeof workingDirectory === "string" ? workingDirectory : undefined
    const chosen = chooseHome(homes, { cli: question.cli, directory, version: question.version })
    return yield* Effect.mapError(Effect.fromResult(chosen), (problem) => refused(problem, true))
  }
  if (isOnItsWay(present)) return yield* moving
  const home = homes.find(({ id }) => id === present)
  if (home === undefined)
    return yield* refused(
      `the files of the conversation are in the home ${present}, which is not of the cluster: reins serve --home NAME there, or begin anew with fresh (--fresh)`
    )
  const problem = homeProblem(home, question.version)
  return problem === undefined ? home : yield* refused(problem)
})

const mayAskAgain = ({ failure, hadOutput }: End) => failure?.retryable === true && !hadOutput

/** Queues the turn again, without the events of the last attempt. */
const askAgain = ({ sql }: OpenStore, { turnId, asked: storedParams }: Question, state: "queued" | "interrupted") =>
  Effect.andThen(
    sql`delete from turn_events where turn_id = ${turnId}`,
    sql`update turns set state = ${state}, params = ${storedParamsText(storedParams)}, result = null, ended = null, stop = 0
      where turn_id = ${turnId}`
  )

const resumeTurn = (store: OpenStore, question: Question, turn: TurnRow, homes: ReadonlyArray<Home>): Work<Placed> =>
  Effect.gen(function* () {
    const { turnId, digest, asked: storedParams } = question
    if (turn.digest !== digest) return yield* new TurnMismatch({ turnId })
    const present = storedParamsOf(turn.params)
    const before = present?.attempt ?? 0
    const again = { ...question, asked: { ...storedParams, attempt: before + 1 } }
    const home = homes.find(({ id }) => id === turn.home)
    if (turn.state === "done") {
      const end = turn.result === undefined ? undefined : endOfText(turn.result)
      if (end === undefined)
        return yield* new StoreUnavailable({
          problem: `the end of the turn ${JSON.stringify(turnId)} cannot be read by this version`
        })
      if (!mayAskAgain(end) || home === undefined) return { _tag: "Over", end }
      yield* askAgain(store, again, "queued")
    }
    if (turn.state === "interrupted") {
      if (storedParams.onInterrupted === "fail") return yield* new TurnInterrupted({ turnId })
      if (home !== undefined) yield* askAgain(store, again, "interrupted")
    }
    if (home === undefined)
      return yield* refused(`the turn is in the home ${turn.home ?? "of another process"}, which is not of the cluster`)
    const isAgain = turn.state === "done" || turn.state === "interrupted"
    // If its home dies, the latest `onInterrupted` decides.
    if (!isAgain && present !== undefined) {
      const isFollowed = storedParams.isFollowed || present.isFollowed
      const params = storedParamsText({ ...present, isFollowed, onInterrupted: storedParams.onInterrupted })
      yield* store.sql`update turns set params = ${params} where turn_id = ${turnId}`
    }
    return { _tag: "Asked", home, attempt: isAgain ? before + 1 : before }
  })

/** A home that was removed meanwhile would not perform the turn. */
const checkHome = Effect.fn(...untraced("AskTurn.checkHome"))(function* ({ sql }: OpenStore, { id, name }: Home) {
  const [row = {}] = yield* sql<object>`select state from cluster_homes where id = ${id}`
  if (textIn(row, "state") === "removed") return yield* refused(`the home ${name} was just removed`, true)
})

const placeTurn = (
  store: OpenStore,
  question: Question,
  homes: ReadonlyArray<Home>
): Effect.Effect<Placed, FailureReason | StoreError> =>
  store.transact(
    Effect.gen(function* () {
      const { turnId, key, cli, prompt, digest, attachments } = question
      const storedParams = { ...question.asked, attachments: yield* putAttachments(store, attachments) }
      const present = yield* turnById(store, turnId)
      if (present !== undefined) return yield* resumeTurn(store, { ...question, asked: storedParams }, present, homes)
      const home = yield* homeFor(store, question, homes)
      yield* checkHome(store, home)
      const params = storedParamsText(storedParams)
      const conversation = key === undefined ? "" : keyText(key)
      const now = yield* Clock.currentTimeMillis
      yield* enqueueTurn(store, { turnId, conversation, cli, prompt, digest, forHome: home.id, params }, now)
      return { _tag: "Asked", home, attempt: storedParams.attempt } satisfies Placed
    })
  )

/**
 * Fails with the reason to refuse the turn. The load of the homes is read before the transaction: it counts turns, so that
 * every other turn that changes meanwhile would restart the transaction.
 */
export const askTurn = (store: OpenStore, question: Question) =>
  Effect.flatMap(listHomes(store), (homes) => placeTurn(store, question, homes))
