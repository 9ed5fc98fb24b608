/** An editor shows a few lines for each name, with its meaning, and no type of Effect. Needs a build. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { root } from "../../../tools/docs/kit/pages.ts"
import { openHovers } from "./hover.ts"

mkdirSync(join(root, ".cache"), { recursive: true })
const directory = mkdtempSync(join(root, ".cache", "hovers-"))
const file = join(directory, "hovers.ts")
writeFileSync(
  file,
  `import { AgentError, createAgent } from "reins/promise"
const codex = createAgent("codex")
for await (const event of codex.execute({ prompt: "hi", effort: "low", timeouts: { idle: 1 } })) {
  if (event.type === "text") console.log(event.text)
  if (event.type === "done") console.log(event.result)
}
const result = await codex.run({ prompt: "hi" }).catch((error: unknown) => error)
if (result instanceof AgentError) console.log(result.reason, result.reason.category)
const session = await codex.open({ approvals: [] })
session.decide("r", { decision: "allow" })
`
)
writeFileSync(
  join(directory, "tsconfig.json"),
  JSON.stringify({ extends: join(root, "tsconfig.json"), include: [], files: ["hovers.ts"] })
)

let hovers: Awaited<ReturnType<typeof openHovers>>
beforeAll(async () => {
  hovers = await openHovers(file)
})
afterAll(() => {
  hovers.close()
  rmSync(directory, { recursive: true, force: true })
})

describe("an editor", () => {
  it.each([
    ["const codex", /^const codex: PlainAgent<"codex">$/],
    ["const event", /^const event: AgentEvent<unknown>$/],
    [
      "codex.execute",
      /params: TurnParamsOf<"codex", \w+>\) => AsyncIterable<AgentEvent<\w+>>\n\s*Each iteration is one run\./
    ],
    ["effort", /"high" \| "low" \| "max"[\s\S]*Reasoning effort, as the CLI names it/],
    ["idle", /Timeouts\.idle\?: DurationInput \| undefined\n\s*Silence while waiting for the model\. Default: /],
    ["event.text", /TextEvent\.text: string\n\s*A delta: append it to the text before/],
    ["event.result", /\.result: AgentRunResult<unknown>\n\s*Result of the run, or of the live session/],
    ["result.reason", /\.reason: FailureReason\n\s*Why it failed/],
    ["reason.category", /category: ErrorCategory|category: "/],
    ["const session", /^const session: PlainSession$/],
    ["approvals", /approvals\?: readonly ApprovalRule\[\] \| undefined\n\s*Rules for permission requests/],
    [
      "session.decide",
      /decide: \(requestId: string, answer: PlanAnswer\) => Promise<boolean>\n\s*Decides a `permission_request`/
    ]
  ])("explains %s", async (place, expected) => {
    const hover = await hovers.at(place)
    assert.match(hover, expected)
    assert.isAtMost(hover.split("\n").length, 8, hover)
    assert.isAtMost(hover.length, 500, hover)
    assert.notMatch(hover, /Effect|Schema|Struct/)
  })
})
