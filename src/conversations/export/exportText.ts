/** A session as a stream of text: JSON lines, or Markdown turn by turn; at most one turn is in memory. */
import { Effect, Stream } from "effect"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { AgentRunResult } from "../../contract/AgentRunResult.ts"
import { eventJson, plainJson } from "../../contract/eventJson.ts"
import type { ExportFormat, PromptEvent, SessionInfo } from "../../contract/Sessions.ts"
import { formatCost, formatDuration, isoTime } from "../../contract/text/amounts.ts"
import { cutAt } from "../../contract/text/harmless.ts"
import { code, fence, literal, quote } from "./markdownText.ts"
import { type Block, makeTurnBlocks, type ToolBlock, type TurnBlocks } from "./turnBlocks.ts"

/** As `TranscriptEvent`; in a CLI's own file some of it is unknown. */
export interface ExportedEvent {
  readonly position?: number
  readonly at?: number
  readonly runId?: string
  readonly event: AgentEvent | PromptEvent
}

export interface ExportedSession extends SessionInfo {
  /** The command by which it is continued, if its CLI has one. */
  readonly resumeLine?: string
}

/** In characters. Longer ones are whole in JSON. */
const longestAnswer = 2_000
const longestProblem = 500
const longestFact = 300

const dateOf = (at: number) => {
  const time = isoTime(at)
  return time === undefined ? undefined : `${time.slice(0, 19).replace("T", " ")} UTC`
}

const listOf = (facts: ReadonlyArray<readonly [label: string, value: string | undefined]>) =>
  facts.flatMap(([label, value]) => (value === undefined ? [] : [`- ${label}: ${value}`])).join("\n")

/** `…` and how much was left out. */
const short = (text: string, longest: number) => {
  const { head: stored, rest } = cutAt(text, longest)
  return rest === 0 ? stored : `${stored}…`
}

const headOf = (session: ExportedSession) => {
  const { title, cli, sessionId, resumeLine, conversation, directory, createdAt } = session
  const facts = listOf([
    ["Agent", code(cli)],
    ["Session", code(sessionId)],
    ["Go on with it", resumeLine],
    ["Conversation", conversation?.map(code).join(", ")],
    ["Directory", directory === undefined ? undefined : code(directory)],
    ["Begun", createdAt === undefined ? undefined : dateOf(createdAt)]
  ])
  return `# ${literal(title ?? `Session ${sessionId}`)}\n\n${facts}\n`
}

const answerOf = (text: string) => {
  const { head: stored, rest } = cutAt(text, longestAnswer)
  return quote(stored) + (rest === 0 ? "" : `\n\n*… and ${rest.toLocaleString("en-US")} characters more*`)
}

const outcomes = { unfinished: " – no result", succeeded: "", failed: " – failed" } as const

const toolOf = ({ name, title, outcome, problem }: ToolBlock) => {
  const what = title === name ? code(name) : `${code(name)} ${code(short(title, longestFact))}`
  const excerpt = problem.trim() === "" ? "" : `\n\n${fence(short(problem.trim(), longestProblem), "  ")}`
  return `- ${what}${outcomes[outcome]}${excerpt}`
}

const blockOf = (block: Block): string => {
  if (block.type === "text") return block.text().trim() === "" ? "" : answerOf(block.text().trim())
  return block.type === "tool" ? toolOf(block) : `- ${block.label}: ${code(short(block.text, longestFact))}`
}

/** Blocks of a sub-agent are marked, once for each run of neighbouring blocks. */
const blocksOf = ({ blocks, titleOf }: TurnBlocks) => {
  let parent: string | undefined
  return blocks().flatMap((block) => {
    const visible = blockOf(block)
    if (visible === "") return []
    const isOther = block.parent !== parent
    parent = block.parent
    if (!isOther) return [visible]
    if (parent === undefined) return ["**Agent**", visible]
    const title = titleOf(parent)
    return [`**Sub-agent**${title === undefined ? "" : ` ${code(short(title, longestFact))}`}`, visible]
  })
}

const tokens = (count: number | undefined, what: string) =>
  count === undefined ? [] : [`${count.toLocaleString("en-US")} ${what} tokens`]

const outcomeWords = { completed: "Completed", failed: "Failed", aborted: "Aborted", timed_out: "Timed out" } as const

/** Tokens are there for each CLI that reports them, the cost for those that know it. */
const footOf = ({ outcome, durationMs, usage = {}, totalCostUsd }: AgentRunResult) => {
  const facts = [
    ...tokens(usage.inputTokens, "input"),
    ...tokens(usage.outputTokens, "output"),
    ...tokens(usage.cacheReadTokens, "cached"),
    ...(totalCostUsd === undefined ? [] : [formatCost(totalCostUsd)])
  ]
  const time = durationMs > 0 ? ` after ${formatDuration(durationMs)}` : ""
  return `*${[`${outcomeWords[outcome] ?? "Ended"}${time}`, ...facts].join(", ")}*`
}

/** A turn until its end: it is written as a whole, since a CLI may take back text. */
interface Open {
  readonly parts: TurnBlocks
  at: number | undefined
  prompt: string | undefined
}

const open = (): Open => ({ parts: makeTurnBlocks(), at: undefined, prompt: undefined })

/** `push` returns the text that is complete with an event. */
const makeMarkdown = (session: ExportedSession) => {
  let count = 0
  let turn = open()
  let model: string | undefined
  let head = headOf(session)

  /** Nothing of a turn in which nothing happened, such as the end of a session after that of its last turn. */
  const close = (result?: AgentRunResult) => {
    const { parts, at, prompt } = turn
    const visible = blocksOf(parts)
    turn = open()
    if (prompt === undefined && visible.length === 0) return ""
    count += 1
    const date = at === undefined ? undefined : dateOf(at)
    return [
      `## ${count}${date === undefined ? "" : ` · ${date}`}`,
      ...(prompt === undefined ? [] : ["**Prompt**", quote(prompt.trim())]),
      ...(visible.length === 0 ? [] : ["**Agent**", ...visible]),
      ...(result === undefined ? [] : [footOf(result)])
    ]
      .map((block) => `\n${block}\n`)
      .join("")
  }
  const write = ({ at, event }: ExportedEvent): string => {
    if (event.type === "prompt") {
      const before = close()
      turn.prompt = event.text
      turn.at = at
      return before
    }
    turn.at ??= at
    if (event.type === "session") {
      if (event.model !== undefined && event.parentToolId === undefined && event.model !== model) {
        model = event.model
        turn.parts.fact("Model", event.model)
      }
      return ""
    }
    turn.parts.push(event)
    return event.type === "turn_done" || event.type === "done" ? close(event.result) : ""
  }
  const headed = (text: string) => {
    const whole = head + text
    head = ""
    return whole
  }
  return { push: (exported: ExportedEvent) => headed(write(exported)), end: () => headed(close()) }
}

const isOfRun = (event: ExportedEvent["event"]): event is AgentEvent => event.type !== "prompt"

const jsonLine = ({ event, ...stamp }: ExportedEvent): string => {
  const own = isOfRun(event) ? eventJson(event) : (plainJson(event) ?? "null")
  const facts = (plainJson(stamp) ?? "{}").slice(0, -1)
  return `${facts}${facts === "{" ? "" : ","}"event":${own}}\n`
}

/** JSON lines: `{"session":…}`, then each event with its position and time, if known. Nothing is cut. */
const exportJson = <E, R>(session: ExportedSession, events: Stream.Stream<ExportedEvent, E, R>) =>
  Stream.concat(Stream.make(`${plainJson({ session }) ?? "{}"}\n`), Stream.map(events, jsonLine))

export const exportText = <E, R>(
  session: ExportedSession,
  events: Stream.Stream<ExportedEvent, E, R>,
  format: ExportFormat
): Stream.Stream<string, E, R> => {
  if (format === "json") return exportJson(session, events)
  return Stream.suspend(() => {
    const { push, end } = makeMarkdown(session)
    const whole = Stream.concat(Stream.map(events, push), Stream.fromEffect(Effect.sync(end)))
    return Stream.filter(whole, (text) => text !== "")
  })
}
