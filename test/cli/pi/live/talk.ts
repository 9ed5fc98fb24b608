/** A host's conversation with the dialogue of Pi: its commands, and the lines of `pi --mode rpc` that answer them. */
import { assert } from "vitest"
import { type Action, isAction, type Output } from "../../../../src/cli/Live.ts"
import { makeDialogue } from "../../../../src/cli/pi/live/dialogue.ts"
import type { AgentOpenParams } from "../../../../src/contract/AgentOpenParams.ts"

/** Lines of JSON, whose shape is what the test is about. */
// biome-ignore lint/suspicious/noExplicitAny: lines are looked at as they are
export type Json = any

export const sessionId = "01a21992-6fc1-74ba-b542-2c29cbc81fcc"

export const idle = {
  sessionId,
  model: { id: "m1", provider: "fake" },
  isStreaming: false,
  isCompacting: false,
  pendingMessageCount: 0
}

type Command = "get_state" | "prompt" | "abort"

/** Without its handshake. */
export const makeTalk = (params: AgentOpenParams = {}) => {
  const dialogue = makeDialogue(params)
  const lines: Array<Json> = []
  /** Commands without an answer. */
  const open: Array<Json> = []

  const note = (outputs: ReadonlyArray<Output>): ReadonlyArray<Output> => {
    for (const output of outputs) {
      if (!isAction(output) || output._tag !== "Write") continue
      // As they are on the wire.
      const json = JSON.parse(JSON.stringify(output.json))
      lines.push(json)
      if (json.type !== "extension_ui_response") open.push(json)
    }
    return outputs.filter((output) => !isAction(output) || output._tag !== "Write")
  }

  const hear = (...received: ReadonlyArray<unknown>) => received.flatMap((line) => note(dialogue.push(line)))

  /** Answers the oldest open command of this type. */
  const reply = (command: Command, fields: object = {}) => {
    const at = open.findIndex(({ type }) => type === command)
    const [next] = open.splice(at, at === -1 ? 0 : 1)
    if (next === undefined) return assert.fail(`no ${command} is open`)
    return hear({ id: next.id, type: "response", command, success: true, ...fields })
  }

  const tellOnce = (state: object = {}) => reply("get_state", { data: { ...idle, ...state } })

  return {
    dialogue,
    lines,
    hear,
    reply,
    /** Answers one `get_state`. */
    tellOnce,
    /** Answers `get_state` as often as it is asked. */
    tell: (state: object = {}) => {
      const outputs = [...tellOnce(state)]
      for (let times = 0; open.some(({ type }) => type === "get_state"); times += 1) {
        assert.isBelow(times, 3, "it asks and asks")
        outputs.push(...tellOnce(state))
      }
      return outputs
    },
    open: (): ReadonlyArray<string> => open.map(({ type }) => type),
    start: () => note(dialogue.open()),
    turn: (text = "go") => note(dialogue.turn(text)),
    steer: (text = "more") => note(dialogue.steer(text) ?? assert.fail("it takes no text now")),
    interrupt: () => note(dialogue.interrupt()),
    answer: (id: string, answers?: Record<string, ReadonlyArray<string>>) => note(dialogue.answer(id, answers))
  }
}

export type Talk = ReturnType<typeof makeTalk>

/** A session that rests. */
export const opened = (params: AgentOpenParams = {}): Talk => {
  const talk = makeTalk(params)
  talk.start()
  talk.tell()
  return talk
}

/** In a turn whose agent works. */
export const begun = (params: AgentOpenParams = {}): Talk => {
  const talk = opened(params)
  talk.turn()
  talk.reply("prompt")
  talk.tell({ isStreaming: true })
  talk.hear(agentStart)
  return talk
}

export const agentStart = { type: "agent_start" }
export const agentEnd = { type: "agent_end", messages: [] }
export const agentSettled = { type: "agent_settled", aborted: false }

const messageOf = (text: string, stopReason: string, more: object) => ({
  role: "assistant",
  content: text === "" ? [] : [{ type: "text", text }],
  provider: "fake",
  model: "m1",
  usage: { input: 100, output: 42, cacheRead: 3000, cacheWrite: 20, totalTokens: 3162, cost: { total: 0.5 } },
  stopReason,
  ...more
})

/** A message of the model, in pieces and whole. */
export const message = (text: string, stopReason = "stop", more: object = {}) => [
  { type: "message_start", message: messageOf("", "stop", {}) },
  ...(text === ""
    ? []
    : [{ type: "message_update", assistantMessageEvent: { type: "text_delta", contentIndex: 0, delta: text } }]),
  { type: "message_end", message: messageOf(text, stopReason, more) }
]
export const failed = (text: string, errorMessage: string) => message(text, "error", { errorMessage })
export const aborted = (text = "") => message(text, "aborted", { errorMessage: "This operation was aborted" })

export const retryStart = {
  type: "auto_retry_start",
  attempt: 1,
  maxAttempts: 3,
  delayMs: 2000,
  errorMessage: "429 overloaded"
}
export const retryEnd = (success: boolean) => ({ type: "auto_retry_end", success, attempt: 1 })
export const compactionStart = { type: "compaction_start", reason: "threshold" }
export const compactionEnd = (willRetry: boolean) => ({ type: "compaction_end", aborted: false, willRetry })

export const ends = (outputs: ReadonlyArray<Output>) =>
  outputs.filter(
    (output): output is Extract<Action, { _tag: "TurnEnded" }> => isAction(output) && output._tag === "TurnEnded"
  )

/** The one end of a turn. */
export const endOf = (outputs: ReadonlyArray<Output>): Json => {
  const [end, ...others] = ends(outputs)
  assert.isDefined(end)
  assert.lengthOf(others, 0)
  return end
}

/** The text that is still valid. */
export const textOf = (outputs: ReadonlyArray<Output>): string =>
  outputs.reduce((text, output) => {
    if (isAction(output)) return text
    if (output.type === "text") return text + output.text
    const isVoid = output.type === "notice" && output.kind === "text_voided"
    return isVoid ? text.slice(0, text.length - Number(output.data?.["characters"])) : text
  }, "")

export const tags = (outputs: ReadonlyArray<Output>) =>
  outputs.map((output) => (isAction(output) ? output._tag : output.type))

/** Pi asks for nothing more, and the next turn is like the first. */
export const assertRests = (talk: Talk) => {
  assert.deepStrictEqual(talk.open(), [])
  assert.strictEqual(talk.dialogue.standing(), "resting")
  talk.turn("next")
  talk.reply("prompt")
  talk.hear(agentStart, ...message("next"), agentEnd)
  assert.deepInclude(endOf(talk.tell()), { verdict: { _tag: "Success" } })
}
