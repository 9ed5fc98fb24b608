/**
 * Spans of one tracer, at the time of one clock, and those of tool calls: from `tool_use` to `tool_result`, each below the
 * call of the sub-agent that made it. A call without a result at the end of its run or turn ends as unfinished.
 */
import { type Clock, Context, Exit, Option, Tracer } from "effect"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { PermissionDecisionEvent, PermissionRequestEvent } from "../../contract/SessionEvent.ts"
import type { ToolResultEvent, ToolUseEvent } from "../../contract/ToolEvent.ts"
import { type Attributes, attributes, contentAttributes, nameOf, spanNames, toolAttributes } from "./attributes.ts"

/** Calls an application's tracer or meter and ignores its errors: they would repeat for each span. */
export const quietly = (run: () => void) => {
  try {
    run()
  } catch {
    // The run continues without.
  }
}

/** Its message and its stack are in the span, where a reason's own message could name a file. */
class Failed extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = reason
    this.stack = reason
  }
}

/** How a span ends: well, for a reason that is an error, or because its user has stopped it. */
export type SpanEnd = { readonly error: string } | "ok" | "stopped"

const exitOf = (end: SpanEnd): Exit.Exit<void, Error> => {
  if (end === "ok") return Exit.void
  return end === "stopped" ? Exit.interrupt() : Exit.fail(new Failed(end.error))
}

type SpanWriter = ReturnType<typeof makeSpanWriter>
/** A tracer of an application that throws costs spans, never a run. */
export const makeSpanWriter = (tracer: Tracer.Tracer, clock: Clock.Clock) => {
  const now = () => clock.currentTimeNanosUnsafe()
  const set = (span: Tracer.Span, attributes: Attributes) => {
    quietly(() => {
      for (const [name, value] of Object.entries(attributes)) span.attribute(name, value)
    })
  }
  const make = (name: string, parent: Tracer.AnySpan): Tracer.Span => {
    const options: Parameters<Tracer.Tracer["span"]>[0] = {
      name,
      parent: Option.some(parent),
      annotations: Context.empty(),
      links: [],
      startTime: now(),
      kind: "internal",
      root: false,
      sampled: parent.sampled
    }
    try {
      return tracer.span(options)
    } catch {
      return new Tracer.NativeSpan(options)
    }
  }
  return {
    open: (name: string, parent: Tracer.AnySpan, attributes: Attributes) => {
      const span = make(name, parent)
      set(span, attributes)
      return span
    },
    set,
    event: (span: Tracer.Span, name: string, attributes: Attributes) =>
      quietly(() => span.event(name, now(), attributes)),
    end: (span: Tracer.Span, end: SpanEnd) => quietly(() => span.end(now(), exitOf(end)))
  }
}

/** In characters. */
const mostLength = 8_192

export interface Content {
  /** The value is looked at only if it may be shown. */
  readonly of: (name: string, value: () => unknown) => Attributes
}

export const noContent: Content = { of: () => ({}) }

const textOf = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""))

export const makeContent = (redact: (text: string) => string): Content => ({
  of: (name, value) => {
    // Before it is cut: half a secret is not recognised.
    const text = redact(textOf(value()))
    return text === "" ? {} : { [name]: text.length > mostLength ? `${text.slice(0, mostLength)}…` : text }
  }
})

interface Call {
  readonly span: Tracer.Span
  /** The run or turn in which it began. */
  readonly owner: Tracer.Span
  readonly kind: string
  readonly startedAt: number
  isOpen: boolean
}

/** The oldest are forgotten: a CLI may never end its calls, or a session may have a million. */
const mostCalls = 2_000
const mostRequests = 1_000

export interface ToolSpansOptions {
  readonly writer: SpanWriter
  readonly clock: Clock.Clock
  readonly content: Content
  readonly onEnd: (kind: string, seconds: number, error: string | undefined) => void
}

export const makeToolSpans = ({ writer, clock, content, onEnd }: ToolSpansOptions) => {
  const calls = new Map<string, Call>()
  const requests = new Map<string, { readonly span: Tracer.Span; readonly askedAt: number }>()
  const now = () => clock.currentTimeMillisUnsafe()

  const end = (call: Call, error: string | undefined) => {
    if (!call.isOpen) return
    call.isOpen = false
    if (error !== undefined) writer.set(call.span, { [attributes.error]: error })
    writer.end(call.span, error === undefined ? "ok" : { error })
    onEnd(call.kind, (now() - call.startedAt) / 1000, error)
  }

  const forgetOldest = <Kept>(entries: Map<string, Kept>, most: number, forget: (oldest: Kept) => void) => {
    if (entries.size < most) return
    for (const [id, oldest] of entries) {
      entries.delete(id)
      return forget(oldest)
    }
  }

  const begin = (event: ToolUseEvent, owner: Tracer.Span) => {
    if (calls.get(event.toolId)?.isOpen === true) return
    forgetOldest(calls, mostCalls, (oldest) => end(oldest, "unfinished"))
    const above = event.parentToolId === undefined ? undefined : calls.get(event.parentToolId)
    const span = writer.open(`${spanNames.tool} ${nameOf(event.toolName)}`, above?.span ?? owner, {
      ...toolAttributes(event),
      ...content.of(contentAttributes.toolArguments, () => event.input)
    })
    calls.set(event.toolId, { span, owner, kind: event.kind ?? "other", startedAt: now(), isOpen: true })
  }

  const finish = ({ toolId, isError, output }: ToolResultEvent) => {
    const call = calls.get(toolId)
    if (call?.isOpen !== true) return
    writer.set(
      call.span,
      content.of(contentAttributes.toolResult, () => output)
    )
    end(call, isError ? "tool_error" : undefined)
  }

  const ask = ({ requestId, toolId, kind }: PermissionRequestEvent, owner: Tracer.Span) => {
    forgetOldest(requests, mostRequests, () => {})
    const span = calls.get(toolId)?.span ?? owner
    requests.set(requestId, { span, askedAt: now() })
    writer.event(span, "permission_request", { [attributes.request]: nameOf(requestId), [attributes.toolKind]: kind })
  }

  const decide = ({ requestId, decision, by }: PermissionDecisionEvent, owner: Tracer.Span) => {
    const request = requests.get(requestId)
    requests.delete(requestId)
    const waited: Attributes = request === undefined ? {} : { [attributes.waited]: now() - request.askedAt }
    writer.event(request?.span ?? owner, "permission_decision", {
      [attributes.request]: nameOf(requestId),
      [attributes.decision]: decision,
      [attributes.decidedBy]: by,
      ...waited
    })
  }

  return {
    /** Takes an event of a run or turn, whose span is the owner. */
    take: (event: AgentEvent, owner: Tracer.Span) => {
      if (event.type === "tool_use") begin(event, owner)
      else if (event.type === "tool_result") finish(event)
      else if (event.type === "permission_request") ask(event, owner)
      else if (event.type === "permission_decision") decide(event, owner)
    },
    endOpen: (owner?: Tracer.Span) => {
      for (const call of calls.values()) if (owner === undefined || call.owner === owner) end(call, "unfinished")
    }
  }
}
