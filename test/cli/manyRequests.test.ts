/**
 * With thousands of open requests, each costs a dialogue as much as with a few, measured by the time of many against
 * that of few.
 */
import { assert, describe, it } from "vitest"
import { live as claude } from "../../src/cli/claude/index.ts"
import { live as codex } from "../../src/cli/codex/index.ts"
import { type Dialogue, isAction, type Output } from "../../src/cli/Live.ts"

const context = { workingDirectory: "/w", privateDirectory: "/p" }

/** The ids of what is written, which its answers name. */
const idOf = (outputs: ReadonlyArray<Output>): unknown =>
  outputs.flatMap((output): ReadonlyArray<unknown> => {
    if (!isAction(output) || output._tag !== "Write") return []
    const json = output.json as { readonly id?: unknown; readonly request_id?: unknown } // what these two write
    return [json.id ?? json.request_id].filter((id) => id !== undefined)
  })[0]

const openClaude = (): Dialogue => {
  const dialogue = claude.dialogue({}, context)
  const id = idOf(dialogue.open())
  dialogue.push({ type: "control_response", response: { subtype: "success", request_id: id } })
  dialogue.turn("go")
  return dialogue
}

const openCodex = (): Dialogue => {
  const dialogue = codex.dialogue({}, context)
  const started = dialogue.push({ id: idOf(dialogue.open()), result: {} })
  dialogue.push({ id: idOf(started), result: { thread: { id: "T" }, cwd: "/w" } })
  dialogue.push({ id: idOf(dialogue.turn("go")), result: { turn: { id: "U" } } })
  dialogue.push({ method: "turn/started", params: { threadId: "T", turn: { id: "U", status: "inProgress" } } })
  return dialogue
}

const claudeAsk = (index: number): unknown => ({
  type: "control_request",
  request_id: `r${index}`,
  request: { subtype: "can_use_tool", tool_name: "Bash", input: { command: "ls" }, tool_use_id: `t${index}` }
})

const codexAsk = (index: number): unknown => ({
  method: "item/commandExecution/requestApproval",
  id: index,
  params: { threadId: "T", turnId: "U", itemId: `c${index}`, command: "/bin/bash -lc 'ls'", cwd: "/w" }
})

const dialogues: ReadonlyArray<readonly [string, () => Dialogue, (index: number) => unknown]> = [
  ["claude", openClaude, claudeAsk],
  ["codex", openCodex, codexAsk]
]

/** CPU time of so many open requests, all of which are answered. */
const costOf = (open: () => Dialogue, ask: (index: number) => unknown, count: number): number => {
  const dialogue = open()
  const before = process.cpuUsage()
  const request = Array.from({ length: count }, (_, index) => dialogue.push(ask(index))).flat()
  const ids = request.flatMap((output) => (isAction(output) && output._tag === "Asked" ? [output.ask.requestId] : []))
  assert.strictEqual(ids.length, count)
  for (const id of ids) dialogue.decide(id, { decision: "allow" })
  const { user, system } = process.cpuUsage(before)
  return user + system
}

describe.each(dialogues)("%s", (_, open, ask) => {
  it("has a cost that grows with the requests, not with their square", () => {
    costOf(open, ask, 500)
    const few = costOf(open, ask, 1_000)
    const many = costOf(open, ask, 12_000)
    // Twelve times as many: 12 in proportion, 144 where each looks at all others.
    assert.isBelow(many / few, 45)
  })
})
