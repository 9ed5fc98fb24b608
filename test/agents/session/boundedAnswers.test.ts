/** Replies to a CLI are bounded in depth and size; a request that cannot be answered is denied, and reported. */
import { assert, describe, it } from "vitest"
import { makeLiveStdin } from "../../../src/agents/session/sessionTask.ts"
import { live as claude } from "../../../src/cli/claude/index.ts"
import { isAction, type Output } from "../../../src/cli/Live.ts"

const nested = (depth: number): unknown => JSON.parse(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`)

describe("a line for a CLI", () => {
  it("is not written half, and never thrown about", () => {
    const { writeJson } = makeLiveStdin()
    assert.isUndefined(writeJson({ a: 1 }))
    assert.match(writeJson(nested(100_000)) ?? "", /deeper than 200/)
  })
})

describe("a request of Claude Code whose input is nested too deep", () => {
  const dialogue = claude.dialogue({}, { workingDirectory: "/w", privateDirectory: "/p" })
  dialogue.open()
  const ask = (input: unknown): ReadonlyArray<Output> =>
    dialogue.push({
      type: "control_request",
      request_id: "r1",
      request: { subtype: "can_use_tool", tool_name: "Bash", input, tool_use_id: "t1" }
    })

  it("is denied at once, and told", () => {
    const outputs = ask(nested(100_000))
    const content = outputs.filter((output) => isAction(output) && output._tag === "Write")
    assert.lengthOf(content, 1)
    assert.include(JSON.stringify(content), '"subtype":"error"')
    const notices = outputs.filter((output) => !isAction(output) && output.type === "notice")
    assert.deepInclude(notices[0], { kind: "permission_denied" })
    assert.isEmpty(outputs.filter((output) => isAction(output) && output._tag === "Asked"))
  })

  it("does not hinder the next", () => {
    assert.isTrue(ask({ command: "ls" }).some((output) => isAction(output) && output._tag === "Asked"))
  })
})
