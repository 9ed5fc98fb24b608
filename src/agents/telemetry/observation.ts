/** An observer that makes spans and metrics of one run, or of one live session with its turns, from events. */
import type { Clock, Tracer } from "effect"
import type { AgentEvent, NoticeEvent } from "../../contract/AgentEvent.ts"
import type { Observation, Observer } from "../../contract/Observer.ts"
import type { End, Start, TurnStart } from "../../contract/Start.ts"
import type { TelemetryOptions } from "../../contract/Telemetry.ts"
import { withoutCopies } from "../engine/watchers.ts"
import {
  type Attributes,
  attributes,
  contentAttributes,
  modelAttributes,
  noticeAttributes,
  noticeEvents,
  resultAttributes,
  short,
  spanNames
} from "./attributes.ts"
import { type Metrics, type Spent, type Subject, sumOf, without } from "./metrics.ts"
import { type Content, makeContent, makeSpanWriter, makeToolSpans, noContent, type SpanEnd } from "./spans.ts"

/** Returns undefined for events that make no span and no event of one. */
const keyOf = (event: AgentEvent): string | undefined => {
  switch (event.type) {
    case "tool_use":
    case "tool_result":
      return `${event.type} ${event.toolId}`
    case "permission_request":
    case "permission_decision":
      return `${event.type} ${event.requestId}`
    case "notice":
      return `${event.kind} ${event.message}`
    default:
      return undefined
  }
}

const makeTaken = () => {
  let counts = new Map<string, number>()
  return {
    /** The events of a turn, in the go in which the session has them, and before `rest`. */
    add: (events: ReadonlyArray<AgentEvent>) => {
      for (const event of events) {
        const key = keyOf(event)
        if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1)
      }
    },
    /** Events that no turn has taken. */
    rest: (events: ReadonlyArray<AgentEvent>): ReadonlyArray<AgentEvent> => {
      const left = events.filter((event) => {
        const key = keyOf(event)
        const count = key === undefined ? 0 : (counts.get(key) ?? 0)
        if (key !== undefined && count > 0) counts.set(key, count - 1)
        return count === 0
      })
      counts = new Map()
      return left
    }
  }
}

export interface TelemetryOf {
  readonly cli: { readonly id: string; readonly provider?: string | undefined }
  readonly type: "run" | "session"
  readonly options: TelemetryOptions
  readonly tracer: Tracer.Tracer
  readonly clock: Clock.Clock
  readonly span: Tracer.Span
  readonly metrics: Metrics
}

export type AgentTelemetry = ReturnType<typeof makeTelemetry>

const agentAttributes = (cli: TelemetryOf["cli"]): Attributes => ({
  [attributes.operation]: spanNames.agent,
  [attributes.agent]: cli.id,
  ...modelAttributes(cli.provider, undefined)
})

/** Other types are skipped: most events are deltas. */
const types = ["session", "tool_use", "tool_result", "notice", "permission_request", "permission_decision"] as const
const request = { types, [withoutCopies]: true } as const

const spanEndOf = (end: End | undefined): SpanEnd => {
  if (end === undefined) return { error: "defect" }
  const { outcome, reason } = end.result
  if (outcome === "completed") return "ok"
  return outcome === "aborted" ? "stopped" : { error: reason }
}

export const makeTelemetry = (input: TelemetryOf) => {
  const { cli, type, options, tracer, clock, span: root, metrics } = input
  const writer = makeSpanWriter(tracer, clock)
  const taken = makeTaken()
  let model: string | undefined
  let content: Content = noContent
  let measured: Spent = { usage: undefined }
  let openTurns = 0

  const subject = (kind: Subject["kind"]): Subject => ({ cli: cli.id, kind, provider: cli.provider, model })
  const tools = makeToolSpans({
    writer,
    clock,
    content: { of: (name, value) => content.of(name, value) },
    onEnd: (kind, seconds, error) => metrics.tool(cli.id, kind, seconds, error)
  })

  const notice = (event: NoticeEvent, owner: Tracer.Span) => {
    const kind: string = event.kind
    if (!noticeEvents.has(kind)) return
    const message = content.of(contentAttributes.message, () => event.message)
    writer.event(owner, event.kind, { ...noticeAttributes(event), ...message })
    const { budget, spent, limit } = event.data ?? {}
    if (kind !== "budget" || typeof budget !== "string") return
    if (typeof spent === "number" && typeof limit === "number" && limit > 0)
      metrics.budget(short(budget), spent / limit)
  }

  const take = (event: AgentEvent, owner: Tracer.Span) => {
    if (event.type === "notice") return notice(event, owner)
    if (event.type !== "session" || event.parentToolId !== undefined) return tools.take(event, owner)
    model = event.model ?? model
    writer.set(owner, { [attributes.conversation]: short(event.sessionId), ...modelAttributes(cli.provider, model) })
    if (event.cliVersion !== undefined) writer.set(owner, { [attributes.agentVersion]: short(event.cliVersion) })
  }

  const observed = (events: ReadonlyArray<AgentEvent>, owner: Tracer.Span) => {
    for (const event of events) take(event, owner)
  }

  const setContent = (span: Tracer.Span, name: string, value: () => unknown) =>
    writer.set(span, content.of(name, value))
  const conclude = (span: Tracer.Span, kind: Subject["kind"], end: End | undefined) => {
    if (end !== undefined) {
      writer.set(span, resultAttributes(end.result))
      if (kind !== "session") setContent(span, contentAttributes.answer, () => end.result.text)
      metrics.ended(subject(kind), end.result)
    } else writer.set(span, { [attributes.error]: "defect" })
    writer.end(span, spanEndOf(end))
  }

  const turnOf = ({ id, prompt, sessionId }: TurnStart): Observation => {
    const span = writer.open(root.name, root, { ...agentAttributes(cli), [attributes.turn]: id })
    writer.set(span, modelAttributes(cli.provider, model))
    if (sessionId !== undefined) writer.set(span, { [attributes.conversation]: short(sessionId) })
    setContent(span, contentAttributes.prompt, () => prompt)
    openTurns += 1
    if (openTurns === 1) metrics.busy(cli.id, 1)
    turns.add(span)
    return {
      ...request,
      events: ({ events }) => {
        taken.add(events)
        observed(events, span)
      },
      end: (end) => {
        measured = sumOf(measured, end.result)
        metrics.spent(subject("turn"), end.result)
        endTurn(span, end)
      }
    }
  }
  const turns = new Set<Tracer.Span>()
  const endTurn = (span: Tracer.Span, end: End | undefined) => {
    turns.delete(span)
    openTurns -= 1
    if (openTurns === 0) metrics.busy(cli.id, -1)
    tools.endOpen(span)
    conclude(span, "turn", end)
  }

  const further: Array<AgentEvent> = []
  const takeFurther = () => {
    if (further.length > 0) observed(taken.rest(further.splice(0)), root)
  }

  const begin = (start: Start, redact: (text: string) => string): Observation => {
    if (options.content === true) content = makeContent(redact)
    if (start.type === "turn") return turnOf(start)
    const { id, params, workingDirectory } = start
    model = params.model ?? model
    writer.set(root, { [attributes.run]: id, ...modelAttributes(cli.provider, model) })
    if (params.sessionId !== undefined) writer.set(root, { [attributes.conversation]: short(params.sessionId) })
    setContent(root, contentAttributes.directory, () => workingDirectory)
    if (start.type === "run") {
      setContent(root, contentAttributes.prompt, () => start.params.prompt)
      return { ...request, events: ({ events }) => observed(events, root) }
    }
    // Each turn took its own events in the same pass; the others belong to turns that the CLI started.
    return {
      ...request,
      events: ({ events }) => {
        further.push(...events)
        queueMicrotask(takeFurther)
      }
    }
  }

  writer.set(root, agentAttributes(cli))
  metrics.started(subject(type))
  return {
    observer: { name: "telemetry", begin } satisfies Observer,
    /** Called immediately before its process is started. */
    starting: (waitedMs: number) => {
      writer.set(root, { [attributes.queued]: waitedMs })
      metrics.queued(cli.id, waitedMs)
    },
    /** Called when nothing of it is left; undefined if a defect of this library left no end. */
    end: (ended: End | undefined) => {
      takeFurther()
      tools.endOpen()
      for (const span of turns) endTurn(span, undefined)
      if (ended !== undefined)
        metrics.spent(subject(type), type === "run" ? ended.result : without(ended.result, measured))
      conclude(root, type, ended)
      metrics.left(subject(type))
    }
  }
}
