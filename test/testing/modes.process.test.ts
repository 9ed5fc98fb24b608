/** A fake reports the permission mode that it was started with, as its CLI does, unless its script says otherwise. */
import { assert, describe, it } from "vitest"
import type { CliId } from "../../src/agents/Agents.ts"
import type { PermissionMode } from "../../src/contract/AgentExecuteParams.ts"
import { AgentError, createAgent } from "../../src/promise.ts"
import { FakeCli, LiveStep, Step } from "../../src/testing.ts"
import { ids } from "./kit.ts"

const all: ReadonlyArray<PermissionMode> = ["default", "plan", "accept-edits", "bypass"]

/** Pi never asks, and is refused a mode that promises it. */
const modesOf = (id: CliId) => (id === "pi" ? (["plan", "bypass"] as const) : all)

/** Words of each for each of them; runs of the others report no mode. */
const inRuns: Partial<Record<CliId, ReadonlyArray<string>>> = {
  claude: ["default", "plan", "acceptEdits", "bypassPermissions"]
}
const inSessions: Readonly<Record<CliId, ReadonlyArray<string>>> = {
  claude: ["default", "plan", "acceptEdits", "bypassPermissions"],
  gemini: ["default", "plan", "autoEdit", "yolo"],
  codex: ["untrusted workspaceWrite", "untrusted readOnly", "untrusted workspaceWrite", "never dangerFullAccess"],
  opencode: ["build", "plan", "build", "build"],
  pi: []
}

describe.each(ids)("%s", (id) => {
  const modes = modesOf(id)

  it("is run in any mode", async () => {
    await using cli = await FakeCli.install(FakeCli[id]([Step.text("Done.")]))
    await using agent = createAgent(id, { command: cli.command })
    const reported = await Promise.all(
      modes.map(async (permissionMode) => {
        const events = await Array.fromAsync(agent.execute({ prompt: "go", permissionMode }))
        assert.deepNestedInclude(events.at(-1), { "result.outcome": "completed" }, permissionMode)
        return events.find(({ type }) => type === "session")
      })
    )
    assert.deepStrictEqual(
      reported.map((event) => (event?.type === "session" ? event.permissionMode : "no session")),
      [...(inRuns[id] ?? modes.map(() => undefined))]
    )
  })

  it("is opened in any mode", async () => {
    await using cli = await FakeCli.install(FakeCli.live(id, [[LiveStep.text("Done.")]]))
    await using agent = createAgent(id, { command: cli.command })
    const reported = await Promise.all(
      modes.map(async (permissionMode) => {
        await using session = await agent.open({ permissionMode })
        const reply = (async () => {
          let last: string | undefined
          for await (const event of session.events) {
            if (event.type === "session") last = event.permissionMode
            if (event.type === "turn_done") return last
          }
          return assert.fail("no end of the turn")
        })()
        const events = await Array.fromAsync(session.turn("go"))
        assert.deepNestedInclude(events.at(-1), { "result.outcome": "completed" }, permissionMode)
        return reply
      })
    )
    assert.deepStrictEqual(reported, id === "pi" ? modes.map(() => undefined) : [...inSessions[id]])
  })
})

it("says another mode where its script does", async () => {
  const loose = Step.session({ fields: { permissionMode: "acceptEdits" } })
  await using cli = await FakeCli.install(FakeCli.claude([loose, Step.text("Done.")]))
  await using agent = createAgent("claude", { command: cli.command })
  const error: unknown = await agent.run({ prompt: "go", permissionMode: "plan" }).catch((error: unknown) => error)
  if (!(error instanceof AgentError)) return assert.fail("it did not fail")
  assert.deepInclude(error.reason, { code: "permission_mode_mismatch", asked: "plan", reported: "acceptEdits" })
})
