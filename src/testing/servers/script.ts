/** Chooses the answer to the nth request; the rules are the same for every protocol. */
import { type Answer, fail, say } from "./Answer.ts"
import type { ModelRequest, RequestKind } from "./request.ts"

/** Answers in order, or a function of the request. If it throws or gives no `Answer`, the client gets status 400. */
export type Turns<Request> = ReadonlyArray<Answer> | ((request: Request) => Answer)

/** Answers to each kind of request. */
export interface Scenario<Request> {
  /** Answers to the conversation itself. */
  readonly main: Turns<Request>
  /**
   * After the last answer of the main list: the same again (a CLI repeats failed requests), a refusal, or another
   * answer. Default: `repeat`, but `refuse` after a tool call, which would otherwise be called for ever.
   */
  readonly afterwards?: "repeat" | "refuse" | Answer
  /** Answers to sub-agents, all of them in one list. Default: `ok`. */
  readonly agents?: Turns<Request>
  /** Answers to probes, titles and summaries. Default: `ok`. */
  readonly side?: Turns<Request>
}

/** The answers of the main conversation, or of all that a CLI asks. */
export type Script<Request> = Turns<Request> | Scenario<Request>

const exhausted = fail(400, { message: "the script has no further answer" })

const isScenario = <Request>(script: Script<Request>): script is Scenario<Request> =>
  typeof script === "object" && "main" in script

const types: ReadonlySet<unknown> = new Set<Answer["type"]>(["message", "failure", "silence", "drip"])

/** Scripts in JavaScript, or with a hole, give anything. */
const isAnswer = (value: unknown): value is Answer =>
  typeof value === "object" && value !== null && "type" in value && types.has(value.type)

const callsTools = (answer: Answer) =>
  answer.type === "message" && answer.blocks.some((block) => block.type === "tool_use")

export const makeAnswerer = <Request extends ModelRequest>(script: Script<Request>) => {
  const scenario: Scenario<Request> = isScenario(script) ? script : { main: script }
  const turnsOf = (kind: RequestKind): Turns<Request> => {
    if (kind === "main") return scenario.main
    return (kind === "agent" ? scenario.agents : scenario.side) ?? [say("ok")]
  }

  const after = (last: Answer | undefined, kind: RequestKind): Answer => {
    if (last === undefined) return exhausted
    const rule = (kind === "main" ? scenario.afterwards : undefined) ?? (callsTools(last) ? "refuse" : "repeat")
    if (rule === "refuse") return exhausted
    return rule === "repeat" ? last : rule
  }

  const choose = (request: Request): Answer => {
    const turns = turnsOf(request.kind)
    if (typeof turns === "function") return turns(request)
    return turns[request.nth - 1] ?? after(turns.at(-1), request.kind)
  }

  return (request: Request): Answer => {
    try {
      const answer: unknown = choose(request)
      if (isAnswer(answer)) return answer
      if (answer instanceof Promise) answer.catch(() => undefined)
      const description = answer instanceof Promise ? "a promise" : (JSON.stringify(answer) ?? String(answer))
      return fail(400, { message: `the script gave ${description}, which is not an Answer` })
    } catch (error) {
      // Throwing would hang the test or end its process. No CLI repeats a request that is answered so.
      return fail(400, { message: `the script threw: ${error instanceof Error ? error.message : String(error)}` })
    }
  }
}
