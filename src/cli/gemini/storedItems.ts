/**
 * Lines of a chat of Gemini CLI (0.61.0) → prompts and events: a head, then messages, and patches `{"$set": {…}}` whose
 * `messages` are all so far, repeated after a resume. A message replaces an earlier one with its id. Retracted messages remain.
 */
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { AgentUsage } from "../../contract/AgentRunResult.ts"
import { addUsage, usageOf } from "../../contract/addUsage.ts"
import { at, listAt, numberAt, present, textAt, textOfParts, timeAt } from "../jsonFields.ts"
import type { StoredItem, StoredReader } from "../Stored.ts"
import { describeTool, filesOf, todosOf } from "./run/tools.ts"

/** The messages of a chat, in their first order. */
export const makeChat = () => {
  const known = new Map<string, unknown>()
  const idOf = (message: unknown) => (textAt(message, "type") === undefined ? undefined : textAt(message, "id"))
  const put = (message: unknown) => {
    const id = idOf(message)
    if (id !== undefined) known.set(id, message)
  }
  // A message that is repeated in a patch has neither its time nor its tokens.
  const repeat = (message: unknown) => {
    if (!known.has(idOf(message) ?? "")) put(message)
  }
  return {
    add: (line: unknown) => {
      for (const message of listAt(line, "$set", "messages")) repeat(message)
      put(line)
    },
    messages: (): ReadonlyArray<unknown> => [...known.values()]
  }
}

/** The text without thoughts. */
const contentOf = (message: unknown): string => {
  const content = at(message, "content")
  return textOfParts(Array.isArray(content) ? content.filter((part) => at(part, "thought") !== true) : content)
}

/** The text of a message in which the user asks for something. */
export const promptOf = (message: unknown): string | undefined => {
  if (at(message, "type") !== "user") return undefined
  const display = textOfParts(at(message, "displayContent"))
  const text = display === "" ? contentOf(message) : display
  return text.trim() === "" || text.startsWith("<session_context>") ? undefined : text
}

const thoughts = (message: unknown): ReadonlyArray<AgentEvent> =>
  listAt(message, "thoughts").flatMap((thought): ReadonlyArray<AgentEvent> => {
    const text = [textAt(thought, "subject"), textAt(thought, "description")].filter((part) => part !== undefined)
    return text.length === 0 ? [] : [{ type: "thinking", text: text.join(": ") }]
  })

const outputOf = (call: unknown): string => {
  const display = textAt(call, "resultDisplay")
  const responses = listAt(call, "result").flatMap((part) => {
    const response = at(part, "functionResponse", "response")
    return textAt(response, "output") ?? textAt(response, "error") ?? textAt(part, "text") ?? []
  })
  return responses.length === 0 ? (display ?? "") : responses.join("\n")
}

const calls = (message: unknown): ReadonlyArray<AgentEvent> =>
  listAt(message, "toolCalls").flatMap((call): ReadonlyArray<AgentEvent> => {
    const [toolName, toolId, input] = [textAt(call, "name"), textAt(call, "id"), at(call, "args") ?? {}]
    if (toolName === undefined || toolId === undefined) return []
    const status = textAt(call, "status")
    const facts = { ...describeTool(toolName, input, []), ...filesOf(toolName, input) }
    return [
      { type: "tool_use", toolName, toolId, input, ...facts },
      ...todosOf(toolId, toolName, input),
      { type: "tool_result", toolId, output: outputOf(call), isError: status !== undefined && status !== "success" }
    ]
  })

const tokensOf = (message: unknown): AgentUsage | undefined => {
  const [input, cached] = [numberAt(message, "tokens", "input"), numberAt(message, "tokens", "cached")]
  return usageOf({
    inputTokens: input === undefined ? undefined : Math.max(0, input - (cached ?? 0)),
    outputTokens: numberAt(message, "tokens", "output"),
    cacheReadTokens: cached === 0 ? undefined : cached
  })
}

/** Answers of one turn are separated by a blank line. */
const answer = (message: unknown, lead: string): ReadonlyArray<AgentEvent> => {
  const text = contentOf(message)
  return text === "" ? [] : [{ type: "text", text: `${lead}${text}` }]
}

const noticed: Readonly<Record<string, "info" | "warning">> = { info: "info", warning: "warning", error: "warning" }

const itemsOf = (messages: ReadonlyArray<unknown>): ReadonlyArray<StoredItem> => {
  let usage: AgentUsage | undefined
  let lead = ""
  return messages.flatMap((message): ReadonlyArray<StoredItem> => {
    const time = timeAt(message, "timestamp")
    const prompt = promptOf(message)
    if (prompt !== undefined) {
      usage = undefined
      lead = ""
      return [{ at: time, prompt }]
    }
    const type = textAt(message, "type") ?? ""
    if (Object.hasOwn(noticed, type)) {
      const event = { type: "notice", kind: noticed[type] ?? "info", message: contentOf(message) } as const
      return [{ at: time, event }]
    }
    if (type !== "gemini") return []
    const answered = answer(message, lead)
    if (answered.length > 0) lead = "\n\n"
    const more = tokensOf(message)
    usage = addUsage(usage, more)
    const model = present({ model: textAt(message, "model") })
    const sum: ReadonlyArray<AgentEvent> =
      more === undefined || usage === undefined ? [] : [{ type: "usage", usage, ...model }]
    return [...thoughts(message), ...answered, ...calls(message), ...sum].map((event) => ({ at: time, event }))
  })
}

export const reader = (sessionId: string): StoredReader => {
  const chat = makeChat()
  let startedAt: number | undefined
  return {
    line: (line) => {
      startedAt ??= timeAt(line, "startTime")
      chat.add(line)
      return []
    },
    end: () => [{ at: startedAt, event: { type: "session", sessionId } }, ...itemsOf(chat.messages())]
  }
}
