/**
 * A scripted model whose every answer has token counts of its own, and what it has counted: to be compared with what a
 * real CLI, and Reins, report. A prompt says by its last word in capitals what the model does.
 */
import type { CliId } from "../../../src/cli/clis.ts"
import { addUsage } from "../../../src/contract/addUsage.ts"
import { chatCompletions, gemini, messages, responses } from "../../../src/testing/ModelServer.ts"
import {
  type Answer,
  call,
  fail,
  message,
  silence,
  text,
  tool,
  type Usage
} from "../../../src/testing/servers/Answer.ts"
import type { ModelRequest, RequestKind } from "../../../src/testing/servers/request.ts"
import { command } from "./live.ts"

const servers = { claude: messages, gemini, codex: responses, opencode: chatCompletions, pi: messages }

/** One answer that the model has given whole. */
export interface Counted {
  readonly kind: RequestKind
  readonly model: string
  readonly usage: Usage
}

/** Each differs from all others, and so does each sum of some of them. */
const usageOf = (cli: CliId, serial: number): Usage => ({
  inputTokens: 1_000 + 2 ** (serial % 10) + serial,
  outputTokens: 100 + serial,
  cacheReadTokens: 200 + 3 * serial,
  // The two others have no word for it.
  cacheWriteTokens: cli === "gemini" || cli === "opencode" ? 0 : 50 + serial
})

const delegated = "look around"

const subAgent = (cli: CliId, toolResults: ModelRequest["toolResults"]): Answer | undefined => {
  const [first, ...others] = toolResults
  switch (cli) {
    case "claude":
      return first === undefined
        ? call(
            tool("Agent", {
              description: "sub work",
              prompt: delegated,
              subagent_type: "general-purpose",
              run_in_background: false
            })
          )
        : undefined
    case "opencode":
      return first === undefined
        ? call(tool("task", { description: "sub work", prompt: delegated, subagent_type: "general" }))
        : undefined
    case "gemini":
      return first === undefined
        ? call(tool("invoke_agent", { agent_name: "codebase_investigator", prompt: delegated }))
        : undefined
    case "codex": {
      if (first === undefined) return call(tool("multi_agent_v1.spawn_agent", { message: delegated }))
      if (others.length > 0) return undefined
      const { agent_id } = JSON.parse(first.text)
      return call(tool("multi_agent_v1.wait_agent", { targets: [agent_id], timeout_ms: 20_000 }))
    }
    case "pi":
      // It has none: the answer comes at once.
      return undefined
  }
}

/** For Claude Code: when it is over, the CLI begins a turn by itself. */
const inBackground = tool("Bash", { command: "sleep 1.5", description: "work", run_in_background: true })

/** The newest prompt with a word in capitals: `two DO-TOOL`. The first word tells it from all others. */
const promptIn = (prompts: ReadonlyArray<string>) =>
  prompts
    .join("\n")
    .match(/\b\w+ DO-[A-Z]+\b/g)
    ?.at(-1) ?? ""

export const countingModel = async (cli: CliId) => {
  const counted: Array<Counted> = []
  let serial = 0
  const tries = new Map<string, number>()
  const resultsBefore = new Map<string, number>()

  const answer = (request: ModelRequest): Answer => {
    const { kind, prompts, toolResults } = request
    const turn = promptIn(prompts)
    const word = turn.split(" ").at(-1)
    const isAgent = kind === "agent" || (prompts.some((prompt) => prompt.includes(delegated)) && word !== "DO-SUB")
    if (kind === "side") return message([text("ok")])
    if (isAgent) {
      if (cli === "gemini") return call(tool("complete_task", { result: "Sub answer." }))
      return message([text("Sub answer.")])
    }
    const nth = (tries.get(turn) ?? 0) + 1
    tries.set(turn, nth)
    if (nth === 1) resultsBefore.set(turn, toolResults.length)
    const own = toolResults.slice(resultsBefore.get(turn) ?? 0)
    switch (word) {
      case "DO-TOOL":
        return own.length === 0 ? call(command[cli]("true")) : message([text("Done.")])
      case "DO-SUB":
        return subAgent(cli, own) ?? message([text("Done.")])
      case "DO-RETRY":
        return nth === 1 ? fail(500) : message([text("Done.")])
      case "DO-HANG":
        return own.length === 0 ? call(command[cli]("true")) : silence()
      case "DO-FAIL":
        return own.length === 0 ? call(command[cli]("true")) : fail(400)
      case "DO-BACKGROUND":
        return own.length === 0 ? call(inBackground) : message([text("Started.")])
      default:
        return message([text("Done.")])
    }
  }

  const api = await servers[cli]({
    main: (request: ModelRequest) => withCounts(request),
    agents: (request: ModelRequest) => withCounts(request),
    side: (request: ModelRequest) => withCounts(request)
  })

  function withCounts(request: ModelRequest): Answer {
    const input = answer(request)
    if (input.type !== "message") return input
    serial += 1
    const usage = usageOf(cli, serial)
    counted.push({ kind: request.kind, model: request.model, usage })
    return { ...input, usage }
  }

  /** Counts since the last look. */
  const take = () => {
    const all = counted.splice(0)
    const sum = (kinds: ReadonlyArray<RequestKind>): Partial<Usage> =>
      all
        .filter(({ kind }) => kinds.includes(kind))
        .map(({ usage }) => usage)
        .reduce<Partial<Usage>>((a, b) => addUsage(a, b) ?? {}, {})
    return { all, sum }
  }
  return Object.assign(api, { take })
}
