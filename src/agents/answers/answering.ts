/** Prompts and answers of one run or turn with an `outputSchema`. Plain state; it runs nothing. */
import { Predicate, Result, Stream } from "effect"
import type { Decoder, RunReport, Verdict } from "../../cli/Decoder.ts"
import { type FailureReason, type OutputProblem, SchemaNotMet } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { AgentRunResult } from "../../contract/AgentRunResult.ts"
import { jsonInText, longestAnswer } from "./jsonInText.ts"
import { type OutputForm, outputForm } from "./outputForm.ts"

/**
 * A decoder that succeeds only with an answer that matches the run's `outputSchema`, even if the CLI reports success. An
 * answer that does not match stays in the result's text alone.
 */
export const checkedDecoder = (decoder: Decoder, answering: Answering): Decoder => {
  let output: Pick<RunReport, "structuredOutput"> = {}
  const checked = (verdict: Verdict): Verdict => {
    const judged = answering.judge({ verdict, report: decoder.report() })
    output = "structuredOutput" in judged.report ? { structuredOutput: judged.report.structuredOutput } : {}
    return judged.verdict
  }
  return {
    ...decoder,
    stages: (use) =>
      decoder.stages((wire, step, glance) =>
        use(wire, (form, json) => step(form, json).flatMap((event) => [event, ...answering.push(event)]), glance)
      ),
    report: () => {
      const { structuredOutput: _, ...facts } = decoder.report()
      return { ...facts, ...output }
    },
    verdict: (exit) => {
      const verdict = decoder.verdict(exit)
      return verdict && checked(verdict)
    },
    settled: () => checked(decoder.settled())
  }
}

// Prompts that ask for an answer by a schema, and for a better one. Some CLIs read `@path` in a prompt as a file to attach,
// and an answer may name any: an `@` of a schema or an answer is escaped as in JSON.

const jsonText = (value: unknown) => JSON.stringify(value).replaceAll("@", "\\u0040")

/** The prompt, with the schema, for a CLI that has no option for it. */
export const askingPrompt = (prompt: string, jsonSchema: unknown): string => `${prompt}

The last message of your answer must be one JSON value that matches the JSON Schema below, and nothing else: no other text, \
no Markdown.

${jsonText(jsonSchema)}`

/** The prompt of a further turn, after an answer with these problems. */
export const againPrompt = (problems: ReadonlyArray<OutputProblem>, jsonSchema: unknown): string =>
  `Your last answer does not match the JSON Schema that was asked for. The problems, as JSON:

${jsonText(problems)}

Answer again, with one JSON value that matches this JSON Schema, and with nothing else: no other text, no Markdown.

${jsonText(jsonSchema)}`

type Outcome = {
  readonly verdict: Verdict
  readonly report: RunReport
}

/** A further turn of the same session. */
export interface Again {
  readonly prompt: string
  /** Notices that the answer is void, and why. */
  readonly notices: ReadonlyArray<AgentEvent>
}

/**
 * How the agent gets the schema. `option`: by an option of the CLI, which reports the value. `turn`: with each turn, whose
 * text is the value. `prompt`: in the prompt, and the value is found in the text.
 */
export type SchemaBy = "option" | "turn" | "prompt"

export type Answering = ReturnType<typeof makeAnswering>
const noJson: OutputProblem = { path: "", message: "the answer is not a JSON value" }

const uncheckedNotice = (reason: string): AgentEvent => ({
  type: "notice",
  kind: "warning",
  message: `outputSchema uses keywords that are not checked here, so the answer is taken as the CLI gives it: ${reason}`
})

const isOfMain = (event: AgentEvent) => !("parentToolId" in event) || event.parentToolId === undefined

/** The text of the main agent since its last tool call: the last message of an answer. */
const makeLastText = () => {
  let text = ""
  return {
    push: (event: AgentEvent) => {
      if (!isOfMain(event)) return
      if (event.type === "tool_use") text = ""
      // Longer answers are cut, so they do not parse as JSON.
      if (event.type === "text" && text.length <= longestAnswer) text += event.text
      const voided = event.type === "notice" && event.kind === "text_voided" ? event.data?.["characters"] : 0
      if (Predicate.isNumber(voided) && voided > 0) text = text.slice(0, Math.max(0, text.length - voided))
    },
    take: () => {
      const taken = text
      text = ""
      return taken
    },
    get: () => text
  }
}

const makeAnswering = (form: OutputForm, by: SchemaBy, retries = 1) => {
  const lastText = makeLastText()
  let isReported = form.unchecked === undefined
  let attempts = 0
  let met: { readonly output: unknown } | undefined

  const problemsOf = (json: unknown): ReadonlyArray<OutputProblem> => {
    met = undefined
    if (json === undefined) return [noJson]
    const output = form.read(json)
    if (Result.isFailure(output)) return output.failure
    met = { output: output.success }
    return []
  }

  return {
    jsonSchema: form.jsonSchema,
    by,
    /** The first prompt, which has the schema where the CLI has no option for it. */
    prompt: (prompt: string) => (by === "prompt" ? askingPrompt(prompt, form.jsonSchema) : prompt),
    /** Takes the events of the agent, in order; returns those to add. */
    push: (event: AgentEvent): ReadonlyArray<AgentEvent> => {
      lastText.push(event)
      if (isReported || form.unchecked === undefined) return []
      isReported = true
      return [uncheckedNotice(form.unchecked)]
    },
    /** A success only with an answer that matches, which is the `structuredOutput` of the report. */
    judge: ({ verdict, report: { structuredOutput, ...report } }: Outcome): Outcome => {
      if (verdict._tag === "Failure") return { verdict, report }
      const json = by === "option" ? structuredOutput : jsonInText(lastText.get())
      const errors = problemsOf(json)
      if (errors.length === 0) return { verdict, report: { ...report, structuredOutput: json } }
      return { verdict: { _tag: "Failure", reason: new SchemaNotMet({ errors }) }, report }
    },
    /** Returns undefined if the agent is not asked again: for another failure, and after all retries. */
    again: (reason: FailureReason): Again | undefined => {
      if (reason._tag !== "SchemaNotMet" || attempts >= retries) return undefined
      attempts += 1
      const characters = lastText.take().length
      const voided: AgentEvent = {
        type: "notice",
        kind: "text_voided",
        message: "The answer is void, since it does not match outputSchema",
        data: { characters }
      }
      const retry: AgentEvent = {
        type: "notice",
        kind: "retry",
        message: `${reason.message}. The agent is asked again`,
        data: { attempt: attempts, maxRetries: retries, delayMs: 0 }
      }
      return {
        prompt: againPrompt(reason.errors, form.jsonSchema),
        notices: characters === 0 ? [retry] : [voided, retry]
      }
    },
    /** The output that the schema makes of the matching JSON value; undefined without a matching value. */
    met: () => met
  }
}

/** Returns undefined without a schema, and for an invalid one, which is refused with the other parameters. */
export const answeringOf = (
  input: { readonly outputSchema?: unknown; readonly retries?: number | undefined } | undefined,
  by: SchemaBy
): Answering | undefined => {
  if (!Predicate.isObject(input) || input.outputSchema === undefined) return undefined
  const form = outputForm(input.outputSchema)
  return Result.isFailure(form) ? undefined : makeAnswering(form.success, by, input.retries)
}

/** The result for the caller of the run or turn, with the output of the schema; all others get the JSON value. */
export const outputOf = <Output>(answering: Answering | undefined, result: AgentRunResult): AgentRunResult<Output> => {
  const { structuredOutput, ...others } = result
  if (structuredOutput === undefined) return others
  // Checked by the schema, or unchecked by the caller's own choice of type.
  return { ...others, structuredOutput: (answering?.met() ?? { output: structuredOutput }).output as Output }
}

export const withOutput = <Output>(
  answering: Answering | undefined,
  events: Stream.Stream<AgentEvent>
): Stream.Stream<AgentEvent<Output>> => {
  // Without a schema the output is undefined, whatever type the caller names.
  if (answering === undefined) return events as Stream.Stream<AgentEvent<Output>>
  return Stream.map(events, (event) =>
    event.type === "done" || event.type === "turn_done"
      ? { ...event, result: outputOf<Output>(answering, event.result) }
      : event
  )
}
