/**
 * The live session behind a session of the client: sends its events as updates, in order, and passes the agent's questions
 * on to the client. It is opened when it is needed, and again after it has ended, and continues the conversation.
 */
import { Deferred, Effect, Exit, Fiber, Predicate, Scope, Semaphore, Stream } from "effect"
import type { AgentError, FailureReason } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { AgentRunResult } from "../../contract/AgentRunResult.ts"
import type { AgentSession } from "../../contract/AgentSession.ts"
import type { Answers, PermissionRequestEvent, Question, QuestionEvent } from "../../contract/SessionEvent.ts"
import { shortLine } from "../../contract/text/harmless.ts"
import { untraced } from "../../contract/untraced.ts"
import type { Connection } from "./connection.ts"
import { answerOf, permissionParams, unanswered } from "./permissions.ts"
import { makeUpdates } from "./updates.ts"

// Questions of an agent → a form of the client, and its result → answers; pure.

const fieldOf = (index: number) => `question${index + 1}`
const longest = 1_000

const choicesOf = ({ options }: Question) =>
  options.map(({ label, description }) => ({
    const: label,
    title: shortLine(description === undefined ? label : `${label}: ${description}`, longest)
  }))

const propertyOf = (question: Question) => {
  const { header, options, multiple } = question
  const words = {
    title: shortLine(header ?? question.question, longest),
    description: shortLine(question.question, longest)
  }
  if (multiple && options.length > 0) return { type: "array", ...words, items: { anyOf: choicesOf(question) } }
  // A form has either a choice or a text: options come first.
  return options.length === 0 ? { type: "string", ...words } : { type: "string", ...words, oneOf: choicesOf(question) }
}

export const formOf = (sessionId: string, { questions, toolId }: QuestionEvent) => ({
  sessionId,
  ...(toolId === undefined ? {} : { toolCallId: toolId }),
  mode: "form",
  message: questions.map(({ question }) => shortLine(question, longest)).join("\n"),
  requestedSchema: {
    type: "object",
    properties: Object.fromEntries(questions.map((question, index) => [fieldOf(index), propertyOf(question)])),
    required: questions.map((_, index) => fieldOf(index))
  }
})

const textsOf = (value: unknown): ReadonlyArray<string> => {
  if (Predicate.isString(value)) return [value]
  return Array.isArray(value) ? value.filter(Predicate.isString) : []
}

const isPossible = ({ options, freeText }: Question, chosen: string) =>
  freeText || options.length === 0 || options.some(({ label }) => label === chosen)

/** Returns undefined, for which the agent uses its defaults, unless the form was filled in and fits. */
export const answersOf = ({ questions }: QuestionEvent, result: unknown): Answers | undefined => {
  if (!Predicate.hasProperty(result, "action") || result.action !== "accept") return undefined
  const content = Predicate.hasProperty(result, "content") ? result.content : undefined
  const answers = questions.map((question, index) => {
    const field = fieldOf(index)
    const values = textsOf(Predicate.hasProperty(content, field) ? content[field] : undefined)
    return [question.question, values.filter((chosen) => isPossible(question, chosen))] as const
  })
  return answers.every(([, values]) => values.length > 0) ? Object.fromEntries(answers) : undefined
}

/** Limit of ends that no prompt waits for: the agent started their turns. */
const mostKept = 64

const keyOf = ({ durationMs, outcome, reason, text }: AgentRunResult) =>
  [durationMs, outcome, reason, text.length].join(" ")

/**
 * The caller of a turn waits until all its events were sent: the end reaches the caller and, after all other events of
 * the session, the sender. Both recognise the turn by its facts.
 */
export const makeTurnEnds = () => {
  const ids: Array<string> = []
  const waiting = new Map<string, Deferred.Deferred<void>>()
  return {
    /** All events up to this end were sent. */
    sent: (result: AgentRunResult) => {
      const key = keyOf(result)
      const waits = waiting.get(key)
      if (waits === undefined) {
        ids.push(key)
        if (ids.length > mostKept) ids.shift()
        return
      }
      waiting.delete(key)
      Deferred.doneUnsafe(waits, Effect.void)
    },
    awaitSent: (result: AgentRunResult) =>
      Effect.suspend(() => {
        const key = keyOf(result)
        const at = ids.indexOf(key)
        if (at !== -1) {
          ids.splice(at, 1)
          return Effect.void
        }
        const waits = waiting.get(key) ?? Deferred.makeUnsafe<void>()
        waiting.set(key, waits)
        return Effect.ensuring(
          Deferred.await(waits),
          Effect.sync(() => waiting.delete(key))
        )
      })
  }
}

export interface Shows {
  readonly notices: boolean
  readonly forms: boolean
}

export interface LiveOptions {
  /** The client's id of the session. */
  readonly id: string
  readonly connection: Connection
  readonly shows: Shows
  readonly open: Effect.Effect<AgentSession, FailureReason | AgentError, Scope.Scope>
  /** The agent may act on its plan. */
  readonly planApproved: Effect.Effect<void>
}

export interface Live {
  readonly session: AgentSession
  readonly ends: ReturnType<typeof makeTurnEnds>
  /** Completes when the session is closed. */
  readonly over: Deferred.Deferred<void>
}

/** Ends with the scope. */
export const makeLiveSession = Effect.fn(...untraced("LiveSession.makeLiveSession"))(function* (options: LiveOptions) {
  const { id, connection, shows, open, planApproved } = options
  const outer = yield* Effect.scope
  const opening = Semaphore.makeUnsafe(1)
  let current: Live | undefined

  const ask = ({ session }: Live, event: PermissionRequestEvent) =>
    connection.request("session/request_permission", permissionParams(id, event)).pipe(
      Effect.match({ onFailure: () => unanswered, onSuccess: (result) => answerOf(event, result) }),
      Effect.flatMap((answer) => session.decide(event.requestId, answer)),
      // An answer that the agent refuses leaves the request open.
      Effect.catch(() => session.decide(event.requestId, unanswered)),
      Effect.ignore
    )

  const askForm = ({ session }: Live, event: QuestionEvent) =>
    connection.request("elicitation/create", formOf(id, event)).pipe(
      Effect.match({ onFailure: () => undefined, onSuccess: (result) => answersOf(event, result) }),
      Effect.flatMap((answers) => session.answer(event.requestId, answers, { where: "editor" })),
      Effect.ignore
    )

  const consume = (live: Live, scope: Scope.Closeable) => {
    const push = makeUpdates(shows.notices)
    const asks = new Map<string, Fiber.Fiber<unknown>>()
    const plans = new Set<string>()

    const begin = (requestId: string, asking: Effect.Effect<void>) =>
      Effect.map(Effect.forkIn(asking, scope), (fiber) => void asks.set(requestId, fiber))

    const settle = (requestId: string) => {
      const fiber = asks.get(requestId)
      asks.delete(requestId)
      return fiber === undefined ? Effect.void : Effect.asVoid(Effect.forkIn(Fiber.interrupt(fiber), scope))
    }

    const react = (event: AgentEvent): Effect.Effect<void> => {
      switch (event.type) {
        case "permission_request":
          // A request that a rule or an earlier answer decides is not shown.
          if (event.preview === undefined) return Effect.void
          if (event.kind === "plan") plans.add(event.requestId)
          return begin(event.requestId, ask(live, event))
        case "permission_decision": {
          const isApproved = plans.delete(event.requestId) && event.decision === "allow"
          return Effect.andThen(settle(event.requestId), isApproved ? planApproved : Effect.void)
        }
        case "question":
          return shows.forms ? begin(event.requestId, askForm(live, event)) : Effect.void
        case "question_answer":
          return settle(event.requestId)
        case "turn_done":
          return Effect.sync(() => live.ends.sent(event.result))
        default:
          return Effect.void
      }
    }

    const send = (event: AgentEvent) =>
      Effect.andThen(
        Effect.forEach(push(event), (update) => connection.notify("session/update", { sessionId: id, update }), {
          discard: true
        }),
        react(event)
      )

    return Stream.runForEach(live.session.events, send)
  }

  const opened = Effect.gen(function* () {
    const scope = yield* Scope.fork(outer)
    const session = yield* Effect.onError(Scope.provide(open, scope), (cause) =>
      Scope.close(scope, Exit.failCause(cause))
    )
    const live: Live = { session, ends: makeTurnEnds(), over: Deferred.makeUnsafe() }
    const ended = Effect.gen(function* () {
      if (current === live) current = undefined
      yield* Scope.close(scope, Exit.void)
      yield* Deferred.done(live.over, Exit.void)
    })
    yield* Effect.forkIn(Effect.ensuring(consume(live, scope), ended), outer)
    current = live
    return live
  })

  return {
    /** Opens it, unless it is open. */
    present: opening.withPermit(Effect.suspend(() => (current === undefined ? opened : Effect.succeed(current)))),
    current: () => current
  }
})
